"""How fast jobs run beside each other: each sends for a part of its run time, and what its messages share slows that part.

A job sends shifts of its nodes, one after another. A shift takes as long as its slowest flow, which shares the most loaded of
its links with the job's other flows and with those that the other jobs have there on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .paths import distances, shift_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .paths import Paths

SHIFTS = 8
"""Distances that are looked at of each job: a replay looks at thousands."""
_SAME = 1e-9


@dataclass
class _Sending:
    shifts: int
    first: NDArray[np.int64]
    """Where the rows of each shift begin."""
    link: NDArray[np.int64]
    """Links, shift by shift."""
    flows: NDArray[np.float64]
    own: NDArray[np.float64]
    """Flows of the job on each of these links, on average over its shifts."""
    used: NDArray[np.int64]
    """Each link once, …"""
    mean: NDArray[np.float64]
    """… with its flows on average."""
    speed: float = 0.0


class Contention:
    """The speeds of jobs on a machine's links.

    Args:
        paths: of the machine.
        shares: of each job, by its index: the part of its run time that it sends for at the full rate.
        pattern: what jobs send.
    """

    def __init__(self, paths: Paths, shares: Sequence[float], pattern: str) -> None:
        self._paths, self._shares, self._pattern = paths, shares, pattern
        self._total = np.zeros(len(paths.inverse))
        self._jobs: dict[int, _Sending] = {}
        self._stale = np.zeros(len(paths.inverse), np.bool_)

    def start(self, job: int, nodes: NDArray[np.int64]) -> None:
        """A job starts on nodes."""
        steps = distances(len(nodes), SHIFTS, self._pattern)
        rows = shift_loads(self._paths, nodes, steps)
        used = [np.flatnonzero(row) for row in rows] or [np.zeros(0, np.int64)]
        mean = np.mean(rows, axis=0) if rows else np.zeros(len(self._total))
        link = np.concatenate(used)
        lengths = np.array([len(one) for one in used])
        every = np.flatnonzero(mean)
        self._jobs[job] = _Sending(
            len(rows),
            (np.cumsum(lengths) - lengths)[lengths > 0],
            link,
            np.concatenate([row[at] for row, at in zip(rows, used, strict=False)]).astype(float)
            if rows
            else np.zeros(0),
            mean[link],
            every,
            mean[every],
        )
        self._total[every] += mean[every]
        self._stale[every] = True

    def end(self, job: int) -> None:
        """A job ends."""
        gone = self._jobs.pop(job)
        self._total[gone.used] -= gone.mean
        self._stale[gone.used] = True

    def changed(self) -> dict[int, float]:
        """The speed of each running job that has another one since the last call."""
        found = {}
        for job, its in self._jobs.items():
            if its.speed and not self._stale[its.used].any():
                continue
            share = self._shares[job]
            speed = 1.0 / (1.0 - share + share * self._slower(its))
            if abs(speed - its.speed) > _SAME:
                its.speed = found[job] = speed
        self._stale[:] = False
        return found

    def flows(self) -> NDArray[np.float64]:
        """Flows of the running jobs on each link, on average."""
        # Differences of sums leave crumbs, which are no flows.
        return np.where(self._total > _SAME, self._total, 0.0)

    def _slower(self, its: _Sending) -> float:
        """How many times as long the job's shifts take as at the rate of a port."""
        if not its.shifts:
            return 1.0
        flows = its.flows + np.maximum(self._total[its.link] - its.own, 0.0)
        cost = flows * self._paths.inverse[its.link] * self._paths.fastest
        slowest = np.maximum.reduceat(cost, its.first) if len(cost) else np.zeros(0)
        # A shift without a link between switches has the full rate.
        return (float(np.maximum(slowest, 1.0).sum()) + its.shifts - len(slowest)) / its.shifts
