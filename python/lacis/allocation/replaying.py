"""A trace of jobs replayed under four rules of choosing nodes: waiting, use of the machine, slow-down from contention."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from .contention import SHIFTS, Contention
from .easy import FullSpeed, Schedule, schedule
from .rivals import RIVALS, contiguous, take
from .score import Judge
from .search import best

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .easy import Speeds
    from .machine import Machine
    from .swf import Trace, TraceJob

POLICIES = (*RIVALS, "lacis")
"""Rules under which a trace is replayed."""
_WORK = 1_500_000
"""Links of flows that the search for one job's nodes looks at: some 16 sets of nodes of a large machine."""
_T95 = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
)
"""Student's t for an interval of 95 %, by degrees of freedom from 1; above, the normal distribution's 1.96 is near."""


@dataclass(frozen=True)
class Interval:
    """A mean over seeds, and the interval that has the true mean with 95 % (Student's t).

    Attributes:
        mean: of the seeds.
        low: where it begins; the mean for one seed.
        high: where it ends.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PolicyResult:
    """What a rule makes of a trace.

    Attributes:
        rule: `first`, `slurm`, `contiguous` or `lacis`.
        wait: mean wait of a job [s].
        utilisation: node-seconds in use, as part of those until the last job ends.
        slowdown: how many times as long a job runs as with nothing to slow it down, mean over jobs by node-seconds.
        makespan: from the first submission to the last end [s].
        schedules: when jobs start and end, by seed.
    """

    rule: str
    wait: Interval
    utilisation: Interval
    slowdown: Interval
    makespan: Interval
    schedules: tuple[Schedule, ...]


@dataclass(frozen=True)
class Replay:
    """What `replay` finds.

    Attributes:
        jobs: those that were replayed.
        nodes: of the machine.
        too_large: jobs that were left out, as the machine has too few nodes.
        share: the mean part of its run time that a job sends for.
        seeds: of what parts the jobs have.
        results: by rule.
    """

    jobs: tuple[TraceJob, ...]
    nodes: int
    too_large: int
    share: float
    seeds: tuple[int, ...]
    results: tuple[PolicyResult, ...]


def replay(
    machine: Machine,
    trace: Trace,
    *,
    share: float = 0.2,
    seeds: Sequence[int] = (1, 2, 3),
    pattern: str = "shifts",
    policies: Sequence[str] = POLICIES,
    progress: Callable[[str], object] = lambda _: None,
) -> Replay:
    """Replays a trace under rules of choosing nodes, first come, first served with EASY backfill.

    The run time of a job in the trace is taken for that at the full rate of its nodes' ports.

    Args:
        machine: from `machine_of`.
        trace: the jobs.
        share: the mean part of that time that a job sends for; each job's is drawn between 0 and twice that. With 0
            nothing slows jobs down, and one seed is enough.
        seeds: of the parts that are drawn, the same for every rule.
        pattern: what jobs send.
        policies: the rules.
        progress: called with what is replayed, in words.

    Raises:
        LacisError: when no job fits the machine.
    """
    linked = np.flatnonzero(machine.groups.of >= 0)
    rules = {rule: Rule(machine, rule, pattern, linked) for rule in policies}
    most = min(rule.most for rule in rules.values())
    jobs = [job for job in trace.jobs if job.nodes <= most]
    if not jobs:
        raise LacisError(f"every job of the trace needs more than the {most:,} nodes of the machine")
    seeds = tuple(seeds) if share > 0 else tuple(seeds)[:1]
    drawn = {seed: np.random.default_rng(seed).uniform(0.0, 2 * share, len(jobs)) for seed in seeds}
    results = []
    for name, rule in rules.items():
        found = []
        for seed in seeds:
            speeds: Speeds = FullSpeed()
            if share > 0:
                speeds = Contention(machine.paths, drawn[seed].tolist(), pattern)
            rule.begin(speeds)
            step = max(1, len(jobs) // 20)

            def report(ended: int, name: str = name, seed: int = seed, step: int = step) -> None:
                if ended % step == 0:
                    progress(f"{name}, seed {seed}: {ended:,} of {len(jobs):,} jobs")

            found.append(schedule(jobs, len(linked), rule, speeds, report))
        results.append(_result(name, jobs, len(linked), found))
    return Replay(tuple(jobs), len(linked), len(trace.jobs) - len(jobs), share, seeds, tuple(results))


class Rule:
    """A rule as the scheduler asks it; nodes are numbered among those with a link."""

    def __init__(self, machine: Machine, rule: str, pattern: str, linked: NDArray[np.int64]) -> None:
        self._machine, self._rule, self._pattern, self._linked = machine, rule, pattern, linked
        units = machine.groups.units
        self._top = units[-1][machine.groups.of[linked]] if len(units) else machine.groups.of[linked]
        self.most = int(np.bincount(self._top).max())
        """Nodes that a job can have: those that cables join."""
        self._speeds: Speeds | None = None

    def begin(self, speeds: Speeds) -> None:
        """A replay begins, with these jobs' links."""
        self._speeds = speeds

    def fits(self, free: NDArray[np.int64], nodes: int) -> bool:
        """Whether the rule would find so many nodes among free ones."""
        if len(free) < nodes:
            return False
        if self._rule == "contiguous":
            return contiguous(free, nodes) is not None
        if self._rule == "first" or self.most == len(self._linked):
            return True
        return bool(np.bincount(self._top[free]).max(initial=0) >= nodes)

    def take(self, free: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
        """The nodes that it takes, where they fit."""
        return np.searchsorted(self._linked, self._taken(self._linked[free], nodes))

    def _taken(self, free: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
        groups = self._machine.groups
        if self._rule == "lacis":
            others = np.zeros(len(self._machine.paths.inverse))
            if isinstance(self._speeds, Contention):
                others = self._speeds.flows()
            judge = Judge(self._machine.paths, self._pattern, SHIFTS, others, self._machine.apart)
            found = best(judge, groups, free, nodes, work=_WORK)
            if found is not None:
                return found.hosts
        # Numbers of nodes next to each other are those of the nodes with a link.
        if self._rule == "contiguous":
            gap = contiguous(np.searchsorted(self._linked, free), nodes)
            return free[:nodes] if gap is None else self._linked[gap]
        taken = take(self._rule, groups, free, nodes)
        return free[:nodes] if taken is None else taken


def _result(rule: str, jobs: Sequence[TraceJob], nodes: int, found: Sequence[Schedule]) -> PolicyResult:
    submit = np.array([job.submit for job in jobs])
    run = np.array([job.run for job in jobs])
    size = np.array([job.nodes for job in jobs])
    waits, uses, slower, spans = [], [], [], []
    for one in found:
        took = one.end - one.start
        span = float(one.end.max() - submit[0])
        waits.append(float((one.start - submit).mean()))
        uses.append(float((size * took).sum() / (nodes * span)))
        slower.append(float((size * took).sum() / (size * run).sum()))
        spans.append(span)
    return PolicyResult(
        rule, _interval(waits), _interval(uses), _interval(slower), _interval(spans), tuple(found)
    )


def _interval(values: Sequence[float]) -> Interval:
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, mean, mean)
    freedom = len(values) - 1
    # Beyond the table the first terms by which Student's t exceeds the normal distribution are within 0.1 % (Fisher, 1926).
    quantile = _T95[freedom - 1] if freedom <= len(_T95) else 1.96 + 2.372 / freedom + 2.823 / freedom**2
    half = quantile * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half)
