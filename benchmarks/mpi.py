"""The overhead of `lacis-mpi`'s ping-pong over a loop of `MPI_Send` and `MPI_Recv` in a program of its own.

Both run in turns, each as a job of its own on the same two cores; medians of each run are compared. What MPI is asked for at
its start, which a loop in the same process would share, counts.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from lacis import measure
from lacis.measure.program import sources

_RUNS = 11
_SIZES = (0, 8, 1024, 65536)
_SECONDS = "0.5"


def main() -> None:
    """Measures with every MPI library that is installed."""
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {os.cpu_count()} cores, {_RUNS} runs of each program in turns")
    print(
        f"{'library':<8} {'bytes':>6} {'bare [ns]':>10} {'ours [ns]':>10}  ratio of the runs' medians   of the fastest"
    )
    for library in ("openmpi", "mpich"):
        launcher, compiler = (shutil.which(f"{tool}.{library}") for tool in ("mpiexec", "mpicc"))
        if launcher is None or compiler is None:
            print(f"{library}: not installed")
            continue
        _compare(library, launcher, compiler)


def _compare(library: str, launcher: str, compiler: str) -> None:
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    bound = ["--bind-to", "core"] if library == "openmpi" else ["-bind-to", "core"]
    line, env = [launcher, *bound, "-n", "2"], os.environ | allowed
    bare: dict[int, list[float]] = {size: [] for size in _SIZES}
    ours: dict[int, list[float]] = {size: [] for size in _SIZES}
    sizes = [str(size) for size in _SIZES]
    with tempfile.TemporaryDirectory() as folder:
        out, program = Path(folder) / "out.jsonl", measure.build(compiler)
        made = Path(folder) / "bare-pingpong"
        make = ["make", "-s", "-C", str(sources()), f"MPICC={compiler}", f"OUT={folder}", str(made)]
        subprocess.run(make, check=True)
        for _ in range(_RUNS):
            said = subprocess.run(
                [*line, str(made), _SECONDS, *sizes], check=True, env=env, capture_output=True, text=True
            )
            for row in said.stdout.splitlines():
                words = row.split()
                bare[int(words[0])].append(float(words[1]))
            own = ["--min", "100", "--max", "3200", "--width", "0.001", "--bytes", ",".join(sizes)]
            subprocess.run([*line, program, "pingpong", *own, "-o", out], check=True, env=env)
            for record in measure.read(out).of("sample"):
                ours[record["bytes"]].append(record["median"])
    for size in _SIZES:
        before, after = statistics.median(bare[size]), statistics.median(ours[size])
        print(
            f"{library:<8} {size:>6} {1e9 * before:>10.1f} {1e9 * after:>10.1f}  {after / before:.3f} "
            f"({1e9 * min(bare[size]):.0f} to {1e9 * max(bare[size]):.0f}; {1e9 * min(ours[size]):.0f} to {1e9 * max(ours[size]):.0f})"
            f"   {min(ours[size]) / min(bare[size]):.3f}"
        )


if __name__ == "__main__":
    main()
