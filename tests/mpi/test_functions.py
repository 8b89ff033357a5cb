"""Single functions of lacis-mpi, called from its shared library."""

from __future__ import annotations

import ctypes
import itertools
import math
import random

import pytest

from . import launch as mpi


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(mpi.build("openmpi", "plain", "liblacis-mpi.so")))


class Interval(ctypes.Structure):
    _fields_ = [("low", ctypes.c_double), ("median", ctypes.c_double), ("high", ctypes.c_double)]


def partners(library: ctypes.CDLL, schedule: str, count: int, number: int) -> list[int]:
    partner = (ctypes.c_int * count)()
    getattr(library, f"schedule_{schedule}")(count, number, partner)
    return list(partner)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 11, 16, 33, 64])
def test_a_tournament_makes_every_pair_meet_once(library: ctypes.CDLL, count: int) -> None:
    schedules = ["round_robin"] + ["xor"] * library.schedule_is_power_of_two(count)
    for schedule in schedules:
        met: set[tuple[int, int]] = set()
        for number in range(1, library.schedule_rounds(count) + 1):
            partner = partners(library, schedule, count, number)
            assert all(partner[j] == i for i, j in enumerate(partner) if j >= 0)  # pairs, hence disjoint
            assert sum(j < 0 for j in partner) == count % 2  # of an odd number one waits
            pairs = {(i, j) for i, j in enumerate(partner) if i < j}
            assert not met & pairs
            met |= pairs
        assert len(met) == count * (count - 1) // 2


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 10, 31, 100, 1000])
def test_the_median_s_interval_covers_it_in_95_of_100_cases(library: ctypes.CDLL, count: int) -> None:
    library.median_of.restype = Interval
    values = [float(i) for i in range(1, count + 1)]
    random.Random(count).shuffle(values)
    found = library.median_of((ctypes.c_double * count)(*values), ctypes.c_size_t(count))
    assert found.median == (count + 1) / 2
    # The median is between the r-th values from both ends unless fewer than r of n fair coins fall on one side.
    fewer = list(itertools.accumulate((math.comb(count, k) for k in range(count)), initial=0))
    bounds = [r for r in range(1, count + 1) if 2 * fewer[r] / 2**count <= 0.05]
    if bounds:
        assert (found.low, found.high) == (max(bounds), count + 1 - max(bounds))
    else:
        assert math.isnan(found.low)  # too few values to say
