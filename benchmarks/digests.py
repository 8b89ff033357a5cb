"""Digests of tables over many fabrics, engines and options, to compare two builds.

    python -m benchmarks.digests [--large] > before
    … change an engine, `make build` …
    python -m benchmarks.digests [--large] | diff before -

A line for each fabric, engine and set of options: the digest of tables, LIDs, service levels and SL-to-VL
tables, or why the engine refused. The digests are not expected values: `tests/oracle` compares tables with OpenSM.
The fabrics are those of the oracle suite, damaged synthetic ones and, with `--large`, the real ones and large trees.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import lacis
from lacis import _core
from lacis.sm.engines import ENGINES, OPENSM, OURS

from tests.oracle.fabrics import FABRICS

from .measure import shared_file

USUAL = (*OPENSM, *OURS)
DAMAGED = (
    "fat-tree:12,2",
    "fat-tree:8,3",
    "fat-tree:6,3:trees=2",
    "pgft:3;4,3,4;1,2,3;1,2,1",
    "itasca:9",
    "torus:5x4",
    "torus:3x3x3",
    "random:24,5,2",
    "dragonfly:2,4,2",
    "fat-tree:16,2:rails=2",
)
SEEDS = range(1, 11)
LARGE = ("fat-tree:24,3", "fat-tree:36,3")
REAL = ("dgx-2025", "selene-2021")
COSTLY = 50
"""An engine that takes more times as long as minhop is tried on the large fabrics only where `--engines` names it."""


def fabrics(large: bool) -> Iterator[tuple[str, Callable[[], tuple[_core.Fabric, tuple[int, ...]]]]]:
    """Names, each with a function that returns the fabric and the GUIDs of its root switches."""
    for name in FABRICS:
        yield name, partial(_of_suite, name)
    for spec in DAMAGED:
        for seed in SEEDS:
            less = (f"random-cables={seed}%,seed={seed}", f"random-hosts=10%,seed={seed}")
            yield f"{spec} without {' '.join(less)}", partial(_damaged, spec, less, seed)
    if large:
        for spec in LARGE:
            yield spec, partial(_damaged, spec)
            yield f"{spec} without 1 % of its cables", partial(_damaged, spec, ("random-cables=1%",), 1)
        for name in REAL:
            if (path := shared_file(f"{name}.ibnetdiscover")) is not None:
                yield name, partial(_damaged, str(path))


def _of_suite(name: str) -> tuple[_core.Fabric, tuple[int, ...]]:
    subject = FABRICS[name]()
    return _core.read_fabric(subject.text.encode()), subject.roots


def _damaged(source: str, less: tuple[str, ...] = (), seed: int = 0) -> tuple[_core.Fabric, tuple[int, ...]]:
    fabric = lacis.read(source).without(list(less))
    return fabric.shuffle_guids(seed) if seed else fabric, ()


def options(fabric: _core.Fabric, roots: tuple[int, ...], seed: str) -> Iterator[dict[str, Any]]:
    """OpenSM's defaults, then sets of options drawn at random."""
    yield {}
    if roots:
        yield {"roots": list(roots)}
    rng = random.Random(seed)  # noqa: S311 - a choice, not a secret
    hosts = _core.participants(_core.route(fabric, "minhop"), rail="each", order="topology").guids().tolist()
    rng.shuffle(hosts)
    some = hosts[: len(hosts) // 3]
    yield {"lmc": rng.choice([1, 2]), "scatter": rng.randrange(1, 9), "port_shifting": True}
    yield {"order": some, "count_switches": True, "connect_roots": True}
    yield {
        "io": some,
        "reverse_hops": 2,
        "quasi_ftree": True,
        "nue_vls": rng.randint(2, 8),
        "fresh_lids": True,
    }
    yield {"cn": some, "mesh_analysis": True, "vls": rng.choice([1, 2, 4]), "nue_include_switches": True}


def digest(routes: _core.Routes) -> str:
    """A digest of all that a manager would program."""
    total = hashlib.sha256(routes.table().tobytes())
    for array in routes.lids():
        total.update(array.tobytes())
    if (levels := routes.service_levels()) is not None:
        total.update(levels.tobytes())
        routes.dump_sl2vl(total.update)
    return total.hexdigest()[:16]


def main() -> int:
    """Print a line for each fabric, engine and set of options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="real fabrics and large trees too, some minutes")
    parser.add_argument("--engines", help="a list, with commas; unless given all that need no file")
    parser.add_argument("--fabrics", default="", help="only fabrics whose name contains this")
    asked = parser.parse_args()
    for name, make in fabrics(asked.large):
        if asked.fabrics not in name:
            continue
        fabric, roots = make()
        big = name in REAL or name.startswith(LARGE)
        for choice in options(fabric, roots, name):
            for engine in asked.engines.split(",") if asked.engines else USUAL:
                is_slow = not asked.engines and ENGINES[engine].cost > COSTLY
                if big and (is_slow or (choice and engine != "eventree")):
                    continue
                words = " ".join(f"{key}={len(v) if isinstance(v, list) else v}" for key, v in choice.items())
                try:
                    found = digest(_core.route(fabric, engine, fallback=False, **choice))
                except lacis.LacisError as error:
                    found = f"refused: {error}"
                print(f"{name} | {engine} | {words} | {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
