"""The smallest valid line of every command, and the files that these lines read."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

from lacis.cli import run

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
    "rails check": ("env.sh", TREE),
    "rails doctor": ("job.log",),
    "rails env": (TREE, "--stack", "nccl"),
    "rails nccl": (TREE,),
    "rails show": (TREE,),
    "permute": ("hosts", "--fabric", TREE, "--stencil", "4x2"),
    "predict": (TREE, "--patterns", "3"),
    "simulate": (TREE, "--bytes", "4KiB"),
    "measure plan": (TREE,),
    "measure show": ("run.jsonl",),
    "measure test": ("nxn", "--hosts", "node[0001-0002]", "--launcher", "./mpiexec", "--dry-run"),
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
    "completion": ("bash",),
}
"""Command → its arguments. Every one ends with 0 or 1 within a second, but for those in `SLOW`."""
SLOW = {"opensm build", "reproduce"}
"""Commands that take longer than a second, whatever they are asked."""
DATA = {
    "route",
    "order",
    "permute",
    "opensm conf",
    "completion",
    "rails env",
    "results export",
    "measure test",
}
"""Commands that print what programs or shells read, which no width wraps."""


def line(name: str) -> tuple[str, ...]:
    """The smallest line of a command, as it is typed."""
    return (*name.split(), *LINES[name])


def write(folder: Path) -> None:
    """Writes the files that the lines read."""
    (folder / "env.sh").write_text("export NCCL_IB_HCA=mlx5_0\nexport UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1\n")
    (folder / "job.log").write_text("node01: NCCL WARN NET/IB : No device found.\n")
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
    launcher = folder / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
    launcher.chmod(0o755)
    with chdir(folder):
        assert run(["fabric", TREE, "--without", "leaf-01--spine-01", "-o", "cut.json"]) == 0
        for name in ("first", "second"):
            given = ["--name", name, *MATRIX, "--bytes", "1MB", "--store", "store"]
            assert run(["results", "import", "pairs.csv", *given]) == 0
