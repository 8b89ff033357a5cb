"""Quality of eventree's tables beside those of other engines, on real fabrics and imperfect trees.

    python -m benchmarks.quality [--seeds N] [--patterns N] [FABRIC…]

Modelled, not measured: flows are counted on links (the load model), with the same traffic under all
tables. The table has a line for each fabric, and in each cell eventree's figure beside that of the best other
engine that loses no more pairs, with the files that help it most: roots, an order, compute nodes. All figures are in
`build/bench/quality.json`. eventree's and numbered's tables are Lacis' own, the others identical to OpenSM's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from lacis import _core
from lacis.engines import OPENSM

from .measure import ROOT, shared_file

OURS = "eventree"
PEERS = (*OPENSM, "numbered")
TREES = ("fat-tree:16,3", "fat-tree:36,2")
CUTS = (1, 5, 10)
REAL = ("selene-2021", "dgx-2025")
SLOW = ("lash", "sssp", "dfsssp", "numbered")
SLOW_AT_MOST = 1000
"""Switches up to which the slow engines are compared."""


@dataclass(frozen=True)
class Quality:
    """The figures of an engine's tables on a fabric."""

    fabric: str
    engine: str
    lost: int
    busiest: float
    """Fullest link between switches over the mean, every host sending to every other."""
    forced: float
    """The fullest link over what some link must carry, whatever the tables."""
    bisection: float
    """Mean bandwidth of random bisections, relative to the link rate."""
    worst_bisection: float
    """That of the worst bisection."""
    bisection_flows: int
    """Most flows of one bisection that share a link."""
    shift: float
    """Mean bandwidth of all shifts, relative to the link rate."""
    worst_shift: float
    """That of the worst shift."""
    shift_flows: int
    """Most flows of one shift that share a link."""


FIGURES = {
    "fullest / forced": ("forced", False),
    "fullest / mean": ("busiest", False),
    "bisections": ("bisection", True),
    "worst": ("worst_bisection", True),
    "flows on a link": ("bisection_flows", False),
    "shifts": ("shift", True),
    "worst shift": ("worst_shift", True),
    "flows on a link, shifts": ("shift_flows", False),
}
"""Columns of the table: the field, and whether more is better."""


def fabrics(names: list[str], seeds: int) -> Iterator[tuple[str, _core.Fabric]]:
    """The named fabrics, or the available real ones and damaged trees."""
    if names:
        for name in names:
            spec, *changes = name.split()
            yield name, _core.generate_fabric(spec).edit(changes) if changes else _core.generate_fabric(spec)
        return
    for name in REAL:
        if (real := shared_file(f"{name}.ibnetdiscover")) is not None:
            yield name, _core.read_fabric(real.read_bytes())
    yield "itasca:67", _core.generate_fabric("itasca:67")
    for spec in TREES:
        whole = _core.generate_fabric(spec)
        yield spec, whole
        for cut in CUTS:
            for seed in range(1, seeds + 1):
                yield f"{spec}, {cut} % cut, seed {seed}", whole.edit([f"random-cables={cut}%,seed={seed}"])


def variants(fabric: _core.Fabric) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The alternatives: a label, an engine and its files; eventree first."""
    yield OURS, OURS, {}
    for engine in PEERS:
        if engine not in SLOW or fabric.num_switches <= SLOW_AT_MOST:
            yield engine, engine, {}
    order = _core.traffic_hosts(_core.route(fabric, "minhop"), rail="each", order="topology").guids().tolist()
    yield "minhop, ordered", "minhop", {"order": order}
    if (levels := fabric.levels()) is not None:
        top = max(levels[0])
        guids = fabric.guids()
        roots = [int(guids[s]) for s, level in enumerate(levels[0]) if level == top]
        yield "updn, roots", "updn", {"roots": roots}
        yield "updn, roots, ordered", "updn", {"roots": roots, "order": order}
        yield "ftree, roots, hosts", "ftree", {"roots": roots, "cn": order}


def quality(
    name: str, fabric: _core.Fabric, variant: tuple[str, str, dict[str, Any]], patterns: int
) -> Quality | None:
    """Routes and counts; nothing where the engine refuses."""
    label, engine, files = variant
    routes = _core.route(fabric, engine, **files)
    if routes.refusals:
        return None
    proof = _core.verify(routes, "hosts")
    most, mean, _, _ = proof.balance
    hosts = _core.traffic_hosts(routes, rail="each", order="topology")
    random = _core.predict(routes, hosts, "bisection", patterns=patterns, seed=1, hottest=0)
    shifts = _core.predict(routes, hosts, "shift", hottest=0)
    return Quality(
        fabric=name,
        engine=label,
        lost=proof.pairs - proof.verdicts["delivered"],
        busiest=most / mean,
        forced=most / max(1, _core.forced(routes, "hosts").flows),
        bisection=random.relative_bandwidth["mean"],
        worst_bisection=float(random.phases()["mean"].min()),
        bisection_flows=random.max_contention,
        shift=shifts.relative_bandwidth["mean"],
        worst_shift=float(shifts.phases()["mean"].min()),
        shift_flows=shifts.max_contention,
    )


def compare(figure: tuple[str, bool], own: Quality, peers: list[Quality]) -> tuple[str, str]:
    """A cell of the table, and whether eventree wins, ties or loses."""
    name, more = figure
    best = (max if more else min)(peers, key=lambda peer: float(getattr(peer, name)))
    ours, theirs = float(getattr(own, name)), float(getattr(best, name))
    shown = "{:.0f} / {:.0f} {}" if name.endswith("flows") else "{:.3f} / {:.3f} {}"
    better = ours - theirs if more else theirs - ours
    verdict = "ties" if abs(better) < 0.0005 else "wins" if better > 0 else "loses"
    mark = {"wins": "**", "ties": "", "loses": "_"}[verdict]
    return mark + shown.format(ours, theirs, best.engine) + mark, verdict


def main() -> None:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--patterns", type=int, default=300)
    parser.add_argument("fabrics", nargs="*", metavar="FABRIC")
    arguments = parser.parse_args()
    started = time.process_time()
    found: list[Quality] = []
    counts: dict[str, dict[str, int]] = {title: {} for title in FIGURES}
    print("| fabric | " + " | ".join(FIGURES) + " |")
    print("|---|" + "---|" * len(FIGURES), flush=True)
    for name, fabric in fabrics(arguments.fabrics, arguments.seeds):
        every = [quality(name, fabric, variant, arguments.patterns) for variant in variants(fabric)]
        own, *peers = [q for q in every if q is not None]
        found += [own, *peers]
        cells = []
        for title, figure in FIGURES.items():
            cell, verdict = compare(figure, own, [peer for peer in peers if peer.lost <= own.lost])
            cells.append(cell)
            counts[title][verdict] = counts[title].get(verdict, 0) + 1
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    tallies = [
        ", ".join(f"{verdict} {n}" for verdict, n in sorted(count.items())) for count in counts.values()
    ]
    print("| eventree | " + " | ".join(tallies) + " |")
    print(
        f"\nOurs / the best other engine's; **ours wins**, _ours loses_. {arguments.patterns} random bisections (seed 1), "
        f"all shifts, hosts in the order of their leaves. Modelled. {time.process_time() - started:.0f} s."
    )
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quality.json").write_text(json.dumps([asdict(q) for q in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
