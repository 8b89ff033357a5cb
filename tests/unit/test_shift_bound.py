"""What shifts can have at most, whatever the tables: closed forms, linear programming, and all tables of a tiny tree."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.facts.bounds import ShiftsBounded
from lacis.facts.wording import text
from scipy.optimize import linprog
from scipy.sparse import coo_array

from .test_eventree import between_switches

if TYPE_CHECKING:
    from pathlib import Path


def with_parts(hosts: int, leaves: int, parts: int, spines: int | None = None) -> lacis.Fabric:
    """Leaves with so many hosts and uplinks, the last of which leads to one of several spines that each reach a part of the leaves."""
    whole = (hosts if spines is None else spines) - 1
    fabric = lacis.read(f"pgft:2;{hosts},{leaves};1,{whole + parts};1,1")
    size = leaves // parts
    gone = [
        f"leaf-{leaf:02}--spine-{whole + part:02}"
        for leaf in range(1, leaves + 1)
        for part in range(1, parts + 1)
        if (leaf - 1) // size != part - 1
    ]
    return fabric.without(gone)


def bound(fabric: lacis.Fabric, order: str = "topology") -> ShiftsBounded:
    hosts = lacis.participants(lacis.route(fabric, "minhop"), host_order=order)
    found = _core.shift_bound(hosts)
    assert found is not None
    return found


@pytest.mark.parametrize(("hosts", "leaves", "parts"), [(4, 8, 2), (8, 16, 2), (3, 9, 3), (5, 20, 4)])
def test_parts_of_a_spine_cost_each_leaf_a_packet_where_all_go_to_other_parts(
    hosts: int, leaves: int, parts: int
) -> None:
    # Of N hosts, N - N / parts are in other parts: so many less W - 1 windows of W hosts in sequence lie there as a whole. In these shifts
    # a leaf sends W packets by W - 1 uplinks. It has N - 1 shifts of W packets.
    found = bound(with_parts(hosts, leaves, parts))
    total = hosts * leaves
    windows = total - total // parts - hosts + 1
    assert found.mean == pytest.approx(1 - windows / (hosts * (total - 1)), abs=1e-12)
    # Some shift has all leaves send to other parts.
    assert found.worst == pytest.approx(1 - 1 / hosts, abs=1e-12)
    assert (found.lost_at_edge_switches, found.lost_above, found.narrow) == (0, 0, 0)
    assert len(found.parts) == parts
    assert found.lost_to_parts == pytest.approx(1 - found.mean, abs=1e-12)


def test_a_leaf_with_fewer_uplinks_than_hosts_loses_what_does_not_fit() -> None:
    # Without a spine: 17 uplinks for 18 hosts. In a shift by k < 18, 18 - k packets stay on the leaf, as many for -k;
    # in all others of 647 one packet of 18 is lost: of the two times 17 shifts none is.
    found = bound(lacis.read("fat-tree:36,2").without(["spine-01"]))
    total = 36 * 18
    shifts = total - 1 - 2 * 17
    assert found.mean == pytest.approx(1 - shifts / (18 * (total - 1)), abs=1e-12)
    assert (found.narrow, found.lost_above, found.lost_to_parts, found.parts) == (36, 0, 0, ())


@pytest.mark.parametrize("spec", ["fat-tree:8,3", "fat-tree:12,2", "pgft:3;2,3,4;1,2,6;1,1,1"])
def test_whole_trees_lose_nothing(spec: str) -> None:
    found = bound(lacis.read(spec))
    assert (found.mean, found.worst) == (1.0, 1.0)
    assert text(found) == "no bound of shifts below the link rate is known"


def test_where_other_cables_hold_shifts_back_it_is_not_said_that_none_do() -> None:
    # In the shift by 4 of a chain of 8 switches with a host each, four packets share the cable in the middle, whatever the tables.
    fabric = lacis.read("chain:8:h=1")
    assert min(most_throughput(fabric, list(edges(fabric).values()))) < 8
    found = bound(fabric)
    assert found.worst == 1
    assert text(found) == "no bound of shifts below the link rate is known"


def test_subtrees_with_fewer_cables_up_than_hosts_are_what_is_lost_above() -> None:
    # Two pods of two leaves with two hosts and two uplinks each; each of a pod's two spines has one cable up: 2 for 4 hosts. The shift by
    # 4 sends all 4 of each pod to the other, that by 1 only 1, by 2 two, by 3 three: lost are 2 * (0, 0, 1, 2, 1, 0, 0) of 56 flows.
    found = bound(lacis.read("pgft:3;2,2,2;1,2,1;1,1,1"))
    assert found.lost_above == pytest.approx(8 / 56, abs=1e-12)
    assert found.worst == 0.5
    assert (found.lost_at_edge_switches, found.lost_to_parts) == (0, 0)


def most_throughput(fabric: lacis.Fabric, order: list[int]) -> list[float]:
    """By shift: what all flows have together at most, by linear programming over all paths, which may be split."""
    switches, _ = between_switches(fabric)
    links = [(a, b) for x, y in switches.edges() for a, b in ((x, y), (y, x))]
    found = []
    for shift in range(1, len(order)):
        flows = Counter(zip(order, order[shift:] + order[:shift], strict=True))
        inside = sum(n for (a, b), n in flows.items() if a == b)
        demands = [(a, b, n) for (a, b), n in flows.items() if a != b]
        sources = sorted({a for a, _, _ in demands})
        width = len(sources) * len(links)
        # What arrives at a switch of a source's flows, less what leaves it, is what it takes; of links the capacity is 1.
        entries = [
            (which * len(switches) + node, which * len(links) + link, sign)
            for which in range(len(sources))
            for link, (a, b) in enumerate(links)
            for node, sign in ((b, 1.0), (a, -1.0))
        ]
        entries += [
            (sources.index(a) * len(switches) + node, width + at, sign)
            for at, (a, b, _) in enumerate(demands)
            for node, sign in ((b, -1.0), (a, 1.0))
        ]
        row, column, value = zip(*entries, strict=True)
        balance = coo_array(
            (value, (row, column)), shape=(len(sources) * len(switches), width + len(demands))
        )
        capacity = coo_array(
            (np.ones(width), (np.arange(width) % len(links), np.arange(width))),
            shape=(len(links), width + len(demands)),
        )
        goal = np.concatenate([np.zeros(width), -np.ones(len(demands))])
        bounds = [(0, None)] * width + [(0, n) for _, _, n in demands]
        best = linprog(
            goal,
            A_ub=capacity.tocsr(),
            b_ub=np.ones(len(links)),
            A_eq=balance.tocsr(),
            b_eq=np.zeros(len(sources) * len(switches)),
            bounds=bounds,
        )
        assert best.status == 0, best.message
        found.append(inside - best.fun)
    return found


def edges(fabric: lacis.Fabric) -> dict[str, int]:
    """Hosts leaf by leaf, each with the number of its switch."""
    hosts = lacis.participants(lacis.route(fabric, "minhop"))
    numbers = {name: node for node, name in enumerate(fabric.descriptions()[: fabric.num_switches])}
    return {
        host: numbers[leaf]
        for host, leaf in zip(hosts.hosts, hosts.leaf_of_hosts(), strict=True)
        if leaf is not None
    }


@pytest.mark.parametrize(
    ("fabric", "is_exact"),
    [
        (with_parts(3, 6, 2), True),
        (with_parts(2, 6, 3), True),
        (with_parts(4, 4, 2, spines=3), True),
        (with_parts(3, 4, 2, spines=2), False),
        (lacis.read("pgft:2;4,3;1,3;1,1"), True),
        (lacis.read("pgft:3;2,2,2;1,2,1;1,1,1"), True),
        (lacis.read("fat-tree:4,3").without(["random-cables=10%,seed=2"]), False),
        (with_parts(3, 6, 2).without(["random-cables=10%,seed=1"]), False),
        (lacis.read("mesh:3x3"), False),
    ],
    ids=[
        "halves",
        "thirds",
        "halves, tapered",
        "halves, two uplinks",
        "tapered",
        "pods",
        "cut",
        "halves, cut",
        "mesh",
    ],
)
def test_no_routing_has_more_by_linear_programming(fabric: lacis.Fabric, is_exact: bool) -> None:
    hosts = list(edges(fabric).values())
    flows = len(hosts) * (len(hosts) - 1)
    best = most_throughput(fabric, hosts)
    found = bound(fabric)
    assert found.mean >= sum(best) / flows - 1e-9
    assert found.worst >= min(best) / len(hosts) - 1e-9
    if is_exact:
        assert found.mean == pytest.approx(sum(best) / flows, abs=1e-9)
        assert found.worst == pytest.approx(min(best) / len(hosts), abs=1e-9)


def test_no_tables_of_a_tiny_tree_have_more() -> None:
    # Four leaves of three hosts, a spine that reaches all, and a half spine for each two leaves. On shortest paths a leaf chooses by which spine
    # it sends to each of the three hosts of its neighbour: 8 ** 4 tables.
    choices = np.array(list(itertools.product([0, 1], repeat=12)))
    total = np.zeros(len(choices))
    for shift in range(1, 12):
        # By flow: whether it goes by the half spine, and the links up and down, of which each leaf has two.
        load = np.zeros((len(choices), 16), dtype=np.int64)
        links = []
        for host in range(12):
            leaf, target = host // 3, (host + shift) % 12
            there = target // 3
            if there == leaf:
                total += 1
                continue
            half = choices[:, target] if there // 2 == leaf // 2 else np.zeros(len(choices), dtype=np.int64)
            up, down = 2 * leaf + half, 8 + 2 * there + half
            for link in (up, down):
                load[np.arange(len(choices)), link] += 1
            links.append((up, down))
        for up, down in links:
            rows = np.arange(len(choices))
            total += 1 / np.maximum(load[rows, up], load[rows, down])
    best = total.max() / (12 * 11)
    assert total.min() < total.max()
    assert best <= bound(with_parts(3, 4, 2, spines=2)).mean + 1e-12


def test_another_order_of_hosts_has_another_bound(tmp_path: Path) -> None:
    # Leaves of both halves in turn: only shifts by whole leaves send all four packets of a leaf to the other half, by 4, 12, 20 and 28 of 31.
    fabric = with_parts(4, 8, 2)
    names = list(edges(fabric))
    leaves = [names[4 * leaf : 4 * leaf + 4] for leaf in (0, 4, 1, 5, 2, 6, 3, 7)]
    file = tmp_path / "hosts"
    file.write_text("".join(f"{host}\n" for leaf in leaves for host in leaf))
    assert bound(fabric, f"file:{file}").mean == pytest.approx(1 - 4 / (4 * 31), abs=1e-12)


def test_words_say_what_costs_how_much() -> None:
    fact = ShiftsBounded(0.9, 0.75, 0.05, 0.03, 0.02, 2, ("spine-04", "spine-05", "spine-06"))
    assert text(fact) == (
        "shifts have 0.900 of the link rate at most (the worst 0.750), whatever the tables: 2 edge switches with fewer cables than hosts (0.050); "
        "subtrees with fewer cables up than hosts (0.030); spine-04, spine-05, 1 more reach only a part of what others of their level reach (0.020)"
    )
    alone = ShiftsBounded(0.98, 0.9, 0, 0, 0.02, 0, ("spine-04",))
    assert text(alone).endswith(": spine-04 reaches only a part of what others of their level reach (0.020)")
