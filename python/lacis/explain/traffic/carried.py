"""What links carried, sweep by sweep: running sums of what their ports counted, with the times at which each port was read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...counters import Growth, Lost, Readings, growth, joined
from ...counters.readings import empty, keys_of
from ...counters.thinned import Thinned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from .sent import Sent

_T = TypeVar("_T")
_COUNTERS = ("XmitData", "RcvData")
_MOST_CELLS = 8_000_000
"""Sweeps times links that are kept."""


@dataclass(frozen=True)
class Carried:
    """What links carried; arrays have a row for each sweep and a column for each link of `Sent.rows`.

    Attributes:
        times: when the port was last read, nanoseconds since 1970; 0 before it was read at all.
        bytes: what it has counted since it was first read, as far as that is known.
        lost: in how many of the steps so far its growth is not known.
        reasons: by link: `Lost`, why it is not known in some step.
        sweeps: how many sweeps there were.
        undated: whether some reading does not say when it was made.
    """

    times: NDArray[np.int64]
    bytes: NDArray[np.float64]
    lost: NDArray[np.int32]
    reasons: NDArray[np.uint8]
    sweeps: int
    undated: bool


def carried(sent: Sent, sweeps: Iterable[Readings]) -> Carried:
    """What the links of a measurement carried.

    Of the two ports of a link the one counts whose growth is known in more steps; of equal ones the sending one.

    Args:
        sent: with the links.
        sweeps: what was read, in the order of time.
    """
    kept, number, undated = _kept(sent, sweeps)
    sides = [_Side(sent, kept, name) for name in _COUNTERS]
    better = sides[1].known > sides[0].known
    pick = {name: np.where(better, getattr(sides[1], name), getattr(sides[0], name)) for name in _ARRAYS}
    return Carried(pick["times"], pick["bytes"], pick["lost"], pick["reasons"], number, undated)


_ARRAYS = ("times", "bytes", "lost", "reasons")


def _kept(sent: Sent, sweeps: Iterable[Readings]) -> tuple[list[Readings], int, bool]:
    """The ports of the links in each sweep, how many sweeps there were, and whether one has no time."""
    wanted = np.zeros(len(sent.ports) + 1, np.bool_)
    wanted[sent.rows] = wanted[sent.ports.far[sent.rows]] = True
    kept, undated = Thinned(int(np.clip(_MOST_CELLS // max(len(sent.rows), 1), 16, 4096))), False
    for one in sweeps:
        rows = sent.ports.rows(one.guids, one.ports)
        there = wanted[rows] & (rows >= 0)
        own = _dated(one.taken(there))
        undated |= bool((own.times == 0).any())
        kept.add(own)
    return kept.kept(), kept.seen, undated


def _dated(one: Readings) -> Readings:
    """A sweep with the columns that count; a port that does not say when it was read was read when the sweep ended."""
    times = np.where(one.times > 0, one.times, one.ended or one.started)
    return replace(one, times=times, values=_own(one.values), known=_own(one.known), wide=_own(one.wide))


def _own(columns: Mapping[str, _T]) -> dict[str, _T]:
    return {name: columns[name] for name in _COUNTERS if name in columns}


class _Side:
    """What one end of each link counted."""

    def __init__(self, sent: Sent, kept: list[Readings], counter: str) -> None:
        size, count = len(sent.rows), len(kept)
        ports = sent.rows if counter == "XmitData" else sent.ports.far[sent.rows]
        self._column = np.full(len(sent.ports) + 1, -1, np.intp)
        self._column[ports] = np.arange(size)
        self._ports, self._counter = sent.ports, counter
        self.times = np.zeros((max(count, 1), size), np.int64)
        self.bytes, self.lost = np.zeros_like(self.times, np.float64), np.zeros_like(self.times, np.int32)
        self.reasons = np.zeros(size, np.uint8)
        known = np.zeros(size, np.intp)
        before, *later = kept or [empty(0)]
        self._begin(before)
        for at, after in enumerate(later, 1):
            known += self._step(at, before, after)
            # A port that a sweep missed goes from the sweep before to the one after.
            before = joined([after, before])
        self.known = known

    def _begin(self, first: Readings) -> None:
        columns = self._column[self._ports.rows(first.guids, first.ports)]
        there = (columns >= 0) & first.known.get(self._counter, np.zeros(len(first), np.bool_))
        self.times[0, columns[there]] = first.times[there]

    def _step(self, at: int, before: Readings, after: Readings) -> NDArray[np.intp]:
        """Adds a step; 1 for links whose growth it knows."""
        for array in (self.times, self.bytes, self.lost):
            array[at] = array[at - 1]
        grown = growth(before, after)
        columns = self._column[self._ports.rows(grown.guids, grown.ports)]
        known = np.zeros(len(self.reasons), np.intp)
        if self._counter not in grown.values:
            return known
        lost = grown.lost[self._counter]
        self._read(at, after)
        good = (columns >= 0) & (lost == Lost.NOTHING)
        np.add.at(
            self.bytes[at], columns[good], grown.values[self._counter][good].astype(np.float64) * grown.unit
        )
        known[columns[good]] = 1
        self._lose(at, grown, columns, lost, before, after)
        return known

    def _read(self, at: int, after: Readings) -> None:
        columns = self._column[self._ports.rows(after.guids, after.ports)]
        there = (columns >= 0) & after.known.get(self._counter, np.zeros(len(after), np.bool_))
        self.times[at, columns[there]] = after.times[there]

    def _lose(
        self,
        at: int,
        grown: Growth,
        columns: NDArray[np.intp],
        lost: NDArray[np.uint8],
        before: Readings,
        after: Readings,
    ) -> None:
        """Marks links whose growth over the step is not known, though their port was read at both ends of it."""
        both = np.isin(_keys(grown), before.keys) & np.isin(_keys(grown), after.keys)
        bad = (columns >= 0) & (lost != Lost.NOTHING) & both
        self.lost[at, columns[bad]] += 1
        np.maximum.at(self.reasons, columns[bad], lost[bad])


def _keys(grown: Growth) -> NDArray[np.void]:
    """GUID, port and plane of each row of a growth."""
    return keys_of(grown.guids, grown.ports, grown.planes)
