"""The tables of engines and of options are what the rest of the program is fed from: they must be true."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import Any

import lacis
import pytest
from lacis import _core
from lacis.requests.routing import RouteOptions
from lacis.sm.engines import ENGINES, KEYS, OMNI_PATH, OPENSM, OPTIONS, OURS, described

from benchmarks.routing import peer_at_most
from tests.conftest import ROOT
from tests.oracle.fabrics import FABRICS

LIDS = {"lmc", "lmc_esp0", "guid2lid", "fresh_lids", "sm"}
"""Options about LIDs, for whatever engine; `fallback` is about the list of engines."""


def test_every_keyword_has_its_row_and_every_row_its_keyword() -> None:
    assert set(RouteOptions.__annotations__) == set(OPTIONS)
    flags = [flag for row in OPTIONS.values() for flag in row.flags]
    assert len(flags) == len(set(flags))
    for row in OPTIONS.values():
        assert set(row.engines) <= set(ENGINES), row.name
        assert (row.kind == "number") == (row.range is not None) == (row.default is not None), row.name


def test_an_option_is_described_once_by_its_row() -> None:
    """`RouteOptions` has the row's sentence, then how its value is given; the core's `Options` names no engine that reads it."""
    [body] = [
        node.body
        for node in ast.parse(inspect.getsource(inspect.getmodule(RouteOptions) or RouteOptions)).body
        if isinstance(node, ast.ClassDef)
    ]
    described_as: dict[str, str] = {}
    for field, text in zip(body[1::2], body[2::2], strict=True):
        assert isinstance(field, ast.AnnAssign)
        assert isinstance(field.target, ast.Name)
        assert isinstance(text, ast.Expr)
        described_as[field.target.id] = " ".join(ast.literal_eval(text.value).split())
    wrong = [row.name for row in OPTIONS.values() if not described_as[row.name].startswith(described(row))]
    assert not wrong
    options = (ROOT / "crates/lacis-core/src/routing/common/options.rs").read_text()
    fields = options.split("pub struct Options {")[1].split("impl Default")[0]
    assert not [name for name in ENGINES if name != "file" and f"`{name}`" in fields]


def test_what_an_engine_needs_is_an_option_that_it_reads() -> None:
    for row in ENGINES.values():
        if row.needs is not None:
            assert row.name in OPTIONS[row.needs].engines
    assert [*OPENSM, "file", "torus-2QoS", *OURS, *OMNI_PATH] == list(ENGINES)
    assert "max_op_vls" not in KEYS


def test_a_benchmark_asks_opensm_for_its_own_engines_only() -> None:
    assert not [engine for engine in (*OURS, *OMNI_PATH) if peer_at_most(engine) > 0]
    assert all(peer_at_most(engine) > 0 for engine in OPENSM)
    # Slower than minhop by a factor of 62, 115 and 82: with more than 4,500 nodes OpenSM takes minutes.
    assert {engine for engine in OPENSM if peer_at_most(engine) < 5000} == {"lash", "dfsssp", "nue"}


@cache
def fabrics() -> list[tuple[_core.Fabric, tuple[int, ...]]]:
    names = (
        "two-cables-each",
        "damaged-three-tier-a",
        "torus-4x4x2-parallel",
        "mesh-4x4",
        "three-tier-mid-to-mid",
        "fat-tree:8,3",
    )
    subjects = [FABRICS[name]() for name in names]
    made = [(_core.read_fabric(s.text.encode()), s.roots) for s in subjects]
    slow = lacis.read("fat-tree:6,2").edit(["random-cables=2"])  # of one rate: nothing is throttled there
    return [*made, (slow, ())]


def chosen(fabric: _core.Fabric, roots: tuple[int, ...], name: str) -> dict[str, Any]:
    """A set of options with one that should show, and what it needs to show."""
    hosts = _core.participants(_core.route(fabric, "minhop"), rail="each", order="topology").guids().tolist()
    switches = sorted(int(guid) for guid in fabric.guids()[: fabric.num_switches])
    ports = range(1, 5)
    return {
        "roots": {"roots": switches[:1]},
        "cn": {"cn": hosts[::2]},
        "io": {"io": hosts[::3]},
        "reverse_hops": {"io": hosts[::3], "reverse_hops": 3},
        "order": {"order": hosts[::-1]},
        "ids": {"ids": [(guid, 1000 - n) for n, guid in enumerate(switches)]},
        "hop_weights": {"hop_weights": [(guid, port, 3) for guid in switches[::2] for port in ports]},
        "ignore": {"ignore": [(guid, port) for guid in switches[::2] for port in ports]},
        "search_order": {"search_order": [(guid, [4, 3, 2, 1]) for guid in switches]},
        "port_shifting": {"port_shifting": True},
        "scatter": {"scatter": 7},
        "order_no_scatter": {"order": hosts[::2], "scatter": 7, "order_no_scatter": True},
        "count_switches": {"count_switches": True},
        "quasi_ftree": {"quasi_ftree": True},
        "mesh_analysis": {"mesh_analysis": True},
        "lash_start_vl": {"lash_start_vl": 2},
        "vls": {"vls": 2, "nue_vls": 0},
        "nue_vls": {"nue_vls": 3},
        "nue_include_switches": {"nue_include_switches": True},
        "connect_roots": {"connect_roots": True},
        "spine_first": {"spine_first": False},
        "tier_count": {"tier_count": 1},
    }[name] | ({"roots": list(roots)} if name == "connect_roots" and roots else {})


def made(fabric: _core.Fabric, engine: str, options: dict[str, Any]) -> tuple[str, bytes, bytes]:
    """All that a manager would program, or the refusal."""
    try:
        routes = _core.route(fabric, engine, fallback=False, **options)
    except lacis.RefusedError as refused:
        return refused.reason, b"", b""
    levels = routes.service_levels()
    lanes: list[bytes] = []
    routes.dump_sl2vl(lanes.append)
    return "", routes.table().tobytes(), b"" if levels is None else levels.tobytes() + b"".join(lanes)


ASKED = sorted(
    OPTIONS.keys()
    - LIDS
    - {"fallback", "lfts_file", "lid_matrix_file", "torus_config", "avoid_throttled", "ucast_cache"}
)
"""Options that show on these fabrics in a first sweep; files for one engine and throttled cables have tests of their own."""


ELSEWHERE = {"count_switches": {"dfsssp"}, "spine_first": {"shortestpath", "dgshortestpath"}}
"""Engines that read an option and show it in the tables of the next engine of the list alone: what dfsssp has counted before it
gives up; or on directors alone, of which there is none here."""


@pytest.mark.slow
@pytest.mark.parametrize("option", ASKED)
def test_an_option_changes_tables_of_its_engines_and_of_no_others(option: str) -> None:
    readers = set(OPTIONS[option].engines)
    changed = set()
    for fabric, roots in fabrics():
        options = chosen(fabric, roots, option)
        without = {name: value for name, value in options.items() if name != option}
        for engine in (*OPENSM, "file", *OURS, *OMNI_PATH):
            if made(fabric, engine, options) != made(fabric, engine, without):
                changed.add(engine)
    assert changed <= readers
    assert readers - changed <= {"file", "torus-2QoS"} | ELSEWHERE.get(option, set())
