"""How much counters have grown between two readings, or why that is not known. Nothing is invented.

A counter that is lower than before was cleared by someone, or its port was replaced: what it counted in between is not known.
One that stands at its greatest value counts no further: it has grown by at least the difference, and by how much is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from .fields import FIELDS, Sort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .readings import Readings


class Lost(IntEnum):
    """Why the growth of a counter is not known."""

    NOTHING = 0
    """It is known."""
    ABSENT = 1
    """One of the two readings does not have the port or the counter."""
    CLEARED = 2
    """It is lower than before, or a counter that is cleared with it is."""
    FULL = 3
    """It stands at the greatest value that it can hold."""
    GONE = 4
    """The port's link was down in between, or the port has another LID."""
    CLOCK = 5
    """The second reading is not later than the first."""
    DAMAGED = 6
    """What was kept of the time between cannot be read."""


@dataclass(frozen=True)
class Growth:
    """Growth of counters by port, between two readings or over a window of a store.

    Attributes:
        guids: the node's GUID, a row each; rows are by GUID, port and plane.
        ports: the port's number.
        planes: the plane, counted from 1; 0 where there are none.
        begins: when each port was first read, nanoseconds since 1970.
        ends: when it was last read.
        values: by a counter's name: by how much it has grown; 0 where that is not known.
        lost: by the same names: `Lost`, why it is not known.
        unit: bytes that one of XmitData and RcvData stands for.
    """

    guids: NDArray[np.uint64]
    ports: NDArray[np.uint16]
    planes: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: Mapping[str, NDArray[np.uint64]]
    lost: Mapping[str, NDArray[np.uint8]]
    unit: int = 4

    def __len__(self) -> int:
        return len(self.guids)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds between the two readings of each port; NaN where the clock went back."""
        passed = (self.ends - self.begins) / 1e9
        return np.where(passed > 0, passed, np.nan)

    def per_second(self, name: str) -> NDArray[np.float64]:
        """Growth of a counter in a second, data in bytes; NaN where it is not known."""
        scale = self.unit if FIELDS[name].sort is Sort.DATA else 1
        rate = self.values[name].astype(np.float64) * scale / self.seconds
        return np.where(self.lost[name] == Lost.NOTHING, rate, np.nan)


def growth(before: Readings, after: Readings) -> Growth:
    """How much each counter has grown from one reading to a later one.

    Rows are the ports that either has, and columns the counters that either has.
    """
    keys = np.union1d(before.keys, after.keys)
    first, has_first = _rows(keys, before)
    last, has_last = _rows(keys, after)
    both = has_first & has_last
    begins, ends = _picked(before.times, first, has_first), _picked(after.times, last, has_last)
    set_back = both & (begins != 0) & (ends != 0) & (ends <= begins)
    values: dict[str, NDArray[np.uint64]] = {}
    lost: dict[str, NDArray[np.uint8]] = {}
    attributes: dict[str, NDArray[np.bool_]] = {}
    fell = {is_wide: np.zeros(len(keys), np.bool_) for is_wide in (False, True)}
    for name in dict.fromkeys([*before.values, *after.values]):
        then, known_then, wide_then = _column(before, name, first, has_first)
        now, known_now, wide_now = _column(after, name, last, has_last)
        known = known_then & known_now & (wide_then == wide_now)
        values[name] = np.where(known & (now >= then), now - then, 0)
        greatest = (1 << FIELDS[name].bits) - 1
        full = known & ~wide_now & (greatest > 0) & (now >= greatest)
        lost[name] = np.where(~known, Lost.ABSENT, np.where(full, Lost.FULL, Lost.NOTHING)).astype(np.uint8)
        attributes[name] = wide_now
        for is_wide, there in fell.items():
            there |= known & (now < then) & (wide_now == is_wide)
    for name, reasons in lost.items():
        cleared = np.where(attributes[name], fell[True], fell[False])
        reasons[cleared & (reasons != Lost.ABSENT)] = Lost.CLEARED
        reasons[set_back & (reasons != Lost.ABSENT)] = Lost.CLOCK
        values[name][reasons != Lost.NOTHING] = 0
    return Growth(
        keys["guid"].copy(), keys["port"].copy(), keys["plane"].copy(), begins, ends, values, lost, after.unit
    )


def _rows(keys: NDArray[np.void], readings: Readings) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each key its row among readings, and whether they have it; the row of an absent one is 0."""
    rows = np.zeros(len(keys), np.intp)
    has = np.zeros(len(keys), np.bool_)
    at = np.searchsorted(keys, readings.keys)
    rows[at], has[at] = np.arange(len(readings)), True
    return rows, has


def _picked(column: NDArray[np.int64], rows: NDArray[np.intp], has: NDArray[np.bool_]) -> NDArray[np.int64]:
    picked = np.zeros(len(rows), column.dtype)
    picked[has] = column[rows[has]]
    return picked


def _column(
    readings: Readings, name: str, rows: NDArray[np.intp], has: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_], NDArray[np.bool_]]:
    """A counter's values, whether they are known, and whether they have 64 bits, in the order of keys."""
    if name not in readings.values:
        nothing = np.zeros(len(rows), np.bool_)
        return np.zeros(len(rows), np.uint64), nothing, nothing
    value, known, wide = (np.zeros(len(rows), kind) for kind in (np.uint64, np.bool_, np.bool_))
    at = rows[has]
    value[has], known[has], wide[has] = (
        readings.values[name][at],
        readings.known[name][at],
        readings.wide[name][at],
    )
    return value, known, wide
