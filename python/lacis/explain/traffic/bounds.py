"""Bounds of what the measurement can have sent over each link by each reading.

Of a window that the sweeps cut, only bounds are known: its flows sent at most what the link carries since it began, and at least what
they cannot have sent after the cut.

| here     | meaning                                                            |
|----------|--------------------------------------------------------------------|
| `least`  | what the measurement has surely sent by a reading, without headers |
| `most`   | the most that it can have sent by then, without headers            |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .carried import Carried
    from .sent import Sent

FEW = 1 << 20
"""Bytes that barriers, results and management packets come to."""
_MISSING = 0.02
"""A link that counted less than was sent, by this share of it, did not carry it all."""
LACKING = 0.003
"""The share of what was sent over hosts' links that counters may lack at the right time."""


class Bounds:
    """What was counted and can have been sent by each reading, in seconds since the measurement began.

    Args:
        sent: what was sent.
        seen: what was counted.
        shift: seconds by which the clock of who read the counters is ahead.
        within: how exactly that is.
        of: the links that count; all by default.
    """

    def __init__(
        self, sent: Sent, seen: Carried, shift: float, within: float, of: NDArray[np.bool_] | None = None
    ) -> None:
        self.origin = int(sent.began.min())
        self.length = (int(sent.ended.max()) - self.origin) / 1e9
        self.shift, self.within = shift, within
        links = np.ones(len(sent.rows), np.bool_) if of is None else of
        self.times = np.where(seen.times > 0, (seen.times - self.origin) / 1e9 - shift, np.nan)[:, links]
        self.bytes, self.lost, self.rates = seen.bytes[:, links], seen.lost[:, links], sent.rates[links]
        there = links[sent.link]
        link, window = (np.cumsum(links) - 1)[sent.link[there]], sent.window[there]
        self.least, self.most = self._sums(sent, link, window, sent.bytes[there])
        self.unknown = np.zeros_like(self.times)
        for began, ended in ((sent.unknown - self.origin) / 1e9).reshape(-1, 2):
            self.unknown += np.clip(self.times - began + within, 0, ended - began + 2 * within)

    def _sums(
        self, sent: Sent, link: NDArray[np.intp], window: NDArray[np.intp], size: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`least` and `most` at each reading of each link."""
        began = (sent.began[window] - self.origin) / 1e9
        length = np.maximum((sent.ended - sent.began)[window] / 1e9, 1e-6)
        rate = np.fmax(self.rates[link], size / length)
        least, most = np.zeros(self.times.shape), np.zeros(self.times.shape)
        # What was over by a reading was over by all later ones: only windows that a sweep may cut are looked at with it.
        over, open_ = np.zeros(self.times.shape[1]), np.arange(len(link))
        for row, times in enumerate(self.times):
            latest = np.nanmax(times, initial=-np.inf)
            some = open_[began[open_] < latest + self.within]
            of, whole = link[some], size[some]
            since = times[of] - began[some]
            early, late = since - self.within, np.minimum(since + self.within, length[some])
            is_over = early >= length[some]
            surely = np.where(is_over, whole, whole - rate[some] * (length[some] - np.maximum(early, 0)))
            perhaps = np.where(late >= length[some], whole, np.minimum(whole, rate[some] * late))
            for into, values in ((least, surely), (most, perhaps)):
                each = np.maximum(np.nan_to_num(values), 0)
                into[row] = over + np.bincount(of, weights=each, minlength=len(over))
            over += np.bincount(of[is_over], weights=whole[is_over], minlength=len(over))
            open_ = np.setdiff1d(open_, some[is_over], assume_unique=True)
        return least, most

    def outside(self, begin: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds of spans that lie before the measurement or after it."""
        before = np.maximum(np.minimum(end, self.within) - begin, 0)
        after = np.maximum(end - np.maximum(begin, self.length - self.within), 0)
        both: NDArray[np.float64] = np.minimum(before + after, end - begin)
        return both

    def within_sweeps(self) -> float:
        """Bytes that were sent between the first and the last reading of their link, as far as that is sure."""
        whole = (
            self.least[-1]
            - np.take_along_axis(self.most, np.isnan(self.times).sum(axis=0)[None] % len(self.most), 0)[0]
        )
        return float(np.maximum(whole, 0).sum())

    def lacking(self) -> float:
        """Bytes that the links lack of what was surely sent, over spans of up to 8 sweeps: other traffic takes none of that away."""
        total = 0.0
        for step in (1, 2, 4, 8):
            surely = self.least[step:] - self.most[:-step]
            lacks = surely * (1 - LACKING) - (self.bytes[step:] - self.bytes[:-step])
            good = (self.lost[step:] == self.lost[:-step]) & (self.times[step:] > self.times[:-step])
            total = max(total, float(np.maximum(lacks, 0)[good].sum()))
        return total


class Whole:
    """The shortest span of each link that holds all of the measurement."""

    def __init__(self, bounds: Bounds) -> None:
        count, size = bounds.times.shape
        first = (bounds.times <= -bounds.within).sum(axis=0) - 1 + np.isnan(bounds.times).sum(axis=0)
        last = count - (bounds.times >= bounds.length + bounds.within).sum(axis=0)
        has_before = (bounds.times <= -bounds.within).any(axis=0)
        columns = np.arange(size)
        self.is_read: NDArray[np.bool_] = np.isfinite(bounds.times[-1])
        self.is_enclosed: NDArray[np.bool_] = has_before & (last < count)
        begin, end = np.where(self.is_enclosed, first, 0), np.where(self.is_enclosed, last, count - 1)
        self.is_lost: NDArray[np.bool_] = bounds.lost[end, columns] > bounds.lost[begin, columns]
        self.is_covered: NDArray[np.bool_] = self.is_enclosed & ~self.is_lost
        counted = bounds.bytes[end, columns] - bounds.bytes[begin, columns]
        self.own = bounds.least[end, columns] - bounds.most[begin, columns]
        self.seconds = bounds.times[end, columns] - bounds.times[begin, columns]
        self.bound = np.where(
            self.is_covered, (counted - self.own) / (bounds.rates * max(bounds.length, 1e-6)), np.nan
        )
        self.lacks: NDArray[np.float64] = np.maximum(self.own - counted, 0)
        self.short: NDArray[np.bool_] = self.is_covered & (counted < self.own * (1 - _MISSING) - FEW)
