"""The permutation that tables serve worst, against networkx; and tables given as an array."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import lacis
import networkx as nx
import numpy as np
import pytest

if TYPE_CHECKING:
    from lacis import Routes

Crossings = dict[tuple[int, int], set[tuple[int, int]]]


def crossings(routes: Routes, guids: list[int]) -> Crossings:
    """By egress (switch, port): senders and receivers of all flows over it, by walking the tables."""
    fabric, table = routes.fabric, routes.table()
    lid_of = dict(zip(*(column.tolist() for column in reversed(routes.lids())), strict=True))
    peer = {}
    for a, p, b, q in fabric.cables().reshape(-1, 4).tolist():
        peer[a, p], peer[b, q] = b, a
    node_of = {guid + 1: node for node, guid in enumerate(fabric.guids().tolist())}
    found: Crossings = defaultdict(set)
    for to, goal in enumerate(guids):
        for source, start in enumerate(guids):
            at = peer[node_of[start], 1]
            while source != to:
                port = int(table[at, lid_of[goal]])
                ahead = peer[at, port]
                if ahead >= fabric.num_switches:
                    break
                found[at, port].add((source, to))
                at = ahead
    return found


@pytest.mark.parametrize(
    ("spec", "seed"), [("random:12,3,2:seed=1", 3), ("torus:4x4:h=2", 3), ("itasca:3", 5)]
)
def test_the_worst_permutation_is_a_greatest_matching(spec: str, seed: int) -> None:
    fabric = lacis.read(spec)
    hosts = lacis.participants(lacis.route(fabric, "minhop"))
    order = np.random.default_rng(seed).permutation(hosts.guids()).tolist()
    routes = lacis.route(fabric, "minhop", order=order)
    found = crossings(routes, hosts.guids().tolist())
    most = {}
    for link, flows in found.items():
        graph = nx.Graph((("from", source), ("to", to)) for source, to in flows)
        matching = nx.bipartite.hopcroft_karp_matching(graph, [n for n in graph if n[0] == "from"])
        most[link] = len(matching) // 2
    for switches in (None, [0, 1], *([switch] for switch in range(fabric.num_switches))):
        worst = lacis.worst_permutation(routes, switches=switches)
        best = max((n for link, n in most.items() if switches is None or link[0] in switches), default=0)
        if worst is None:
            assert best == 0
            continue
        node, port, pairs = worst
        assert len(pairs) == best
        assert {tuple(pair) for pair in pairs.tolist()} <= found[node, port]
        assert len(set(pairs[:, 0].tolist())) == len(set(pairs[:, 1].tolist())) == len(pairs)


def test_a_fabric_of_one_switch_has_no_worst_link() -> None:
    assert lacis.worst_permutation(lacis.route(lacis.read("diamond"), "minhop")) is None


def test_given_tables_are_those_that_packets_follow() -> None:
    routes = lacis.route(lacis.read("article"), "minhop")
    table = routes.table()
    lids, guids = routes.lids()
    goal = int(lids[guids.tolist().index(lacis.participants(routes).guids()[2])])
    for port, core in ((25, "core1"), (26, "core2")):
        table[0, goal] = port
        given = routes.with_table(table)
        assert (given.engine_used, given.table().tolist()) == ("file", table.tolist())
        assert lacis.trace(given, "NodeA hfi1_0", "NodeC hfi1_0").hops[2][0] == core


def test_given_tables_of_another_shape_are_refused() -> None:
    routes = lacis.route(lacis.read("article"), "minhop")
    with pytest.raises(
        lacis.LacisError, match=r"a table of 3 × 9 entries, where 4 × 9 \(switches × LIDs\) belong"
    ):
        routes.with_table(routes.table()[:3])


def test_given_tables_with_a_port_that_a_switch_lacks_are_refused() -> None:
    routes = lacis.route(lacis.read("article"), "minhop")
    table = routes.table()
    table[1, 3] = 200
    with pytest.raises(lacis.LacisError, match=r"switch \w+ has \d+ ports, and its entry for LID 3 is 200"):
        routes.with_table(table)
