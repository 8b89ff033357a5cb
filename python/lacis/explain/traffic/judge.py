"""Whether something else was sent: what links carried, less what the measurement can have sent over them by then.

Of a window that the sweeps cut, only bounds are known: its flows sent at most what the link carries since it began, and at least what
they cannot have sent after the cut. A span of sweeps shows other traffic where it counted more than the most that was sent in it, with
headers, and more than fits into the time that it has before and after the measurement.

| here     | meaning                                                            |
|----------|--------------------------------------------------------------------|
| `least`  | what the measurement has surely sent by a reading, without headers |
| `most`   | the most that it can have sent by then, without headers            |
| `excess` | what a span counted beyond what was sent                            |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...counters import Lost
from ...facts import traffic as of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .carried import Carried
    from .sent import Sent

HEADERS = 0.04
"""What headers and acknowledgements add to what is sent, at most: packets of 256 bytes and IPoIB add more, and are not used to measure."""
SHARE = 0.05
"""Other traffic of this share of a link's rate counts; it takes 5 % from flows, which is less than what is called a loss."""
CLOCKS = 0.1
"""Seconds by which the clocks of rank 0 and of who read the counters may differ."""
_FEW = 1 << 20
"""Bytes that barriers, results and management packets come to."""
_MISSING = 0.02
"""A link that counted less than was sent, by this share of it, did not carry it all."""
_ELSEWHERE = 0.1
"""The share of hosts' links from which the measurement ran elsewhere."""
_LISTED = 8
_SHIFTS = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
_CLEARER = 0.25
"""Counters fit another time much better where this share of what does not fit is left."""


@dataclass(frozen=True)
class ByLink:
    """What the counters of each link say; arrays have an element for each link of `Sent.rows`.

    Attributes:
        seen: which carried something else, while the measurement ran.
        share: the greatest share of its rate that this took in a span, at least; 0 where none is seen.
        bytes: what else it carried in that span, at least.
        began: when the span began, nanoseconds since 1970.
        ended: when it ended.
        clean: which carried nothing else, beyond `bound`.
        bound: the share of its rate that something else took at most, over the measurement; NaN where that is not known.
    """

    seen: NDArray[np.bool_]
    share: NDArray[np.float64]
    bytes: NDArray[np.float64]
    began: NDArray[np.int64]
    ended: NDArray[np.int64]
    clean: NDArray[np.bool_]
    bound: NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """A measurement without long pauses, and what counters say of each link that it crosses."""

    sent: Sent
    links: ByLink


@dataclass(frozen=True)
class Others:
    """Whether counters show other traffic.

    Attributes:
        fact: the verdict.
        parts: those of the measurement of which counters say something.
        unsaid: why it cannot be said that there was none; also where some is seen.
    """

    fact: of.OtherTraffic
    parts: Sequence[Part]
    unsaid: Sequence[of.Unsaid]

    @property
    def word(self) -> of.TrafficWord:
        """The answer."""
        match self.fact:
            case of.OthersSent():
                return "seen"
            case of.NothingElseSent():
                return "none"
            case _:
                return "cannot_tell"


def cannot_say(*unsaid: of.Unsaid) -> Others:
    """That nothing can be said, for these reasons."""
    return Others(of.CannotSay(len(unsaid)), (), unsaid)


def judged(sent: Sent, seen: Carried, *more: of.Unsaid) -> Others:
    """Whether the links of a measurement carried something else.

    Args:
        sent: what the measurement sent.
        seen: what its links carried.
        more: further reasons why it cannot be said that there was none.
    """
    if seen.sweeps < 2:
        return cannot_say(*more, of.SweepsFew(seen.sweeps))
    if seen.undated:
        return cannot_say(*more, of.SweepsUndated())
    bounds = _Bounds(sent, seen)
    shift = _shift(sent, seen, bounds)
    if shift:
        return cannot_say(*more, of.ClocksApart(shift))
    whole = _Whole(bounds)
    short = whole.short & sent.of_hosts
    looked_at = whole.is_covered & sent.of_hosts & (whole.own > _FEW)
    if short.sum() > _ELSEWHERE * looked_at.sum() > 0:
        return cannot_say(*more, of.SentElsewhere(int(short.sum()), int(looked_at.sum())))
    differ = whole.short & ~sent.of_hosts
    by_link = _by_link(bounds, whole, sent.of_hosts if differ.any() else np.ones(len(sent.rows), np.bool_))
    unsaid = [*more, *_unsaid(sent, seen, bounds, whole, by_link, differ)]
    return Others(_verdict(sent, by_link, unsaid), [Part(sent, by_link)], unsaid)


def _verdict(sent: Sent, by_link: ByLink, unsaid: Sequence[of.Unsaid]) -> of.OtherTraffic:
    if by_link.seen.any():
        first = int(by_link.share.argmax())
        share = float(by_link.share[first])
        return of.OthersSent(int(by_link.seen.sum()), len(sent.rows), sent.ends(first), share)
    if unsaid or not by_link.clean.all() or not len(sent.rows):
        return of.CannotSay(len(unsaid))
    return of.NothingElseSent(len(sent.rows), float(np.maximum(by_link.bound, 0).max()))


def together(parts: Sequence[Others]) -> Others:
    """What counters say of a measurement in several parts: other traffic in one of them is other traffic."""
    if len(parts) == 1:
        return parts[0]
    unsaid: list[of.Unsaid] = []
    for reason in (reason for part in parts for reason in part.unsaid):
        if reason not in unsaid:
            unsaid.append(reason)
    seen = [part.fact for part in parts if isinstance(part.fact, of.OthersSent)]
    none = [part.fact for part in parts if isinstance(part.fact, of.NothingElseSent)]
    fact: of.OtherTraffic
    if seen:
        fact = max(seen, key=lambda fact: fact.share)
    elif len(none) < len(parts):
        fact = of.CannotSay(len(unsaid))
    else:
        fact = of.NothingElseSent(max(fact.links for fact in none), max(fact.share for fact in none))
    return Others(fact, [one for part in parts for one in part.parts], unsaid)


class _Bounds:
    """What was counted and can have been sent by each reading, in seconds since the measurement began."""

    def __init__(self, sent: Sent, seen: Carried) -> None:
        self.origin = int(sent.began.min())
        self.length = (int(sent.ended.max()) - self.origin) / 1e9
        self.times = np.where(seen.times > 0, (seen.times - self.origin) / 1e9, np.nan)
        self.bytes, self.lost, self.rates = seen.bytes, seen.lost, sent.rates
        self._sent = sent
        self.least, self.most = self.at(0.0)
        unknown = (sent.unknown - self.origin) / 1e9
        self.unknown = np.zeros_like(self.times)
        for began, ended in unknown.reshape(-1, 2):
            self.unknown += np.clip(self.times - began + CLOCKS, 0, ended - began + 2 * CLOCKS)

    def at(self, shift: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`least` and `most` at each reading of each link, if its clock is so many seconds ahead."""
        sent, shape = self._sent, self.times.shape
        began = (sent.began[sent.window] - self.origin) / 1e9
        length = np.maximum((sent.ended - sent.began)[sent.window] / 1e9, 1e-6)
        rate = np.fmax(self.rates[sent.link], sent.bytes / length)
        least, most = np.zeros(shape), np.zeros(shape)
        for row, times in enumerate(self.times):
            since = times[sent.link] - shift - began
            early, late = since - CLOCKS, np.minimum(since + CLOCKS, length)
            surely = np.where(
                early >= length, sent.bytes, sent.bytes - rate * (length - np.maximum(early, 0))
            )
            perhaps = np.where(late >= length, sent.bytes, np.minimum(sent.bytes, rate * late))
            for into, values in ((least, surely), (most, perhaps)):
                each = np.maximum(np.nan_to_num(values), 0)
                into[row] = np.bincount(sent.link, weights=each, minlength=shape[1])
        return least, most

    def outside(self, begin: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds of spans that lie before the measurement or after it."""
        before = np.maximum(np.minimum(end, CLOCKS) - begin, 0)
        after = np.maximum(end - np.maximum(begin, self.length - CLOCKS), 0)
        both: NDArray[np.float64] = np.minimum(before + after, end - begin)
        return both


class _Whole:
    """The shortest span of each link that holds all of the measurement."""

    def __init__(self, bounds: _Bounds) -> None:
        count, size = bounds.times.shape
        first = (bounds.times <= -CLOCKS).sum(axis=0) - 1 + np.isnan(bounds.times).sum(axis=0)
        last = count - (bounds.times >= bounds.length + CLOCKS).sum(axis=0)
        has_before = (bounds.times <= -CLOCKS).any(axis=0)
        columns = np.arange(size)
        self.is_read = np.isfinite(bounds.times).any(axis=0)
        self.is_enclosed = has_before & (last < count)
        begin, end = np.where(self.is_enclosed, first, 0), np.where(self.is_enclosed, last, count - 1)
        self.is_lost = bounds.lost[end, columns] > bounds.lost[begin, columns]
        self.is_covered = self.is_enclosed & ~self.is_lost
        counted = bounds.bytes[end, columns] - bounds.bytes[begin, columns]
        self.own = bounds.least[end, columns] - bounds.most[begin, columns]
        self.seconds = bounds.times[end, columns] - bounds.times[begin, columns]
        self.bound = np.where(
            self.is_covered, (counted - self.own) / (bounds.rates * max(bounds.length, 1e-6)), np.nan
        )
        self.short = self.is_covered & (counted < self.own * (1 - _MISSING) - _FEW)


def _by_link(bounds: _Bounds, whole: _Whole, decided: NDArray[np.bool_]) -> ByLink:
    """Looks for other traffic in all spans of 1, 2, 4 … sweeps, and in the longest one."""
    count, size = bounds.times.shape
    share, most = np.zeros(size), np.zeros(size)
    began, ended = np.zeros(size), np.zeros(size)
    steps = sorted(
        {*(1 << bit for bit in range(max(count - 1, 1).bit_length()) if 1 << bit < count), count - 1}
    )
    for step in steps:
        found, excess, begin, end = _spans(bounds, step)
        found = np.where(decided, found, 0.0)
        best = found.argmax(axis=0)
        columns = np.arange(size)
        better = found[best, columns] > share
        share = np.where(better, found[best, columns], share)
        most = np.where(better, excess[best, columns], most)
        began, ended = (
            np.where(better, times[best, columns], old) for times, old in ((begin, began), (end, ended))
        )
    seen = share > 0
    clean = decided & ~seen & whole.is_covered & (np.nan_to_num(whole.bound, nan=np.inf) <= SHARE)
    at = [np.where(seen, bounds.origin + (1e9 * times).astype(np.int64), 0) for times in (began, ended)]
    return ByLink(seen, share, most, at[0], at[1], clean, whole.bound)


def _spans(bounds: _Bounds, step: int) -> tuple[NDArray[np.float64], ...]:
    """Of all spans of so many sweeps: the share that other traffic took at least, 0 where none is seen; its bytes; begin and end."""
    begin, end = bounds.times[:-step], bounds.times[step:]
    own = (bounds.most[step:] - bounds.least[:-step]) * (1 + HEADERS)
    outside = bounds.outside(begin, end)
    counted = bounds.bytes[step:] - bounds.bytes[:-step]
    excess = counted - own - np.where(outside > 0, bounds.rates * outside, 0)
    good = (end > begin) & (bounds.lost[step:] == bounds.lost[:-step])
    good &= bounds.unknown[step:] <= bounds.unknown[:-step]
    inside = np.maximum(end - begin - outside, 1e-9)
    share = excess / (bounds.rates * inside)
    is_seen = good & (outside < end - begin) & (excess > _FEW) & (share > SHARE)
    return np.where(is_seen, share, 0.0), excess, begin, end


def _shift(sent: Sent, seen: Carried, bounds: _Bounds) -> float:
    """By how many seconds the counters of hosts' links are later than what was sent, where they fit that much better; else 0."""
    counted = np.diff(seen.bytes, axis=0)
    good = sent.of_hosts & (np.diff(seen.lost, axis=0) == 0) & np.isfinite(bounds.times[:-1])

    def amiss(least: NDArray[np.float64], most: NDArray[np.float64]) -> float:
        beyond = counted - (most[1:] - least[:-1]) * (1 + HEADERS)
        lacking = (least[1:] - most[:-1]) * (1 - _MISSING) - counted
        return float((np.maximum(beyond, 0) + np.maximum(lacking, 0))[good].sum())

    now = amiss(bounds.least, bounds.most)
    if now <= _MISSING * sent.bytes[sent.of_hosts[sent.link]].sum() + _FEW:
        return 0.0
    shifts = [sign * shift for shift in _SHIFTS for sign in (1, -1)]
    best = min(shifts, key=lambda shift: amiss(*bounds.at(shift)))
    return best if amiss(*bounds.at(best)) < _CLEARER * now else 0.0


def _unsaid(
    sent: Sent,
    seen: Carried,
    bounds: _Bounds,
    whole: _Whole,
    by_link: ByLink,
    differ: NDArray[np.bool_],
) -> list[of.Unsaid]:
    """Why it cannot be said of some links that they carried nothing else."""
    found: list[of.Unsaid] = []
    if len(sent.unknown):
        found.append(of.SentUnknown(float((sent.unknown[:, 1] - sent.unknown[:, 0]).sum() / 1e9)))
    unread = ~whole.is_read
    uncovered = whole.is_read & ~whole.is_enclosed
    unrated = whole.is_covered & np.isnan(bounds.rates)
    masks: list[tuple[type[of.LinksUnread | of.LinksUncovered | of.LinkRatesUnknown], NDArray[np.bool_]]] = [
        (of.LinksUnread, unread),
        (of.LinksUncovered, uncovered),
        (of.LinkRatesUnknown, unrated),
    ]
    found += [kind(_some(sent, which), int(which.sum())) for kind, which in masks if which.any()]
    is_lost = whole.is_enclosed & whole.is_lost
    for code in np.unique(seen.reasons[is_lost]).tolist():
        of_code: NDArray[np.bool_] = is_lost & (seen.reasons == code)
        found.append(of.GrowthLost(Lost(code).name.lower(), _some(sent, of_code), int(of_code.sum())))  # type: ignore[arg-type]
    if differ.any():
        found.append(of.PathsDiffer(_some(sent, differ), int(differ.sum())))
        return found
    between = whole.is_covered & ~by_link.seen & ~by_link.clean & ~unrated
    coarse = between & (whole.seconds > 1.2 * bounds.length)
    if coarse.any():
        seconds = float(whole.seconds[coarse].max())
        found.append(of.SweepsCoarse(seconds, bounds.length, int(coarse.sum())))
    small = between & ~coarse
    if small.any():
        found.append(of.ShareSmall(float(whole.bound[small].max()), int(small.sum())))
    return found


def _some(sent: Sent, which: NDArray[np.bool_]) -> list[tuple[str, str]]:
    return [sent.ends(at) for at in np.flatnonzero(which)[:_LISTED].tolist()]
