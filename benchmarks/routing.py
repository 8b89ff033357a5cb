"""Table computation: OpenSM's own CPU time and ours, in the same run on the same fabrics.

    python -m benchmarks.routing [--large] [--repeats N] [--engines minhop,updn,ftree]

OpenSM 3.3.23 computes its tables in one thread; the thread's CPU clock is read at both ends
(`opensm_clock.c`), so that discovery, LIDs and sending the tables are not counted. Ours is the CPU time
of `lacis.route`, one thread, *with* assigning LIDs. CPU time, not wall time: the machine may be busy.
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
from dataclasses import dataclass
from pathlib import Path

from lacis import _core

from tests.oracle import opensm

FABRICS = {648: "fat-tree:36,2", 2592: "fat-tree:36,3:pods=8", 11664: "fat-tree:36,3"}
COMPARED_UP_TO = 3000
"""Nodes up to which the tables are compared too; OpenSM's dump of the largest fabric takes a gigabyte."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds of repeated runs, and the process' greatest size."""

    seconds: list[float]
    peak_mb: float

    def __str__(self) -> str:
        low, high = min(self.seconds), max(self.seconds)
        return f"{statistics.median(self.seconds):9.5f} ({low:.5f} – {high:.5f})"


def build_clock(folder: Path) -> Path:
    """Compile the preloaded clock."""
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("the benchmark needs a C compiler (Debian package gcc) for OpenSM's clock")
    library = folder / "opensm_clock.so"
    source = Path(__file__).with_name("opensm_clock.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def theirs(net: str, engine: str, clock: Path, repeats: int, *, dump: bool) -> tuple[Cost, opensm.Tables]:
    """OpenSM's cost, and its tables where they are dumped."""
    seconds, peak, tables = [], 0.0, opensm.Tables()
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as temp:
            folder = Path(temp)
            with opensm.subnet(net, folder, life_s=1200) as env:
                env["SIM_HOST"] = first_end_node(net)
                env["LD_PRELOAD"] = f"{clock} {env['LD_PRELOAD']}"
                env["LACIS_CLOCK"] = str(folder / "clock")
                opensm.sweep(folder, env, engine, log_flags="0x43" if dump else "0x03", limit_s=1000)
            log = (folder / "clock").read_text(errors="replace")
            used = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured", log)
            if used != [engine]:
                sys.exit(f"OpenSM used {used}, not {engine}")
            reading = {what: float(value) for what, value in re.findall(r"^clock (\S+) (\S+)$", log, re.M)}
            seconds.append(reading["end"] - reading["begin"])
            peak = max(peak, reading["peak_kb"] / 1024)
            if dump and not tables:
                tables, _ = opensm.parse_tables((folder / "opensm-lfts.dump").read_text())
    return Cost(seconds, peak), tables


_OURS = """
import json, re, sys, time
from lacis import _core
fabric = _core.read_fabric(open(sys.argv[1], "rb").read())
seconds = []
for _ in range(int(sys.argv[3])):
    begin = time.process_time()
    routes = _core.route(fabric, sys.argv[2])
    seconds.append(time.process_time() - begin)
    assert routes.engine_used == sys.argv[2]
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(json.dumps([seconds, int(peak[1]) / 1024]))
"""


def ours(file: Path, engine: str, repeats: int) -> Cost:
    """Lacis' cost, in a process of its own with one thread."""
    env = {**os.environ, "RAYON_NUM_THREADS": "1"}
    words = [sys.executable, "-c", _OURS, str(file), engine, str(repeats)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    seconds, peak = json.loads(done.stdout)
    return Cost(seconds, peak)


def first_end_node(net: str) -> str:
    """Where both place the subnet manager."""
    found = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net, re.M)
    return found[1] if found else sys.exit("the fabric has no adapter")


def equal(net: str, engine: str, tables: opensm.Tables) -> str:
    """Entries of our tables that are OpenSM's."""
    fabric = _core.read_fabric(net.encode())
    routes = _core.route(fabric, engine)
    rows = dict(zip(fabric.guids().tolist(), routes.table(), strict=False))
    lids = routes.lids()[0].tolist()
    same = sum(int(rows[guid][lid]) == table.get(lid, 255) for guid, table in tables.items() for lid in lids)
    return f"{same}/{len(rows) * len(lids)}"


def machine() -> str:
    """Describe what the figures were measured on."""
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
    parser.add_argument("--large", action="store_true", help="11,664 nodes too (OpenSM: minutes each)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of OpenSM per cell; ours take as many")
    parser.add_argument("--engines", default="minhop,updn,ftree")
    options = parser.parse_args()
    if absent := opensm.missing():
        sys.exit(f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}")
    print(f"# {machine()}")
    print("# CPU seconds of table computation: median (least - greatest); peak: greatest resident size, MB")
    head = f"{'nodes':>6} {'engine':7} {'n':>2} {'OpenSM [s]':>31} {'Lacis [s]':>31} {'ratio':>7}"
    print(f"{head} {'peak OpenSM':>12} {'Lacis':>6}  equal entries")
    with tempfile.TemporaryDirectory() as temp:
        clock = build_clock(Path(temp))
        for nodes, spec in FABRICS.items():
            if nodes > COMPARED_UP_TO and not options.large:
                continue
            net = opensm.as_simulated(_core.generate_fabric(spec).to_net())
            file = Path(temp) / "fabric.net"
            file.write_text(net)
            for engine in options.engines.split(","):
                repeats = options.repeats if nodes <= COMPARED_UP_TO else 1
                small = nodes <= COMPARED_UP_TO
                them, tables = theirs(net, engine, clock, repeats, dump=small)
                us = ours(file, engine, options.repeats)
                ratio = statistics.median(them.seconds) / statistics.median(us.seconds)
                counts = equal(net, engine, tables) if small else "not compared"
                print(
                    f"{nodes:>6} {engine:7} {repeats:>2} {them!s:>31} {us!s:>31} {ratio:>6.0f}× "
                    f"{them.peak_mb:>12.0f} {us.peak_mb:>6.0f}  {counts}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
