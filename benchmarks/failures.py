"""Single failures inside the real OpenSM: what each engine's tables are worth after a cable has gone, and how many entries change.

    python -m benchmarks.failures [--fabrics NAME,…] [--cables N] [--engines lacis-eventree,minhop]

A cable between switches is cut under a running OpenSM, which sweeps; its tables are read and judged: pairs of end nodes that are lost,
credit loops, entries that differ from before. The cable comes back, and OpenSM sweeps again. Fabrics are specifications, or real ones
(``dgx-2025``, ``selene-2021``) with that many random cables each (seed 1).
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from dataclasses import dataclass, field

from lacis import _core

from tests.oracle import opensm
from tests.oracle.daemon import Daemon, State, daemon
from tests.oracle.stories import Site

from .measure import shared_file
from .routing import first_end_node, load, machine

FABRICS = (
    "fat-tree:8,2",
    "fat-tree:6,3",
    "pgft:2;8,6;1,3;1,2",
    "fat-tree:12,2:trees=2",
    "itasca:9",
    "fat-tree:8,3",
    "dgx-2025",
    "selene-2021",
)


@dataclass
class Sum:
    """What became of the failures of one fabric under one engine."""

    cables: int = 0
    lost: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Failures after which another engine served."""
    changed: list[int] = field(default_factory=list)
    entries: int = 0


def main() -> int:
    """Measures, and prints one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fabrics", help="specifications and names, separated by blanks", nargs="+")
    parser.add_argument("--cables", type=int, default=200, help="random cables of a real fabric; 0: all")
    parser.add_argument("--engines", default="lacis-eventree,minhop")
    options = parser.parse_args()
    if absent := [*opensm.missing(), *([] if opensm.PLUGIN.exists() else ["make opensm-plugin"])]:
        sys.exit(f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}")
    print(f"# {machine()}")
    print(
        f"{'fabric':24} {'engine':16} {'cables':>6} {'lose pairs':>10} {'loops':>6} {'fall back':>9} "
        f"{'entries':>9} {'changed: median':>15} {'mean':>8} {'most':>7}"
    )
    bad = 0
    for name in options.fabrics or FABRICS:
        real = shared_file(f"{name}.ibnetdiscover")
        if real is None and not _core.is_spec(name):
            print(f"{name:24} is not there")
            continue
        net = opensm.as_simulated(load(str(real) if real else name).to_net())
        for engine in options.engines.split(","):
            found = failures(net, engine, options.cables if real else 0)
            bad += len(found.lost) + len(found.loops) if engine.startswith("lacis-") else 0
            print(
                f"{name:24} {engine:16} {found.cables:>6} {len(found.lost):>10} {len(found.loops):>6} "
                f"{len(found.others):>9} {found.entries:>9} {statistics.median(found.changed):>15.0f} "
                f"{statistics.mean(found.changed):>8.1f} {max(found.changed):>7}",
                flush=True,
            )
    return 1 if bad else 0


def failures(net: str, engine: str, sample: int) -> Sum:
    """Cuts cables one by one, and mends them."""
    fabric = _core.read_fabric(net.encode())
    site = Site(net)
    cables = site.between_switches()
    if sample and sample < len(cables):
        cables = random.Random(1).sample(cables, sample)  # noqa: S311 - a sample, not a secret
    conf = opensm.PLUGIN_CONF if engine.startswith("lacis-") else ""
    found = Sum()
    with daemon(net, engine, conf, sm=first_end_node(net), life_s=20_000) as manager:
        whole = manager.first()
        if whole.engine != engine:
            sys.exit(f"OpenSM used {whole.engine}, not {engine}")
        found.entries = len(whole.tables) * len(whole.lids)
        for cable in cables:
            name = f"{cable[0]}[{cable[1]}]"
            manager.unlink(cable[0], cable[1])
            after = manager.sweep()
            judge(fabric, manager, name, whole, after, engine, found)
            manager.relink(cable[0], cable[1])
            whole = manager.sweep()
    return found


def judge(
    fabric: _core.Fabric, manager: Daemon, name: str, before: State, after: State, engine: str, found: Sum
) -> None:
    """What one failure did."""
    found.cables += 1
    if after.engine != engine:
        found.others.append(f"{name}: {after.engine}")
    dump = (manager.workdir / "opensm-lfts.dump").read_bytes()
    left = fabric.edit([name])
    routes, _ = _core.read_lfts(left, dump)
    verified = _core.verify(routes, "all")
    found.lost += [name] if verified.unreached else []
    found.loops += [name] if verified.credit_loops else []
    lids = [lid for own in before.lids.values() for lid in own]
    found.changed.append(
        sum(
            table.get(lid, 255) != before.tables[guid].get(lid, 255)
            for guid, table in after.tables.items()
            for lid in lids
        )
    )


if __name__ == "__main__":
    sys.exit(main())
