"""Simulations and stores as instants at which ports were read: figures by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import lacis
import numpy as np
import pytest
from lacis.counters import growth
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.live import usage
from lacis.live.timeline import Simulated, Stored

from ...ports_read import SECOND, cable, read

if TYPE_CHECKING:
    from lacis._core import Simulation
    from lacis.counters import Growth

PORTS = ports_of(lacis.read("fat-tree:4,2"))
ROW, FAR, RATE = cable(PORTS)


def simulated(*busy: float) -> Simulation:
    """A simulation of intervals of 2 µs, in each of which one port of a leaf sent for this share of the time."""
    shares = np.array(busy, np.float32).reshape(-1, 1)
    found = (2e-6, [len(busy)], False, [("leaf", "spine")][: len(busy)], shares)
    ends = PORTS.nodes[[ROW]].astype(np.uint32), PORTS.numbers[[ROW]].astype(np.uint8)
    return cast("Simulation", SimpleNamespace(utilisation=lambda: found, utilised=lambda: ends))


def test_each_interval_of_a_simulation_ends_at_its_time_and_has_what_was_sent_in_it() -> None:
    timeline = Simulated(simulated(0.5, 0.25), PORTS, "a simulation")
    # 2 µs each, counted in nanoseconds from 0.
    assert timeline.instants() == [2000, 4000]
    assert RATE == 25e9  # 50,000 bytes in 2 µs
    grown, later = timeline.growth(0), timeline.growth(1)
    assert grown is not None
    assert later is not None
    # Half of them are 25,000 bytes, in words of 4; the other end receives them.
    assert {name: np.flatnonzero(column).tolist() for name, column in grown.values.items()} == {
        "XmitData": [ROW],
        "RcvData": [FAR],
    }
    assert (grown.values["XmitData"][ROW], grown.values["RcvData"][FAR]) == (6250, 6250)
    assert later.values["XmitData"][ROW] == 3125
    assert (later.begins[ROW], later.ends[ROW]) == (2000, 4000)
    assert usage(PORTS, later).share[ROW] == pytest.approx(0.25)


def test_a_simulation_that_sent_nothing_has_no_instants() -> None:
    with pytest.raises(LacisError, match="the simulation sent nothing"):
        Simulated(simulated(), PORTS, "a simulation")


def test_a_store_has_an_instant_every_step_back_from_its_last_reading() -> None:
    spans = [(100, 230), (100, 230), (100, 240)]
    asked: list[tuple[int, int]] = []

    def between(begin: int, end: int) -> Growth:
        asked.append((begin // SECOND, end // SECOND))
        return growth(read(PORTS, asked[-1][0], {}), read(PORTS, asked[-1][1], {}))

    def span() -> tuple[int, int]:
        begin, end = spans.pop(0)
        return begin * SECOND, end * SECOND

    timeline = Stored(span, between, "a store", step=60)
    # 130 s are two intervals of 60 s, and before them one of 10.
    assert timeline.instants() == [110 * SECOND, 170 * SECOND, 230 * SECOND]
    for number in (0, 1, 1):
        timeline.growth(number)
    assert asked == [(100, 110), (110, 170)]
    assert [timeline.advance(), timeline.advance()] == [False, True]
    assert timeline.instants() == [120 * SECOND, 180 * SECOND, 240 * SECOND]


def test_a_store_of_one_reading_has_one_instant_and_an_empty_one_is_refused() -> None:
    def between(_begin: int, _end: int) -> Growth:
        raise AssertionError

    assert Stored(lambda: (7, 7), between, "a store").instants() == [7]
    with pytest.raises(LacisError, match="a store: has no readings"):
        Stored(lambda: None, between, "a store")
