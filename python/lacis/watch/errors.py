"""Errors of cables as they come: how many each port has counted in the last minutes, and which are too many.

The rules are those of `fabric.growth`. A port whose counter was cleared or is full adds nothing while that is so, as what it counted
is not known.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..counters import Lost
from ..fabric.growth import SYMBOL_ERRORS
from ..facts.watch import LinkDownedAtBothEnds, LinkFlaps, SymbolErrorsMany

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..counters import Growth
    from ..fabric.ports import Ports
    from .conditions import Key

COUNTED = ("SymbolErrors", "LinkDowned")
DOWNED_WITHIN = 720
"""Seconds in which both ends of a cable count that it went down."""
FLAPS_WITHIN, FLAPS = 3600, 3
"""A link that goes down so often in so many seconds flaps."""
KEPT = max(DOWNED_WITHIN, FLAPS_WITHIN, *(seconds for seconds, _ in SYMBOL_ERRORS))

End: TypeAlias = tuple[int, int, int]
"""GUID, port and plane."""


class Errors:
    """What ports have counted lately: of those that have counted anything, so that a whole fabric costs nothing."""

    def __init__(self) -> None:
        self._counted: dict[str, dict[End, deque[tuple[float, int]]]] = {name: {} for name in COUNTED}

    def add(self, growth: Growth, now: float) -> None:
        """Takes what has grown from one sweep to the next, which ended now, and forgets what is old."""
        for name in COUNTED:
            if name in growth.values:
                rows = np.flatnonzero(growth.values[name])
                ends = zip(
                    growth.guids[rows].tolist(),
                    growth.ports[rows].tolist(),
                    growth.planes[rows].tolist(),
                    strict=True,
                )
                for end, value in zip(ends, growth.values[name][rows].tolist(), strict=True):
                    self._counted[name].setdefault(end, deque()).append((now, value))
            self._forget(name, now)

    def within(self, name: str, now: float, seconds: float) -> dict[End, int]:
        """How many each port has counted in the last seconds; those that have counted some."""
        sums = {
            end: sum(value for time, value in counted if time > now - seconds)
            for end, counted in self._counted[name].items()
        }
        return {end: total for end, total in sums.items() if total}

    def _forget(self, name: str, now: float) -> None:
        counted = self._counted[name]
        for end in list(counted):
            while counted[end] and counted[end][0][0] <= now - KEPT:
                counted[end].popleft()
            if not counted[end]:
                del counted[end]


def unknown(growth: Growth) -> set[Key]:
    """Ports of which it is not known what they counted in the last sweep."""
    lost = np.zeros(len(growth), np.bool_)
    for name in COUNTED:
        if name in growth.lost:
            lost |= growth.lost[name] != Lost.NOTHING
    rows = np.flatnonzero(lost)
    ends = (growth.guids[rows].tolist(), growth.ports[rows].tolist(), growth.planes[rows].tolist())
    return set(zip(*ends, strict=True))


def silent_ports(growth: Growth, ends: Iterable[Key]) -> set[Key]:
    """Those of some ports that neither of the last two sweeps read."""
    return {end for end in ends if not _is_read(growth, end)}


def silent_cables(growth: Growth, cables: Iterable[Key]) -> set[Key]:
    """Those of some cables of which neither of the last two sweeps read an end."""
    return {cable for cable in cables if not any(_is_read(growth, end) for end in cable)}


def symbol_errors(errors: Errors, ports: Ports, now: float) -> dict[Key, SymbolErrorsMany]:
    """Ports with more symbol errors than a good cable of their rate has; where that is not known they are not judged."""
    found: dict[Key, SymbolErrorsMany] = {}
    for seconds, share in SYMBOL_ERRORS:
        counted = errors.within("SymbolErrors", now, seconds)
        for (end, count), row in zip(counted.items(), rows_of(counted, ports), strict=True):
            allowed = 8 * float(ports.rates[row]) * seconds * share if row >= 0 else np.nan
            if count > allowed:
                found[end] = SymbolErrorsMany(ports.name(row), _far(ports, row), count, seconds, allowed)
    return found


def downed(errors: Errors, ports: Ports, now: float) -> dict[Key, LinkDownedAtBothEnds]:
    """Cables of which both ends count that their link went down."""
    found: dict[Key, LinkDownedAtBothEnds] = {}
    times = _by_row(errors.within("LinkDowned", now, DOWNED_WITHIN), ports)
    for row, count in times.items():
        far = int(ports.far[row])
        if row < far and far in times:
            both = (count, times[far])
            found[ports.cable(row)] = LinkDownedAtBothEnds(
                ports.name(row), ports.name(far), both, DOWNED_WITHIN
            )
    return found


def flaps(errors: Errors, ports: Ports, now: float) -> dict[Key, LinkFlaps]:
    """Links that have gone down again and again, each once, by the end that has counted more."""
    found: dict[Key, LinkFlaps] = {}
    times = _by_row(errors.within("LinkDowned", now, FLAPS_WITHIN), ports)
    for row, count in sorted(times.items(), key=lambda one: one[1]):
        if count >= FLAPS:
            found[ports.cable(row)] = LinkFlaps(ports.name(row), _far(ports, row), count, FLAPS_WITHIN)
    return found


def rows_of(ends: Iterable[Key], ports: Ports) -> list[int]:
    """The row of each end among the fabric's ports; -1 where it has no such port."""
    columns = np.array([end[:2] for end in ends], np.uint64).reshape(-1, 2)
    rows: list[int] = ports.rows(columns[:, 0], columns[:, 1].astype(np.uint16)).tolist()
    return rows


def _is_read(growth: Growth, end: Any) -> bool:
    """Whether a port, or a plane of it, has growth; only ports with a condition are asked for."""
    columns = (growth.guids, growth.ports, growth.planes)
    rows = [column == value for column, value in zip(columns, end, strict=False)]
    return bool(np.logical_and.reduce(rows).any())


def _by_row(counted: dict[End, int], ports: Ports) -> dict[int, int]:
    """Counts by the fabric's port; of the planes of one the greatest."""
    found: dict[int, int] = {}
    for count, row in zip(counted.values(), rows_of(counted, ports), strict=True):
        if row >= 0:
            found[row] = max(count, found.get(row, 0))
    return found


def _far(ports: Ports, row: int) -> str | None:
    far = int(ports.far[row])
    return None if far < 0 else ports.name(far)
