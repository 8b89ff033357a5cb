"""Numbers and what they count, in words; times; the order of names; and texts of others without what a terminal obeys."""

from __future__ import annotations

import re
from datetime import UTC, datetime


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 plane`, `2 planes`, `no planes`.

    Args:
        number: how many.
        one: the singular.
        many: the plural; `one` with an s unless given.
    """
    return f"{number:,} {noun(number, one, many)}" if number else f"no {many or one + 's'}"


def noun(number: int, one: str, many: str | None = None) -> str:
    """The noun for a number."""
    return one if number == 1 else many or f"{one}s"


def refusal(engine: str, reason: object) -> str:
    """What is said of an engine that refused a fabric: `ftree refuses: no levels`."""
    return f"{engine} refuses: {reason}"


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts names as people do: `leaf-2` before `leaf-10`."""
    parts = re.split("([0-9]{1,4000})", name)
    return [(0, int(part), "") if at % 2 else (1, 0, part) for at, part in enumerate(parts) if part]


def harmless(text: str) -> str:
    """A text without control characters, which a terminal would obey."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def excerpt(text: str | bytes, most: int = 60) -> str:
    """So much of a text as an error shows: control characters as escapes, and … for what is left out."""
    if isinstance(text, bytes):
        text = text[: 8 * most].decode(errors="replace")
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text[:most])
    return shown if len(text) <= most else f"{shown}…"


def utc(seconds: float) -> str:
    """A time since 1970 as ISO 8601 has it: `2026-11-28T12:40:54Z`."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_RATES = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_MESSAGES = ((1e6, "M messages/s"), (1.0, "messages/s"))
_SIZES = ((1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_RATIOS = ((1.0, "×"),)
_UNITS = {"s": _TIMES, "bytes/s": _RATES, "messages/s": _MESSAGES, "bytes": _SIZES, "ratio": _RATIOS}


def quantity(value: float | None, unit: str) -> str:
    """A value with four digits and a unit that fits: `1.71 µs`, `12.05 GB/s`."""
    if value is None:
        return "–"
    scale = next(((factor, name) for factor, name in _UNITS[unit] if value >= factor), _UNITS[unit][-1])
    shown = value / scale[0]
    # Beyond the greatest unit four digits would be written with an exponent, which is hard to read.
    return f"{shown:,.0f} {scale[1]}" if shown >= 9999.5 else f"{shown:.4g} {scale[1]}"
