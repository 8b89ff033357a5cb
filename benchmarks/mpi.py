"""The overhead of `lacis-mpi`'s ping-pong over a bare loop of `MPI_Send` and `MPI_Recv`, in the same run.

Both alternate between the same two ranks, forty blocks of each; medians and fastest blocks are compared.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from lacis import measure

_RUNS = 5


def main() -> None:
    """Measures with every MPI library that is installed."""
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {_RUNS} runs; 40 blocks of each a run"
    )
    print(
        f"{'library':<8} {'bytes':>6} {'bare [ns]':>10} {'ours [ns]':>10}  ratio of medians (all runs)   of fastest"
    )
    for library in ("openmpi", "mpich"):
        launcher, compiler = (shutil.which(f"{tool}.{library}") for tool in ("mpiexec", "mpicc"))
        if launcher is None or compiler is None:
            print(f"{library}: not installed")
            continue
        _compare(library, launcher, measure.build(compiler))


def _compare(library: str, launcher: str, program: Path) -> None:
    found: dict[int, list[dict[str, float]]] = {}
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    bound = ["--bind-to", "core"] if library == "openmpi" else ["-bind-to", "core"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        for _ in range(_RUNS):
            line = [launcher, *bound, "-n", "2", str(program), "overhead", "-o", str(out)]
            subprocess.run(line, check=True, env=os.environ | allowed)
            for record in measure.read(out).of("overhead"):
                found.setdefault(record["bytes"], []).append(record)
    for size, records in sorted(found.items()):
        ratios = sorted(record["ratio"] for record in records)
        fastest = sorted(record["ratio_of_fastest"] for record in records)
        middle = sorted(records, key=lambda record: record["ratio"])[len(records) // 2]
        print(
            f"{library:<8} {size:>6} {1e9 * middle['bare_median']:>10.1f} {1e9 * middle['ours_median']:>10.1f}  "
            f"{ratios[len(ratios) // 2]:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})   {fastest[len(fastest) // 2]:.3f}"
        )


if __name__ == "__main__":
    main()
