"""Where counters over a window are from: two recordings, or a store of many sweeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..counters import Growth, Readings, growth
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .windows import Window


class Sweeps(Protocol):
    """What sweeps have read, as a store of counters hands it out."""

    def growth(self, begin_ns: int, end_ns: int, /) -> Growth:
        """How much the counters of every port have grown over a window."""
        ...

    def readings(self, begin_ns: int, end_ns: int, /) -> Iterable[Readings]:
        """What each sweep of a window read, in the order of time."""
        ...


@dataclass(frozen=True)
class Recordings:
    """Two recordings, one from before and one from after; whatever the window, these are all there is.

    Attributes:
        before: the first.
        after: the second.
    """

    before: Readings
    after: Readings

    def growth(self, _begin: int, _end: int, /) -> Growth:
        """The growth from the one to the other."""
        return growth(self.before, self.after)

    def readings(self, _begin: int, _end: int, /) -> Iterable[Readings]:
        """Both."""
        return (self.before, self.after)

    def within(self, window: Window) -> Recordings:
        """The same, taken at the ends of a window where the files do not say when they were taken."""
        ends = ((self.before, window.begin), (self.after, window.end))
        return Recordings(*(it if it.times.any() else _at(it, time) for it, time in ends))

    @property
    def times(self) -> tuple[int, int]:
        """When each was taken, nanoseconds since 1970; 0 where that is not known."""
        return time_of(self.before), time_of(self.after)


def recordings(before: Readings, after: Readings) -> Recordings:
    """Two recordings.

    Raises:
        LacisError: when the first was taken after the second.
    """
    found = Recordings(before, after)
    first, last = found.times
    if first and last and last <= first:
        raise LacisError(
            "the counters of before are not older than those of after: were they given in this order?"
        )
    return found


_SLACK = 90 * 10**9
"""Nanoseconds before and after a window within which the sweeps that enclose it are looked for, at least."""


def enclosed(sweeps: Sweeps, window: Window) -> Window:
    """The window from the last sweep before it to the first one after it, where these are near: between them lies all of it."""
    slack = min(max(_SLACK, (window.end - window.begin) // 10), window.end - window.begin)
    before = [_began(one) for one in sweeps.readings(window.begin - slack, window.begin)]
    after = next(iter(sweeps.readings(window.end, window.end + slack)), None)
    begin = max(
        (time for time in before if window.begin - slack <= time <= window.begin), default=window.begin
    )
    end = window.end if after is None else _began(after)
    return replace(window, begin=begin, end=end if window.end <= end <= window.end + slack else window.end)


def _began(readings: Readings) -> int:
    return readings.started or time_of(readings)


def time_of(readings: Readings) -> int:
    """When readings were taken, nanoseconds since 1970; 0 where that is not known."""
    times = readings.times[readings.times > 0]
    return int(np.median(times)) if len(times) else readings.ended or readings.started


def _at(readings: Readings, time: int) -> Readings:
    taken = time_of(readings) or time
    return replace(readings, times=np.full(len(readings), taken, np.int64))
