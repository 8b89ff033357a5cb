"""SimGrid (Debian package ``libsimgrid-dev``), an independent solver of max-min fairness over time.

``simgrid.cpp``, beside this file, is built once a session; it reads capacities, and flows with their links,
and prints when each flow ends.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

PACKAGES = "libsimgrid-dev g++"
_SOURCE = Path(__file__).with_suffix(".cpp")


@dataclass(frozen=True)
class Flow:
    """Bytes from host to host over links, all by number."""

    source: int
    target: int
    size: int
    links: tuple[int, ...]


def missing() -> list[str]:
    """What this machine lacks of it."""
    lacks = [] if shutil.which("g++") else ["g++"]
    headers = (Path("/usr/include/simgrid/s4u.hpp"), Path("/usr/local/include/simgrid/s4u.hpp"))
    return lacks if any(header.is_file() for header in headers) else [*lacks, "simgrid/s4u.hpp"]


@functools.cache
def program() -> Path:
    """The built program."""
    folder = Path(tempfile.mkdtemp(prefix="lacis-simgrid-"))
    built = folder / "simgrid"
    subprocess.run(
        ["g++", "-O2", "-std=c++17", str(_SOURCE), "-o", str(built), "-lsimgrid"],
        check=True,
        capture_output=True,
        text=True,
    )
    return built


def run(capacities: list[float], hosts: int, flows: list[Flow]) -> tuple[list[float], float]:
    """The end of each flow [s], and the CPU seconds of the simulation.

    Capacities are in bytes/s.
    """
    lines = [str(len(capacities)), *(repr(c) for c in capacities), str(hosts), str(len(flows))]
    lines += [f"{f.source} {f.target} {f.size} {len(f.links)} {' '.join(map(str, f.links))}" for f in flows]
    done = subprocess.run(
        [str(program())],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    *ends, seconds = map(float, done.stdout.split())
    return ends, seconds
