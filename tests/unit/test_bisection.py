"""Bisection bandwidth against networkx: the least of the maximum flows between halves of the hosts."""

from __future__ import annotations

import random
from itertools import combinations

import lacis
import networkx as nx
import pytest

from .test_ideal import graph

RATE = 25e9
"""Bytes/s of every link that `generate` makes: HDR, 4 lanes."""


def hosts_of(whole: nx.MultiGraph, fabric: lacis.Fabric) -> list[int]:
    return sorted(node for node in whole if node >= fabric.num_switches)


def between(whole: nx.MultiGraph, half: list[int], other: list[int]) -> float:
    """The maximum flow from one half to the other [bytes/s]."""
    flows: nx.DiGraph = nx.DiGraph()
    for a, b in whole.edges():
        for x, y in ((a, b), (b, a)):
            flows.add_edge(x, y, capacity=flows.get_edge_data(x, y, {"capacity": 0})["capacity"] + 1)
    flows.add_edges_from(("source", host) for host in half)
    flows.add_edges_from((host, "sink") for host in other)
    links: float = nx.maximum_flow_value(flows, "source", "sink")
    return RATE * links


def bounds(fabric: lacis.Fabric) -> tuple[float, float]:
    """No less and no more than this, says Lacis [bytes/s]."""
    bisection = lacis.examine(fabric).summary.bisection
    assert bisection
    least = bisection.at_least_bytes_per_second
    assert least is not None
    return least, bisection.bytes_per_second


@pytest.mark.parametrize(
    ("spec", "edits"),
    [
        ("fat-tree:4,2", ["leaf-01--spine-01"]),
        ("fat-tree:4,2:rails=2,radix=5", ["+rail1-spine-01--rail2-spine-01", "random-hosts=6,seed=1"]),
        ("pgft:2;3,3;1,2;1,1", ["random-cables=20%,seed=2"]),
        ("ring:9", []),
        ("mesh:3x3", []),
        ("random:9,3,1", ["random-cables=10%,seed=4"]),
        ("hypercube:3", ["random-cables=20%,seed=1"]),
        ("chain:5:h=2", []),
    ],
)
def test_the_thinnest_halves_of_small_fabrics_are_found(spec: str, edits: list[str]) -> None:
    fabric = lacis.read(spec).edit(edits)
    whole = graph(fabric)
    assert nx.is_connected(whole)
    hosts = hosts_of(whole, fabric)
    halves = combinations(hosts, len(hosts) // 2)
    true_one = min(between(whole, list(half), [h for h in hosts if h not in half]) for half in halves)
    least, most = bounds(fabric)
    assert least <= true_one * (1 + 1e-9)
    assert most == pytest.approx(true_one)


@pytest.mark.parametrize(
    ("spec", "edits"),
    [
        ("fat-tree:8,3", ["random-cables=5%,seed=1"]),
        ("fat-tree:12,2:taper=2", ["random-cables=10%,seed=2"]),
        ("pgft:3;2,4,4;1,2,2;1,1,1", ["random-switches=1,seed=3"]),
        ("torus:4x4", []),
        ("dragonfly:2,4,2", []),
        pytest.param("itasca:20", [], marks=pytest.mark.slow),
    ],
)
def test_no_halves_exchange_less_than_the_bound(spec: str, edits: list[str]) -> None:
    fabric = lacis.read(spec).edit(edits)
    whole = graph(fabric)
    hosts = [node for node in hosts_of(whole, fabric) if whole.degree(node)]
    least, most = bounds(fabric)
    assert 0 < least <= most
    draw = random.Random(1)
    for number in range(12):
        # Neighbours in half of the draws, as these have least between them.
        order = hosts[number:] + hosts[:number] if number % 2 else draw.sample(hosts, len(hosts))
        cut = len(hosts) // 2
        assert between(whole, order[:cut], order[cut:]) >= least * (1 - 1e-6)


def test_trees_exchange_what_the_cables_between_them_carry() -> None:
    joint = [f"+rail1-spine-0{n}--rail2-spine-0{n}" for n in (1, 2, 3)]
    fabric = lacis.read("fat-tree:8,2:rails=2,radix=9").edit(joint)
    whole = graph(fabric)
    names = fabric.descriptions()
    half = [node for node in hosts_of(whole, fabric) if names[node].endswith("HCA-1")]
    other = [node for node in hosts_of(whole, fabric) if node not in half]
    assert len(half) == len(other) == 32
    assert bounds(fabric)[1] == pytest.approx(between(whole, half, other)) == 3 * RATE
