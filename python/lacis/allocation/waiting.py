"""Which jobs must end before a job has enough nodes with a given bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .search import WORK, best

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..job.slurm import SlurmJob
    from .machine import Machine
    from .search import Found

_SAME = 1 - 1e-6
"""A bandwidth that is lower by less than this factor is reached."""


@dataclass(frozen=True)
class JobsToEnd:
    """What `how_long` finds.

    Attributes:
        nodes: how many are wanted.
        wanted: the worst shift that they are to have [bytes/s].
        jobs: those that must end, in the order in which they do; empty where none need to.
        seconds: until the last of them is at its limit; none where a limit is unknown.
        reached: the worst shift that the nodes then have [bytes/s]; none where even an empty machine has less.
        hosts: the nodes, in natural order.
    """

    nodes: int
    wanted: float
    jobs: tuple[str, ...]
    seconds: float | None
    reached: float | None
    hosts: tuple[str, ...]


def how_long(
    machine: Machine,
    nodes: int,
    wanted: float | None,
    jobs: Sequence[tuple[SlurmJob, Sequence[str]]],
    *,
    pattern: str = "shifts",
    seed: int = 1,
    work: int = WORK,
) -> JobsToEnd:
    """The jobs that must end before some nodes have a worst shift that is good enough.

    Where the limit of every job is known jobs end in that order; those that would end but are not needed are left out.
    Otherwise few jobs are looked for, by how many nodes they hold where the nodes could be.

    Args:
        machine: from `machine_of`.
        nodes: how many are wanted.
        wanted: the worst shift that they are to have, alone [bytes/s]; unless given, that of the best on the empty
            machine.
        jobs: running jobs, each with its hosts.
        pattern: what the job sends.
        seed: of the search.
        work: how long to search, in all.
    """
    judge = machine.judge(pattern)
    linked = np.flatnonzero(machine.groups.of >= 0)
    whole = best(judge, machine.groups, linked, nodes, work=work // 4, seed=seed)
    goal = wanted if wanted is not None else (whole.score.worst if whole else 0.0)
    if whole is None or whole.score.worst < goal * _SAME:
        return JobsToEnd(nodes, goal, (), None, None, ())
    held = {job.name: machine.indices(hosts) for job, hosts in jobs}
    left = {job.name: job.left for job, _ in jobs}
    share = work // (4 * (2 + 2 * len(jobs).bit_length() + len(jobs)))

    def without(ended: Sequence[str]) -> Found | None:
        """The best nodes once some jobs have ended; none where they are too few or too slow."""
        busy = [its for name, its in held.items() if name not in ended]
        free = np.setdiff1d(linked, np.concatenate(busy)) if busy else linked
        if len(free) < nodes:
            return None
        found = best(judge, machine.groups, free, nodes, work=share, seed=seed)
        return found if found and found.score.worst >= goal * _SAME else None

    if all(value is not None for value in left.values()):
        order = sorted(held, key=lambda name: (left[name] or 0.0, name))
    else:
        order = _by_overlap(held, whole.hosts)
    needed = _fewest(order, without)
    final = without(needed) or whole
    times = [left[name] for name in needed]
    known = [seconds for seconds in times if seconds is not None]
    return JobsToEnd(
        nodes,
        goal,
        tuple(needed),
        max(known, default=0.0) if len(known) == len(times) else None,
        final.score.worst,
        machine.names(final.hosts),
    )


def _by_overlap(held: dict[str, NDArray[np.int64]], hosts: NDArray[np.int64]) -> list[str]:
    """Jobs by how many of their nodes are among the best ones, most first; then by size."""
    inside = {name: int(np.isin(its, hosts).sum()) for name, its in held.items()}
    return sorted(held, key=lambda name: (-inside[name], -len(held[name]), name))


def _fewest(order: Sequence[str], without: Callable[[Sequence[str]], Found | None]) -> list[str]:
    """The shortest beginning of an order that is enough, less the jobs that are not needed."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if without(order[:middle]) is not None:
            high = middle
        else:
            low = middle + 1
    needed = list(order[:low])
    for name in order[:low][:-1]:
        fewer = [one for one in needed if one != name]
        if without(fewer) is not None:
            needed = fewer
    return needed
