"""The search for the best hosts: sets built from leaf groups, then hosts exchanged one by one.

What is best: the worst shift alone, then the mean of the shifts beside other jobs, then fewer leaf groups, then
smaller groups used up, so that larger ones stay whole. No set has more leaf groups than Slurm's tree would use, and
none is worse than any rival within that number: rivals are where the search begins.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .paths import distances
from .rivals import RIVALS, take

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .groups import LeafGroups
    from .score import Crowding, Judge, Score

WORK = 600_000_000
"""Links of flows that a search looks at before it ends, so that it takes about two seconds whatever the machine."""
_TRIED = 150
"""Exchanges in a row without a gain before the search gives a set up."""
_FEWEST = 16
"""Sets that are scored however little work is left: those of other rules come first."""
_BEGINS = 3
"""Sets from which exchanges begin."""


@dataclass(frozen=True)
class Found:
    """The best set of hosts.

    Attributes:
        hosts: ascending, which is the order of ranks.
        score: what they get.
        looked_at: how many sets were scored.
    """

    hosts: NDArray[np.int64]
    score: Score
    looked_at: int


def best(
    judge: Judge, groups: LeafGroups, free: NDArray[np.int64], nodes: int, *, work: int = WORK, seed: int = 1
) -> Found | None:
    """The best hosts of those that are free; none where too few are, or too few have a link.

    Args:
        judge: scores sets.
        groups: of all hosts.
        free: hosts that are free, ascending.
        nodes: how many are wanted.
        work: links of flows to look at.
        seed: of the order in which exchanges are tried.
    """
    free = free[groups.of[free] >= 0]
    if nodes > len(free):
        return None
    return _Search(judge, groups, free, nodes, work, seed).run()


class _Search:
    """A search: what is given, and how much work is left."""

    def __init__(
        self, judge: Judge, groups: LeafGroups, free: NDArray[np.int64], nodes: int, work: int, seed: int
    ) -> None:
        self.judge, self.groups, self.free, self.nodes = judge, groups, free, nodes
        self.random = np.random.default_rng(seed)
        paths = judge.paths
        steps = len(distances(nodes, judge.most, judge.pattern))
        # What one score costs: a look at each link of each flow, and one at each link of the fabric.
        each = steps * (len(paths.base) * nodes * max(1, paths.steps.shape[1]) + len(paths.inverse)) or 1
        self.left = max(1, work // each)
        self.looked_at = 0
        self.sizes = np.bincount(groups.of[free], minlength=len(groups))
        self.most_groups = len(groups)

    def run(self) -> Found | None:
        begins = list(itertools.islice(self._begins(), max(_FEWEST, self.left)))
        rival = take("slurm", self.groups, self.free, self.nodes)
        if rival is not None:
            self.most_groups = self._num_groups(rival)
        else:
            self.most_groups = min(map(self._num_groups, begins), default=0)
        allowed = [one for one in begins if self._num_groups(one) <= self.most_groups]
        unique = {one.tobytes(): one for one in allowed}
        if not unique:
            return None
        ranked = sorted(((self._key(one), one) for one in unique.values()), key=lambda pair: pair[0])
        key, hosts = ranked[-1]
        for _, other in ranked[: -1 - _BEGINS : -1]:
            improved = self._improve(other, max(1, self.left // 2))
            if (its := self._key(improved)) > key:
                key, hosts = its, improved
        return Found(hosts, self.judge.score(hosts), self.looked_at)

    def _num_groups(self, hosts: NDArray[np.int64]) -> int:
        return len(np.unique(self.groups.of[hosts]))

    def _key(self, hosts: NDArray[np.int64]) -> tuple[float, ...]:
        """What is compared, better first; rates as shares, so that rounding decides nothing."""
        self.left -= 1
        self.looked_at += 1
        score = self.judge.score(hosts)
        used = np.bincount(self.groups.of[hosts], minlength=len(self.groups))
        fastest = self.judge.paths.fastest
        whole = float(np.square((self.sizes - used).astype(float)).sum())
        return (
            round(score.worst / fastest, 6),
            round(score.mean_beside / fastest, 4),
            -float((used > 0).sum()),
            whole,
        )

    # Where the search begins.

    def _begins(self) -> Iterator[NDArray[np.int64]]:
        for rule in RIVALS:
            hosts = take(rule, self.groups, self.free, self.nodes)
            if hosts is not None:
                yield hosts
        for level in (*self.groups.units, np.zeros(len(self.groups), np.int32)):
            for unit in range(int(level.max(initial=0)) + 1):
                members = np.flatnonzero((level == unit) & (self.sizes > 0))
                if self.sizes[members].sum() >= self.nodes:
                    yield from self._of_groups(members)
        if (one := np.flatnonzero(self.sizes >= self.nodes)).size:
            for group in one[np.argsort(self.sizes[one], kind="stable")].tolist():
                yield self._spread(np.array([group]))

    def _of_groups(self, members: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Sets of hosts of some groups: as few groups as there can be, the last one the tightest fit; then even ones."""
        largest = members[np.argsort(-self.sizes[members], kind="stable")]
        count = int(np.searchsorted(np.cumsum(self.sizes[largest]), self.nodes)) + 1
        chosen = largest[:count]
        missing = self.nodes - int(self.sizes[chosen[:-1]].sum())
        fitting = [group for group in largest[count - 1 :].tolist() if self.sizes[group] >= missing]
        chosen = np.append(chosen[:-1], fitting[-1])
        yield self._filled(chosen)
        yield self._spread(chosen)
        yield self._spread(largest[:count])
        if count < len(largest):
            yield self._spread(largest[: count + 1])

    def _filled(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Groups used up in turn."""
        own = [self.free[self.groups.of[self.free] == group] for group in chosen.tolist()]
        return np.sort(np.concatenate(own)[: self.nodes])

    def _spread(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """As evenly over the groups as their free hosts allow."""
        own = [self.free[self.groups.of[self.free] == group] for group in chosen.tolist()]
        counts, missing = np.zeros(len(own), np.int64), self.nodes
        sizes = np.array([len(hosts) for hosts in own])
        while missing > 0:
            open_groups = np.flatnonzero(counts < sizes)
            each = max(1, missing // len(open_groups))
            for group in open_groups[:missing].tolist():
                more = min(each, int(sizes[group] - counts[group]), missing)
                counts[group] += more
                missing -= more
        return np.sort(np.concatenate([hosts[:count] for hosts, count in zip(own, counts, strict=True)]))

    # Exchanges.

    def _improve(self, hosts: NDArray[np.int64], share: int) -> NDArray[np.int64]:
        """Exchanges hosts of crowded links for free ones as long as that helps, `share` sets at most."""
        end, failed = max(0, self.left - share), 0
        crowding = self.judge.crowded(hosts)
        while self.left > end and failed < _TRIED:
            candidate = self._exchange(hosts, crowding)
            if candidate is None:
                break
            self.left -= 1
            self.looked_at += 1
            its = self.judge.crowded(candidate)
            if self._climbs(its, crowding):
                failed = 0 if _worth(its) != _worth(crowding) else failed + 1
                hosts, crowding = candidate, its
            else:
                failed += 1
        return hosts

    def _climbs(self, new: Crowding, old: Crowding) -> bool:
        """Whether a set is as good or better: the worst shift, then how many flows of it are slowest, then the mean.

        Sets that are as good are taken, too: they lead on where no single exchange helps.
        """
        return _worth(new) >= _worth(old)

    def _exchange(self, hosts: NDArray[np.int64], crowding: Crowding) -> NDArray[np.int64] | None:
        """The set with one host of a most crowded link exchanged for a free one; none where no link is crowded.

        A host that another cannot send to goes first.
        """
        if len(crowding.apart):
            out = int(self.random.choice(crowding.apart))
        elif len(crowding.links):
            step, link = crowding.links[self.random.integers(len(crowding.links))].tolist()
            theirs = np.roll(hosts, -step)
            crossing = (self.judge.paths.links(hosts, theirs) == link).any(axis=(0, -1))
            out = int(self.random.choice(np.concatenate([hosts[crossing], theirs[crossing]])))
        else:
            return None
        spare = np.setdiff1d(self.free, hosts, assume_unique=True)
        remaining = hosts[hosts != out]
        in_use = np.unique(self.groups.of[remaining])
        if len(in_use) >= self.most_groups:
            spare = spare[np.isin(self.groups.of[spare], in_use)]
        if not len(spare):
            return None
        # A neighbour on the same leaves changes the fewest flows.
        near = spare[self.groups.of[spare] == self.groups.of[out]]
        pool = near if len(near) and self.random.random() < 0.5 else spare
        return np.sort(np.append(remaining, self.random.choice(pool)))


def _worth(crowding: Crowding) -> tuple[float, float, float]:
    score = crowding.score
    most_crowded = len(crowding.apart) or crowding.alone
    return score.worst, -float(most_crowded), float(round(score.mean_beside * 1e-6))
