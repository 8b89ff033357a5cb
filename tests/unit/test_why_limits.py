"""From which share on a link is busy or held up, how much of a window must be known, and how times are written."""

from __future__ import annotations

import pytest
from lacis import why
from lacis.counters.readings import SPEEDS
from lacis.errors import LacisError
from lacis.facts import guilt as of
from lacis.job import windows

from ..why_readings import AT, readings, rows_of
from .test_why import FULL, JOB, WINDOW, after, asked, fabric, pair, routes

SECOND = 10**9


@pytest.mark.parametrize(
    ("flits", "utilisation", "verdict"),
    [
        (FULL * 8 // 10, None, "busy"),
        (FULL * 8 // 10 - 1, None, "innocent"),
        (FULL // 2, 0.5, "busy"),
        (FULL // 2 - 1, 0.5, "innocent"),
    ],
)
def test_a_link_is_busy_from_four_fifths_of_its_rate_on(
    flits: int, utilisation: float | None, verdict: str
) -> None:
    given = {} if utilisation is None else {"thresholds": why.Thresholds(utilisation=utilisation)}
    found = after({("edge1[25]", "XmitData"): flits}, **given)
    assert found.verdict == verdict
    if isinstance(found.fact, of.FabricInnocent):
        assert found.fact.below == (utilisation or 0.8)


@pytest.mark.parametrize(
    ("ticks", "limits", "guilty"),
    [
        # A tick of 8 bytes is as long as a flit.
        (FULL // 10, why.Thresholds(), True),
        (FULL // 10 - 1, why.Thresholds(), False),
        (FULL // 4, why.Thresholds(waiting=0.25), True),
        (FULL // 4 - 1, why.Thresholds(waiting=0.25), False),
        # Ticks of 4 bytes are half as long.
        (FULL // 5, why.Thresholds(tick=4), True),
        (FULL // 5 - 1, why.Thresholds(tick=4), False),
    ],
)
def test_an_adapter_is_slow_from_a_tenth_of_the_time_on(
    ticks: int, limits: why.Thresholds, *, guilty: bool
) -> None:
    found = after({("edge2[1]", "XmitWait"): ticks}, thresholds=limits)
    assert found.verdict == ("guilty" if guilty else "innocent")


def test_an_adapter_whose_link_is_busy_is_not_slow() -> None:
    # What waits for a full link waits for others' packets.
    waits = {("edge2[1]", "XmitWait"): FULL // 2}
    assert after({**waits, ("edge2[1]", "XmitData"): FULL * 8 // 10}).verdict == "busy"
    assert after({**waits, ("edge2[1]", "XmitData"): FULL * 8 // 10 - 1}).verdict == "guilty"


@pytest.mark.parametrize(("begin", "end", "covered"), [(6, 60, None), (7, 60, 53 / 60), (0, 53, 53 / 60)])
def test_nine_tenths_of_a_window_are_all_of_it(begin: int, end: int, covered: float | None) -> None:
    sweeps = why.recordings(readings(fabric, begin, unit=8), readings(fabric, end, unit=8))
    found = why.examine(routes, JOB, sweeps, WINDOW)
    if covered is None:
        assert found.verdict == "innocent"
    else:
        [one] = found.missing
        assert isinstance(one, of.WindowUncovered)
        assert one.number == 8
        assert one.covered == pytest.approx(covered)


def test_what_lies_outside_a_window_is_not_of_it() -> None:
    # Readings from 60 s before it to 60 s after; each link is full before, and errors come after.
    full = {("edge1[25]", "XmitData"): FULL}
    sweeps = [
        readings(fabric, 0, unit=8),
        readings(fabric, 60, full, unit=8),
        readings(fabric, 120, full, unit=8),
        readings(fabric, 180, {**full, ("core1[2]", "LinkDowned"): 1}, unit=8),
    ]
    verdicts = [
        why.examine(
            routes, JOB, why.recordings(*sweeps), why.window((AT + at) * SECOND, (AT + at + 60) * SECOND)
        ).verdict
        for at in (0, 60, 120)
    ]
    assert verdicts == ["busy", "innocent", "guilty"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1d", 86_400), (" 10m ", 600)]
)
def test_lengths_of_time(text: str, seconds: float) -> None:
    assert windows.duration(text) == seconds * SECOND


@pytest.mark.parametrize("text", ["", "0", "0.0s", "-1s", "1w", "1 h", "h", "1e3"])
def test_what_is_no_length_of_time(text: str) -> None:
    with pytest.raises(LacisError, match="no length of time"):
        windows.duration(text)


def test_times_are_of_seconds_or_of_a_date() -> None:
    for text in (
        "1700000000",
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20+00:00",
        "2023-11-14 23:13:20+01:00",
    ):
        assert windows.time(text) == 1_700_000_000 * SECOND
    assert windows.stamp(1_700_000_000 * SECOND + SECOND - 1) == "2023-11-14T22:13:20Z"
    assert windows.time("1700000000.5") == 1_700_000_000 * SECOND + SECOND // 2
    for text in ("1969-12-31T00:00:00Z", "2300-01-01T00:00:00Z"):
        with pytest.raises(LacisError, match="before 1970 or after 2242"):
            windows.time(text)
    with pytest.raises(LacisError, match="the window ends before it begins"):
        why.window(5 * SECOND, 5 * SECOND)
    assert why.window(5 * SECOND, 6 * SECOND + SECOND // 2).seconds == 1.5


def test_links_that_lost_lanes_come_among_those_that_went_down_by_how_much_less_they_carry() -> None:
    before, later = pair({("edge1[1]", "LinkDowned"): 3})
    for port, lanes in (("edge1[25]", 2), ("core1[2]", 1)):
        rows = rows_of(fabric, later, port)
        later.lanes[rows], later.speeds[rows] = lanes, SPEEDS.index("EDR")
    # A quarter of four lanes, then down three times, then half of four lanes.
    assert [set(part.ends) for part in asked(before, later).guilty] == [
        {"core1[2]", "edge2[25]"},
        {"edge1[1]", "NodeA hfi1_0[1]"},
        {"edge1[25]", "core1[1]"},
    ]
