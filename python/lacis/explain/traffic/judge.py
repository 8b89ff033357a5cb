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

from dataclasses import dataclass, replace
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
CLOCKS = (
    (0.0, 0.1),
    *((sign * shift, within) for shift, within in ((0.2, 0.1), (0.4, 0.1), (0.65, 0.15)) for sign in (1, -1)),
    *((sign * 0.2 * 1.5**power * 5, 0.2 * 1.5**power) for power in range(11) for sign in (1, -1)),
)
"""By how many seconds the clock of who read the counters may be ahead of that of rank 0, and how exactly that is; up to a minute."""
_FEW = 1 << 20
"""Bytes that barriers, results and management packets come to."""
_MISSING = 0.02
"""A link that counted less than was sent, by this share of it, did not carry it all."""
_ELSEWHERE = 0.1
"""The share of hosts' links from which the measurement ran elsewhere."""
_LISTED = 8
_TRIED = 0.8
"""Clocks are possible that leave this share of the measurement within the sweeps: that they miss it is not supposed."""
_LACKING = 0.003
"""The share of what was sent over hosts' links that counters may lack at the right time."""


@dataclass(frozen=True)
class ByLink:
    """What the counters of each link say; arrays have an element for each link of `Sent.rows`.

    Attributes:
        seen: which carried something else, while the measurement ran.
        share: the greatest share of its rate that this took in a span, at least; 0 where none is seen.
        bytes: what else it carried in that span, at least.
        began: when the span began, nanoseconds since 1970.
        ended: when it ended.
        doubtful: which did unless clocks differ.
        clean: which carried nothing else, beyond `bound`.
        bound: the share of its rate that something else took at most, over the measurement; NaN where that is not known.
    """

    seen: NDArray[np.bool_]
    share: NDArray[np.float64]
    bytes: NDArray[np.float64]
    began: NDArray[np.int64]
    ended: NDArray[np.int64]
    doubtful: NDArray[np.bool_]
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
    bounds = _Bounds(sent, seen, *CLOCKS[0])
    clocks = _clocks(sent, seen)
    if clocks and CLOCKS[0] not in clocks:
        return cannot_say(*more, of.ClocksApart(clocks[0][0]))
    # Where none fits, hosts lack what was sent at any time, and that is said below.
    clocks = [CLOCKS[0], *(one for one in clocks if one != CLOCKS[0])]
    whole = _Whole(bounds)
    short = whole.short & sent.of_hosts
    looked_at = whole.is_covered & sent.of_hosts & (whole.own > _FEW)
    if short.sum() > _ELSEWHERE * looked_at.sum() > 0:
        return cannot_say(*more, of.SentElsewhere(int(short.sum()), int(looked_at.sum())))
    differ = whole.short & ~sent.of_hosts
    decided: NDArray[np.bool_] = sent.of_hosts if differ.any() else np.ones(len(sent.rows), np.bool_)
    by_link = _by_link(sent, seen, whole, decided, clocks)
    unsaid = [*more, *_unsaid(sent, seen, bounds, whole, by_link, differ)]
    if short.any():
        # What a host did not send may have been sent by another, where their names are exchanged.
        moved = by_link.bytes <= whole.lacks[short].sum()
        by_link = replace(by_link, seen=by_link.seen & ~moved, share=np.where(moved, 0.0, by_link.share))
        unsaid.append(of.SentElsewhere(int(short.sum()), int(looked_at.sum())))
    if by_link.doubtful.any():
        unsure = max(abs(shift) + within for shift, within in clocks)
        unsaid.append(of.ClocksUnsure(unsure, int(by_link.doubtful.sum())))
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
            lacks = surely * (1 - _LACKING) - (self.bytes[step:] - self.bytes[:-step])
            good = (self.lost[step:] == self.lost[:-step]) & (self.times[step:] > self.times[:-step])
            total = max(total, float(np.maximum(lacks, 0)[good].sum()))
        return total


class _Whole:
    """The shortest span of each link that holds all of the measurement."""

    def __init__(self, bounds: _Bounds) -> None:
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
        self.short: NDArray[np.bool_] = self.is_covered & (counted < self.own * (1 - _MISSING) - _FEW)


def _clocks(sent: Sent, seen: Carried) -> list[tuple[float, float]]:
    """Which of `CLOCKS` are possible: at the right time hosts' links lack nothing of what was sent over them."""
    own = sent.bytes[sent.of_hosts[sent.link]].sum()
    few = _LACKING * own + _FEW
    bounds = [_Bounds(sent, seen, *one, sent.of_hosts) for one in CLOCKS]
    # Where the sweeps would miss much of the measurement nothing can lack.
    there = [one.within_sweeps() for one in bounds]
    found = [
        (one, much)
        for one, much, each in zip(CLOCKS, there, bounds, strict=True)
        if much >= _TRIED * there[0] and each.lacking() <= few
    ]
    # The likeliest first: that by which the sweeps hold most of the measurement, and which is least apart.
    most = max((much for _, much in found), default=0.0)
    found.sort(key=lambda of: (of[1] < 0.99 * most, abs(of[0][0])))
    return [one for one, _ in found]


def _by_link(
    sent: Sent,
    seen: Carried,
    whole: _Whole,
    decided: NDArray[np.bool_],
    clocks: Sequence[tuple[float, float]],
) -> ByLink:
    """What each link says: other traffic is seen where it would be whichever of the possible clocks is right."""
    first, *others = (_best(_Bounds(sent, seen, *one), decided) for one in clocks)
    share = np.minimum.reduce([first.share, *(other.share for other in others)])
    is_seen = share > 0
    bound: NDArray[np.float64] = np.nan_to_num(whole.bound, nan=np.inf)
    clean: NDArray[np.bool_] = decided & (first.share == 0) & whole.is_covered & (bound <= SHARE)
    excess = np.minimum.reduce([first.excess, *(other.excess for other in others)])
    at = [
        np.where(is_seen, int(sent.began.min()) + (1e9 * times).astype(np.int64), 0) for times in first.ends
    ]
    doubtful = (first.share > 0) & ~is_seen
    return ByLink(is_seen, share, np.where(is_seen, excess, 0), at[0], at[1], doubtful, clean, whole.bound)


@dataclass(frozen=True)
class _Best:
    """By link, of all spans: the greatest share of other traffic, 0 where none is seen; its bytes, and when the span begins and ends."""

    share: NDArray[np.float64]
    excess: NDArray[np.float64]
    ends: tuple[NDArray[np.float64], NDArray[np.float64]]


def _best(bounds: _Bounds, decided: NDArray[np.bool_]) -> _Best:
    """Looks for other traffic in all spans of 1, 2, 4 … sweeps, and in the longest one."""
    count, size = bounds.times.shape
    best = _Best(np.zeros(size), np.zeros(size), (np.zeros(size), np.zeros(size)))
    columns = np.arange(size)
    steps = sorted({*(1 << bit for bit in range(count.bit_length()) if 1 << bit < count), count - 1})
    for step in steps:
        found, *rest = _spans(bounds, step)
        found = np.where(decided, found, 0.0)
        row = found.argmax(axis=0)
        share = found[row, columns]
        excess, begin, end = (
            np.where(share > best.share, values[row, columns], old)
            for values, old in zip(rest, (best.excess, *best.ends), strict=True)
        )
        best = _Best(np.maximum(share, best.share), excess, (begin, end))
    return best


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
    unread: NDArray[np.bool_] = ~whole.is_read
    uncovered: NDArray[np.bool_] = whole.is_read & ~whole.is_enclosed
    unrated: NDArray[np.bool_] = whole.is_covered & np.isnan(bounds.rates)
    masks: list[tuple[type[of.EndsUnread | of.LinksUncovered | of.LinkRatesUnknown], NDArray[np.bool_]]] = [
        (of.EndsUnread, unread),
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
    between = whole.is_covered & ~by_link.seen & ~by_link.doubtful & ~by_link.clean & ~unrated
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
