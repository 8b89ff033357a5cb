"""Stores of sweeps made by hand, for tests of the store of counters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lacis.counters import Lost
from lacis.counters.readings import empty
from lacis.counters.store import CounterStore

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.counters import Growth, Readings

pytest.importorskip("polars")
SECOND = 10**9
BEGIN = 1_795_860_000 * SECOND
"""A full hour: 498,850 of them since 1970."""


def sweep(at: int, value: int = 0, *, ports: int = 3, guid: int = 1, unit: int = 4) -> Readings:
    """A sweep, so many seconds after the full hour, in which every counter has one value."""
    readings = empty(ports, ["XmitData", "SymbolErrors"])
    readings.guids[:], readings.ports[:] = guid, np.arange(1, ports + 1)
    readings.times[:] = BEGIN + at * SECOND
    for name in readings.values:
        readings.values[name][:], readings.known[name][:] = value, True
        readings.wide[name][:] = name == "XmitData"
    return replace(readings, started=BEGIN + at * SECOND, ended=BEGIN + at * SECOND, unit=unit)


def kept(path: Path, *sweeps: Readings, **options: float) -> CounterStore:
    """A store in which some sweeps are kept; nothing locks it any more."""
    with CounterStore(path, **options) as store:  # type: ignore[arg-type]
        for one in sweeps:
            store.append(one)
    return CounterStore(path)


def files(path: Path, level: str) -> list[Path]:
    return sorted((path / level).iterdir()) if (path / level).exists() else []


def of(growth: Growth, name: str = "XmitData") -> tuple[list[int], set[Lost]]:
    return growth.values[name].tolist(), {Lost(reason) for reason in growth.lost[name].tolist()}
