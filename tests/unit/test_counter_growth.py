"""Growth of counters is the truth or is not known; nothing is invented."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import reduce
from typing import get_args

import numpy as np
import pytest
from lacis.counters import Lost, Readings, Unread, growth, joined
from lacis.counters.growth import of_stretch
from lacis.counters.readings import empty
from lacis.counters.stretch import followed, stretch
from lacis.facts.guilt import LostBecause

from tests.conftest import ROOT
from tests.histories import NAMES, WIDE, history, row_of

SECOND = 10**9
SCHEMAS = ROOT / "python" / "lacis" / "schemas"


def one(at: int, *, lid: int = 7, unread: bool = False, wide: bool = False, **values: int) -> Readings:
    """The readings of one port at a second; or of no port, which was asked in vain or is not there."""
    if not values:
        gone = (Unread(1, 1, "timeout"),) if unread else ()
        return replace(empty(0), started=at * SECOND, unread=gone)
    readings = empty(1, list(values))
    readings.guids[:], readings.ports[:], readings.lids[:], readings.times[:] = 1, 1, lid, at * SECOND
    for name, value in values.items():
        readings.values[name][:], readings.known[name][:], readings.wide[name][:] = value, True, wide
    return replace(readings, started=at * SECOND)


def over(*readings: Readings) -> dict[str, tuple[int, Lost]]:
    found = of_stretch(reduce(followed, map(stretch, readings)))
    return {name: (int(found.values[name][0]), Lost(found.lost[name][0])) for name in found.values}


def test_the_growth_of_a_second_is_the_difference() -> None:
    found = growth(one(1, wide=True, XmitData=100), one(3, wide=True, XmitData=700))
    assert found.values["XmitData"].tolist() == [600]
    assert found.seconds.tolist() == [2.0]
    assert found.per_second("XmitData").tolist() == [1200.0]  # 600 words of 4 bytes in 2 s


def test_a_rate_needs_time_that_passes_however_short() -> None:
    # A quarter of a second: 25 words of 4 bytes.
    before, later = one(1, wide=True, XmitData=100), one(1, wide=True, XmitData=125)
    later.times[:] = SECOND + SECOND // 4
    found = growth(before, later)
    assert (found.seconds.tolist(), found.per_second("XmitData").tolist()) == ([0.25], [400.0])
    later.times[:] = SECOND
    at_once = growth(before, later)
    assert np.isnan(at_once.seconds).all()
    assert np.isnan(at_once.per_second("XmitData")).all()
    errors = growth(one(1, SymbolErrors=1), one(3, SymbolErrors=7))
    assert errors.per_second("SymbolErrors").tolist() == [3.0]  # what is no data is counted by ones


def test_a_counter_that_fell_was_cleared_and_its_attribute_with_it() -> None:
    # RcvErrors has grown past its old value since, and is not believed: SymbolErrors of the same attribute fell.
    found = over(one(1, SymbolErrors=9, RcvErrors=1), one(2, SymbolErrors=2, RcvErrors=5))
    assert found == {"SymbolErrors": (0, Lost.CLEARED), "RcvErrors": (0, Lost.CLEARED)}


@pytest.mark.parametrize("cleared", [False, True])
def test_either_attribute_may_be_cleared_alone(cleared: bool) -> None:
    before = joined([one(1, wide=True, XmitData=100), one(1, SymbolErrors=9)])
    data, errors = (5, 12) if cleared else (150, 3)
    after = joined([one(2, wide=True, XmitData=data), one(2, SymbolErrors=errors)])
    known = {"XmitData": (50, Lost.NOTHING), "SymbolErrors": (3, Lost.NOTHING)}
    lost = "XmitData" if cleared else "SymbolErrors"
    assert over(before, after) == {**known, lost: (0, Lost.CLEARED)}


def test_a_counter_at_its_greatest_value_is_full_and_has_grown_by_at_least_the_difference() -> None:
    # LinkDowned has 8 bits in PortCounters.
    found = growth(one(1, LinkDowned=250), one(2, LinkDowned=255))
    assert found.lost["LinkDowned"].tolist() == [Lost.FULL]
    assert found.values["LinkDowned"].tolist() == [0]
    assert found.at_least["LinkDowned"].tolist() == [5]
    assert over(one(1, wide=True, LinkDowned=250), one(2, wide=True, LinkDowned=255)) == {
        "LinkDowned": (5, Lost.NOTHING)
    }


def test_a_counter_of_32_bits_that_turns_into_one_of_64_is_not_known() -> None:
    assert over(one(1, XmitData=10), one(2, wide=True, XmitData=30)) == {"XmitData": (0, Lost.ABSENT)}


def test_an_answer_that_was_lost_leaves_the_growth_known_and_a_port_that_was_gone_does_not() -> None:
    ends = one(1, SymbolErrors=1), one(9, SymbolErrors=4)
    assert over(ends[0], one(5, unread=True), ends[1]) == {"SymbolErrors": (3, Lost.NOTHING)}
    assert over(ends[0], one(5), ends[1]) == {"SymbolErrors": (0, Lost.GONE)}
    faulty = replace(one(5), only_faulty=True)  # ibqueryerrors leaves out what has no errors
    assert over(ends[0], faulty, ends[1]) == {"SymbolErrors": (3, Lost.NOTHING)}


@pytest.mark.parametrize("first", [True, False])
def test_a_port_that_was_asked_in_vain_once_and_gone_once_is_not_known_whatever_is_joined_first(
    first: bool,
) -> None:
    before, vain, gone, after = map(
        stretch, (one(1, SymbolErrors=1), one(2, unread=True), one(3), one(4, SymbolErrors=4))
    )
    between = (vain, gone) if first else (gone, vain)
    for whole in (
        reduce(followed, (before, *between, after)),
        followed(followed(before, followed(*between)), after),
        followed(before, followed(followed(*between), after)),
    ):
        assert of_stretch(whole).lost["SymbolErrors"].tolist() == [Lost.GONE]


def test_another_lid_and_a_clock_that_was_set_back_are_reasons_of_their_own() -> None:
    assert over(one(1, SymbolErrors=1), one(2, lid=8, SymbolErrors=2)) == {"SymbolErrors": (0, Lost.GONE)}
    assert over(one(5, SymbolErrors=1), one(2, SymbolErrors=2)) == {"SymbolErrors": (0, Lost.CLOCK)}
    assert over(one(1, lid=0, SymbolErrors=1), one(2, lid=8, SymbolErrors=2)) == {
        "SymbolErrors": (1, Lost.NOTHING)
    }


@pytest.mark.parametrize("passed", [1, 4])
def test_what_no_link_carries_grows_with_the_time_that_passed(passed: int) -> None:
    # 400 · 10⁹ bytes in a second are 10¹¹ words of 4 bytes.
    most = passed * 10**11
    for words, expected in ((most, (most, Lost.NOTHING)), (most + 1, (0, Lost.BEYOND))):
        ends = one(1, wide=True, XmitData=0), one(1 + passed, wide=True, XmitData=words)
        assert over(*ends) == {"XmitData": expected}


def test_of_a_port_that_a_sweep_has_twice_the_later_row_stays_and_planes_are_in_order() -> None:
    def three(at: int, *values: int) -> Readings:
        """Rows of plane 2, of plane 1, and of plane 2 again."""
        row = np.zeros(3, np.intp)
        found = one(at, SymbolErrors=1).taken(row)
        found.planes[:], found.values["SymbolErrors"][:] = (2, 1, 2), values
        return found

    found = growth(three(1, 4, 5, 6), three(2, 40, 7, 9))
    assert found.planes.tolist() == [1, 2]
    # 5 → 7, and 6 → 9.
    assert found.values["SymbolErrors"].tolist() == [2, 3]


def test_more_than_any_link_carries_is_not_believed() -> None:
    # 400 GB/s in 1 s are 10¹¹ words.
    found = over(
        one(1, wide=True, XmitData=0, XmitPkts=1), one(2, wide=True, XmitData=2 * 10**11, XmitPkts=2)
    )
    assert found == {"XmitData": (0, Lost.BEYOND), "XmitPkts": (0, Lost.BEYOND)}


def test_every_reason_has_a_word_where_reasons_are_printed() -> None:
    words = [reason.name.lower() for reason in Lost if reason]
    assert list(get_args(LostBecause)) == words
    assert json.dumps(words) in json.dumps(json.loads((SCHEMAS / "lacis.counters-1.json").read_text()))


def test_one_reading_and_a_counter_that_only_one_has_are_no_growth() -> None:
    assert over(one(1, SymbolErrors=1)) == {"SymbolErrors": (0, Lost.ABSENT)}
    found = over(one(1, SymbolErrors=1), one(2, SymbolErrors=2, XmitDiscards=4))
    assert found == {"SymbolErrors": (1, Lost.NOTHING), "XmitDiscards": (0, Lost.ABSENT)}


@pytest.mark.parametrize("seed", range(40))
def test_in_any_history_the_growth_is_the_truth_or_not_known(seed: int) -> None:
    made = history(seed)
    for first, last in ((0, 11), (3, 4), (2, 9)):
        found = of_stretch(reduce(followed, map(stretch, made.readings[first : last + 1])))
        at = row_of(found.guids, found.ports)
        origin = made.readings[0].started
        begins, ends = ((times - origin) // (10 * SECOND) for times in (found.begins, found.ends))
        traceless = np.any(made.traceless[first : last + 1], axis=0)[at]
        for name in NAMES:
            counted = made.counted(name)
            truth = counted[ends, at] - counted[begins, at]
            known = found.lost[name] == Lost.NOTHING
            assert (found.values[name][known & ~traceless] == truth[known & ~traceless]).all(), name
            # A clearing that left no trace makes the growth too low, never too high; so is what has surely grown.
            assert (found.values[name] <= truth).all(), name
            assert (found.at_least[name] <= truth).all(), name


@pytest.mark.parametrize("seed", range(10))
def test_without_events_all_growth_is_known(seed: int) -> None:
    made = history(seed, calm=1.0)
    found = growth(made.readings[0], made.readings[-1])
    for name in WIDE:
        counted = made.counted(name)
        assert (found.values[name] == counted[-1] - counted[0]).all()
        assert not found.lost[name].any()


@pytest.mark.parametrize("seed", range(10))
def test_it_does_not_matter_in_which_order_sweeps_are_summed_up(seed: int) -> None:
    parts = [stretch(one) for one in history(seed).readings]
    left = of_stretch(reduce(followed, parts))
    pairs = [followed(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    right = of_stretch(reduce(lambda after, before: followed(before, after), reversed(pairs)))
    for name in NAMES:
        assert (left.lost[name] == right.lost[name]).all()
        assert (left.values[name] == right.values[name]).all()
        assert (left.at_least[name] == right.at_least[name]).all()
    assert (left.samples == right.samples).all()


def test_readings_of_several_sources_keep_their_unit_and_none_of_them_are_no_ports() -> None:
    # Omni-Path counts data in flits of 8 bytes.
    parts = one(1, wide=True, XmitData=3), one(1, wide=True, RcvData=4)
    whole = joined([replace(part, unit=8) for part in parts])
    assert (whole.unit, len(whole), sorted(whole.values)) == (8, 1, ["RcvData", "XmitData"])
    assert (len(joined([])), joined([]).unit) == (0, 4)
