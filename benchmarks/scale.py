"""From start to answer: the program's start, a real fabric's report, and trees of growing size.

python -m benchmarks.scale [--repeats N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from .measure import Figure, Table, number, program, shared_file, task

TREES = ("fat-tree:36,2", "fat-tree:36,3:pods=8", "fat-tree:36,3", "fat-tree:48,3")
LARGE = "fat-tree:36,3"
REAL = "dgx-2025.ibnetdiscover"
SURVIVED = "fat-tree:48,2"
"""1,152 hosts, 1,152 cables between switches, 72 switches."""


def start_and_report(table: Table, repeats: int) -> None:
    """`lacis --help`, and the main job on a real fabric."""
    table.add_times("`lacis --help`", *program("--help", repeats=10), most=0.2)
    real = shared_file(REAL)
    if real is None:
        table.remark(f"`lacis report` was not measured: no shared/data/{REAL} at or above the checkout.")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = str(Path(folder) / "report.html")
        times = program("report", str(real), "-o", page, repeats=repeats)
    table.add_times(f"`lacis report {REAL}`", *times, most=5)
    done = task("file_pipeline", real, repeats + 2)
    table.add_times("reading, health and three engines of it", *_times(done), most=0.3)


def trees(table: Table, repeats: int) -> None:
    """Generate + ftree + verify, each time in a fresh process."""
    for spec in TREES:
        runs = [task("pipeline", spec) for _ in range(repeats)]
        first = runs[0]
        if not first["good"]:
            table.remark(f"**The tables of {spec} are not good.**")
        large = spec == LARGE
        what = f"`{spec}`, {first['nodes']:,} nodes: generate + ftree + verify"
        wall = Figure([sum(run["wall"].values()) for run in runs], "s")
        table.add(f"{what}, wall", wall, most=2 if large else None)
        table.add("… CPU", Figure([sum(run["cpu"].values()) for run in runs], "s"))
        peak = Figure([run["peak_mb"] for run in runs], "MB")
        table.add("… peak memory", peak, most=300 if large else None)
        steps = ", ".join(f"{name} {number(seconds)}" for name, seconds in first["wall"].items())
        table.remark(f"`{spec}`: {first['pairs']:,} pairs proved; wall seconds of the first run: {steps}.")


def load(table: Table, repeats: int) -> None:
    """All-to-all load on the large tree."""
    done = task("all_to_all", LARGE, repeats + 2)
    what = f"`{LARGE}`: all-to-all load, {done['pairs']:,} pairs"
    table.add_times(what, *_times(done["loads"]), most=0.1)
    table.add_times("the same with the contention of every pair", *_times(done["contention"]))


def failures(table: Table, repeats: int) -> None:
    """Every cable and every switch of a tree failing alone, with every shift of what is left."""
    times = program("survive", SURVIVED, "--json", repeats=repeats)
    table.add_times(f"`lacis survive {SURVIVED}`: 1,224 failures, minhop", *times, most=60)


def _times(seconds: dict[str, list[float]]) -> tuple[Figure, Figure]:
    return Figure(seconds["wall"], "s"), Figure(seconds["cpu"], "s")


def main() -> int:
    """Measure, and print one table; a failure is noted in it, and the others are still measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    table = Table("Start, report, growth")
    failed = 0
    for measure in (start_and_report, trees, load, failures):
        try:
            measure(table, options.repeats)
        except subprocess.CalledProcessError as error:
            failed = 1
            table.remark(f"**Failed with status {error.returncode}: `{' '.join(map(str, error.cmd))}`.**")
    print(table)
    return failed


if __name__ == "__main__":
    sys.exit(main())
