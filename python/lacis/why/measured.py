"""What each link did in a window: counters joined with the links of the fabric, as arrays of a row for each link.

A row is a link and the port that it leaves. What a counter has grown by is known at least: where it was cleared in between, what
it has counted before and since is still there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..counters import FIELDS, Growth, LinkState, Lost, Readings, Sort, growth, joined
from ..counters.fields import TICK
from ..counters.links import active_rates, is_slower
from ..counters.readings import empty, keys_of
from ..counters.thinned import Thinned
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..fabric.ports import Ports
    from ..job.windows import Window
    from .sweeps import Sweeps

HOT = 0.8
"""A link that carries so much of its rate is busy."""
WAITING = 0.1
"""A link on which data waited for so much of the time is held up."""
_INTERVALS = (32, 512)
"""Intervals that a window is looked at in, of the most ports and of few: of more sweeps every other is left out, again and again."""
_MOST_ROWS = 2_000_000
"""Rows of readings that are kept at a time: some 300 MB."""
_COUNTED = (Sort.LINK, Sort.RECEIVER, Sort.SENDER, Sort.SETTING)
_LEFT_OUT = ("RcvSwitchRelayErrors", "VL15Dropped")
"""Errors that whole fabrics count too: multicast that leads back, management packets of which there are many."""
ERRORS = tuple(name for name, field in FIELDS.items() if field.sort in _COUNTED and name not in _LEFT_OUT)
"""Counters of errors."""


@dataclass(frozen=True)
class Thresholds:
    """What counts as busy and as waiting.

    Attributes:
        utilisation: a share of a link's rate.
        waiting: a share of the time.
        tick: bytes that could have been sent in a tick of XmitWait.
    """

    utilisation: float = HOT
    waiting: float = WAITING
    tick: float = TICK


@dataclass(frozen=True)
class Measured:
    """What each link did; every array has a row for each.

    Attributes:
        is_read: whether the port was read at both ends of the window.
        begins: when it was first read, nanoseconds since 1970; 0 where that is not known.
        ends: when it was last read.
        states: the worst `LinkState` that was read; `UNKNOWN` where none was.
        slowed: what the link carries at the worst [bytes/s], where its port says that this is less than its cable does; else NaN.
        sent: what the link carried [bytes/s], by whichever of its ends says more; NaN where neither does.
        peak: the greatest utilisation of an interval.
        waiting: the greatest share of an interval in which data waited; NaN where that is not known.
        hot: seconds of intervals in which the link was busy.
        held: seconds of intervals in which data waited.
        slow: seconds of intervals in which data waited and the link was not busy.
        seconds: seconds of all intervals.
        sent_hot: what it carried in intervals in which some link was busy [bytes/s]; NaN where that is not known.
        grown: by a counter of errors: by how much it has grown, at least.
        lost: by a counter: `Lost`, why its growth is not known.
        unread: why ports gave no answer, by row.
        has_times: whether it is known when ports were read.
    """

    is_read: NDArray[np.bool_]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    states: NDArray[np.uint8]
    slowed: NDArray[np.float64]
    sent: NDArray[np.float64]
    peak: NDArray[np.float64]
    waiting: NDArray[np.float64]
    hot: NDArray[np.float64]
    held: NDArray[np.float64]
    slow: NDArray[np.float64]
    seconds: NDArray[np.float64]
    sent_hot: NDArray[np.float64]
    grown: Mapping[str, NDArray[np.uint64]]
    lost: Mapping[str, NDArray[np.uint8]]
    unread: Mapping[int, str]
    has_times: bool


def measure(
    links: Ports, sweeps: Sweeps, window: Window, looked_at: NDArray[np.bool_], thresholds: Thresholds
) -> Measured:
    """What each link did in a window.

    Args:
        links: the fabric's.
        sweeps: its counters.
        window: when.
        looked_at: the ports that count; of others nothing is looked up.
        thresholds: what counts as busy and as waiting.
    """
    total = sweeps.growth(window.begin, window.end)
    whole = _Table(links, total, looked_at)
    kept, states, active = _kept(links, sweeps.readings(window.begin, window.end), looked_at)
    slowed = np.where(is_slower(active, links.rates), active, np.nan)
    intervals = _Intervals(links, thresholds, np.fmin(links.rates, slowed))
    before, *later = kept or [empty(0)]
    for after in later:
        intervals.add(before, after, looked_at)
        # A port that a sweep missed has its interval from the sweep before to the one after.
        before = after if _same_ports(before, after) else joined([after, before])
    lost = {
        name: np.maximum(whole.lost(name), intervals.lost.get(name, np.uint8(Lost.NOTHING)))
        for name in dict.fromkeys([*total.values, *intervals.lost])
    }
    grown = {
        name: np.maximum(whole.at_least(name), intervals.grown.get(name, np.uint64(0)))
        for name in ERRORS
        if name in total.values or name in intervals.grown
    }
    sent = intervals.rate()
    return Measured(
        is_read=whole.is_read,
        begins=whole.begins,
        ends=whole.ends,
        states=states,
        slowed=slowed,
        sent=sent,
        peak=intervals.peak,
        waiting=intervals.waiting,
        hot=intervals.hot,
        held=intervals.held,
        slow=intervals.slow,
        seconds=intervals.seconds,
        sent_hot=intervals.rate(of_hot=True),
        grown=grown,
        lost=lost,
        unread=_unread(links, kept),
        has_times=bool((whole.ends > 0).any()),
    )


def _same_ports(before: Readings, after: Readings) -> bool:
    """Whether two sweeps, which are in the order of their ports, have the same ones."""
    columns = ((one.guids, one.ports, one.planes) for one in (before, after))
    return all(np.array_equal(there, here) for there, here in zip(*columns, strict=True))


def _kept(
    links: Ports, readings: Iterable[Readings], looked_at: NDArray[np.bool_]
) -> tuple[list[Readings], NDArray[np.uint8], NDArray[np.float64]]:
    """The ports that are looked at in the first sweep, the last, and evenly spread ones between; the worst state of each, its least rate.

    Raises:
        LacisError: when no port of any sweep is one of the fabric.
    """
    states, active = np.full(len(links), _NONE, np.uint8), np.full(len(links), np.nan)
    here = ports = 0
    kept = Thinned(int(np.clip(_MOST_ROWS // max(int(looked_at.sum()), 1), *_INTERVALS)))
    for one in readings:
        rows = links.rows(one.guids, one.ports)
        known = rows >= 0
        here, ports = here + int(known.sum()), max(ports, len(known))
        taken = known & looked_at[rows]
        own = one.taken(taken)
        kept.add(own)
        said = np.where(own.states == LinkState.UNKNOWN, _UNSAID, own.states).astype(np.uint8)
        np.minimum.at(states, rows[taken], said)
        if own.lanes.any():
            np.fmin.at(active, rows[taken], active_rates(own))
    if ports and not here:
        raise LacisError(f"the counters are of another fabric: none of the {ports:,} ports is in it")
    return kept.kept(), np.where(states >= _UNSAID, LinkState.UNKNOWN, states).astype(np.uint8), active


_NONE, _UNSAID = 255, 254
"""States above those that a source says: of no reading, and of readings that say none."""


class _Table:
    """Growth by row of links; planes of one port together."""

    def __init__(self, links: Ports, grown: Growth, looked_at: NDArray[np.bool_]) -> None:
        rows = links.rows(grown.guids, grown.ports)
        self._taken = (rows >= 0) & looked_at[rows]
        self._rows, self._growth, self._size = rows[self._taken], grown, len(links)
        self.begins, self.ends = (self._worst(times) for times in (grown.begins, grown.ends))
        there = self._presence(grown)
        self.is_read = np.zeros(self._size, np.bool_)
        self.is_read[self._rows] = True
        np.logical_and.at(self.is_read, self._rows, there[self._taken])

    @staticmethod
    def _presence(grown: Growth) -> NDArray[np.bool_]:
        """Ports that both readings have: some counter is there in both."""
        present = np.zeros(len(grown), np.bool_)
        for codes in grown.lost.values():
            present |= codes != Lost.ABSENT
        return present

    def _worst(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        found = np.zeros(self._size, np.int64)
        found[self._rows] = times[self._taken]
        return found

    def grown(self, name: str) -> NDArray[np.uint64]:
        """The growth of a counter; 0 where that is not known."""
        values = self._growth.values.get(name)
        return np.zeros(self._size, np.uint64) if values is None else self.sum(values)

    def at_least(self, name: str) -> NDArray[np.uint64]:
        """What a counter has surely grown by."""
        values = self._growth.at_least.get(name, self._growth.values.get(name))
        return np.zeros(self._size, np.uint64) if values is None else self.sum(values)

    def sum(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Values in the order of the growth by row of links."""
        found = np.zeros(self._size, np.uint64)
        np.add.at(found, self._rows, values[self._taken])
        return found

    def lost(self, name: str) -> NDArray[np.uint8]:
        """Why a counter's growth is not known."""
        found = np.full(self._size, Lost.ABSENT, np.uint8)
        if name in self._growth.lost:
            found[self._rows] = Lost.NOTHING
            np.maximum.at(found, self._rows, self._growth.lost[name][self._taken])
        return found

    def known(self, name: str) -> NDArray[np.float64]:
        """The growth of a counter; NaN where that is not known."""
        return np.where(self.lost(name) == Lost.NOTHING, self.grown(name).astype(np.float64), np.nan)


class _Intervals:
    """Sums over the intervals between sweeps."""

    def __init__(self, links: Ports, thresholds: Thresholds, rates: NDArray[np.float64]) -> None:
        size = len(links)
        self._links, self._thresholds, self._rates = links, thresholds, rates
        self.peak, self.waiting = np.full(size, np.nan), np.full(size, np.nan)
        self.hot, self.held, self.slow, self.seconds = (np.zeros(size) for _ in range(4))
        self._sums = {of_hot: (np.zeros(size), np.zeros(size)) for of_hot in (False, True)}
        self.grown: dict[str, NDArray[np.uint64]] = {}
        self.lost: dict[str, NDArray[np.uint8]] = {}

    def add(self, before: Readings, after: Readings, looked_at: NDArray[np.bool_]) -> None:
        """Counts an interval."""
        step = growth(before, after)
        table = _Table(self._links, step, looked_at)
        passed = np.where(table.ends > table.begins, (table.ends - table.begins) / 1e9, np.nan)
        received = self._links.of_far(table.known("RcvData"), np.nan)
        there = self._links.of_far(passed, np.nan)
        passed = np.where(np.isnan(passed), there, passed)
        carried = np.fmax(table.known("XmitData"), received) * step.unit
        rate = carried / passed
        used = rate / self._rates
        waiting = table.known("XmitWait") * self._thresholds.tick / (passed * self._rates)
        self.peak, self.waiting = np.fmax(self.peak, used), np.fmax(self.waiting, waiting)
        length = np.nan_to_num(passed)
        is_hot, is_held = used >= self._thresholds.utilisation, waiting >= self._thresholds.waiting
        self.hot += length * is_hot
        self.held += length * is_held
        self.slow += length * (is_held & (used < self._thresholds.utilisation))
        self.seconds += length
        for of_hot, (sums, seconds) in self._sums.items():
            if not of_hot or is_hot.any():
                is_known = np.isfinite(rate)
                sums[is_known] += carried[is_known]
                seconds[is_known] += length[is_known]
        self._add_errors(step, table, before, after)

    def rate(self, *, of_hot: bool = False) -> NDArray[np.float64]:
        """What each link carried [bytes/s], in all intervals or in those with a busy link."""
        sums, seconds = self._sums[of_hot]
        rates = np.full(len(sums), np.nan)
        np.divide(sums, seconds, out=rates, where=seconds > 0)
        return rates

    def _add_errors(self, step: Growth, table: _Table, before: Readings, after: Readings) -> None:
        for name in step.values:
            lost = table.lost(name)
            # A port that one sweep has missed is known from the sweeps around it.
            lost[lost == Lost.ABSENT] = Lost.NOTHING
            self.lost[name] = np.maximum(self.lost.get(name, np.uint8(Lost.NOTHING)), lost)
            if name in ERRORS:
                least = table.sum(_at_least(step, name, before, after))
                self.grown[name] = self.grown.get(name, np.uint64(0)) + least


def _at_least(step: Growth, name: str, before: Readings, after: Readings) -> NDArray[np.uint64]:
    """The growth of a counter, or what it certainly has grown by where it was cleared or is full."""
    is_part = np.isin(step.lost[name], (Lost.CLEARED, Lost.FULL))
    if not is_part.any():
        return step.values[name]
    then, now = (_column(step, readings, name) for readings in (before, after))
    # What fell was cleared, and has counted from 0 since.
    since = np.where(now < then, now, now - then)
    return np.where(is_part, since, step.values[name])


def _column(step: Growth, readings: Readings, name: str) -> NDArray[np.uint64]:
    """A counter in the rows of a growth; 0 where it is not known."""
    found = np.zeros(len(step), np.uint64)
    if name in readings.values:
        at = np.searchsorted(keys_of(step.guids, step.ports, step.planes), readings.keys)
        found[at] = np.where(readings.known[name], readings.values[name], 0)
    return found


def _unread(links: Ports, kept: list[Readings]) -> dict[int, str]:
    """Why ports gave no answer, by row."""
    found: dict[int, str] = {}
    for one in kept:
        if one.unread:
            guids = np.array([it.guid for it in one.unread], np.uint64)
            rows = links.rows(guids, np.array([it.port for it in one.unread], np.int64))
            found.update(
                {row: it.reason for row, it in zip(rows.tolist(), one.unread, strict=True) if row >= 0}
            )
    return found
