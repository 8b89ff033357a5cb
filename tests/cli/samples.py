"""The smallest valid line of every command, and the files that these lines read."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import lacis
from lacis.cli import run
from lacis.counters.store import CounterStore

from tests.why_readings import readings

if TYPE_CHECKING:
    from pathlib import Path

TREE = "fat-tree:4,2"
MATRIX = ("--test", "pairs", "--what", "bandwidth", "--unit", "MB/s")

LINES: dict[str, tuple[str, ...]] = {
    "report": (TREE, "-o", "page.html"),
    "advise": (TREE,),
    "fabric": (TREE,),
    "route": (TREE, "-o", "out.lfts"),
    "order": (TREE,),
    "verify": (TREE,),
    "trace": (TREE, "node0001", "node0005"),
    "diff": (TREE, "cut.json"),
    "job": (TREE, "node[0001-0004]"),
    "why": (TREE, "node[0001-0004]", "--counters", "counters", "--last", "1m"),
    "fit": (TREE, "--nodes", "2", "--free", "node[0003-0008]"),
    "fragmentation": (TREE, "--squeue", "queue.txt"),
    "replay": (TREE, "trace.swf", "--share", "0"),
    "rails check": ("env.sh", TREE),
    "rails doctor": ("job.log",),
    "rails env": (TREE, "--stack", "nccl"),
    "rails nccl": (TREE,),
    "rails show": (TREE,),
    "topology": (TREE, "--as", "slurm-tree"),
    "permute": ("hosts", "--fabric", TREE, "--stencil", "4x2"),
    "predict": (TREE, "--patterns", "3"),
    "simulate": (TREE, "--bytes", "4KiB"),
    "measure plan": (TREE,),
    "measure show": ("run.jsonl",),
    "measure test": ("nxn", "--hosts", "node[0001-0002]", "--launcher", "./mpiexec", "--dry-run"),
    "counters": ("--from", "sweeps.jsonl"),
    "watch": (TREE, "--no-counters", "--log", "opensm.log", "--sweeps", "1"),
    "top": (TREE, "--simulate", "shift:1"),
    "serve": (TREE, "--listen", "127.0.0.1:0"),
    "exporter": (TREE, "--from", "sweeps.jsonl", "--textfile", "lacis.prom"),
    "explain": (TREE, "--measured", "pairs.csv", *MATRIX),
    "whatif": (TREE, "--drop", "spine-01", "--patterns", "3"),
    "reproduce": ("A",),
    "opensm build": ("-o", "libosmlacis.so"),
    "opensm conf": (TREE, "-R", "eventree"),
    "opafm": ("opafm.xml",),
    "tune": (TREE, "--steps", "5", "--failures", "2"),
    "survive": (TREE,),
    "results diff": ("first", "second", "--store", "store"),
    "results export": ("first", "-o", "-", "--store", "store"),
    "results history": ("pairs", "--store", "store"),
    "results import": ("pairs.csv", *MATRIX, "--bytes", "1MB", "--name", "third", "--store", "other"),
    "results list": ("--store", "store"),
    "results show": ("first", "--store", "store"),
    "host": ("--root", "root"),
    "capture": (TREE, "--no-host", "-o", "kept.tar.gz"),
    "completion": ("bash",),
}
"""Command → its arguments. Every one ends with 0 or 1 within a second, but for those in `SLOW`."""
SLOW = {"opensm build", "reproduce", "top", "serve"}
"""Commands that take longer than a second, whatever they are asked, or until they are ended."""
DATA = {
    "route",
    "order",
    "topology",
    "permute",
    "opensm conf",
    "completion",
    "rails env",
    "results export",
    "measure test",
    "watch",
}
"""Commands that print what programs or shells read, which no width wraps."""


SWEEPS = "".join(
    f'{{"schema": "lacis.counters/1", "source": "umad", "started": {at}, "ended": {at}, "unit": 4, "wide": ["XmitData"], '
    '"only_faulty": false, "ports": [{"node": "leaf-01", "guid": "0x000000000000a000", "port": 1, "peer": "node0001[1]", '
    f'"lid": 3, "time": {at}, "state": "unknown", "counters": {{"XmitData": {at // 4}, "SymbolErrors": {at // 10**9}}}}}], '
    '"unread": [], "remarks": []}\n'
    for at in (10**9, 3 * 10**9)
)
"""Two sweeps of a port, two seconds apart: it sends 1 GB/s and counts an error a second."""
LOG = (
    "Nov 28 13:01:58 303647 [F47D06C0] 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices\n"
    "Nov 28 13:01:58 303710 [F47D06C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches\n"
)
"""What OpenSM logs of a sweep in which ftree refused the fabric."""


def line(name: str) -> tuple[str, ...]:
    """The smallest line of a command, as it is typed."""
    return (*name.split(), *LINES[name])


def counters(path: Path, spec: str) -> None:
    """Writes a store of counters in which nothing has happened: a minute long, and its first sweep ten minutes earlier."""
    fabric = lacis.read(spec)
    with CounterStore(path) as store:
        for seconds in (0, 540, 600):
            store.append(readings(fabric, seconds))


def write(folder: Path) -> None:
    """Writes the files that the lines read."""
    (folder / "root" / "sys").mkdir(parents=True)
    (folder / "env.sh").write_text("export NCCL_IB_HCA=mlx5_0\nexport UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1\n")
    (folder / "job.log").write_text("node01: NCCL WARN NET/IB : No device found.\n")
    (folder / "queue.txt").write_text("12 2 node[0001,0003]\n13 3 node[0002,0004-0005]\n14 4 (Resources)\n")
    # Standard workload format: number, when it came, waiting, run time, processors; asked for: processors, time.
    trace = "".join(
        f"{n} {9 * n} -1 60 {n % 4 + 1} -1 -1 {n % 4 + 1} 90" + " -1" * 9 + "\n" for n in range(1, 9)
    )
    (folder / "trace.swf").write_text(trace)
    hosts = [f"node{n:04}" for n in range(1, 9)]
    (folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
    rows = [
        [a, *("" if a == b else f"{9000 + 7 * i + j}.5" for j, b in enumerate(hosts))]
        for i, a in enumerate(hosts)
    ]
    (folder / "pairs.csv").write_text("\n".join(map(",".join, [["", *hosts], *rows])) + "\n")
    (folder / "opafm.xml").write_text(
        "<Config><Common><Shared><RoutingAlgorithm>fattree</RoutingAlgorithm>"
        "<AdaptiveRouting><Enable>1</Enable><Algorithm>2</Algorithm></AdaptiveRouting></Shared></Common></Config>\n"
    )
    (folder / "run.jsonl").write_text(
        '{"record": "run", "schema": "lacis.mpi/1", "ranks": 2, "nodes": 2, "oversubscribed": false}\n'
        '{"record": "round", "test": "nxn", "round": 1, "of": 1}\n'
        '{"record": "summary", "test": "nxn", "what": "latency", "bytes": 64, "unit": "s", "class": "same leaf", '
        '"pairs": 2, "min": 1e-6, "mean": 2e-6, "median": 2e-6, "max": 3e-6}\n'
        '{"record": "test_end", "test": "nxn", "complete": true}\n{"record": "end", "complete": true, "clock_off_by": 1e-7}\n'
    )
    (folder / "sweeps.jsonl").write_text(SWEEPS)
    (folder / "opensm.log").write_text(LOG)
    launcher = folder / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
    launcher.chmod(0o755)
    counters(folder / "counters", TREE)
    with chdir(folder):
        assert run(["fabric", TREE, "--without", "leaf-01--spine-01", "-o", "cut.json"]) == 0
        for name in ("first", "second"):
            given = ["--name", name, *MATRIX, "--bytes", "1MB", "--store", "store"]
            assert run(["results", "import", "pairs.csv", *given]) == 0
