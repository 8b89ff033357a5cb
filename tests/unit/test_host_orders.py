"""The order of hosts in which shifts and XOR exchanges suit eventree's tables, for jobs on part of the hosts, too."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis import _core
from lacis.advice import orders, outcome
from lacis.facts.advice import RanksOrdered

from tests.recabled import recabled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lacis import Participants, Routes
    from lacis.advice.summary import Summary

SPEC = "fat-tree:8,3"
"""8 pods of 4 leaves with 4 hosts and 4 uplinks each."""
HOSTS, LEAF, POD = 128, 4, 16

PARTS = {
    "all hosts": lambda _: True,
    "the leaves of two pods": lambda at: at < 2 * POD,
    "two leaves of each pod": lambda at: at // LEAF % 4 < 2,
    "one leaf of each pod": lambda at: at // LEAF % 4 == 0,
    "half of each leaf": lambda at: at % LEAF < 2,
    "a quarter of each leaf": lambda at: at % LEAF == 0,
}
"""Jobs that keep the chains of their destinations apart: whole pods, the same leaves of each, or the same part of each leaf."""


def most_flows(routes: Routes, hosts: Participants, traffic: list[str]) -> list[int]:
    """The most flows on a link in each kind of traffic."""
    return [found.max_contention for found in _core.predict_each(routes, hosts, traffic)]


@pytest.fixture(scope="module", params=[0, 1, 2])
def routes(request: pytest.FixtureRequest) -> Routes:
    """eventree's tables of a whole tree: its cables port by port alike, or at any ports."""
    fabric = recabled(SPEC, request.param) if request.param else lacis.read(SPEC)
    return lacis.route(fabric, "eventree")


@pytest.mark.parametrize("part", PARTS)
def test_shifts_and_exchanges_of_a_job_share_no_link(routes: Routes, part: str, tmp_path: Path) -> None:
    # D-mod-K (Zahavi 2012): a leaf's k-th host of the job sends to the d-th host after it, so that the destinations
    # of a leaf, and those of the leaves of a pod, have different slots wherever as many of each leaf and pod take part.
    is_in: Callable[[int], bool] = PARTS[part]
    every = lacis.participants(routes, host_order="eventree").hosts
    names = [name for at, name in enumerate(every) if is_in(at)]
    job = lacis.participants(routes, groups=",".join(sorted(names)), host_order="eventree")
    assert job.hosts == names
    assert most_flows(routes, job, ["shift"]) == [1]
    for distance in (1, 2, 3, 4, 5, 8, 16, 21, 31):
        if distance < len(names):
            pairs = tmp_path / "pairs"
            # Of a power of two of hosts: i and i XOR distance.
            swaps = [
                f"{name} {names[at ^ distance]}\n"
                for at, name in enumerate(names)
                if at ^ distance < len(names)
            ]
            assert len(swaps) == len(names)
            pairs.write_text("".join(swaps))
            assert lacis.predict(routes, f"file:{pairs}", hosts=job).max_contention == 1


@pytest.mark.parametrize(
    ("spec", "leaf"),
    [
        ("pgft:2;4,5;1,5;1,1", 4),
        ("pgft:2;6,4;1,4;1,2", 6),
        ("pgft:3;3,3,3;1,4,3;1,1,1", 3),
        ("pgft:3;4,3,2;1,3,4;1,2,1", 4),
        # Its hosts stand in a ring.
        ("pgft:3;2,4,5;1,1,4;1,3,2", 2),
        ("pgft:4;3,2,2,3;1,3,2,2;1,1,1,1", 3),
    ],
)
def test_a_job_on_the_same_part_of_each_leaf_shares_no_link_however_many_uplinks_there_are(
    spec: str, leaf: int
) -> None:
    routes = lacis.route(lacis.read(spec).shuffle_ports(5).shuffle_guids(6), "eventree")
    every = lacis.participants(routes, host_order="eventree").hosts
    for part in ({0}, {0, leaf - 1}, set(range(leaf // 2 + 1)), set(range(0, leaf, 2))):
        names = [name for at, name in enumerate(every) if at % leaf in part]
        job = lacis.participants(routes, groups=",".join(sorted(names)), host_order="eventree")
        assert job.hosts == names
        assert most_flows(routes, job, ["shift"]) == [1], part


@pytest.mark.parametrize(
    ("spec", "leaf", "pod"),
    [
        ("pgft:3;3,2,3;1,3,2;1,1,1", 3, 6),
        ("pgft:3;2,3,4;1,4,3;1,1,2", 2, 6),
        ("pgft:3;6,2,3;1,3,4;1,2,1", 6, 12),
    ],
)
def test_a_job_on_subtrees_shares_no_link_where_each_has_as_many_cables_up_as_hosts_or_twice_as_many(
    spec: str, leaf: int, pod: int
) -> None:
    routes = lacis.route(lacis.read(spec).shuffle_ports(5).shuffle_guids(6), "eventree")
    every = lacis.participants(routes, host_order="eventree").hosts
    jobs = {
        "two pods": [name for at, name in enumerate(every) if at // pod != 1],
        "a leaf of each pod": [name for at, name in enumerate(every) if at % pod // leaf == 1],
    }
    for what, names in jobs.items():
        job = lacis.participants(routes, groups=",".join(sorted(names)), host_order="eventree")
        assert most_flows(routes, job, ["shift"]) == [1], what


def test_whole_leaves_with_more_uplinks_than_hosts_share_links() -> None:
    # Four hosts on five uplinks: leaves 0, 2 and 4 of five have hosts 0 to 3, 8 to 11 and 16 to 19. In a shift leaf 4 sends to the hosts 3 and
    # 8 of the job, which are equal modulo 5.
    routes = lacis.route(lacis.read("pgft:2;4,5;1,5;1,1"), "eventree")
    every = lacis.participants(routes, host_order="eventree").hosts
    names = [name for at, name in enumerate(every) if at // 4 % 2 == 0]
    job = lacis.participants(routes, groups=",".join(sorted(names)), host_order="eventree")
    assert most_flows(routes, job, ["shift"]) == [2]


def test_hosts_of_a_leaf_stand_together(routes: Routes) -> None:
    leaves = lacis.participants(routes, host_order="eventree").leaf_of_hosts()
    runs = [len(list(run)) for _, run in groupby(leaves)]
    assert runs == [LEAF] * (HOSTS // LEAF)


def test_an_order_of_ones_own_is_named_only_where_it_is_better() -> None:
    # Aligned: the orders are the same. At other ports each engine is at its best in the order that it numbers hosts in;
    # eventree then has every shift alone on its links.
    whole = lacis.read(SPEC)
    aligned = outcome.predictions(whole, lacis.route(whole, "eventree"), "all")
    assert (aligned.shift is not None and aligned.shift.mean, aligned.other) == (1.0, None)
    other = recabled(SPEC, 1)
    ours = outcome.predictions(other, lacis.route(other, "eventree"), "all").other
    assert ours is not None
    assert (ours.order, ours.shift.mean, ours.shift.worst, ours.shift.max_contention) == (
        "eventree",
        1.0,
        1.0,
        1,
    )
    ftree = outcome.predictions(other, lacis.route(other, "ftree"), "all")
    assert ftree.other is None
    minhop = outcome.predictions(other, lacis.route(other, "minhop"), "compute")
    for found in (ours.shift, ftree.shift, minhop.shift):
        assert found is not None
        assert found.words == "all 127 shifts"


def test_an_order_that_is_only_as_good_is_not_named() -> None:
    # On one switch nothing is shared in any order.
    routes = lacis.route(recabled("fat-tree:8,1", 1), "eventree")
    by_name, by_port = (lacis.participants(routes, host_order=order).hosts for order in ("name", "topology"))
    assert by_name != by_port
    assert outcome.predictions(routes.fabric, routes, "all").other is None


def test_an_order_that_does_not_promise_more_is_not_predicted_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # minhop on a tree at other ports: by name its shifts get less than leaf by leaf.
    routes = lacis.route(recabled(SPEC, 5), "minhop")
    by_leaf, by_name = (
        orders.shifts(routes, lacis.participants(routes, host_order=order)).mean
        for order in ("topology", "name")
    )
    assert by_name < 0.98 * by_leaf
    predicted: list[int] = []
    found = orders.shifts

    def counted(routes: Routes, hosts: Participants) -> Summary:
        predicted.append(len(hosts.hosts))
        return found(routes, hosts)

    monkeypatch.setattr(orders, "shifts", counted)
    monkeypatch.setattr(orders, "OTHERS", ("name",))
    assert outcome.predictions(routes.fabric, routes, "all").other is None
    assert predicted == []


def test_the_orders_of_a_fabric_are_found_once_for_all_tables_of_a_manager(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of three engines of OpenSM's each is asked in the common order; the two others are the fabric's.
    fabric = lacis.read(SPEC)
    asked: list[str] = []

    def counted(routes: Routes, *, groups: str, host_order: str) -> Participants:
        asked.append(host_order)
        return lacis.participants(routes, groups=groups, host_order=host_order)

    monkeypatch.setattr(orders, "participants", counted)
    for engine in ("minhop", "ftree", "updn"):
        outcome.predictions(fabric, lacis.route(fabric, engine), "all")
    assert sorted(asked) == ["eventree", "name"]


def test_advice_names_an_order_from_a_hundredth_on() -> None:
    from dataclasses import replace

    from lacis.advice.choose import ranks
    from lacis.advice.variants import Variant

    fabric = lacis.read("fat-tree:4,2")
    tables = lacis.route(fabric, "eventree")
    tried = outcome.outcome(fabric, Variant("eventree", "eventree"), tables, "all")
    assert (tried.shift is not None and tried.shift.mean, ranks(tried)) == (1.0, None)
    assert tried.shift is not None
    common = replace(tried.shift, relative_bandwidth={**tried.shift.relative_bandwidth, "mean": 0.5})
    for mean, said in ((0.504, None), (0.506, RanksOrdered("eventree", 0.506, 0.5))):
        shift = replace(common, relative_bandwidth={**common.relative_bandwidth, "mean": mean})
        assert ranks(replace(tried, shift=common, other=orders.Ordered("eventree", shift))) == said
