"""The program, built with the site's `mpicc` from sources that are installed with Lacis."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from ..errors import LacisError

TESTS = {
    "pingpong": "latency of chosen pairs, 0 bytes to 4 MiB",
    "random": "random disjoint pairs at once, by class",
    "rounds": "a schedule of disjoint pairs or flows",
    "nxn": "latency and bandwidth of every pair",
    "shift": "every rank to rank + d, for every d",
    "multi": "the first half to the second: bandwidth and message rate",
    "bidirectional": "the same pairs in both directions at once",
    "alltoall": "MPI_Alltoall",
    "stencil": "a stencil in three dimensions, with and without overlap",
    "congestion": "loaded against alone",
    "tcp": "TCP from one host to one and to four",
    "clock": "how well ranks know global time",
}
"""Name → what it measures."""


def sources() -> Path:
    """The folder of the sources."""
    return Path(str(files("lacis"))) / "mpi"


def location(mpicc: str = "mpicc") -> Path:
    """The path of the program for an MPI compiler, once it is built.

    It is below `$XDG_CACHE_HOME/lacis/mpi` (`~/.cache` without that variable), which all hosts must see.

    Raises:
        LacisError: without the compiler.
    """
    compiler = shutil.which(mpicc)
    if compiler is None:
        raise LacisError(f"no {mpicc}: load the site's MPI module, or name its compiler (`mpicc`)")
    digest = hashlib.sha256(os.path.realpath(compiler).encode())
    for path in sorted(sources().glob("*.[ch]")):
        digest.update(path.name.encode() + path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lacis" / "mpi" / digest.hexdigest()[:16] / "lacis-mpi"


def build(mpicc: str = "mpicc") -> Path:
    """Builds the program for an MPI compiler, unless that is done; returns its `location`.

    Raises:
        LacisError: without the compiler or `make`, or when it does not compile.
    """
    program = location(mpicc)
    if program.is_file():
        return program
    if shutil.which("make") is None:
        raise LacisError("no make, which builds lacis-mpi")
    compiler, out = shutil.which(mpicc), program.parent
    out.mkdir(parents=True, exist_ok=True)
    command = [
        "make",
        "-s",
        "-C",
        str(sources()),
        f"MPICC={compiler}",
        f"OUT={out}",
        f"VERSION={version('lacis')}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise LacisError(f"lacis-mpi does not build with {compiler}", text=said[0].strip() if said else "")
    return program
