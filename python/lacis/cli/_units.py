"""Sizes, times and rates as people type them, and as they are printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZES = {"": 1, "B": 1} | {
    prefix + unit: base ** (power + 1)
    for power, prefix in enumerate("kMGT")
    for unit, base in (("B", 1000), ("iB", 1024))
}
_LONGEST = 1_000_000
"""The longest time [s]."""
_FASTEST = 1e18
"""The greatest rate [bytes/s]."""
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_SPANS = {"": 1.0, "ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def _parse(value: str, units: Mapping[str, float]) -> float | None:
    match = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([a-zA-Zµ]*)\s*", value)
    if match is None:
        return None
    number, unit = match.groups()
    factors = {name.lower(): factor for name, factor in units.items()}
    factor = factors.get(unit.lower())
    return None if factor is None else float(number) * factor


class Size(click.ParamType[int]):
    """Bytes: `64`, `4096 B`, `1MB` (decimal), `1MiB` (binary)."""

    name = "SIZE"

    def __init__(self, zero: bool = False, also: str | None = None, most: int = 2**53) -> None:
        """`zero`: whether 0 is a size; `also`: a word that means 0; `most`: the greatest size."""
        self.most = most
        self.zero = zero or also is not None
        self.also = also

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if value == self.also:
            return 0
        size = _parse(value, _SIZES)
        if size is not None and size > self.most:
            self.fail(f"{value!r}: a size of at most {self.most:,} bytes is expected", param, ctx)
        if size is None or size != int(size):
            also = f" or {self.also}" if self.also else ""
            self.fail(f"{value!r} is not a size: expected bytes such as 4096, 64kB, 1MiB{also}", param, ctx)
        if size == 0 and (not self.zero or self.also):
            self.fail(f"{value!r}: a size is above zero", param, ctx)
        return int(size)


class Time(click.ParamType[float]):
    """Seconds: `1ms`, `110ns`, `2.5us`; a unit is needed."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        time = _parse(value, _TIMES)
        if time is None:
            self.fail(f"{value!r} is not a time: expected a number and s, ms, us or ns", param, ctx)
        if time > _LONGEST:
            self.fail(f"{value!r}: a time is at most {_LONGEST:,} s", param, ctx)
        return time


class Span(click.ParamType[float]):
    """Time that people wait for: `1s`, `500ms`, `10m`, `2h`, `1d`; seconds without a unit."""

    name = "SPAN"

    def __init__(self, least: float, most: float) -> None:
        """The range [s]."""
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        time = _parse(value, _SPANS)
        if time is None:
            self.fail(f"{value!r} is not a time: expected a number and ms, s, m, h or d", param, ctx)
        if not self.least <= time <= self.most:
            self.fail(f"{value!r}: {self.least:g} s to {self.most:,.0f} s are allowed", param, ctx)
        return time


class Rate(click.ParamType[float]):
    """Bytes a second, above zero: `12.5GB/s`."""

    name = "RATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        rate = _parse(value.removesuffix("/s"), _SIZES)
        if rate is None or not 0 < rate <= _FASTEST:
            self.fail(f"{value!r} is not a rate: expected bytes a second such as 12.5GB/s", param, ctx)
        return rate


def shown(time: float) -> str:
    """A time [s] with three or four digits and its unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if time >= factor:
            return f"{time / factor:.4g} {unit}"
    return f"{time / 1e-9:.4g} ns"


def size_shown(size: int) -> str:
    """Bytes with up to four digits and their decimal unit."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.4g} {unit}"
    return f"{size} B"
