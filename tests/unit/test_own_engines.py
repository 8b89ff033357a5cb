"""Engines of one's own, and what happens where Lacis' engines refuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest

from ..conftest import ROOT
from ..examples import blocks

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import FabricArrays

    from ..conftest import Lacis

FABRICS = (
    "fat-tree:4,2",
    "fat-tree:8,2",
    "fat-tree:4,3",
    "torus:4x4:h=2",
    "ring:6",
    "hypercube:3:h=2",
    "dragonfly:2,4,2",
    "random:20,4,3:seed=1",
    "random:20,5,2:seed=2",
    "pgft:2;4,4;1,2;1,2",
)


@pytest.fixture(scope="module")
def min_hop() -> Callable[[FabricArrays], Any]:
    """The engine that the documentation shows: shortest paths by a search of its own."""
    (block,) = (text for text in blocks(ROOT / "docs/reference/api.md") if "def min_hop" in text)
    names: dict[str, Any] = {"lacis": lacis, "fabric": lacis.read("fat-tree:4,2")}
    exec(block, names)  # noqa: S102 (our own page)
    engine: Callable[[FabricArrays], Any] = names["min_hop"]
    return engine


def without_cables(spec: str) -> lacis.Fabric:
    return lacis.read(spec).without(["random-cables=10%,seed=5"])


@pytest.mark.parametrize("spec", FABRICS)
@pytest.mark.parametrize("made", [lacis.read, without_cables], ids=["whole", "damaged"])
def test_a_min_hop_engine_has_minhop_s_hops(
    made: Callable[[str], lacis.Fabric], spec: str, min_hop: Callable[[FabricArrays], Any]
) -> None:
    fabric = made(spec)
    own, theirs = (lacis.verify(lacis.route(fabric, engine)) for engine in (min_hop, "minhop"))
    assert own.hops == theirs.hops
    assert own.verdicts == theirs.verdicts


def test_one_s_own_tables_are_predicted_traced_and_written(
    min_hop: Callable[[FabricArrays], Any], tmp_path: Path
) -> None:
    fabric = lacis.read("fat-tree:4,2")
    routes = lacis.route(fabric, min_hop)
    assert (routes.engine_requested, routes.engine_used, routes.refusals) == ("file", "file", [])
    # All go up by the lowest port: the two hosts of a leaf share it.
    assert lacis.predict(routes, "shift:2").max_contention == 2
    *_, a, b = fabric.descriptions()
    assert lacis.trace(routes, a, b).verdict == "delivered"
    lacis.write_tables(routes, tmp_path / "own.lfts")
    read, _ = lacis.read_tables(fabric, tmp_path / "own.lfts")
    assert np.array_equal(read.table(), routes.table())


def test_what_an_engine_gets_is_the_fabric() -> None:
    # Leaves 0 to 3 with two hosts on ports 1 and 2 each, spines 4 and 5; nodes 6 to 13 are the hosts.
    fabric = lacis.read("fat-tree:4,2")
    seen: list[FabricArrays] = []

    def look(given: FabricArrays) -> Any:
        seen.append(given)
        return np.full((6, len(given.lids)), 255)

    lacis.route(fabric, look, lmc=1)
    (given,) = seen
    assert (given.num_switches, given.kinds) == (6, ["switch"] * 6 + ["adapter"] * 8)
    assert given.names == fabric.descriptions()
    assert given.peers.tolist()[:2] == [[0, 6, 7, 4, 5], [1, 8, 9, 4, 5]]
    assert given.peers.tolist()[4] == [4, 0, 1, 2, 3]
    # LMC 1: two LIDs an adapter, one a switch.
    assert np.bincount(given.owners).tolist() == [1] * 6 + [2] * 8
    of_last = given.owners == 13
    assert given.edge_switches[of_last].tolist() == [3, 3]
    assert given.edge_ports[of_last].tolist() == [2, 2]
    assert given.edge_ports[given.owners == 5].tolist() == [0]
    assert repr(given) == "<lacis.FabricArrays: switches: 6, LIDs: 22>"


def test_columns_by_lid_by_end_node_and_of_the_whole_table_are_one_engine(
    min_hop: Callable[[FabricArrays], Any],
) -> None:
    fabric = lacis.read("fat-tree:4,2")

    def whole(given: FabricArrays) -> Any:
        table = np.full((given.num_switches, int(given.lids.max()) + 1), 255)
        table[:, given.lids] = min_hop(given)
        return table

    def by_end_node(given: FabricArrays) -> Any:
        first = [int(np.flatnonzero(given.owners == node)[0]) for node in range(6, 14)]
        return min_hop(given)[:, first]

    tables = [lacis.route(fabric, engine, lmc=1) for engine in (min_hop, whole, by_end_node)]
    assert np.array_equal(tables[0].table(), tables[1].table())
    # By end node, no entry leads to another switch; to end nodes all are equal.
    ends = np.isin(np.arange(tables[0].table().shape[1]), tables[0].lids()[0])
    is_end = ends & (tables[0].edge_switches() >= 0) & (tables[0].table().min(axis=0) > 0)
    assert int(is_end.sum()) == 16
    assert np.array_equal(tables[0].table()[:, is_end], tables[2].table()[:, is_end])
    assert int((tables[2].table() == 0).sum()) == 6  # each switch's own LID
    assert lacis.verify(tables[2]).verdicts == lacis.verify(tables[0]).verdicts


def test_a_column_by_end_node_is_refused_where_one_has_ports_on_two_leaves(tmp_path: Path) -> None:
    net = (
        'Switch 2 "S-1" # "a"\n[1] "H-1"[1]\n[2] "S-2"[1]\n\n'
        'Switch 2 "S-2" # "b"\n[1] "S-1"[2]\n[2] "H-1"[2]\n\n'
        'Hca 2 "H-1" # "node1 HCA-1"\n[1] "S-1"[1]\n[2] "S-2"[2]\n'
    )
    (tmp_path / "net").write_text(net)
    fabric = lacis.read(tmp_path / "net")
    with pytest.raises(lacis.LacisError, match=r"LIDs at several ports.*node1 HCA-1"):
        lacis.route(fabric, lambda given: np.full((given.num_switches, 1), 255))


def test_hosts_back_to_back_have_no_switch(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(
        'Hca 1 "H-1" # "n1 HCA-1"\n[1] "H-2"[1]\n\nHca 1 "H-2" # "n2 HCA-1"\n[1] "H-1"[1]\n'
    )
    seen: list[FabricArrays] = []

    def nothing(given: FabricArrays) -> Any:
        seen.append(given)
        return np.zeros((0, len(given.lids)), int)

    routes = lacis.route(lacis.read(tmp_path / "net"), nothing)
    assert (seen[0].owners.tolist(), seen[0].edge_ports.tolist()) == ([-1, -1], [255, 255])
    assert routes.table().shape[0] == 0


def _filled(value: Any, dtype: Any = None) -> Callable[[FabricArrays], Any]:
    return lambda given: np.full((given.num_switches, len(given.lids)), value, dtype)


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        (_filled(1.0), "returns an array of float64: ports are whole numbers, 255 for none"),
        (_filled(float("nan")), "returns an array of float64"),
        (_filled(True), "returns an array of bool"),
        (_filled(-1), r"returns -1 at \[0, 0\]: a port is a number from 0, 255 for none"),
        (_filled(256), r"returns 256 at \[0, 0\]"),
        (_filled(2**63, np.uint64), "returns 9223372036854775808 at"),
        (_filled(5), "switch leaf-01 has 4 ports, and its entry for LID [0-9]+ is 5"),
        (lambda _: None, "returns an array of object"),
        (lambda _: [[1], [1, 2]], "rows of different lengths"),
        (
            lambda _: np.zeros((3, 3), int),
            r"shape \(3, 3\), where \(6, 14\), a column for each LID, or \(6, 8\)",
        ),
        (lambda _: np.zeros(6, int), r"shape \(6,\)"),
    ],
)
def test_what_is_no_table_is_named_with_its_engine(engine: Any, said: str) -> None:
    with pytest.raises(lacis.LacisError, match=said) as caught:
        lacis.route(lacis.read("fat-tree:4,2"), engine)
    assert str(caught.value).startswith("engine <lambda>: ")


def test_an_engine_s_own_error_and_options_that_it_cannot_have() -> None:
    fabric = lacis.read("fat-tree:4,2")

    def broken(given: FabricArrays) -> Any:
        raise KeyError(given.num_switches)

    with pytest.raises(KeyError):
        lacis.route(fabric, broken)
    with pytest.raises(lacis.LacisError, match="roots is an option of Lacis' engines"):
        lacis.route(fabric, _filled(255), roots=[1])
    # Tables of 255 alone deliver nothing, and verify says so.
    assert lacis.verify(lacis.route(fabric, _filled(255))).verdicts["no_entry"] == 56


@pytest.mark.parametrize("make", [lacis.route, lacis.manage])
def test_a_fallback_is_a_warning_with_the_refusal(make: Any) -> None:
    # Every switch of a ring has hosts, so that ftree finds no leaves below its roots.
    ring = lacis.read("ring:6")
    with pytest.warns(lacis.FallbackWarning, match=r"^ftree refused: .*fall back to minhop") as caught:
        make(ring, "ftree")
    assert caught[0].filename == __file__
    assert [one.engine for one in caught[0].message.refusals] == ["ftree"]  # type: ignore[union-attr]
    with pytest.warns(lacis.FallbackWarning, match="ftree refused: .*; updn refused: "):
        make(ring, "ftree,updn")
    with pytest.raises(lacis.RefusedError, match="ftree refuses: ") as refused:
        make(ring, "ftree", fallback=False)
    assert [one.engine for one in refused.value.refusals] == ["ftree"]
    # An engine that was asked for is no fallback.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(ring, "ftree,minhop")
        make(lacis.read("fat-tree:4,2"), "ftree")


@pytest.mark.parametrize("command", [("route",), ("verify",), ("whatif", "--drop", "sw-1"), ("survive",)])
def test_the_command_line_says_a_fallback_once(lacis: Lacis, command: tuple[str, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = lacis(command[0], "ring:6", "-R", "ftree", *command[1:])
    assert said.err.count("refused: Found more than one root") == 1
    assert "FallbackWarning" not in said.err
