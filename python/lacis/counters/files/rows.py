"""Readings as a reader gathers them, port by port, and the errors that all readers have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LacisError
from ...facts.words import excerpt
from ..fields import FIELDS
from ..readings import Readings, Unread, empty

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_NUMBER = re.compile(r"\d+|0[xX][0-9a-fA-F]+", re.ASCII)
_GUID = re.compile(r"(?:0[xX])?([0-9a-fA-F]{1,16})", re.ASCII)
ABSENT = frozenset({"", "na", "n/a", "n/a (no pma)", "nan", "none", "null", "-"})
"""What files write where there is no value, in lower case; `nan` is what UFM writes of a port that did not answer."""


def lines(text: str) -> list[str]:
    """The lines of a text; no other character ends one, as a node's description may hold any."""
    found = text.split("\n")
    return found[:-1] if found[-1] == "" else found


def bad(reason: str, line: int | None, text: str) -> LacisError:
    """An error about a line."""
    return LacisError(reason, line, excerpt(text))


def number(text: str, line: int | None, what: str = "the value of a counter") -> int:
    """A number of at most 64 bits, decimal or after 0x.

    Raises:
        LacisError: when it is negative, not whole, or greater.
    """
    text = text.strip()
    if len(text) > 40 or _NUMBER.fullmatch(text) is None:
        raise bad(f"{what} is a number, and not negative", line, text)
    value = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
    if value >> 64:
        raise bad(f"{what} has more than 64 bits", line, text)
    return value


def port_number(text: str, line: int | None) -> int:
    """A port's number.

    Raises:
        LacisError: when it is none.
    """
    value = number(text, line, "a port's number")
    if value > 255:
        raise bad("a port's number is at most 255", line, text)
    return value


def guid(text: str, line: int | None) -> int:
    """A GUID in hexadecimal, with or without 0x.

    Raises:
        LacisError: when it is none, or zero.
    """
    match = _GUID.fullmatch(text.strip())
    value = int(match[1], 16) if match else 0
    if not value:
        raise bad("a bad GUID", line, text)
    return value


@dataclass(frozen=True)
class Port:
    """What a file says of a port beside its counters."""

    guid: int
    number: int
    plane: int = 0
    lid: int = 0
    time: int = 0
    state: int = 0


@dataclass
class Rows:
    """Readings while a file is read.

    Attributes:
        source: the file.
        time: when it was made, as far as it does not say so itself: nanoseconds since 1970.
        unknown: lines or names that were not understood.
    """

    source: str
    time: int
    unit: int = 4
    only_faulty: bool = False
    unread: list[Unread] = field(default_factory=list)
    unknown: int = 0
    _ports: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _about: list[Port] = field(default_factory=list)
    _counts: dict[str, list[tuple[int, int, bool]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._about)

    def port(self, about: Port) -> int:
        """The row of a port, which is made if need be."""
        key = (about.guid, about.number, about.plane)
        row = self._ports.setdefault(key, len(self._about))
        if row == len(self._about):
            self._about.append(about)
        elif about.time > self._about[row].time:
            self._about[row] = replace(self._about[row], time=about.time)
        return row

    def count(self, row: int, name: str, value: int, *, is_wide: bool) -> None:
        """Gives a port a counter. Of two values the one of 64 bits stays, and of two alike the first."""
        # A value beyond the narrow form's width says by itself that it is of the wide one.
        bits = FIELDS[name].bits
        is_beyond = not bits or value >> bits > 0
        self._counts.setdefault(name, []).append((row, value, is_wide or is_beyond))

    def readings(self) -> Readings:
        """The readings, by GUID, port and plane."""
        whole = empty(len(self._about), list(self._counts))
        for column, numbers in (
            (whole.guids, (port.guid for port in self._about)),
            (whole.ports, (port.number for port in self._about)),
            (whole.planes, (port.plane for port in self._about)),
            (whole.lids, (port.lid for port in self._about)),
            (whole.times, (port.time or self.time for port in self._about)),
            (whole.states, (port.state for port in self._about)),
        ):
            _fill(column, numbers)
        for name, counts in self._counts.items():
            rows = np.array([row for row, _, _ in counts], np.intp)
            values = np.array([value for _, value, _ in counts], np.uint64)
            wide = np.array([is_wide for _, _, is_wide in counts], np.bool_)
            # Of several assignments to one row the last one stays.
            for chosen in (np.flatnonzero(~wide)[::-1], np.flatnonzero(wide)[::-1]):
                whole.values[name][rows[chosen]] = values[chosen]
                whole.wide[name][rows[chosen]] = wide[chosen]
                whole.known[name][rows[chosen]] = True
        times = whole.times[whole.times > 0]
        return replace(
            whole,
            unit=self.unit,
            only_faulty=self.only_faulty,
            unread=tuple(self.unread),
            source=self.source,
            started=int(times.min()) if len(times) else self.time,
            ended=int(times.max()) if len(times) else self.time,
        ).sorted()


def _fill(column: NDArray[Any], values: Iterable[int]) -> None:
    column[:] = np.fromiter(values, column.dtype, len(column))
