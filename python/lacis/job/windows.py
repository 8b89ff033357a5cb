"""Windows of time: between two times, up to now or to the last reading, or while a job ran."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from ..errors import LacisError
from ..facts.words import utc

_SECOND = 1_000_000_000
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MOST = 1 << 33
"""The latest time that is read [s since 1970]: the year 2242."""


@dataclass(frozen=True)
class Window:
    """A time from which and a time to which, nanoseconds since 1970, UTC."""

    begin: int
    end: int

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end - self.begin) / _SECOND


def window(begin: int, end: int) -> Window:
    """A window of time.

    Raises:
        LacisError: when it ends before it begins.
    """
    if end <= begin:
        raise LacisError(f"the window ends before it begins: from {stamp(begin)} to {stamp(end)}")
    return Window(begin, end)


def stamp(time: int) -> str:
    """A time as ISO 8601 has it, UTC: `2026-11-28T12:40:54Z`."""
    return utc(time // _SECOND)


def time(text: str) -> int:
    """A time: ISO 8601 (local time without a zone, as Slurm prints it), or seconds since 1970.

    Raises:
        LacisError: when it is none.
    """
    if re.fullmatch(r"\d{9,11}(\.\d{1,9})?", text):
        seconds = float(text)
    else:
        try:
            seconds = datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError, OSError):
            raise LacisError(
                "no time; expected such as 2026-11-28T12:40:54 (local time), 2026-11-28T12:40:54Z or seconds since 1970",
                text=text[:80],
            ) from None
    if not 0 < seconds < _MOST:
        raise LacisError("no time of a recording: it lies before 1970 or after 2242", text=text[:80])
    return round(seconds * _SECOND)


def duration(text: str) -> int:
    """A length of time in nanoseconds: `90s`, `10m`, `2h`, `1d`, seconds without a unit.

    Raises:
        LacisError: when it is none.
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)([smhd]?)", text.strip())
    length = 0 if found is None else round(float(found[1]) * _UNITS[found[2] or "s"] * _SECOND)
    if length <= 0:
        raise LacisError("no length of time; expected such as 90s, 10m, 2h or 1d", text=text[:80])
    return length
