"""Where counters over a window are from: two recordings, or a store of many sweeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..counters.growth import of_stretch
from ..counters.readings import empty
from ..counters.stretch import followed, stretch
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..counters import Growth, Readings
    from ..job.windows import Window


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
    """Recorded sweeps. Of two, one is from before and one from after: whatever the window, these are all there is.

    Attributes:
        sweeps: two or more, the earliest first.
    """

    sweeps: tuple[Readings, ...]

    def growth(self, begin_ns: int, end_ns: int, /) -> Growth:
        """The growth from the first to the last."""
        kept = [stretch(one) for one in self.readings(begin_ns, end_ns)] or [stretch(empty(0))]
        return of_stretch(reduce(followed, kept))

    def readings(self, begin_ns: int, end_ns: int, /) -> Iterable[Readings]:
        """Both; of more those of the window."""
        if len(self.sweeps) == 2:
            return self.sweeps
        return tuple(one for one in self.sweeps if begin_ns <= _began(one) <= end_ns)

    def within(self, window: Window) -> Recordings:
        """The same, taken at the ends of a window where the two do not say when they were taken."""
        if len(self.sweeps) > 2:
            return self
        ends = zip(self.sweeps, (window.begin, window.end), strict=True)
        return Recordings(tuple(it if it.times.any() else _at(it, time) for it, time in ends))

    @property
    def times(self) -> tuple[int, int]:
        """When the first and the last were taken, nanoseconds since 1970; 0 where that is not known."""
        return time_of(self.sweeps[0]), time_of(self.sweeps[-1])


def recordings(*sweeps: Readings) -> Recordings:
    """Recorded sweeps, such as one from before and one from after.

    Raises:
        LacisError: when there is one alone, when one was taken before the one that it follows, or when of more than two one has no time.
    """
    if len(sweeps) < 2:
        raise LacisError("one sweep shows no growth: two are needed, from before and from after")
    times = [time_of(one) for one in sweeps]
    if len(sweeps) > 2 and not all(times):
        raise LacisError(
            "sweeps that do not say when they were made are two at most, from before and from after"
        )
    if any(first and later and later <= first for first, later in pairwise(times)):
        raise LacisError("readings from after are not later than those from before: are they in this order?")
    return Recordings(tuple(sweeps))


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
