"""Which of many sweeps are kept, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lacis.counters.readings import empty
from lacis.counters.thinned import Thinned


@pytest.mark.parametrize(
    ("sweeps", "kept"),
    [
        (0, []),
        (1, [0]),
        (4, [0, 1, 2, 3]),
        # The fifth is one too many: 1 and 3 go, and 5 is not kept, but as the last one.
        (5, [0, 2, 4]),
        (6, [0, 2, 4, 5]),
        (9, [0, 4, 8]),
        (10, [0, 4, 8, 9]),
    ],
)
def test_the_first_the_last_and_evenly_spread_ones_are_kept(sweeps: int, kept: list[int]) -> None:
    thinned = Thinned(4)
    for number in range(sweeps):
        thinned.add(replace(empty(0), started=number))
    assert [one.started for one in thinned.kept()] == kept
    assert thinned.seen == sweeps
