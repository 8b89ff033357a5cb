"""Predictions against counts made another way: walking the tables in Python, and exact fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest

if TYPE_CHECKING:
    from lacis import Fabric, Routes

End = tuple[int, int]  # node, port


def _wiring(fabric: Fabric) -> dict[End, End]:
    peer = {}
    for a, p, b, q in fabric.cables().reshape(-1, 4).tolist():
        peer[a, p], peer[b, q] = (b, q), (a, p)
    return peer


def _walk(routes: Routes, source: int, target: int) -> list[End]:
    """The egress ends from one end node to another, by the tables."""
    fabric = routes.fabric
    peer, table = _wiring(fabric), routes.table()
    port_guids = dict(zip(*(array.tolist() for array in reversed(routes.lids())), strict=True))
    lid = next(lid for guid, lid in port_guids.items() if _owner(fabric, guid) == target)
    path = [(source, 1)]
    at = peer[source, 1]
    while at[0] < fabric.num_switches:
        path.append((at[0], int(table[at[0], lid])))
        at = peer[path[-1]]
    assert at[0] == target
    return path


def _owner(fabric: Fabric, port_guid: int) -> int | None:
    """The end node of a generated fabric that a port GUID belongs to: its node GUID plus one."""
    nodes = {guid: n for n, guid in enumerate(fabric.guids().tolist())}
    return nodes.get(port_guid - 1, nodes.get(port_guid))


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_loads_and_contention_are_those_of_walking_the_tables(engine: str) -> None:
    fabric = lacis.read("fat-tree:4,3")
    routes = lacis.route(fabric, engine)
    hosts = range(fabric.num_switches, fabric.num_switches + 16)  # node0001 … node0016: already in order
    paths = [_walk(routes, hosts[i], hosts[(i + 5) % 16]) for i in range(16)]
    count = Counter(end for path in paths for end in path)

    result = lacis.predict(routes, "shift:5")
    found = {
        (n, p): flows for n, p, flows in zip(*(a.tolist() for a in result.loads()), strict=True) if flows
    }
    assert found == dict(count)
    relative = sorted(1 / max(count[end] for end in path) for path in paths)
    assert result.relative_bandwidth["mean"] == pytest.approx(sum(relative) / 16, rel=1e-12)
    assert (result.relative_bandwidth["min"], result.relative_bandwidth["max"]) == (relative[0], relative[-1])
    assert result.max_contention == max(count.values())
    hot = result.hottest[0]
    assert (hot.contention, len(hot.flows)) == (result.max_contention, result.max_contention)


def _max_min(paths: list[list[End]]) -> list[Fraction]:
    """Water filling on links of capacity 1, in exact fractions."""
    left = {end: Fraction(1) for path in paths for end in path}
    rate: dict[int, Fraction] = {}
    while len(rate) < len(paths):
        active = Counter(end for f, path in enumerate(paths) if f not in rate for end in path)
        share, end = min((left[end] / n, end) for end, n in active.items())
        for f, path in enumerate(paths):
            if f not in rate and end in path:
                rate[f] = share
                for link in path:
                    left[link] -= share
    return [rate[f] for f in range(len(paths))]


def test_fluid_rates_are_those_of_exact_fractions(tmp_path: Path) -> None:
    fabric = lacis.read("fat-tree:4,3")
    routes = lacis.route(fabric, "minhop")
    first = fabric.num_switches
    # Host 0 sends three flows, a third each; what they leave of host 5's link, 2/3, goes to host 1's.
    chosen = [
        (0, 5),
        (0, 9),
        (0, 13),
        (1, 5),
        (2, 6),
        (3, 12),
        (4, 12),
        (7, 1),
        (8, 2),
        (15, 2),
        (11, 2),
        (10, 2),
    ]
    exact = _max_min([_walk(routes, first + a, first + b) for a, b in chosen])
    names = [name.split()[0] for name in fabric.descriptions()[first:]]
    pairs = tmp_path / "pairs"
    pairs.write_text("".join(f"{names[a]} {names[b]}\n" for a, b in chosen))
    result = lacis.predict(routes, f"file:{pairs}", model="fluid")
    values, flows = result.distribution()
    assert np.repeat(values, flows.astype(int)) == pytest.approx(sorted(map(float, exact)), rel=1e-9)
    assert len(set(exact)) > 2  # not a case where everything is even


def test_the_matrix_covers_every_leaf_pair_of_a_full_sweep() -> None:
    routes = lacis.route(lacis.read("fat-tree:8,2"), "ftree")
    result = lacis.predict(routes, "leaf-offset", matrix="leaf")
    kind, labels = result.matrix_labels or ("", [])
    mean = result.matrix("mean")
    assert (kind, len(labels), mean is not None and mean.shape) == ("leaf", 8, (8, 8))
    assert mean is not None
    assert (np.isnan(mean) == np.eye(8, dtype=bool)).all()  # offsets 1 to 7: every other leaf, never itself
    host = lacis.predict(routes, "mpigraph", matrix="host").matrix("min")
    assert host is not None
    assert (np.isnan(host) == np.eye(32, dtype=bool)).all()


def test_a_seed_gives_the_same_and_another_seed_something_else() -> None:
    routes = lacis.route(lacis.read("fat-tree:8,2"), "ftree")
    loads = [lacis.predict(routes, "bisection", patterns=50, seed=s).loads()[2] for s in (7, 7, 8)]
    assert (loads[0] == loads[1]).all()
    assert (loads[0] != loads[2]).any()
