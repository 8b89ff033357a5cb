"""Table computation: OpenSM's own CPU time and ours, in the same run on the same fabrics.

    python -m benchmarks.routing [--large | --real] [--repeats N] [--engines minhop,updn,ftree]

OpenSM 3.3.23 computes its tables in one thread; the thread's CPU clock is read at both ends
(`opensm_clock.c`), so that discovery, LIDs and sending the tables are not counted. Ours is the CPU time
of `lacis.route`, one thread, *with* assigning LIDs. CPU time, not wall time: the machine may be busy.

The floor of all engines is the time in which one core fills fresh tables of the same size, measured in our process.
The figures are also kept in `build/bench/routing.json`, for `benchmarks.growth`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lacis import _core
from lacis.sm.engines import ENGINES as ENGINES_BY_NAME
from lacis.sm.engines import OPENSM, OURS, OUTGROWING

from tests.oracle import opensm

from .measure import ROOT, shared_file

FABRICS = {
    648: "fat-tree:36,2",
    1152: "fat-tree:48,2",
    2592: "fat-tree:36,3:pods=8",
    5832: "fat-tree:36,3:pods=18",
    11664: "fat-tree:36,3",
    27648: "fat-tree:48,3",
}
REAL = {582: "dgx-2025", 4341: "selene-2021"}
"""Real fabrics, by their numbers of nodes; measured with ``--real``."""
ENGINES = (*OPENSM, *OURS)
COMPARED_UP_TO = 4500
"""Nodes up to which the tables are compared too; OpenSM's dump of the largest fabric takes a gigabyte."""
SMALL_UP_TO = 3000
"""Nodes that are measured without ``--large``."""
PEER_AT_MOST = 12_000
"""Nodes up to which OpenSM is run: beyond, any of its engines takes minutes."""
COSTLY = 50
"""An engine that takes so many times as long as minhop …"""
COSTLY_PEER_AT_MOST = 4500
"""… is run by OpenSM up to so many nodes, …"""
COSTLY_PEER_REPEATED_UP_TO = 1000
"""… and several times up to so many; ``COMPARED_UP_TO`` for the others."""
GROWING_AT_MOST = 12_000
"""Nodes up to which Lacis runs engines of OpenSM's that outgrow their tables; beyond, sssp's distances do not fit."""


def asks_opensm(engine: str) -> bool:
    """Whether OpenSM has this engine, so that there is a peer to run."""
    return ENGINES_BY_NAME[engine].author == "OpenSM"


def peer_at_most(engine: str) -> int:
    """The nodes up to which OpenSM is run with an engine; 0 where it does not have it."""
    if not asks_opensm(engine):
        return 0
    return COSTLY_PEER_AT_MOST if ENGINES_BY_NAME[engine].cost > COSTLY else PEER_AT_MOST


def peer_repeated_up_to(engine: str) -> int:
    """The nodes up to which OpenSM is run several times with an engine."""
    return COSTLY_PEER_REPEATED_UP_TO if ENGINES_BY_NAME[engine].cost > COSTLY else COMPARED_UP_TO


def ours_at_most(engine: str, nodes: int) -> int:
    """The nodes up to which Lacis is run with an engine, `nodes` where it has no limit."""
    return GROWING_AT_MOST if engine in OUTGROWING and asks_opensm(engine) else nodes


@dataclass(frozen=True)
class Cost:
    """CPU seconds of repeated runs, and the process' greatest size."""

    seconds: list[float]
    peak_mb: float

    def __str__(self) -> str:
        low, high = min(self.seconds), max(self.seconds)
        return f"{statistics.median(self.seconds):9.5f} ({low:.5f} – {high:.5f})"


def real() -> dict[int, str]:
    """The real fabrics that are there, by their numbers of nodes."""
    found = {nodes: shared_file(f"{name}.ibnetdiscover") for nodes, name in REAL.items()}
    return {nodes: str(path) for nodes, path in found.items() if path is not None}


def load(source: str) -> _core.Fabric:
    """A fabric from a file or a specification."""
    return _core.read_fabric(Path(source).read_bytes()) if "/" in source else _core.generate_fabric(source)


def build_clock(folder: Path) -> Path:
    """Compile the preloaded clock."""
    library = folder / "opensm_clock.so"
    build_library("opensm_clock.c", library)
    return library


def build_library(source: str, library: Path, flags: Sequence[str] = ()) -> None:
    """Compile a file of this folder that OpenSM is to load."""
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("the benchmark needs a C compiler (Debian package gcc)")
    path = Path(__file__).with_name(source)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", *flags, "-o", library, path], check=True)


@dataclass(frozen=True)
class Reading:
    """OpenSM's times for one table computation."""

    cpu_s: float
    """CPU seconds of its thread and of the processes that it waited for."""
    wall_s: float
    peak_mb: float
    log: str
    tables: opensm.Tables
    """Empty unless they are dumped."""


def clocked(net: str, engine: str, clock: Path, *, dump: bool, conf: str = "") -> Reading:
    """One run of OpenSM with the preloaded clock; ``conf`` is its ``opensm.conf``."""
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        (folder / "opensm.conf").write_text(conf)
        with opensm.subnet(net, folder, life_s=1200) as env:
            env["SIM_HOST"] = first_end_node(net)
            env["LD_PRELOAD"] = f"{clock} {env['LD_PRELOAD']}"
            env["LD_LIBRARY_PATH"] = str(opensm.PLUGIN.parent)
            env["LACIS_CLOCK"] = str(folder / "clock")
            flags = opensm.DUMPS_AND_INFO if dump else "0x03"
            opensm.sweep(folder, env, engine, ["-F", "@opensm.conf"], log_flags=flags, limit_s=1000)
        log = (folder / "clock").read_text(errors="replace")
        used = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured", log)
        if used != [engine]:
            sys.exit(f"OpenSM used {used}, not {engine}")
        read = {what: float(value) for what, value in re.findall(r"^clock (\S+) (\S+)$", log, re.M)}
        dumped = (folder / "opensm-lfts.dump").read_text() if dump else ""
    return Reading(
        cpu_s=read["end"] - read["begin"] + read["children"],
        wall_s=read["end_wall"] - read["begin_wall"],
        peak_mb=read["peak_kb"] / 1024,
        log=log,
        tables=opensm.parse_tables(dumped)[0],
    )


def theirs(net: str, engine: str, clock: Path, repeats: int, *, dump: bool) -> tuple[Cost, opensm.Tables]:
    """OpenSM's cost, and its tables where they are dumped."""
    readings = [clocked(net, engine, clock, dump=dump and n == 0) for n in range(repeats)]
    cost = Cost([r.cpu_s for r in readings], max(r.peak_mb for r in readings))
    return cost, readings[0].tables


_OURS = """
import json, re, sys, time
import numpy as np
from lacis import _core
source, engine, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
fabric = _core.read_fabric(open(source, "rb").read()) if "/" in source else _core.generate_fabric(source)
seconds, floor = [], []
for _ in range(repeats):
    begin = time.process_time()
    routes = _core.route(fabric, engine)
    seconds.append(time.process_time() - begin)
    assert routes.engine_used == engine, routes.refusals
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
size = (fabric.num_switches, int(routes.lids()[0][-1]) + 1)
for _ in range(repeats):
    begin = time.process_time()
    np.empty(size, np.uint8).fill(7)
    floor.append(time.process_time() - begin)
print(json.dumps([seconds, int(peak[1]) / 1024, floor]))
"""


def ours(source: str, engine: str, repeats: int) -> tuple[Cost, float]:
    """Lacis' cost, in a separate process with one thread, and the floor [s]; of a spec or a file."""
    env = {**os.environ, "RAYON_NUM_THREADS": "1"}
    words = [sys.executable, "-c", _OURS, source, engine, str(repeats)]
    done = subprocess.run(words, env=env, stdout=subprocess.PIPE, text=True, check=True)
    seconds, peak, floor = json.loads(done.stdout)
    return Cost(seconds, peak), statistics.median(floor)


def first_end_node(net: str) -> str:
    """The node of the subnet manager, for OpenSM and Lacis."""
    found = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net, re.M)
    return found[1] if found else sys.exit("the fabric has no adapter")


def equal(net: str, engine: str, tables: opensm.Tables) -> str:
    """The number of entries in which our tables equal OpenSM's, of all."""
    fabric = _core.read_fabric(net.encode())
    routes = _core.route(fabric, engine)
    rows = dict(zip(fabric.guids().tolist(), routes.table(), strict=False))
    lids = routes.lids()[0].tolist()
    same = sum(int(rows[guid][lid]) == table.get(lid, 255) for guid, table in tables.items() for lid in lids)
    return f"{same}/{len(rows) * len(lids)}"


def machine() -> str:
    """Describe the machine, its load and the build."""
    model = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    load = os.getloadavg()[0]
    return (
        f"{model[0] if model else platform.machine()}, {os.cpu_count()} cores, load {load:.1f} at the start; "
        f"{platform.system()} {platform.release()}; Python {platform.python_version()}; "
        f"OpenSM 3.3.23 (Debian), Lacis {_core.PROFILE} build, one thread each"
    )


def main() -> None:
    """Measures, and prints one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="to 27,648 nodes (OpenSM to 11,664: minutes)")
    parser.add_argument("--real", action="store_true", help="the real fabrics in shared/data instead")
    parser.add_argument("--repeats", type=int, default=5, help="runs of OpenSM per cell; ours take as many")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--nodes", help="only these fabrics, by their numbers of nodes: 648,2592")
    options = parser.parse_args()
    if absent := opensm.missing():
        sys.exit(f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}")
    fabrics = real() if options.real else FABRICS
    sizes = [int(n) for n in options.nodes.split(",")] if options.nodes else list(fabrics)
    print(f"# {machine()}")
    print("# CPU seconds of table computation: median (least - greatest); peak: greatest resident size, MB;")
    print("# floor: Lacis' seconds over those of only writing tables of that size")
    head = (
        f"{'nodes':>6} {'engine':8} {'n':>2} {'OpenSM [s]':>31} {'Lacis [s]':>31} {'ratio':>7} {'floor':>7}"
    )
    print(f"{head} {'peak OpenSM':>12} {'Lacis':>6}  equal entries")
    with tempfile.TemporaryDirectory() as temp:
        clock = build_clock(Path(temp))
        for nodes, source in fabrics.items():
            if nodes not in sizes or (nodes > SMALL_UP_TO and not (options.large or options.real)):
                continue
            fabric = load(source)
            net = opensm.as_simulated(fabric.to_net()) if nodes <= PEER_AT_MOST else ""
            for engine in options.engines.split(","):
                if nodes > ours_at_most(engine, nodes):
                    continue
                if options.real and (used := _core.route(fabric, engine).engine_used) != engine:
                    print(f"{nodes:>6} {engine:8} falls back to {used}", flush=True)
                    continue
                compared = nodes <= COMPARED_UP_TO and asks_opensm(engine)
                us, floor = ours(source, engine, options.repeats)
                record: dict[str, Any] = {"nodes": nodes, "engine": engine, "floor": floor}
                record |= {"lacis": us.seconds, "lacis_peak_mb": us.peak_mb}
                them, ratio, counts, runs = None, "", "not compared", 0
                if nodes <= peer_at_most(engine):
                    several = nodes <= peer_repeated_up_to(engine)
                    runs = options.repeats if several else 1
                    them, tables = theirs(net, engine, clock, runs, dump=compared)
                    ratio = f"{statistics.median(them.seconds) / statistics.median(us.seconds):.0f}×"
                    record |= {"opensm": them.seconds, "opensm_peak_mb": them.peak_mb}
                    if compared:
                        counts = equal(net, engine, tables)
                above = statistics.median(us.seconds) / floor
                theirs_text = str(them) if them else "not measured"
                peak = f"{them.peak_mb:.0f}" if them else "-"
                print(
                    f"{nodes:>6} {engine:8} {runs:>2} {theirs_text:>31} {us!s:>31} {ratio:>7} {above:>6.1f}× "
                    f"{peak:>12} {us.peak_mb:>6.0f}  {counts}",
                    flush=True,
                )
                if not options.real:
                    keep(record)


MEASURED = ROOT / "build" / "bench" / "routing.json"
"""What was measured last, cell by cell."""


def keep(record: dict[str, Any]) -> None:
    """Write the figures of a cell; other cells of earlier runs on this kind of processor stay."""
    processor = machine().split(", load")[0]
    known = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    old = known["measured"] if known.get("processor") == processor else []
    cells = {(int(r["nodes"]), ENGINES.index(r["engine"])): r for r in [*old, record]}
    MEASURED.parent.mkdir(parents=True, exist_ok=True)
    found = {"processor": processor, "measured": [cells[key] for key in sorted(cells)]}
    MEASURED.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
