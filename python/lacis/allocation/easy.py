"""First come, first served with EASY backfill, on nodes that a rule chooses, for jobs whose speed depends on neighbours.

The first job of the queue that does not fit has a reservation: the time at which, by the limits of running jobs, enough
nodes will be free. A later job starts before it if it will have ended by then, or leaves enough nodes at that time.

D. A. Lifka, "The ANL/IBM SP Scheduling System", JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .swf import TraceJob


class Nodes(Protocol):
    """How a rule takes nodes."""

    def fits(self, free: NDArray[np.int64], nodes: int) -> bool:
        """Whether the rule would find so many nodes among free ones."""
        ...

    def take(self, free: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
        """The nodes that it takes, where they fit."""
        ...


class Speeds(Protocol):
    """How fast jobs run beside each other."""

    def start(self, job: int, nodes: NDArray[np.int64]) -> None:
        """A job starts on nodes."""
        ...

    def end(self, job: int) -> None:
        """A job ends."""
        ...

    def changed(self) -> dict[int, float]:
        """The speed of each running job that has another one since the last call, 1 where nothing slows it down."""
        ...


class FullSpeed:
    """Jobs that nothing slows down."""

    def __init__(self) -> None:
        self._new: list[int] = []

    def start(self, job: int, _nodes: NDArray[np.int64]) -> None:
        """A job starts on nodes."""
        self._new.append(job)

    def end(self, job: int) -> None:
        """A job ends."""

    def changed(self) -> dict[int, float]:
        """Every job that has started since the last call, with speed 1."""
        found = dict.fromkeys(self._new, 1.0)
        self._new.clear()
        return found


@dataclass
class _Running:
    nodes: NDArray[np.int64]
    limit: float
    """When it ends by what it asked for."""
    left: float
    """Seconds at speed 1."""
    speed: float = 1.0
    since: float = 0.0
    """When `left` was right."""
    turn: int = 0
    """How often its speed has changed: what the heap has of before is stale."""


@dataclass
class Schedule:
    """When jobs of a trace start and end [s], by their index.

    Attributes:
        start: when each starts.
        end: when each ends.
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]


@dataclass
class _Machine:
    jobs: Sequence[TraceJob]
    rule: Nodes
    speeds: Speeds
    free: NDArray[np.bool_]
    running: dict[int, _Running] = field(default_factory=dict)
    queue: list[int] = field(default_factory=list)
    ends: list[tuple[float, int, int]] = field(default_factory=list)
    """When running jobs end at their speed: time, job, turn."""


def schedule(
    jobs: Sequence[TraceJob],
    nodes: int,
    rule: Nodes,
    speeds: Speeds,
    progress: Callable[[int], object] = lambda _: None,
) -> Schedule:
    """Replays jobs on a machine.

    Args:
        jobs: in the order of their submission; none needs more nodes than the rule finds on an empty machine.
        nodes: of the machine.
        rule: which nodes a job gets.
        speeds: how fast jobs run.
        progress: called with the number of jobs that have ended.
    """
    machine = _Machine(jobs, rule, speeds, np.ones(nodes, np.bool_))
    out = Schedule(np.full(len(jobs), np.nan), np.full(len(jobs), np.nan))
    arrived = ended = 0
    while ended < len(jobs):
        _drop_stale(machine)
        times = [machine.ends[0][0]] if machine.ends else []
        times += [jobs[arrived].submit] if arrived < len(jobs) else []
        now = min(times)
        while machine.ends and machine.ends[0][0] <= now:
            _, job, turn = heapq.heappop(machine.ends)
            if job in machine.running and machine.running[job].turn == turn:
                machine.free[machine.running.pop(job).nodes] = True
                speeds.end(job)
                out.end[job] = now
                ended += 1
        progress(ended)
        while arrived < len(jobs) and jobs[arrived].submit <= now:
            machine.queue.append(arrived)
            arrived += 1
        for job in _start_what_fits(machine, now):
            out.start[job] = now
        _set_speeds(machine, now)
    return out


def _drop_stale(machine: _Machine) -> None:
    ends, running = machine.ends, machine.running
    while ends and (ends[0][1] not in running or running[ends[0][1]].turn != ends[0][2]):
        heapq.heappop(ends)


def _start_what_fits(machine: _Machine, now: float) -> list[int]:
    """Starts the first jobs of the queue, then those behind that do not delay the first that waits; says which."""
    started: list[int] = []
    queue = machine.queue
    while queue and _fits(machine, queue[0]):
        started.append(queue[0])
        _start(machine, queue.pop(0), now)
    if not queue:
        return started
    reserved, then = _reservation(machine, queue[0], now)
    wanted = machine.jobs[queue[0]].nodes
    for job in queue[1:]:
        if not machine.free.any():
            break
        if not _fits(machine, job):
            continue
        ends_before = now + machine.jobs[job].limit <= reserved
        taken = machine.rule.take(np.flatnonzero(machine.free), machine.jobs[job].nodes)
        if not ends_before:
            left = then.copy()
            left[taken] = False
            if not machine.rule.fits(np.flatnonzero(left), wanted):
                continue
            then = left
        started.append(job)
        _start(machine, job, now, taken)
    began = set(started)
    machine.queue = [job for job in queue if job not in began]
    return started


def _fits(machine: _Machine, job: int) -> bool:
    return machine.rule.fits(np.flatnonzero(machine.free), machine.jobs[job].nodes)


def _start(machine: _Machine, job: int, now: float, taken: NDArray[np.int64] | None = None) -> None:
    its = machine.jobs[job]
    if taken is None:
        taken = machine.rule.take(np.flatnonzero(machine.free), its.nodes)
    machine.free[taken] = False
    machine.running[job] = _Running(taken, now + its.limit, its.run, since=now)
    machine.speeds.start(job, taken)


def _reservation(machine: _Machine, job: int, now: float) -> tuple[float, NDArray[np.bool_]]:
    """When a job will start at the latest, by the limits of running jobs, and which nodes will be free then."""
    free, wanted = machine.free.copy(), machine.jobs[job].nodes
    # One that is over its limit, slowed down, may end at any time.
    limits = {number: max(one.limit, now) for number, one in machine.running.items()}
    for time in sorted(set(limits.values())):
        for number, limit in limits.items():
            if limit == time:
                free[machine.running[number].nodes] = True
        if machine.rule.fits(np.flatnonzero(free), wanted):
            return time, free
    return np.inf, free


def _set_speeds(machine: _Machine, now: float) -> None:
    """Gives jobs their new speeds, and works out when they end."""
    for job, speed in machine.speeds.changed().items():
        one = machine.running[job]
        one.left -= (now - one.since) * one.speed
        one.since, one.speed = now, speed
        one.turn += 1
        heapq.heappush(machine.ends, (now + max(0.0, one.left) / speed, job, one.turn))
