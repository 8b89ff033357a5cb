"""`lacis explain --which-tables`: measurements made under an engine's tables, packet by packet, are consistent with that engine's."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis import measured

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Routes

    from tests.conftest import Lacis

pytest.importorskip("polars")

TREE, THREE, DIRECTORS = "pgft:2;8,6;1,3;1,2", "fat-tree:6,3", "itasca:9"
ENGINES = ("minhop", "sssp", "eventree")
ROUNDS = 6


def run_of(
    routes: Routes,
    store: Path,
    seed: int,
    *,
    adaptive: str = "off",
    alone: bool = False,
) -> list[list[tuple[str, str]]]:
    """Keeps what hosts get in rounds of random pairs, simulated packet by packet, with 5 % noise and 2 % of values far too low.

    Returns:
        The pairs of each round.
    """
    rng = np.random.default_rng(seed)
    hosts = api.participants(routes, host_order="name")
    names = hosts.hosts
    columns: dict[str, list[object]] = {"source": [], "destination": [], "round": [], "value": []}
    rounds = []
    for number in range(ROUNDS):
        order = rng.permutation(len(names))
        half = len(names) // 2
        pairs = [(names[a], names[b]) for a, b in zip(order[:half], order[half : 2 * half], strict=True)]
        rounds.append(pairs)
        file = store / "pairs"
        file.write_text("".join(f"{a} {b}\n" for a, b in pairs))
        work = api.Workload(traffic=f"file:{file}", size=1 << 17, hosts=hosts)
        got = api.simulate(routes, work, device="edr", adaptive=adaptive).bandwidths()
        if alone:
            got = np.full(len(pairs), 11e9)
        noise = np.exp(0.05 * rng.standard_normal(len(got))) * np.where(rng.random(len(got)) < 0.02, 0.6, 1)
        columns["source"] += [a for a, _ in pairs]
        columns["destination"] += [b for _, b in pairs]
        columns["round"] += [None if alone else number] * len(pairs)
        columns["value"] += list(0.93 * got * noise)
    count = len(columns["value"])
    same = {
        "test": ["random"] * count,
        "what": ["bandwidth"] * count,
        "unit": ["bytes/s"] * count,
        "bytes": [1 << 17] * count,
    }
    measured.Store(store).add(measured.modelled({**same, **columns}))
    return rounds


def contention(routes: Routes, rounds: list[list[tuple[str, str]]]) -> list[int]:
    """The most flows of the round on a link of each flow's path, by tracing one after the other."""
    found = []
    for pairs in rounds:
        paths = [
            [(hop[0], hop[4]) for hop in api.trace(routes, a, b).hops if hop[4] is not None] for a, b in pairs
        ]
        load = Counter(link for path in paths for link in path)
        found += [max(load[link] for link in path) for path in paths]
    return found


def asked(lacis: Lacis, spec: str, store: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """Exit status, and what is said of tables."""
    result = lacis(
        "explain", spec, "--measured", "latest", "--store", store, "--which-tables", "--json", *more
    )
    assert result.out, result.err
    which = json.loads(result.out)["which_tables"]
    assert isinstance(which, dict)
    return result.status, which


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spec", [TREE, THREE, DIRECTORS])
def test_the_engine_that_was_measured_is_in_the_first_group_and_those_under_which_others_meet_are_not(
    lacis: Lacis, tmp_path: Path, spec: str, engine: str, seed: int
) -> None:
    tables = {name: api.route(api.read(spec), name, fallback=False) for name in ENGINES}
    rounds = run_of(tables[engine], tmp_path, seed)
    status, which = asked(lacis, spec, tmp_path)
    assert status == 0
    first = {one["name"] for one in which["candidates"] if one["group"] == 0 and one["how"] == "tables"}
    own = contention(tables[engine], rounds)
    assert first & {*ENGINES} == {name for name in ENGINES if contention(tables[name], rounds) == own}


@pytest.mark.parametrize("spec", [TREE, DIRECTORS])
def test_adaptive_routing_is_distinguished_from_all_tables(lacis: Lacis, tmp_path: Path, spec: str) -> None:
    run_of(api.route(api.read(spec), "minhop"), tmp_path, 1, adaptive="least")
    status, which = asked(lacis, spec, tmp_path)
    assert status == 0
    assert [one["how"] for one in which["candidates"] if one["group"] == 0] == ["spread"]


def test_text_about_tables_comes_without_seeking_what_makes_flows_slow(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_of(api.route(api.read(TREE), "minhop"), tmp_path, 1)
    words = ("explain", TREE, "--measured", "latest", "--store", tmp_path, "--which-tables")
    whole = lacis(*words)
    sought = []

    def seek(*_: object, **__: object) -> None:
        sought.append(1)
        raise api.LacisError("sought")

    monkeypatch.setattr("lacis.explain.flows.locate", seek)
    assert (lacis(*words).out, sought) == (whole.out, [])
    # JSON names suspects, too.
    assert lacis(*words, "--json").status == 2
    assert sought == [1]


def test_tables_of_another_order_of_lids_are_known_by_how_often_flows_meet(
    lacis: Lacis, tmp_path: Path
) -> None:
    run_of(api.route(api.read(TREE).shuffle_guids(99), "minhop"), tmp_path, 1)
    _, which = asked(lacis, TREE, tmp_path)
    first = [(one["name"], one["how"]) for one in which["candidates"] if one["group"] == 0]
    assert ("minhop", "orders") in first
    assert ("minhop", "tables") not in first


def test_flows_one_at_a_time_tell_nothing_and_that_is_said(lacis: Lacis, tmp_path: Path) -> None:
    run_of(api.route(api.read(TREE), "minhop"), tmp_path, 1, alone=True)
    status, which = asked(lacis, TREE, tmp_path)
    assert (status, which["told"], which["differing"]) == (2, False, 0)
    result = lacis("explain", TREE, "--measured", "latest", "--store", tmp_path, "--which-tables")
    assert result.status == 2
    assert "cannot tell which tables the fabric runs" in result.out


def test_a_file_of_tables_is_a_candidate_and_the_status_says_whether_it_is_consistent(
    lacis: Lacis, tmp_path: Path
) -> None:
    fabric = api.read(TREE)
    for engine in ("minhop", "sssp"):
        api.write_tables(api.route(fabric, engine), tmp_path / engine)
    run_of(api.route(fabric, "minhop"), tmp_path, 1)
    text = lacis(
        "explain",
        TREE,
        "--measured",
        "latest",
        "--store",
        tmp_path,
        "--which-tables",
        "--lfts",
        tmp_path / "minhop",
    )
    assert text.status == 0
    assert f"consistent with: {tmp_path / 'minhop'}, minhop" in text.out
    assert asked(lacis, TREE, tmp_path, "--lfts", str(tmp_path / "minhop"))[0] == 0
    assert asked(lacis, TREE, tmp_path, "--lfts", str(tmp_path / "sssp"))[0] == 1


def test_times_are_refused(lacis: Lacis, tmp_path: Path) -> None:
    names = api.participants(api.route(api.read("fat-tree:4,2"), "minhop")).hosts
    columns = {
        "test": "pingpong",
        "what": "latency",
        "unit": "s",
        "source": names[0],
        "destination": names[1],
        "value": 1e-6,
    }
    measured.Store(tmp_path).add(measured.modelled({name: [value] for name, value in columns.items()}))
    result = lacis("explain", "fat-tree:4,2", "--measured", "latest", "--store", tmp_path, "--which-tables")
    assert result.status == 2
    assert (
        result.err.splitlines()[-1]
        == "lacis: times do not show which flows share a link: bandwidths do (--what bandwidth)"
    )


def test_where_all_tables_are_alike_that_is_said(lacis: Lacis, tmp_path: Path) -> None:
    # On one switch every pair has one path, whatever the tables.
    hosts = ["node0001", "node0002", "node0003"]
    rows = [",".join([one, *("" if one == other else "9000" for other in hosts)]) for one in hosts]
    (tmp_path / "pairs.csv").write_text("\n".join([",".join(["", *hosts]), *rows]) + "\n")
    matrix = ("--test", "pairs", "--what", "bandwidth", "--unit", "MB/s")
    done = lacis("explain", "chain:1:h=3", "--measured", tmp_path / "pairs.csv", "--which-tables", *matrix)
    assert done.status == 2
    said = "cannot tell which tables the fabric runs: the candidates differ on none of 6 flows"
    assert said in " ".join(done.out.split())
