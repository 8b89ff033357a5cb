"""What a set of hosts gets: the slowest flow of each shift, alone and beside other jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .paths import distances, receivers, shift_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .paths import Paths

_LIKE = 1 - 1e-9
"""Costs that differ by less than this factor are the same."""


@dataclass(frozen=True)
class Score:
    """Rates of the slowest flow, modelled [bytes/s]; 0 in a shift with a flow that has no path.

    Attributes:
        worst: in the worst shift, alone.
        mean: over the shifts, alone.
        worst_beside: in the worst shift, while other jobs send what they send on average.
        mean_beside: over the shifts, the same.
    """

    worst: float
    mean: float
    worst_beside: float
    mean_beside: float


@dataclass(frozen=True)
class Crowding:
    """Where the slowest flows of a set of hosts are.

    Attributes:
        score: of the set.
        links: distance of the shift and number of the link of each, shape `(n, 2)`; those of the worst shift beside
            other jobs where every flow has the rate of a host's port alone; none where it has that beside them, too.
        alone: how many of them are crowded by these hosts alone.
        apart: hosts of flows that have no path.
    """

    score: Score
    links: NDArray[np.int64]
    alone: int
    apart: NDArray[np.int64]


@dataclass(frozen=True)
class Judge:
    """Scores sets of hosts.

    Attributes:
        paths: under the tables.
        pattern: what they send: see `distances`.
        most: how many distances are looked at.
        others: flows of other jobs on each link, on average over their shifts; zeros where none run.
        apart: pairs of hosts that cannot send to each other; none where all can.
    """

    paths: Paths
    pattern: str
    most: int
    others: NDArray[np.float64]
    apart: NDArray[np.bool_] | None = None

    def score(self, hosts: NDArray[np.int64]) -> Score:
        """The score of hosts in the order of ranks."""
        steps = distances(len(hosts), self.most, self.pattern)
        loads = shift_loads(self.paths, hosts, steps)
        return self._score(self._slowest(loads), loads, self._broken(hosts, steps))

    def rates(self, hosts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The slowest flow of each shift, alone [bytes/s]."""
        steps = distances(len(hosts), self.most, self.pattern)
        return self._rates(self._slowest(shift_loads(self.paths, hosts, steps)))

    def crowded(self, hosts: NDArray[np.int64]) -> Crowding:
        """Where the slowest flows of the worst shifts are, alone."""
        steps = distances(len(hosts), self.most, self.pattern)
        loads, broken = shift_loads(self.paths, hosts, steps), self._broken(hosts, steps)
        slowest = self._slowest(loads)
        score = self._score(slowest, loads, broken)
        if broken is not None:
            apart = np.concatenate([hosts[broken.any(axis=0)], receivers(hosts, steps)[broken]])
        else:
            apart = hosts[:0]
        links = self._top([flows * self.paths.inverse for flows in loads], slowest, steps)
        alone = len(links)
        if not alone and self.others.any():
            costs = [(flows + self.others) * self.paths.inverse * (flows > 0) for flows in loads]
            links = self._top(costs, np.array([cost.max() for cost in costs]), steps)
        return Crowding(score, links, alone, apart)

    def _top(
        self, costs: list[NDArray[np.float64]], slowest: NDArray[np.float64], steps: Sequence[int]
    ) -> NDArray[np.int64]:
        """Distances and links of the slowest flows of all; none where a host's port is as slow."""
        top = slowest.max(initial=0.0)
        if not top * self.paths.fastest > 1.0 / _LIKE:
            return np.zeros((0, 2), np.int64)
        rows = [
            np.stack([np.full(len(at), steps[shift]), at], axis=1)
            for shift in np.flatnonzero(slowest >= top * _LIKE).tolist()
            for at in [np.flatnonzero(costs[shift] >= top * _LIKE)]
        ]
        return np.concatenate(rows)

    def _broken(self, hosts: NDArray[np.int64], steps: Sequence[int]) -> NDArray[np.bool_] | None:
        """Flows of the shifts without a path, shape `(shifts, hosts)`."""
        if self.apart is None or len(steps) == 0:
            return None
        found: NDArray[np.bool_] = self.apart[hosts, receivers(hosts, steps)]
        return found if found.any() else None

    def _slowest(self, loads: list[NDArray[np.int64]]) -> NDArray[np.float64]:
        """What the slowest flow of each shift takes, alone [s/byte]."""
        inverse = self.paths.inverse
        return np.array([(flows * inverse).max() for flows in loads])

    def _score(
        self,
        slowest: NDArray[np.float64],
        loads: list[NDArray[np.int64]],
        broken: NDArray[np.bool_] | None,
    ) -> Score:
        if not loads:
            return Score(*[self.paths.fastest] * 4)
        alone = beside = self._rates(slowest)
        if self.others.any():
            inverse, more = self.paths.inverse, self.others * self.paths.inverse
            beside = self._rates(np.array([(flows * inverse + more * (flows > 0)).max() for flows in loads]))
        if broken is not None:
            works = ~broken.any(axis=1)
            alone, beside = alone * works, beside * works
        return Score(float(alone.min()), float(alone.mean()), float(beside.min()), float(beside.mean()))

    def _rates(self, slowest: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = 1.0 / np.maximum(slowest, 1.0 / self.paths.fastest)
        return found


def mean_loads(
    paths: Paths, jobs: Sequence[NDArray[np.int64]], most: int, pattern: str
) -> NDArray[np.float64]:
    """Flows of jobs on each link, each job on average over its shifts."""
    total = np.zeros(len(paths.inverse))
    for hosts in jobs:
        steps = distances(len(hosts), most, pattern)
        if steps:
            for flows in shift_loads(paths, hosts, steps):
                total += flows / len(steps)
    return total
