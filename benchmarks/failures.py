"""Single failures inside the real OpenSM: pairs lost, credit loops and changed entries after each cable is cut.

    python -m benchmarks.failures [--fabrics NAME …] [--cables N] [--skip N] [--seed N] [--engines lacis-eventree,minhop]

A cable between switches is cut under a running OpenSM, which sweeps; its tables are read and proved: lost pairs of end nodes,
credit loops, entries that differ from before. The cable is restored, and OpenSM sweeps. Fabrics are specs, or real ones
(``dgx-2025``, ``selene-2021``), of which ``--cables`` random cables are cut; ``--skip`` continues a sample where an earlier run ended.
The plugin `opensm_tables.c` writes only the tables, faster than OpenSM's own dumps.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lacis import _core

from tests.oracle import opensm
from tests.oracle.daemon import Daemon, daemon
from tests.oracle.failure_scenarios import Cable, Site

from .measure import shared_file
from .routing import build_library, first_end_node, load, machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

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
    """The results of all failures of one fabric under one engine."""

    cables: int = 0
    lost: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Failures after which OpenSM used another engine."""
    changed: list[int] = field(default_factory=list)
    entries: int = 0


def main() -> int:
    """Measures, and prints one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fabrics", help="specs and names of real fabrics", nargs="+")
    parser.add_argument("--cables", type=int, default=200, help="random cables of a real fabric; 0: all")
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many cables at the beginning of the sample"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--engines", default="lacis-eventree,minhop")
    options = parser.parse_args()
    if absent := [*opensm.missing(), *([] if opensm.PLUGIN.exists() else ["make opensm-plugin"])]:
        sys.exit(f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}")
    with tempfile.TemporaryDirectory() as temp:
        tables = Path(temp)
        include = os.environ.get("OPENSM_INCLUDE", "/usr/include/infiniband")
        flags = ["-isystem", include, "-isystem", f"{include}/.."]
        build_library("opensm_tables.c", tables / "liblacistables.so", flags)
        return measure(options, tables)


def measure(options: argparse.Namespace, tables: Path) -> int:
    """Measures all fabrics and engines; 1 where an engine of Lacis' lost a pair or left a credit loop."""
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
            found = failures(net, engine, chosen(net, options, is_real=real is not None), tables)
            bad += len(found.lost) + len(found.loops) if engine.startswith("lacis-") else 0
            print(
                f"{name:24} {engine:16} {found.cables:>6} {len(found.lost):>10} {len(found.loops):>6} "
                f"{len(found.others):>9} {found.entries:>9} {statistics.median(found.changed):>15.0f} "
                f"{statistics.mean(found.changed):>8.1f} {max(found.changed):>7}",
                flush=True,
            )
    return 1 if bad else 0


def chosen(net: str, options: argparse.Namespace, *, is_real: bool) -> list[Cable]:
    """The cables to cut: all, or a sample of a real fabric's."""
    cables = Site(net).between_switches()
    if is_real and 0 < options.cables < len(cables):
        cables = random.Random(options.seed).sample(cables, options.cables)  # noqa: S311 - a sample, not a secret
        cables = cables[options.skip :]
    return cables


def failures(net: str, engine: str, cables: Sequence[Cable], tables: Path) -> Sum:
    """Cuts and restores cables, one by one."""
    fabric = _core.read_fabric(net.encode())
    conf = f"event_plugin_name {'osmlacis ' if engine.startswith('lacis-') else ''}lacistables\n"
    manager = first_end_node(net)
    found = Sum()
    with daemon(net, engine, conf, sm=manager, life_s=20_000, log_flags="0x03", plugins=tables) as subnet:
        served, whole = subnet.served(sweep=False), left(fabric, subnet)
        if served != engine:
            sys.exit(f"OpenSM used {served}, not {engine}")
        found.entries = whole.lids()[0].size * fabric.num_switches
        for cable in cables:
            name = f"{cable[0]}[{cable[1]}]"
            subnet.unlink(cable[0], cable[1])
            served = subnet.served()
            judge(name, served, whole, left(fabric.edit([name]), subnet), engine, found)
            subnet.relink(cable[0], cable[1])
            subnet.served()
            whole = left(fabric, subnet)
            show(
                f"{found.cables} of {len(cables)}: {len(found.lost)} lose pairs, {len(found.loops)} loops, "
                f"{len(found.others)} fall back, {found.changed[-1]} entries changed"
            )
    return found


def show(progress: str) -> None:
    """Shows the progress; in a file, line by line."""
    print(f"\r{progress}  ", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def left(fabric: _core.Fabric, subnet: Daemon) -> _core.Routes:
    """The tables that a sweep left in the switches."""
    file = subnet.workdir / "tables.lfts"
    end = time.monotonic() + 60
    while not file.exists():
        if time.monotonic() > end:
            sys.exit(f"no {file} after the sweep")
        time.sleep(0.002)
    routes, _ = _core.read_lfts(fabric, file.read_bytes())
    file.unlink()
    return routes


def judge(
    name: str, served: str | None, before: _core.Routes, after: _core.Routes, engine: str, found: Sum
) -> None:
    """Counts the effects of one failure. No single cable cut disconnects these fabrics, so all switches stay."""
    found.cables += 1
    if served != engine:
        found.others.append(f"{name}: {served}")
    verified = _core.verify(after, "all")
    failed = [v for v, pairs in verified.verdicts.items() if pairs and v != "delivered"]
    found.lost += [name] if failed else []
    found.loops += [name] if verified.credit_loops else []
    old, new = table_by_guid(before), table_by_guid(after)
    found.changed.append(sum(int((old[guid] != row).sum()) for guid, row in new.items()))


def table_by_guid(routes: _core.Routes) -> dict[int, NDArray[np.uint8]]:
    """Entries of assigned LIDs by the GUID of the switch."""
    guids = routes.fabric.guids().tolist()
    lids = routes.lids()[0]
    return {guid: row[lids] for guid, row in zip(guids, routes.table(), strict=False)}


if __name__ == "__main__":
    sys.exit(main())
