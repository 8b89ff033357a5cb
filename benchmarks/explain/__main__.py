"""`lacis explain` beside 007, NetBouncer and Flock on synthetic measurements: curves, tables, pictures.

    python -m benchmarks.explain [--quick] [--seeds N] [--fabrics NAME …] [-o docs/explanation]
    python -m benchmarks.explain --draw

Fabrics whose file is absent are left out. The results of each fabric are kept in `build/bench/explain`; tables and
pictures show all named fabrics.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..measure import ROOT, machine
from . import curves, draw
from .estimators import LACIS, calibrated, with_settings
from .faults import ENOUGH, has_entries, inner
from .measured import campaign_rounds
from .net import net

if TYPE_CHECKING:
    from collections.abc import Sequence

FABRICS = ("fat-tree:36,2", "itasca", "dgx-2025", "selene-2021")
KEPT = ROOT / "build" / "bench" / "explain"
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
    parser.add_argument("--axes", nargs="+", choices=curves.AXES, default=curves.AXES, help="run only these")
    parser.add_argument("--draw", action="store_true", help="draw the last results, and run nothing")
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "build" / "bench", help="folder of the pictures"
    )
    asked = parser.parse_args()
    names = asked.fabrics[:1] if asked.quick else asked.fabrics
    KEPT.mkdir(parents=True, exist_ok=True)
    if not asked.draw:
        for name in names:
            measure(name, asked.axes, quick=asked.quick, seeds=4 if asked.quick else asked.seeds)
    kept = [path for name in names if (path := _kept(name)).exists()]
    if not kept:
        sys.exit("nothing is kept: run `python -m benchmarks.explain`")
    found = [json.loads(path.read_text()) for path in kept]
    print(draw.tables(found))
    print(draw.summary(found))
    for path in draw.pictures(found, asked.output):
        print(path)


def measure(name: str, axes: Sequence[str], *, quick: bool, seeds: int) -> None:
    """Run the cases of these axes on a fabric, and keep the results; kept results of other axes stay."""
    site = net(name)
    if site is None:
        print(f"{name}: its file is not there", file=sys.stderr)
        return
    whole = campaign_rounds(site, MOST)
    usual = whole.first(curves.ROUNDS)
    kept = json.loads(_kept(name).read_text()) if _kept(name).exists() and not quick else {}
    if axes == curves.AXES or not kept:
        estimators = [LACIS, *calibrated(usual, 1 if quick else 4)]
    else:
        estimators = [LACIS, *with_settings(kept["settings"])]
    drawn = (usual.binding(curves.FACTOR) >= ENOUGH).nonzero()[0]
    has = {"host", "speed", "flap"}
    has |= {"inner"} if len(inner(site, drawn)) > curves.COUNT else set()
    has |= {"entry"} if has_entries(usual) else set()
    records = [one for one in kept.get("records", []) if one["axis"] not in axes]
    head = {
        "name": name,
        "engine": site.routes.engine_used,
        "hosts": len(site.hosts),
        "crossed": int((usual.crossed > 0).sum()),
        "drawn": len(drawn),
        "settings": {one.name: one.setting for one in estimators},
        "machine": machine(),
    }
    for case in curves.cases(quick=quick, has=has):
        if case.axis not in axes:
            continue
        begin = time.perf_counter()
        count = seeds * (4 if case.axis == "clean" else 1)
        records += curves.run(case, whole, estimators, range(1, count + 1))
        spent = time.perf_counter() - begin
        print(f"{name} {case.axis} {case.at}: {spent:.1f} s", file=sys.stderr, flush=True)
        _kept(name).write_text(json.dumps({**head, "records": records}))


def _kept(name: str) -> Path:
    return KEPT / f"{re.sub('[^a-z0-9]+', '-', name)}.json"


if __name__ == "__main__":
    main()
