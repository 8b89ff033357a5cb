"""Measuring: repeats with their spread, tasks in separate processes, tables in Markdown.

CPU seconds are those of the whole process, all threads. Peak memory is the greatest resident size of the
task's process, with the interpreter and numpy.
"""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parents[1]
LACIS = str(Path(sys.executable).with_name("lacis"))


@dataclass(frozen=True)
class Figure:
    """The values of repeated measurements, and their unit."""

    values: list[float]
    unit: str

    @property
    def median(self) -> float:
        """The figure that is printed."""
        return statistics.median(self.values)

    @property
    def spread(self) -> str:
        """Least to greatest."""
        return f"{number(min(self.values))} … {number(max(self.values))}"

    def __str__(self) -> str:
        return f"{number(self.median)} {self.unit}"


@dataclass
class Table:
    """Measured figures beside their targets."""

    title: str
    rows: list[Sequence[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    HEAD = ("what", "figure", "target", "met", "n", "spread")

    def add(
        self, what: str, figure: Figure, *, most: float | None = None, least: float | None = None
    ) -> None:
        """Add a figure, and its target where it has one: `most` it may be, or `least`."""
        target, met = "", ""
        if most is not None:
            target, met = f"< {number(most)} {figure.unit}", "yes" if figure.median < most else "**no**"
        if least is not None:
            target, met = f"≥ {number(least)} {figure.unit}", "yes" if figure.median >= least else "**no**"
        self.rows.append((what, str(figure), target, met, str(len(figure.values)), figure.spread))

    def add_times(self, what: str, wall: Figure, cpu: Figure, *, most: float | None = None) -> None:
        """Add wall seconds, which may have a target, and below them CPU seconds."""
        self.add(f"{what}, wall", wall, most=most)
        self.add("… CPU", cpu)

    def say(self, what: str, answer: str, target: str, *, met: bool) -> None:
        """Add a line that is not a measurement."""
        self.rows.append((what, answer, target, "yes" if met else "**no**", "", ""))

    def remark(self, line: str) -> None:
        """Add a line below the table."""
        self.remarks.append(line)

    def __str__(self) -> str:
        head = f"## {self.title}\n\n{machine()}.\n\n{markdown(self.HEAD, self.rows)}"
        return "\n\n".join([head, *self.remarks]) + "\n"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a table in Markdown that reads well as plain text; figures are aligned to the right."""
    lines = [list(head), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def text(line: list[str]) -> str:
        cells = [
            c.rjust(w) if i in (1, 2, 4) else c.ljust(w)
            for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"

    rule = "|".join("-" * (w + 1) + (":" if i in (1, 2, 4) else "-") for i, w in enumerate(widths))
    return "\n".join([text(lines[0]), f"|{rule}|", *map(text, lines[1:])])


def number(value: float) -> str:
    """Three significant figures; from 100 on whole, with thousands separators."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> str:
    """Describe the machine, its load and the build."""
    from lacis import _core

    info = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.M) if info.exists() else []
    processor = names[0] if names else platform.machine()
    profile = _core.PROFILE
    return (
        f"{processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end; "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}; "
        f"Lacis {version('lacis')}, {profile} build; n repeats, median, least … greatest"
    )


def peak_mb() -> float:
    """Greatest resident size of this process, 10⁶ bytes.

    From the kernel's high-water mark, as `getrusage` after a `vfork` starts with the parent's.
    """
    status = Path("/proc/self/status")
    found = re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(), re.M) if status.exists() else None
    if found:
        return int(found[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def task(name: str, *args: object, threads: int | None = None) -> dict[str, Any]:
    """Run a function of `benchmarks.tasks` in a separate process; returns its result."""
    env = dict(os.environ)
    env.pop("RAYON_NUM_THREADS", None)
    if threads is not None:
        env["RAYON_NUM_THREADS"] = str(threads)
    words = [sys.executable, "-m", "benchmarks.tasks", name, *map(str, args)]
    done = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def program(*args: str, repeats: int) -> tuple[Figure, Figure]:
    """Wall and CPU seconds of the program `lacis`, from its start to its end."""
    walls, cpus = [], []
    for _ in range(repeats):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([LACIS, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        walls.append(time.perf_counter() - begin)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Figure(walls, "s"), Figure(cpus, "s")


def shared_file(name: str) -> Path | None:
    """Find a real fabric: in `$LACIS_SHARED/data`, or in `shared/data` at or above the checkout."""
    folders = [Path(os.environ["LACIS_SHARED"])] if "LACIS_SHARED" in os.environ else []
    folders += [folder / "shared" for folder in (ROOT, *ROOT.parents)]
    return next((f / "data" / name for f in folders if (f / "data" / name).is_file()), None)
