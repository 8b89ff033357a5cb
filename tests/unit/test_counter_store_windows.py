"""No window of a store's history is wrong, whatever was rolled up, damaged or lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from lacis.counters import Growth, Lost
from lacis.counters.store import CounterStore, layout

from tests.conftest import one_quick
from tests.histories import NAMES, STEP, History, history, row_of
from tests.stored import files, kept

if TYPE_CHECKING:
    from pathlib import Path


def windows(made: History, rng: np.random.Generator) -> list[tuple[int, int]]:
    count = len(made.readings)
    pairs = [sorted(rng.integers(0, count, 2).tolist()) for _ in range(12)]
    return [(0, count - 1), *((first, last) for first, last in pairs)]


def assert_none_is_wrong(found: Growth, made: History, first: int, last: int) -> None:
    """Growth in a window, from one sweep of a history to another, is what was counted, or said not to be known."""
    at, origin = row_of(found.guids, found.ports), made.readings[0].started
    begins, ends = ((times - origin) // STEP for times in (found.begins, found.ends))
    assert begins.min() >= first
    assert ends.max() <= last
    traceless = np.any(made.traceless[first : last + 1], axis=0)[at]
    for name in NAMES:
        counted = made.counted(name)
        truth = counted[ends, at] - counted[begins, at]
        known = (found.lost[name] == Lost.NOTHING) & ~traceless
        assert (found.values[name][known] == truth[known]).all()
        assert (found.at_least[name] <= truth).all()


@pytest.mark.parametrize("seed", one_quick(range(3)))
def test_no_window_of_a_rolled_history_is_wrong(tmp_path: Path, seed: int) -> None:
    made = history(seed, ports=40, sweeps=130, calm=0.99)
    store = kept(tmp_path, *made.readings, raw_seconds=400.0)
    assert len(files(tmp_path, "raw")) < 130
    origin = made.readings[0].started
    for first, last in windows(made, np.random.default_rng(seed)):
        found = store.growth(origin + first * STEP, origin + last * STEP)
        if len(found):  # Else the window lies within a roll-up.
            assert_none_is_wrong(found, made, first, last)
    whole = store.growth(origin, origin + 130 * STEP)
    assert (whole.lost["XmitData"] == Lost.NOTHING).any()
    assert {Lost.CLEARED, Lost.GONE} <= {Lost(reason) for reason in whole.lost["XmitData"].tolist()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))  # between them all three kinds of damage, six times and more
def test_whatever_is_damaged_or_missing_no_window_is_wrong(tmp_path: Path, seed: int) -> None:
    made = history(seed, ports=24, sweeps=100, calm=0.995)
    kept(tmp_path, *made.readings, raw_seconds=500.0)
    rng = np.random.default_rng(seed)
    for file in [file for level in layout.LEVELS for file in files(tmp_path, level)]:
        data = bytearray(file.read_bytes())
        byte = int(rng.integers(0, len(data)))
        match rng.integers(0, 20):
            case 0:
                file.unlink()
            case 1:
                file.write_bytes(data[:byte])
            case 2:
                data[byte] ^= 1 << int(rng.integers(0, 8))
                file.write_bytes(data)
    origin = made.readings[0].started
    for first, last in windows(made, rng):
        store = CounterStore(tmp_path)
        found = store.growth(origin + first * STEP, origin + last * STEP)
        if len(found):
            assert_none_is_wrong(found, made, first, last)
        assert len(list(store.readings(origin, origin + 100 * STEP))) > 10
