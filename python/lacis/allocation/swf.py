"""Traces of jobs in the Standard Workload Format, read and generated.

```text
; MaxNodes: 128
  1   0  -1  3600  16 -1 -1  16  7200 -1  1  3  1 -1  1 -1 -1 -1
```

A line is a job, 18 numbers with blanks between; -1 is unknown. The second is when it was submitted, the fourth its run
time, the fifth and the eighth its processors as used and as asked for, the ninth the time that it asked for [s].

S. J. Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", JSSPP 1999; the fields as the
Parallel Workloads Archive has them in version 2.2.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..io.files import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS = 18
_SUBMIT, _RUN, _USED, _ASKED, _LIMIT = 1, 3, 4, 7, 8
_HEADER = re.compile(r";\s*(MaxNodes|MaxProcs)\s*:\s*(\d{1,9})\b")
_MOST = 1_000_000
"""Jobs of a trace."""


@dataclass(frozen=True)
class TraceJob:
    """A job of a trace.

    Attributes:
        number: as the trace has it.
        submit: when it was submitted [s], from the first of the trace.
        run: how long it runs where nothing slows it down [s].
        limit: how long it may run by what it asked for [s]; at least `run`.
        nodes: how many it needs.
    """

    number: int
    submit: float
    run: float
    limit: float
    nodes: int


@dataclass(frozen=True)
class Trace:
    """Jobs in the order of their submission.

    Attributes:
        jobs: those that can be replayed.
        unknown: jobs that are left out, as their run time, processors or submission is unknown or 0.
        cores: processors that were taken for a node.
    """

    jobs: tuple[TraceJob, ...]
    unknown: int
    cores: int


def read_trace(data: bytes, cores: int | None = None) -> Trace:
    """Reads a trace.

    Args:
        data: the file.
        cores: processors of a node; unless given, those that the header implies, or 1.

    Raises:
        LacisError: when a line is no job, or no job is left; with the line.
    """
    header: dict[str, int] = {}
    rows: list[list[float]] = []
    for number, raw in enumerate(text_of(data).splitlines(), start=1):
        text = raw.strip()
        if text.startswith(";"):
            if found := _HEADER.match(text):
                header[found[1]] = int(found[2])
            continue
        if not text:
            continue
        words = text.split()
        if len(words) < FIELDS:
            reason = f"a job of the Standard Workload Format has {FIELDS} numbers, and this line {len(words)}"
            raise LacisError(reason, line=number, text=text[:80])
        rows.append(_numbers(words, number))
        if len(rows) > _MOST:
            raise LacisError(f"more than {_MOST:,} jobs", line=number)
    if cores is None:
        procs, nodes = header.get("MaxProcs", 0), header.get("MaxNodes", 0)
        cores = max(1, procs // nodes) if procs and nodes else 1
    jobs = [job for row in rows if (job := _job(row, cores)) is not None]
    if not jobs:
        raise LacisError("no job with a run time and processors" if rows else "no job in the trace")
    first = min(job.submit for job in jobs)
    jobs.sort(key=lambda job: (job.submit, job.number))
    moved = [TraceJob(job.number, job.submit - first, job.run, job.limit, job.nodes) for job in jobs]
    return Trace(tuple(moved), len(rows) - len(jobs), cores)


def _numbers(words: Sequence[str], line: int) -> list[float]:
    found = []
    for word in words[:FIELDS]:
        try:
            value = float(word) if len(word) <= 24 and word.isascii() else math.nan
        except ValueError:
            value = math.nan
        if not abs(value) < 1e12:
            raise LacisError("not a number of the Standard Workload Format", line=line, text=word[:40])
        found.append(value)
    return found


def _job(row: Sequence[float], cores: int) -> TraceJob | None:
    """The job of a line; none where what counts is unknown."""
    processors = row[_ASKED] if row[_ASKED] > 0 else row[_USED]
    if processors <= 0 or row[_RUN] <= 0 or row[_SUBMIT] < 0:
        return None
    # One that ran longer than it had asked for cannot have been stopped by its limit.
    limit = max(row[_RUN], row[_LIMIT])
    return TraceJob(int(row[0]), row[_SUBMIT], row[_RUN], limit, math.ceil(processors / cores))


def generate_trace(nodes: int, count: int, load: float, seed: int) -> Trace:
    """A trace that is drawn at random: sizes and run times even on a scale of logarithms, arrivals a Poisson process.

    Args:
        nodes: of the machine; a job has up to half of them, and a power of two in three cases of four.
        count: how many jobs.
        load: node-seconds that arrive, as part of those that there are.
        seed: of all of it.
    """
    random = np.random.default_rng(seed)
    most = max(1, nodes // 2)
    exact = np.exp(random.uniform(0.0, math.log(most + 1), count)).astype(int).clip(1, most)
    rounded = 2 ** np.round(np.log2(exact)).astype(int)
    sizes = np.where(random.random(count) < 0.75, rounded.clip(1, most), exact)
    runs = np.exp(random.uniform(math.log(300.0), math.log(36_000.0), count)).round()
    limits = np.ceil(runs * random.uniform(1.0, 4.0, count) / 600.0) * 600.0
    mean_gap = float((sizes * runs).mean()) / (nodes * load)
    submits = np.cumsum(random.exponential(mean_gap, count)).round()
    jobs = [
        TraceJob(at + 1, float(submits[at] - submits[0]), float(runs[at]), float(limits[at]), int(sizes[at]))
        for at in range(count)
    ]
    return Trace(tuple(jobs), 0, 1)


def write_trace(trace: Trace, remarks: Sequence[str] = ()) -> str:
    """A trace in the Standard Workload Format, as of a node with one processor."""
    head = ["; Version: 2.2", *(f"; Note: {remark}" for remark in remarks)]
    lines = [
        f"{job.number} {job.submit:.0f} -1 {job.run:.0f} {job.nodes} -1 -1 {job.nodes} {job.limit:.0f} -1 1 -1 -1 -1 1 -1 -1 -1"
        for job in trace.jobs
    ]
    return "\n".join([*head, *lines]) + "\n"


GENERATED_NODES = 128
"""Nodes of the machine for which the trace of `shipped_trace` was drawn."""


def shipped_trace(nodes: int) -> Trace:
    """The trace that comes with Lacis, drawn at random; sizes of its jobs are scaled to a machine."""
    data = (Path(__file__).parent / "generated.swf").read_bytes()
    trace = read_trace(data)
    scale = nodes / GENERATED_NODES
    jobs = [
        TraceJob(job.number, job.submit, job.run, job.limit, max(1, round(job.nodes * scale)))
        for job in trace.jobs
    ]
    return Trace(tuple(jobs), trace.unknown, trace.cores)
