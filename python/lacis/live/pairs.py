"""The pairs behind a link: the first of those whose packets leave by a port, how many there are, and those that have a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fabric.ports import with_owners
from ..facts.words import natural
from .crossing import ALL, Crossings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports
    from .crossing import Crossing, Senders
    from .jobs import JobsOnPorts

_WORDS = 6
"""Words of a text that count: sources are sorted by which of them they have."""
_KEPT = 2
"""Ports of which is kept who sends over them: the two ends of the cable that is looked at."""


class Pair(NamedTuple):
    """A source and a destination whose packets leave by a port.

    Attributes:
        source: the sending node.
        target: the receiving node.
        lids: of the port that sends and of the one that receives.
        job: whose pair it is; empty where all hosts send to all others.
        part: how much of what it sends leaves by the port: 1, or less where switches choose.
        share: its share of what is modelled to leave by the port.
        rate: what it is modelled to send there [bytes/s]; none where nothing was measured.
    """

    source: str
    target: str
    lids: tuple[int, int]
    job: str
    part: float
    share: float
    rate: float | None


class PairsThere(NamedTuple):
    """The pairs behind a port.

    Attributes:
        total: how many there are.
        found: how many of them have the text.
        flows: how many they make, those that leave by the port in part as parts.
        listed: the first of these: those with the greatest share first, then by name.
    """

    total: int
    found: int
    flows: float
    listed: list[Pair]


@dataclass(frozen=True)
class PairsOnPorts:
    """Which host sends to which over each port.

    Attributes:
        crossings: whose packets leave by each port.
        senders: who sends; each of them is taken to send by itself.
    """

    crossings: Crossings
    senders: Sequence[Senders]
    _kept: dict[int, list[Crossing]] = field(default_factory=dict)

    def there(
        self, port: int, most: int, text: str = "", rates: Mapping[str, float] | None = None
    ) -> PairsThere:
        """The pairs whose packets leave by a port.

        Args:
            port: its row.
            most: how many are listed.
            text: words, each of which a pair's source, destination or job must have, in any case.
            rates: what each pair of a job sends [bytes/s], by job; without it each sends as much.
        """
        rates = rates or {}
        parts = [
            _Part(self, one, crossing, rates.get(one.name, float("nan")), text)
            for one, crossing in zip(self.senders, self._of(port), strict=True)
            if len(crossing.sources)
        ]
        # Shares are of what is measured where that is known of all.
        is_known = all(np.isfinite(one.rate) for one in parts)
        weights = [one.rate if is_known else 1.0 for one in parts]
        whole = sum(weight * one.flows for weight, one in zip(weights, parts, strict=True))
        steps = [
            (weight * value, number, value)
            for number, weight in enumerate(weights)
            for value in parts[number].values
        ]
        listed: list[Pair] = []
        for sent, number, value in sorted(steps, key=lambda step: (-step[0], step[1])):
            one = parts[number]
            for source, target in one.first(value, most - len(listed)):
                share = sent / whole if whole else 0.0
                rate = sent if is_known else None
                listed.append(
                    Pair(self.name(source), self.name(target), (source, target), one.job, value, share, rate)
                )
        return PairsThere(
            sum(one.count for one in parts),
            sum(one.found for one in parts),
            sum(one.flows for one in parts),
            listed,
        )

    def name(self, lid: int) -> str:
        """The node of a LID."""
        return self.names[int(self.crossings.ports.nodes[self.crossings.rows[lid]])]

    def _of(self, port: int) -> list[Crossing]:
        if port not in self._kept:
            while len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[port] = [self.crossings.of(one, port) for one in self.senders]
        return self._kept[port]

    @cached_property
    def names(self) -> list[str]:
        """Of the nodes, adapters with their hosts."""
        return list(with_owners(self.crossings.ports, self.crossings.routes.fabric).names)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """By node its place among the names."""
        order = sorted(range(len(self.names)), key=lambda node: natural(self.names[node]))
        slots = np.empty(len(order), np.intp)
        slots[order] = np.arange(len(order))
        return slots

    def having(self, words: Sequence[str]) -> NDArray[np.int64]:
        """By node which of some words its name has, a bit each."""
        names = [name.casefold() for name in self.names]
        bits = np.zeros(len(names), np.int64)
        for bit, word in enumerate(words):
            bits |= np.fromiter((word in name for name in names), np.int64, len(names)) << bit
        return bits


def pairs_on_ports(
    routes: Routes, ports: Ports, jobs: JobsOnPorts | None = None, *, adaptive: bool = False
) -> PairsOnPorts:
    """Which host sends to which over each port.

    Args:
        routes: the tables.
        ports: of their fabric.
        jobs: whose ports send to each other; without them all hosts send to all others.
        adaptive: whether switches choose, whatever the tables say; of jobs that is theirs to say.
    """
    if jobs is None:
        return PairsOnPorts(Crossings(routes, ports, adaptive=adaptive), [ALL])
    return PairsOnPorts(Crossings(routes, ports, adaptive=jobs.adaptive), jobs.senders)


class _Part:
    """The pairs of some senders behind a port, and those of them that have a text."""

    def __init__(
        self, of: PairsOnPorts, senders: Senders, crossing: Crossing, rate: float, text: str
    ) -> None:
        self.job, self.rate = senders.name, rate
        self._crossing = crossing
        part = crossing.part
        rows, nodes = of.crossings.rows, of.crossings.ports.nodes
        sources, targets = rows[crossing.sources], rows[crossing.targets]
        # By target the source that is the same port, which sends nothing to itself.
        at = np.full(len(of.crossings.ports), -1, np.intp)
        at[sources] = np.arange(len(sources))
        self._itself = np.flatnonzero(at[targets] >= 0)
        self._own = at[targets][self._itself]
        self._order = of.order[nodes[sources]], of.order[nodes[targets]]
        words = text.casefold().split()[:_WORDS]
        every = (1 << len(words)) - 1
        bits = of.having(words)
        has = sum((word in self.job.casefold()) << bit for bit, word in enumerate(words))
        self._of_source, self._of_target = bits[nodes[sources]] | has, bits[nodes[targets]]
        self._every = every
        own = part[crossing.leaves[self._own], self._itself]
        self.flows = float(part.sum(axis=1)[crossing.leaves].sum() - own.sum())
        self.count = int((part > 0).sum(axis=1)[crossing.leaves].sum() - (own > 0).sum())
        self.values: list[float] = sorted(np.unique(part[part > 0]).tolist(), reverse=True)
        self.found = (
            self.count if not words else int(sum(self._numbers(value).sum() for value in self.values))
        )

    def first(self, value: float, most: int) -> Iterator[tuple[int, int]]:
        """The LIDs of the first pairs with the text of which such a part leaves by the port, by name."""
        if most <= 0:
            return
        numbers = self._numbers(value)
        before = np.cumsum(numbers[np.argsort(self._order[0], kind="stable")])
        enough = int(np.searchsorted(before, most)) + 1
        for source in np.argsort(self._order[0], kind="stable")[:enough].tolist():
            targets = np.flatnonzero(self._chosen(source, value))
            for target in targets[np.argsort(self._order[1][targets], kind="stable")].tolist():
                yield int(self._crossing.sources[source]), int(self._crossing.targets[target])
                most -= 1
                if not most:
                    return

    def _chosen(self, source: int, value: float) -> NDArray[np.bool_]:
        """The targets of a source."""
        row: NDArray[np.bool_] = self._crossing.part[self._crossing.leaves[source]] == value
        row &= (self._of_target | self._of_source[source]) == self._every
        row[self._itself[self._own == source]] = False
        return row

    def _numbers(self, value: float) -> NDArray[np.intp]:
        """How many targets each source has."""
        crossing = self._crossing
        is_so = crossing.part == value
        numbers = np.zeros(len(crossing.sources), np.intp)
        own = is_so[crossing.leaves[self._own], self._itself]
        own &= (self._of_target[self._itself] | self._of_source[self._own]) == self._every
        for bits in np.unique(self._of_source).tolist():
            with_it = self._of_source == bits
            of_leaves = is_so[:, (self._of_target | bits) == self._every].sum(axis=1)
            numbers[with_it] = of_leaves[crossing.leaves[with_it]]
        np.subtract.at(numbers, self._own[own], 1)
        return numbers
