"""`lacis explain` beside 007, NetBouncer and Flock on synthetic measurements: curves, tables, pictures.

    python -m benchmarks.explain [--quick] [--seeds N] [--fabrics NAME …] [-o docs/explanation]
    python -m benchmarks.explain --draw

Fabrics of which the file is not there are left out. What was found is kept in `build/bench/explain.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from ..measure import ROOT, machine
from . import curves, draw
from .estimators import LACIS, calibrated
from .faults import ENOUGH, inner
from .measured import campaign_rounds
from .net import net

FABRICS = ("fat-tree:36,2", "itasca", "dgx-2025", "selene-2021")
KEPT = ROOT / "build" / "bench" / "explain.json"
MOST = 32
"""Rounds of the longest campaign."""


def main() -> None:
    """Run all, print tables, draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few seeds, few points, one fabric")
    parser.add_argument(
        "--seeds", type=int, default=32, help="runs of each point; clean ones four times as many"
    )
    parser.add_argument("--fabrics", nargs="+", default=FABRICS)
    parser.add_argument("--draw", action="store_true", help="draw what was found last, and run nothing")
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "build" / "bench", help="folder of the pictures"
    )
    asked = parser.parse_args()
    if asked.draw and not KEPT.exists():
        sys.exit(f"{KEPT.relative_to(ROOT)} is not there: run `python -m benchmarks.explain`")
    found = json.loads(KEPT.read_text()) if asked.draw else measure(asked)
    print(draw.tables(found))
    for path in draw.pictures(found, asked.output):
        print(path)


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    """Run all cases on all fabrics, and keep what they gave."""
    found: dict[str, Any] = {"fabrics": [], "records": []}
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    for name in asked.fabrics[:1] if asked.quick else asked.fabrics:
        site = net(name)
        if site is None:
            print(f"{name}: its file is not there", file=sys.stderr)
            continue
        whole = campaign_rounds(site, MOST)
        usual = whole.first(curves.ROUNDS)
        estimators = [LACIS, *calibrated(usual, 1 if asked.quick else 4)]
        links = int((usual.crossed > 0).sum())
        found["fabrics"].append(
            {
                "name": name,
                "engine": site.routes.engine_used,
                "hosts": len(site.hosts),
                "crossed": links,
                "drawn": int((usual.binding(curves.FACTOR) >= ENOUGH).sum()),
                "settings": {one.name: one.setting for one in estimators},
            }
        )
        directors = len(inner(site, (usual.binding(curves.FACTOR) >= ENOUGH).nonzero()[0])) >= curves.COUNT
        seeds = 4 if asked.quick else asked.seeds
        for case in curves.cases(quick=asked.quick, directors=directors):
            begin = time.perf_counter()
            count = seeds * (4 if case.axis == "clean" else 1)
            records = curves.run(case, whole, estimators, range(1, count + 1))
            found["records"] += [{"fabric": name, **record} for record in records]
            spent = time.perf_counter() - begin
            print(f"{name} {case.axis} {case.at}: {spent:.1f} s", file=sys.stderr, flush=True)
        found["machine"] = machine()
        KEPT.write_text(json.dumps(found))
    return found


if __name__ == "__main__":
    main()
