"""What single failures cost: tables from a file against sweeps after each failure, and samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.advice.failures import failures_of_tables, single_failures
from lacis.advice.variants import Variant
from lacis.fabric.reading import read
from lacis.failures.manager import manage
from lacis.failures.sample import sample, seconds
from lacis.ranks.participants import participants
from lacis.report.failures import failures, from_file, what_can_fail

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric, Routes
    from lacis.requests.routing import RouteOptions


class _Tried:
    """An engine as the report has it."""

    def __init__(self, fabric: Fabric, engine: str) -> None:
        self.variant = Variant(engine, engine)
        self.routes = _core.route(fabric, engine)
        self.label = engine


def swept(fabric: Fabric, routes: Routes) -> tuple[list[int], list[str]]:
    """Pairs lost after each failure, and its name, where OpenSM reads its tables from a file in every sweep."""
    written: list[bytes] = []
    routes.dump(written.append)
    managed = manage(fabric, "file", lfts_file=_core.read_table_file(b"".join(written)))
    survey = _core.survey(managed, participants(managed.routes), pairs="hosts", step=10**6)
    damages = survey.run(list(range(len(survey.parts))))
    return [damage.pairs_lost for damage in damages], [" ".join(part) for part in survey.parts]


@pytest.mark.parametrize("engine", ["minhop", "eventree"])
@pytest.mark.parametrize(
    ("spec", "without"),
    [
        ("fat-tree:8,3", ["random-cables=5%,seed=3"]),
        ("torus:4x4:h=2", []),
        ("chain:3", []),
        ("fat-tree:4,2:rails=2", ["random-hosts=2,seed=1"]),
        ("fat-tree:8,2:taper=7", []),
    ],
)
def test_tables_from_a_file_lose_what_a_sweep_after_each_failure_loses(
    spec: str, without: list[str], engine: str
) -> None:
    fabric = read(spec).without(without) if without else read(spec)
    routes = _core.route(fabric, engine)
    lost, names = swept(fabric, routes)
    [row] = from_file(fabric, engine, routes, what_can_fail(fabric))
    assert (row.tried, row.of, row.repaired_by) == (len(lost), len(lost), "no manager")
    assert row.lossy == sum(n > 0 for n in lost)
    assert row.most_lost == max(lost)
    assert row.worst == names[lost.index(max(lost))]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        # Nothing cuts hosts off; everything does; some parts do; a host has two LIDs.
        ("fat-tree:8,2", {}),
        ("chain:3", {}),
        ("fat-tree:8,2:taper=7", {}),
        ("fat-tree:8,2", {"lmc": 1}),
    ],
)
def test_failures_of_tables_are_those_of_a_sweep_after_each(spec: str, options: RouteOptions) -> None:
    fabric = read(spec)
    routes = _core.route(fabric, "minhop", **options)
    written: list[bytes] = []
    routes.dump(written.append)
    loaded: RouteOptions = {**options, "lfts_file": _core.read_table_file(b"".join(written))}
    swept = single_failures(fabric, "file", "none", **loaded)
    assert failures_of_tables(fabric, routes, **options) == swept
    assert swept.lossy > 0


def test_a_chain_of_three_by_hand() -> None:
    # One host on each of three switches. A cable joins one host to two others: 2 × 1 × 2 ordered pairs. The middle
    # switch takes its own host, and the two pairs of the others; an outer one takes its host alone.
    fabric = read("chain:3")
    [row] = from_file(fabric, "minhop", _core.route(fabric, "minhop"), what_can_fail(fabric))
    assert (row.of, row.lossy, row.most_lost) == (5, 3, 4)
    assert row.worst.startswith("cable ")


def test_what_a_manager_repairs_loses_nothing_where_paths_are_left() -> None:
    # fat-tree:8,2 has 4 spines: whatever fails alone, three are left. 32 cables, 12 switches.
    fabric = read("fat-tree:8,2")
    default, ours = _Tried(fabric, "minhop"), _Tried(fabric, "eventree")
    repaired, by_us, unrepaired = failures(fabric, default, default, ours, lambda _: None)
    assert [row.repaired_by for row in (repaired, by_us, unrepaired)] == [
        "OpenSM",
        "Lacis inside OpenSM",
        "no manager",
    ]
    for row in (repaired, by_us):
        assert (row.tried, row.of, row.lossy, row.worst, row.most_lost) == (44, 44, 0, "", 0)
        assert row.entries_changed > 0
    # A leaf's host is reached by one spine alone, so that each cable and each spine carries something; leaves do not.
    assert (unrepaired.of, unrepaired.lossy) == (44, 36)
    # A spine carries a quarter of the 32 × 28 pairs of different leaves.
    assert unrepaired.most_lost == 32 * 28 // 4


def test_a_sample_is_drawn_by_its_seed_from_cables_and_switches() -> None:
    parts = [("cable", str(n)) for n in range(90)] + [("switch", str(n)) for n in range(10)]
    assert sample(parts, 100) == list(range(100))
    few = sample(parts, 8)
    assert few == sample(parts, 8) == sorted(set(few))
    assert [place >= 90 for place in few] == [False] * 4 + [True] * 4
    many = sample(parts, 50)
    assert (len(many), sum(place >= 90 for place in many)) == (50, 10)


def test_large_fabrics_are_sampled_and_what_takes_too_long_is_left_out() -> None:
    # 666 switches with tables of 5,007 LIDs: minhop's failures take a twentieth of a second, numbered's most of a minute.
    assert 0.01 < seconds("minhop", 666 * 5007, 666) < 0.2
    assert seconds("numbered", 666 * 5007, 666) > 10
    assert seconds("dfsssp", 10**6, 800) == pytest.approx(5 * seconds("dfsssp", 10**6, 0))


def test_the_real_cluster_from_a_file(dgx: Path) -> None:
    # 532 cables and 40 switches; no leaf is on the way of others, so at least these 31 cost nothing.
    fabric = read(dgx)
    [row] = from_file(fabric, "eventree", _core.route(fabric, "eventree"), what_can_fail(fabric))
    assert row.of == 572
    assert row.lossy == 572 - 31
    assert "IBSPINE" in row.worst


def test_it_is_said_where_no_tables_could_keep_the_pairs() -> None:
    # One uplink a leaf: a cable parts a leaf's 7 hosts from 49 others; the spine parts all, the leaf at the manager
    # takes the manager with it. On a ring of six the manager's switch is the only one that a sweep would have to mend.
    fabric = read("fat-tree:8,2:taper=7")
    [row] = failures(fabric, _Tried(fabric, "minhop"), _Tried(fabric, "minhop"), None, lambda _: None)
    assert (row.lossy, row.most_lost) == (9, 56 * 49)
    assert row.worst == "switch spine-01 (no cables are left between them)"
    ring = read("ring:6")
    [row] = failures(ring, _Tried(ring, "minhop"), _Tried(ring, "minhop"), None, lambda _: None)
    assert row.lossy == 1
    assert row.worst == "switch switch-0 (the manager's own, so that no tables are repaired)"
