"""What some link must carry, against linear programming and the tables of engines."""

from __future__ import annotations

from math import ceil

import lacis
import networkx as nx
import numpy as np
import pytest
from lacis import _core
from scipy.optimize import linprog
from scipy.sparse import coo_array

from .test_eventree import between_switches


def least(fabric: lacis.Fabric) -> float:
    """Flows on the fullest link at least, every host sending to every other over any paths, which may be split.

    A multi-commodity flow with a commodity for each switch that hosts hang off.
    """
    switches, hosts = between_switches(fabric)
    links = [(a, b, n) for x, y, n in switches.edges(keys=True) for a, b in ((x, y), (y, x))]
    columns = len(links) * len(hosts)
    entries: list[tuple[int, int, float]] = []
    sums: list[int] = []
    for number, (edge_switch, receivers) in enumerate(hosts.items()):
        rows = {
            node: len(sums) + at for at, node in enumerate(node for node in switches if node != edge_switch)
        }
        sums += [hosts[node] * receivers for node in rows]
        for link, (a, b, _) in enumerate(links):
            entries += [
                (rows[node], number * len(links) + link, sign)
                for node, sign in ((a, 1.0), (b, -1.0))
                if node in rows
            ]
    row, column, sign = zip(*entries, strict=True)
    equal = coo_array((sign, (row, column)), shape=(len(sums), columns + 1))
    link_of = np.arange(columns) % len(links)
    loads = coo_array(
        (
            np.concatenate([np.ones(columns), -np.ones(len(links))]),
            (
                np.concatenate([link_of, np.arange(len(links))]),
                np.concatenate([np.arange(columns), np.full(len(links), columns)]),
            ),
        )
    )
    goal = np.zeros(columns + 1)
    goal[-1] = 1.0
    found = linprog(
        goal, A_ub=loads.tocsr(), b_ub=np.zeros(len(links)), A_eq=equal.tocsr(), b_eq=sums, method="highs-ipm"
    )
    assert found.status == 0, found.message
    return float(found.fun)


def whole_destinations(fabric: lacis.Fabric) -> int:
    """What a switch's table adds to that: all that it sends to a destination leaves over one link."""
    switches, hosts = between_switches(fabric)
    total = hosts.total()
    whole: int = max(n * ceil((total - n) / switches.degree(leaf)) for leaf, n in hosts.items())
    return whole


@pytest.mark.parametrize(
    "spec", ["fat-tree:8,2", "fat-tree:4,3", "pgft:2;5,4;1,3;1,2", "torus:4x3", "mesh:4x4", "random:12,3,2"]
)
@pytest.mark.parametrize("cut", [0, 10, 25])
def test_what_some_link_must_carry_is_what_linear_programming_says(spec: str, cut: int) -> None:
    fabric = lacis.read(spec)
    if cut:
        fabric = fabric.without([f"random-cables={cut}%,seed=3"])
    if nx.number_connected_components(between_switches(fabric)[0]) > 1:
        pytest.skip("in parts")
    bound, found = least(fabric), _core.forced(lacis.route(fabric, "minhop"), "hosts").flows
    # Paths may be split there; here flows are whole, and a switch sends those to a destination by one port.
    assert found <= max(ceil(bound - 1e-6), whole_destinations(fabric))
    assert found >= 0.9 * bound
