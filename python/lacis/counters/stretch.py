"""A stretch of time: the first and the last reading of each port in it, and how much its counters have grown in between.

A single sweep is a stretch, and two that follow one another are one: growth between two readings, over a window of a store and in
a roll-up are the same sum. It is exact or not known: each step from one reading of a port to its next one either shows by how much
a counter has grown, or why that is not known, and one such step makes the whole of that counter unknown.

What shows that a counter was cleared: it fell, or another counter of its attribute did, as a manager clears PortCounters or
PortCountersExtended as a whole. Counters that have all grown past their old values since show nothing: their growth is then too low,
and never too high.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .beside import Rows
from .fields import FIELDS, Sort
from .lost import Lost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .beside import Side
    from .readings import Readings

_T = TypeVar("_T", bound=np.generic)

FASTEST = 400e9
"""Bytes per second that no port carries: twice the rate of eight lanes of XDR, the fastest there are."""


@dataclass(frozen=True)
class Stretch:
    """What is known of ports from the first to the last of some sweeps.

    Attributes:
        first: the first reading of each port; the value of a counter that it does not know is the first that is known later.
        last: the last one, of the same rows; of a counter that it does not know, the last value that was known before.
        seen: by a counter's name: whether any reading of the stretch knows it, so that the two values above mean something.
        grown: by the same names: how much it has surely grown.
        lost: by the same names: `Lost`, why `grown` is not all.
        samples: in how many sweeps each port was read.
        gap_before: whether a sweep before the port's first reading neither had it nor asked it in vain.
        gap_after: the same after its last reading.
        unread: GUID and port of those that all sweeps asked in vain.
    """

    first: Readings
    last: Readings
    seen: Mapping[str, NDArray[np.bool_]]
    grown: Mapping[str, NDArray[np.uint64]]
    lost: Mapping[str, NDArray[np.uint8]]
    samples: NDArray[np.uint32]
    gap_before: NDArray[np.bool_]
    gap_after: NDArray[np.bool_]
    unread: frozenset[tuple[int, int]] = frozenset()

    def __len__(self) -> int:
        return len(self.first)


def stretch(readings: Readings) -> Stretch:
    """The stretch of a single sweep."""
    count = len(readings)
    if not _is_sorted(readings):
        readings = _once(readings.sorted())
        count = len(readings)
    return Stretch(
        readings,
        readings,
        readings.known,
        {name: np.zeros(count, np.uint64) for name in readings.values},
        {name: np.zeros(count, np.uint8) for name in readings.values},
        np.ones(count, np.uint32),
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        frozenset((one.guid, one.port) for one in readings.unread),
    )


def _is_sorted(readings: Readings) -> bool:
    """Whether each row is of a later port than the one before."""
    guids, ports, planes = readings.guids, readings.ports, readings.planes
    same_guid, same_port = guids[1:] == guids[:-1], ports[1:] == ports[:-1]
    later = (guids[1:] > guids[:-1]) | (same_guid & (ports[1:] > ports[:-1]))
    return bool((later | (same_guid & same_port & (planes[1:] > planes[:-1]))).all())


def _once(readings: Readings) -> Readings:
    """Rows of one sweep without those whose port it has twice: the later one stays."""
    keys = readings.keys
    return readings.taken(np.append(keys[1:] != keys[:-1], np.True_))


def followed(before: Stretch, after: Stretch, hole: Lost = Lost.NOTHING) -> Stretch:
    """Two stretches of which the second follows the first.

    Args:
        before: the earlier one.
        after: the later one.
        hole: why what lies between them is not known.
    """
    rows = Rows.of(before.first, after.first)
    a, b = rows.before, rows.after
    passed = np.where(rows.both, b.put(after.first.times) - a.put(before.last.times), 0)
    dated = rows.both & (a.put(before.last.times) != 0) & (b.put(after.first.times) != 0)
    port_lost = _port_lost(rows, before, after, dated & (passed <= 0), hole)
    names = list(dict.fromkeys([*before.seen, *after.seen]))
    steps = {name: _Step.of(name, rows, before, after) for name in names}
    seconds = np.where(dated & (passed > 0), passed / 1e9, np.inf)
    cleared, beyond = _by_attribute(steps, seconds, after.first.unit, len(rows.keys))
    same_unit = before.last.unit == after.first.unit
    grown: dict[str, NDArray[np.uint64]] = {}
    lost: dict[str, NDArray[np.uint8]] = {}
    for name, step in steps.items():
        reason = step.lost(cleared, beyond)
        if not same_unit and FIELDS[name].sort is Sort.DATA:
            reason[step.both] = Lost.ABSENT
        reason = np.where((port_lost != 0) & step.both, port_lost, reason)
        counts = step.both & ((reason == Lost.NOTHING) | (reason == Lost.FULL)) & (step.now >= step.then)
        sums = a.of(before.grown, name, np.uint64) + b.of(after.grown, name, np.uint64)
        grown[name] = sums + np.where(counts, step.now - step.then, 0)
        kept = a.of(before.lost, name, np.uint8)
        kept = np.where(kept != 0, kept, reason)
        lost[name] = np.where(kept != 0, kept, b.of(after.lost, name, np.uint8)).astype(np.uint8)
    return _joined(rows, before, after, steps, grown, lost)


@dataclass(frozen=True)
class _Step:
    """A counter from the last value of one stretch to the first of the next."""

    name: str
    then: NDArray[np.uint64]
    now: NDArray[np.uint64]
    known_then: NDArray[np.bool_]
    known_now: NDArray[np.bool_]
    wide_then: NDArray[np.bool_]
    wide: NDArray[np.bool_]
    both: NDArray[np.bool_]

    @classmethod
    def of(cls, name: str, rows: Rows, before: Stretch, after: Stretch) -> _Step:
        a, b = rows.before, rows.after
        known_then, known_now = a.of(before.seen, name, np.bool_), b.of(after.seen, name, np.bool_)
        return cls(
            name,
            a.of(before.last.values, name, np.uint64),
            b.of(after.first.values, name, np.uint64),
            known_then,
            known_now,
            a.of(before.last.wide, name, np.bool_),
            b.of(after.first.wide, name, np.bool_),
            known_then & known_now,
        )

    def lost(
        self, cleared: Mapping[bool, NDArray[np.bool_]], beyond: Mapping[bool, NDArray[np.bool_]]
    ) -> NDArray[np.uint8]:
        """Why the step is not known, as far as the values say."""
        reason = np.zeros(len(self.then), np.uint8)
        greatest = (1 << FIELDS[self.name].bits) - 1
        if greatest:
            reason[self.both & ~self.wide & (self.now >= greatest)] = Lost.FULL
        for marks, mark in ((beyond, Lost.BEYOND), (cleared, Lost.CLEARED)):
            reason[self.both & np.where(self.wide, marks[True], marks[False])] = mark
        reason[self.both & (self.wide_then != self.wide)] = Lost.ABSENT
        return reason


def _by_attribute(
    steps: Mapping[str, _Step], seconds: NDArray[np.float64], unit: int, count: int
) -> tuple[dict[bool, NDArray[np.bool_]], dict[bool, NDArray[np.bool_]]]:
    """Which ports' attributes were cleared, and which show data that no link carries: those of 64 bits, and the others."""
    cleared = {is_wide: np.zeros(count, np.bool_) for is_wide in (False, True)}
    beyond = {is_wide: np.zeros(count, np.bool_) for is_wide in (False, True)}
    most = FASTEST / unit * seconds
    for name, step in steps.items():
        known = step.both & (step.wide_then == step.wide)
        fell = known & (step.now < step.then)
        much = np.zeros(count, np.bool_)
        if FIELDS[name].sort is Sort.DATA:
            much = known & ~fell & ((step.now - step.then).astype(np.float64) > most)
        for is_wide in (False, True):
            cleared[is_wide] |= fell & (step.wide == is_wide)
            beyond[is_wide] |= much & (step.wide == is_wide)
    return cleared, beyond


def _port_lost(
    rows: Rows, before: Stretch, after: Stretch, set_back: NDArray[np.bool_], hole: Lost
) -> NDArray[np.uint8]:
    """Why the step of a port as a whole is not known."""
    a, b = rows.before, rows.after
    then, now = a.put(before.last.lids), b.put(after.first.lids)
    gone = a.put(before.gap_after) | b.put(after.gap_before)
    gone |= (then != now) & (then != 0) & (now != 0)
    lost = np.zeros(len(rows.keys), np.uint8)
    lost[rows.both & gone] = Lost.GONE
    lost[set_back] = Lost.CLOCK
    if hole:
        lost[rows.both] = hole
    return lost


def _joined(
    rows: Rows,
    before: Stretch,
    after: Stretch,
    steps: Mapping[str, _Step],
    grown: dict[str, NDArray[np.uint64]],
    lost: dict[str, NDArray[np.uint8]],
) -> Stretch:
    a, b = rows.before, rows.after
    seen = {name: step.known_then | step.known_now for name, step in steps.items()}
    first = _one(rows, before.first, after.first, a, b, before.seen, list(steps))
    last = _one(rows, after.last, before.last, b, a, after.seen, list(steps))
    samples = a.put(before.samples) + b.put(after.samples)
    gap_before = np.where(
        a.has, a.put(before.gap_before), b.put(after.gap_before) | _left_out(rows, before, a.has)
    )
    gap_after = np.where(
        b.has, b.put(after.gap_after), a.put(before.gap_after) | _left_out(rows, after, b.has)
    )
    return Stretch(
        replace(first, ended=before.first.ended, unread=before.first.unread),
        last,
        seen,
        grown,
        lost,
        samples.astype(np.uint32),
        gap_before.astype(np.bool_),
        gap_after.astype(np.bool_),
        before.unread & after.unread,
    )


def _left_out(rows: Rows, of: Stretch, has: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Ports that a stretch neither has nor asked in vain: they were not in the fabric."""
    if has.all() or of.first.only_faulty or of.last.only_faulty:
        return np.zeros(len(has), np.bool_)
    out = ~has
    if of.unread:
        # A port that was asked in vain in some sweeps and not in others is among these rows only if it was there later.
        at = np.flatnonzero(out)
        asked = [(int(rows.keys["guid"][row]), int(rows.keys["port"][row])) in of.unread for row in at]
        out[at[np.array(asked, np.bool_)]] = False
    return out


def _one(
    rows: Rows,
    rather: Readings,
    other: Readings,
    own: Side,
    others: Side,
    seen: Mapping[str, NDArray[np.bool_]],
    names: Sequence[str],
) -> Readings:
    """The readings of one end of the stretch: `rather` where it has the port, and a value of `other` where it knows none."""
    if own.at is None and list(rather.values) == list(names) and all(mask.all() for mask in seen.values()):
        return rather

    def chosen(mine: NDArray[_T], theirs: NDArray[_T]) -> NDArray[_T]:
        return np.where(own.has, own.put(mine), others.put(theirs))

    values, known, wide = {}, {}, {}
    for name in names:
        have = own.of(seen, name, np.bool_)
        values[name] = np.where(
            have, own.of(rather.values, name, np.uint64), others.of(other.values, name, np.uint64)
        )
        wide[name] = np.where(
            have, own.of(rather.wide, name, np.bool_), others.of(other.wide, name, np.bool_)
        )
        known[name] = np.where(
            own.has, own.of(rather.known, name, np.bool_), others.of(other.known, name, np.bool_)
        )
    return replace(
        rather,
        guids=rows.keys["guid"].copy(),
        ports=rows.keys["port"].copy(),
        planes=rows.keys["plane"].copy(),
        lids=chosen(rather.lids, other.lids),
        times=chosen(rather.times, other.times),
        states=chosen(rather.states, other.states),
        physical=chosen(rather.physical, other.physical),
        lanes=chosen(rather.lanes, other.lanes),
        speeds=chosen(rather.speeds, other.speeds),
        values=values,
        known=known,
        wide=wide,
    )
