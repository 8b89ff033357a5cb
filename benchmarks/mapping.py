"""Ranks mapped to hosts, beside Scotch in the same run: three instances by bytes, ten on a fabric's own tables.

    python -m benchmarks.mapping [--fabric FILE] [--engine ENGINE] [--seeds 8]

By bytes: 8 ranks a host, 16 hosts a leaf; the shares of bytes that leave hosts and leaves, and CPU seconds of one thread. Scotch is
pyscotch, where it is installed (`pip install pyscotch`): its sizes are not exact, which is counted as ranks beyond a host's seats.
On `--fabric`: how long the most loaded link needs in the order that looks at bytes alone and in the one chosen.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any

os.environ.setdefault("SCOTCH_PTHREAD_NUMBER", "1")
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import lacis
import numpy as np
from lacis import _core, mapping
from lacis.requests.demands import Demands

from .measure import machine, shared_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from lacis._core import Participants, Routes
    from numpy.typing import NDArray

PER_HOST, PER_LEAF = 8, 16


def power_law(ranks: int, partners: int = 4, seed: int = 1) -> Demands:
    """Each new rank talks to four that are there, the more likely the more partners they have; numbered at random."""
    rng = np.random.default_rng(seed)
    number = rng.permutation(ranks)
    ends = list(range(partners))
    rows = []
    for rank in range(partners, ranks):
        for _ in range(partners):
            other = ends[rng.integers(len(ends))]
            rows.append((number[rank], number[other]))
            ends += [rank, other]
    pairs = np.array(rows, dtype=np.uint32)
    return Demands(
        ranks,
        np.ascontiguousarray(pairs[:, 0]),
        np.ascontiguousarray(pairs[:, 1]),
        np.ones(len(pairs), dtype=np.uint64),
    )


def shares(demands: Demands, host: NDArray[Any]) -> tuple[float, float]:
    """The shares of bytes that leave hosts and leaves."""
    a, b = host[demands.source], host[demands.destination]
    total = float(demands.bytes.sum())
    return (
        float(demands.bytes[a != b].sum()) / total,
        float(demands.bytes[a // PER_LEAF != b // PER_LEAF].sum()) / total,
    )


def clocked(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the CPU seconds that it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def ours(routes: Routes, hosts: Participants, demands: Demands) -> tuple[NDArray[Any], float]:
    """The mapping by bytes alone."""
    given = np.repeat(np.arange(demands.ranks // PER_HOST, dtype=np.uint32), PER_HOST)
    columns = (demands.source, demands.destination, demands.bytes)
    found, seconds = clocked(
        lambda: _core.map_ranks(routes, hosts, given, *columns, grid=list(demands.grid), effort=0)
    )
    return found.host, seconds


def scotch(demands: Demands, seeds: int) -> list[tuple[NDArray[Any], float]] | None:
    """Scotch's mappings on a tree of leaves and hosts, one for each seed; none where it is not installed."""
    try:
        pyscotch: Any = importlib.import_module("pyscotch")
    except ImportError:
        return None
    edges: dict[tuple[int, int], int] = {}
    for a, b, size in zip(
        demands.source.tolist(), demands.destination.tolist(), demands.bytes.tolist(), strict=True
    ):
        if a != b:
            pair = (min(a, b), max(a, b))
            edges[pair] = edges.get(pair, 0) + size
    graph = pyscotch.Graph.from_edges(
        list(edges), num_vertices=demands.ranks, edge_weights=list(edges.values())
    )
    hosts = demands.ranks // PER_HOST
    tree = pyscotch.Architecture()
    tree.tree_leaf(2, np.array([hosts // PER_LEAF, PER_LEAF]), np.array([1, 1]))
    found = []
    for seed in range(seeds):
        pyscotch.random_seed(2 * seed)
        pyscotch.random_reset()
        found.append(clocked(lambda: np.asarray(graph.map(tree))))
    return found


def by_bytes(seeds: int) -> None:
    """Prints the three instances."""
    instances = {
        "stencil 16x16x16": mapping.stencil([16, 16, 16], 1),
        "stencil 32x16x16": mapping.stencil([32, 16, 16], 1),
        "power law of 8,192": power_law(8192),
    }
    print("| instance | mapper | leave the host | leave the leaf | CPU s | ranks beyond seats |")
    print("|---|---|---|---|---|---|")
    for name, demands in instances.items():
        leaves = demands.ranks // PER_HOST // PER_LEAF
        routes = lacis.route(lacis.read(f"pgft:2;{PER_LEAF},{leaves};1,{PER_LEAF};1,1"), "minhop")
        hosts = _core.participants(routes)
        rows = [("in order", np.arange(demands.ranks) // PER_HOST, 0.0)]
        rows.append(("lacis", *ours(routes, hosts, demands)))
        free = Demands(demands.ranks, demands.source, demands.destination, demands.bytes)
        if demands.grid:
            rows.append(("lacis, grid unknown", *ours(routes, hosts, free)))
        others = scotch(demands, seeds)
        if others is not None:
            best = min(others, key=lambda one: sum(shares(demands, one[0])))
            rows.append(("Scotch, one run", *others[0]))
            rows.append((f"Scotch, best of {seeds}", best[0], sum(one[1] for one in others)))
        for mapper, host, seconds in rows:
            off_host, off_leaf = shares(demands, host)
            beyond = int(np.maximum(np.bincount(host, minlength=1) - PER_HOST, 0).sum())
            print(f"| {name} | {mapper} | {off_host:.4f} | {off_leaf:.4f} | {seconds:.2f} | {beyond} |")


def on_tables(path: str, engine: str) -> None:
    """Prints ten jobs on a fabric under its tables."""
    routes = lacis.route(lacis.read(path), engine)
    names = list(_core.participants(routes, groups="compute").hosts)

    def seats(count: int, seed: int) -> mapping.Seats:
        chosen = np.random.default_rng(seed).permutation(len(names))[:count]
        return mapping.seats_of(routes.fabric, "".join(f"{names[i]}:{PER_HOST}\n" for i in chosen))

    jobs: dict[str, tuple[int, Demands]] = {
        "stencil 16x16x8": (256, mapping.stencil([16, 16, 8])),
        "stencil 16x16x14": (448, mapping.stencil([16, 16, 14])),
        "stencil 8x8x8": (64, mapping.stencil([8, 8, 8])),
        "stencil 64x32": (256, mapping.stencil([64, 32])),
        "mesh tp=8,dp=32": (32, mapping.mesh({"tp": (8, None), "dp": (32, None)})),
        "mesh tp=8,pp=4,dp=8": (32, mapping.mesh({"tp": (8, None), "pp": (4, None), "dp": (8, None)})),
        "mesh tp=8,ep=16,dp=16": (256, mapping.mesh({"tp": (8, None), "ep": (16, None), "dp": (16, None)})),
        "mesh ep=16,dp=16": (32, mapping.mesh({"ep": (16, None), "dp": (16, None)})),
        "power law of 2,048": (256, power_law(2048)),
        "power law of 512": (64, power_law(512, seed=2)),
    }
    print(f"\n{path}, tables of {routes.engine_used}; the most loaded link, by bytes alone = 1")
    print("| job | hosts | given | chosen | CPU s |")
    print("|---|---|---|---|---|")
    fell = rose = 0
    for seed, (name, (count, demands)) in enumerate(jobs.items()):
        listed = seats(count, seed)
        found, seconds = clocked(partial(mapping.permute, routes, listed, demands))
        base = found.by_bytes.seconds
        fell += found.chosen.seconds < base
        rose += found.chosen.seconds > base
        given, chosen = found.given.seconds / base, found.chosen.seconds / base
        print(f"| {name} | {count} | {given:.2f} | {chosen:.2f} | {seconds:.1f} |")
    print(f"\nIt falls on {fell} of {len(jobs)} jobs and rises on {rose}.")


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = shared_file("selene-2021.ibnetdiscover")
    parser.add_argument("--fabric", default=known, help="a fabric with at least 448 compute hosts")
    parser.add_argument("--engine", default="minhop")
    parser.add_argument("--seeds", type=int, default=8)
    asked = parser.parse_args()
    by_bytes(asked.seeds)
    if asked.fabric:
        on_tables(str(asked.fabric), asked.engine)
    print(f"\n{machine()}.")


if __name__ == "__main__":
    main()
