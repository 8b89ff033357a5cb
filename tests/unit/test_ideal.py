"""Ideal splits against linear programming: the least rate of all flows, as scipy's HiGHS finds the best."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import lacis
import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Fabric

RATE = 12.5e9  # 4xEDR [bytes/s]
SIZE = 1_000_000

# Damaged trees of two and three levels, some with two cables between switches; a whole torus.
# How many cables are cut, and whether even splits are worse then.
FABRICS = (
    ("fat-tree:8,2", 5, True),
    ("fat-tree:4,3", 4, True),
    ("pgft:2;4,3;1,4;1,2", 4, False),
    ("torus:3x4", 0, False),
    ("fat-tree:6,3", 9, True),
)


def damaged(spec: str, cuts: int, rng: random.Random) -> Fabric:
    """The fabric without some cables between switches, all hosts still being able to reach each other."""
    fabric = lacis.read(f"{spec}:rate=4xEDR")
    for _ in range(100):
        ends = [
            row
            for row in fabric.cables().reshape(-1, 4).tolist()
            if max(row[0], row[2]) < fabric.num_switches
        ]
        names = fabric.descriptions()
        cut = [f"{names[a]}[{p}]" for a, p, *_ in rng.sample(ends, cuts)]
        left = fabric.without(cut) if cut else fabric
        if nx.is_connected(graph(left)):
            return left
    raise AssertionError(spec)


def graph(fabric: Fabric) -> nx.MultiGraph:
    """Nodes by number, an edge for each cable."""
    graph = nx.MultiGraph()
    graph.add_edges_from((a, b) for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist())
    return graph


def best(fabric: Fabric, flows: list[tuple[int, int]]) -> float:
    """The greatest rate that all flows between nodes can have at once over shortest paths [link rates]."""
    whole = graph(fabric)
    # A column for each flow and link that begins a shortest path for it; the last is the rate.
    rows, columns, values = [], [], []
    links: dict[tuple[int, int, int], int] = {}
    balance: dict[tuple[int, int], int] = {}
    balances = []
    column = 0
    for number, (source, target) in enumerate(flows):
        far = nx.single_source_shortest_path_length(whole, target)
        near = {source}
        for node in sorted(far, key=lambda node: -far[node]):
            if node not in near or node == target:
                continue
            ahead = [(b, key) for _, b, key in whole.edges(node, keys=True) if far[b] == far[node] - 1]
            for b, key in ahead:
                near.add(b)
                rows.append(links.setdefault((node, b, key), len(links)))
                columns.append(column)
                values.append(1.0)
                for at, sign in ((node, 1.0), (b, -1.0)):
                    if at != target:
                        balances.append((balance.setdefault((number, at), len(balance)), column, sign))
                column += 1
        balances.append((balance[number, source], -1, -1.0))
    balances = [(row, at if at >= 0 else column, sign) for row, at, sign in balances]
    shape = column + 1
    equal = coo_array(
        ([sign for *_, sign in balances], ([row for row, *_ in balances], [at for _, at, _ in balances])),
        shape=(len(balance), shape),
    )
    most = coo_array((values, (rows, columns)), shape=(len(links), shape))
    goal = np.zeros(shape)
    goal[-1] = -1.0
    found = linprog(
        goal, A_ub=most.tocsr(), b_ub=np.ones(len(links)), A_eq=equal.tocsr(), b_eq=np.zeros(len(balance))
    )
    assert found.status == 0, found.message
    return float(-found.fun)


@pytest.mark.parametrize(("spec", "cuts", "uneven"), FABRICS)
def test_the_least_rate_is_the_best_that_linear_programming_finds(
    tmp_path: Path, spec: str, cuts: int, uneven: bool
) -> None:
    rng = random.Random(spec)
    path = tmp_path / "pairs"
    worse = 0
    for _ in range(8):
        fabric = damaged(spec, cuts, rng)
        routes = lacis.route(fabric, "minhop")
        hosts = range(fabric.num_switches, len(fabric.descriptions()))
        # Some hosts send to several, some to none.
        drawn = [rng.sample(hosts, 2) for _ in range(len(hosts))]
        flows = list(dict.fromkeys((source, target) for source, target in drawn))
        names = [name.split()[0] for name in fabric.descriptions()]
        path.write_text("".join(f"{names[a]} {names[b]}\n" for a, b in flows))
        result = lacis.times(routes, f"file:{path}", SIZE, multipath="ideal")
        bound = best(fabric, flows)
        least = SIZE / result.total / RATE
        assert result.gap is not None
        assert result.gap <= 0.01
        assert bound * (1 - result.gap) * (1 - 1e-9) <= least <= bound * (1 + 1e-9)
        even = SIZE / lacis.times(routes, f"file:{path}", SIZE, multipath="spray").total / RATE
        worse += even < 0.99 * bound
    assert (worse > 0) == uneven
