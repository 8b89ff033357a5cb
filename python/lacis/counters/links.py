"""What links do, in words and rates, and what has happened to them from one reading of a port to a later one."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

import numpy as np

from ..fabric.rates import speeds_of
from .lost import Lost
from .readings import SPEEDS, WIDTHS, LinkState, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .growth import Growth
    from .readings import Readings

_UP = LinkState.INIT
"""The first of the states in which a link carries something: from it on the manager has yet to act, or has."""


class Change(IntFlag):
    """What has happened to a link between two readings of its port."""

    WENT_DOWN = 1
    CAME_UP = 2
    WAS_DOWN = 4
    """It is up in both, and has counted in between that it went down: down and back."""
    SLOWER = 8
    """It has fewer lanes now, or slower ones."""
    FASTER = 16


def rates(readings: Readings) -> list[str | None]:
    """What each link does now, as a fabric says it: `4xHDR`; none where that is not known."""
    ends = zip(readings.lanes.tolist(), readings.speeds.tolist(), strict=True)
    return [_rate(lanes, speed) for lanes, speed in ends]


def _rate(lanes: int, speed: int) -> str | None:
    return f"{lanes}x{SPEEDS[speed]}" if lanes in WIDTHS and 0 < speed < len(SPEEDS) else None


def active_rates(readings: Readings) -> NDArray[np.float64]:
    """Payload of each link in one direction as it is now [bytes/s]; NaN where that is not known."""
    numbers = readings.lanes.astype(np.int64) << 8 | readings.speeds
    each, which = np.unique(numbers, return_inverse=True)
    names = [_rate(number >> 8, number & 0xFF) for number in each.tolist()]
    speeds = [np.nan if speed is None else speed * 1e9 for speed in speeds_of(names)]
    found: NDArray[np.float64] = np.array(speeds, np.float64)[which.reshape(-1)]
    return found


def is_slower(now: NDArray[np.float64], then: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether links carry less than they did; no where either is not known.

    FDR10 says of itself that it is QDR, and carries more by its coding alone: this is not slower.
    """
    slower: NDArray[np.bool_] = now < then / 1.35
    return slower


def changes(before: Readings, after: Readings, growth: Growth) -> NDArray[np.uint8]:
    """What has happened to each link, a row for each of `after`, as bits of `Change`."""
    found = np.zeros(len(after), np.uint8)
    if not len(before) or not len(after):
        return found
    order = np.argsort(before.keys)
    keys = before.keys[order]
    at = np.minimum(np.searchsorted(keys, after.keys), len(keys) - 1)
    both, at = keys[at] == after.keys, order[at]
    then, now = before.states[at], after.states
    known = both & (then != LinkState.UNKNOWN) & (now != LinkState.UNKNOWN)
    was_up, is_up = then >= _UP, now >= _UP
    old, new = active_rates(before)[at], active_rates(after)
    marks = {
        Change.WENT_DOWN: known & was_up & ~is_up,
        Change.CAME_UP: known & ~was_up & is_up,
        Change.WAS_DOWN: known & was_up & is_up & (_downed(growth, after) > 0),
        Change.SLOWER: both & is_slower(new, old),
        Change.FASTER: both & is_slower(old, new),
    }
    for change, mark in marks.items():
        found |= np.where(mark, np.uint8(change), np.uint8(0))
    return found


def _downed(growth: Growth, of: Readings) -> NDArray[np.uint64]:
    """How often each port has counted that its link went down; 0 where that is not known."""
    values: Mapping[str, NDArray[np.uint64]] = growth.values
    if "LinkDowned" not in values or not len(growth):
        return np.zeros(len(of), np.uint64)
    keys = keys_of(growth.guids, growth.ports, growth.planes)
    at = np.minimum(np.searchsorted(keys, of.keys), len(keys) - 1)
    counts = (keys[at] == of.keys) & (growth.lost["LinkDowned"][at] == Lost.NOTHING)
    return np.where(counts, values["LinkDowned"][at], np.uint64(0))
