"""What ports do, from readings made by hand on a tree of two edges and two cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lacis import _core
from lacis.counters import growth
from lacis.errors import LacisError
from lacis.fabric.ports import Ports, ports_of
from lacis.live import (
    CATEGORIES,
    Criterion,
    Direction,
    Recorded,
    Swept,
    buckets,
    figures,
    focus,
    groups,
    usage,
)

from ...ports_read import SECOND, cable, read


@pytest.fixture(scope="module")
def ports() -> Ports:
    """Two leaves with two hosts each below two spines, HDR: 25 GB/s."""
    return ports_of(_core.generate_fabric("fat-tree:4,2"))


def test_a_rate_is_the_greater_of_what_both_ends_say(ports: Ports) -> None:
    here, far, rate = cable(ports)
    # 2 s; here counted 1000 words, there 1500 arrived: 1500 × 4 bytes in 2 s.
    before = read(ports, 10, {})
    after = read(ports, 12, {"XmitData": {here: 1000}, "RcvData": {far: 1500}, "RcvPkts": {far: 60}})
    now = usage(ports, growth(before, after))
    assert now.sent[here] == pytest.approx(1500 * 4 / 2)
    assert now.packets[here] == pytest.approx(30)
    assert now.received[far] == pytest.approx(3000)
    assert now.share[here] == pytest.approx(3000 / rate)
    assert now.sent[far] == 0
    assert (now.begin, now.end) == (10 * SECOND, 12 * SECOND)


def test_one_end_is_enough(ports: Ports) -> None:
    here, far, _ = cable(ports)
    before, after = read(ports, 0, {}), read(ports, 1, {"RcvData": {far: 100}})
    only_there = np.arange(len(ports)) != here
    now = usage(ports, growth(before.taken(only_there), after.taken(only_there)))
    assert now.sent[here] == pytest.approx(400)
    assert not now.read[here]
    assert now.read[far]


def test_what_was_cleared_is_not_known(ports: Ports) -> None:
    here, far, _ = cable(ports)
    before = read(ports, 0, {"XmitData": {here: 500}, "RcvData": {far: 500}})
    now = usage(ports, growth(before, read(ports, 1, {"XmitData": {here: 3}, "RcvData": {far: 4}})))
    assert np.isnan(now.sent[here])


def test_waiting_is_a_share_of_what_could_have_been_sent(ports: Ports) -> None:
    here, _, rate = cable(ports)
    # A tick is 8 bytes' time: half of the rate's bytes in a second are rate / 16 ticks.
    after = read(ports, 1, {"XmitWait": {here: round(rate / 16)}})
    now = usage(ports, growth(read(ports, 0, {}), after))
    assert now.waited[here] == pytest.approx(0.5, rel=1e-6)


def test_errors_are_added_up_by_category(ports: Ports) -> None:
    here, far, _ = cable(ports)
    after = read(ports, 1, {"SymbolErrors": {here: 3}, "LinkDowned": {here: 2}, "VL15Dropped": {far: 7}})
    now = usage(ports, growth(read(ports, 0, {}), after))
    assert now.errors("integrity")[here] == 5
    assert now.errors("sma congestion")[far] == 7
    assert now.errors("integrity")[far] == 0
    assert np.isnan(now.errors("bubble")).all()
    # Every counter of errors is in one category.
    of_errors = [name for names in CATEGORIES.values() for name in names]
    assert len(of_errors) == len(set(of_errors))


def test_groups_say_where_traffic_goes(ports: Ports) -> None:
    here, _, rate = cable(ports)
    host = next(at for at in range(len(ports)) if ports.kinds[ports.nodes[at]] == "adapter")
    half, tenth = round(rate / 8) + 1, round(rate / 40)
    after = read(ports, 1, {"XmitData": {here: half, host: tenth}})
    now = usage(ports, growth(read(ports, 0, {}), after))
    every, adapters, switches, between = groups(ports)
    within = figures(now, every, Direction.WITHIN)
    # Both ends of each cable send.
    assert within.ports == int(every.members.sum())
    assert within.total == pytest.approx(4 * (half + tenth))
    assert within.most == pytest.approx(4 * half)
    assert figures(now, every, Direction.OUT).ports == 0
    out = figures(now, adapters, Direction.OUT)
    assert out.total == pytest.approx(4 * tenth)
    assert out.ports == int(adapters.members.sum())
    assert figures(now, switches, Direction.IN).total == pytest.approx(4 * tenth)
    assert figures(now, between, Direction.WITHIN).total == pytest.approx(4 * half)
    # 50 % is in the bucket of 50 to 60 %.
    counts = buckets(now, between, Direction.WITHIN)
    assert counts[5] == 1
    assert counts.sum() == int(between.members.sum())


def test_lists_put_the_highest_first_and_equals_in_order(ports: Ports) -> None:
    here, far, rate = cable(ports)
    after = read(ports, 1, {"XmitData": {here: 900, far: 100}, "SymbolErrors": {far: 4}})
    now = usage(ports, growth(read(ports, 0, {}), after))
    every = groups(ports)[0]
    first, second, third = focus(now, every, Criterion.HIGH, 3)
    assert [first.port, second.port] == [here, far]
    assert first.value == pytest.approx(3600 / rate)
    rest = [at for at in np.flatnonzero(every.members) if at not in (here, far)]
    assert third == (int(rest[0]), 0.0)
    assert [one.port for one in focus(now, every, Criterion.LOW, 2)] == rest[:2]
    assert focus(now, every, Criterion.INTEGRITY, 5, nonzero=True) == [(far, 4)]
    name = ports.names[ports.nodes[far]]
    assert {one.port for one in focus(now, every, Criterion.HIGH, 99, name.upper())} >= {here, far}
    assert focus(now, every, Criterion.HIGH, 99, "no such port") == []
    assert focus(now, every, Criterion.HIGH, 0) == []


def test_nothing_read_is_nothing_known(ports: Ports) -> None:
    now = usage(ports, None)
    assert np.isnan(now.share).all()
    found = figures(now, groups(ports)[0], Direction.WITHIN)
    assert found.unknown == found.ports
    assert focus(now, groups(ports)[0], Criterion.HIGH, 9) == []


def test_a_recording_has_an_interval_between_each_two_readings(ports: Ports) -> None:
    here, _, _ = cable(ports)
    readings = [read(ports, at, {"XmitData": {here: words}}) for at, words in ((5, 10), (1, 0), (9, 50))]
    timeline = Recorded(readings, "recording")
    assert timeline.instants() == [5 * SECOND, 9 * SECOND]
    first, second = (timeline.growth(number) for number in (0, 1))
    assert first is not None
    assert second is not None
    assert usage(ports, first).sent[here] == pytest.approx(10 * 4 / 4)
    assert usage(ports, second).sent[here] == pytest.approx(40 * 4 / 4)
    assert Recorded(readings[:1], "one").growth(0) is None
    with pytest.raises(LacisError, match="no readings"):
        Recorded([], "none")


def test_sweeps_are_kept_from_the_second_on(ports: Ports) -> None:
    here, _, _ = cable(ports)
    left = [read(ports, at, {"XmitData": {here: 10 * at}}) for at in (1, 2, 2, 4)]
    timeline = Swept(lambda: left.pop(0), "live")
    assert timeline.advance()
    assert (timeline.instants(), timeline.growth(0)) == ([1 * SECOND], None)
    assert timeline.advance()
    assert not timeline.advance()  # the same sweep again
    assert timeline.advance()
    assert timeline.instants() == [2 * SECOND, 4 * SECOND]
    last = timeline.growth(1)
    assert last is not None
    assert usage(ports, last).sent[here] == pytest.approx(20 * 4 / 2)


def test_figures_are_of_ports_that_are_known(ports: Ports) -> None:
    # Of four ports between switches two sent 100 and 300 words in a second, with 10 and 20 packets, and one is not read.
    between = groups(ports)[3]
    rows = np.flatnonzero(between.members)
    one, two, lost = (int(row) for row in (rows[0], rows[2], rows[4]))
    far = int(ports.far[lost])
    sent = {"XmitData": {one: 100, two: 300}, "XmitPkts": {one: 10, two: 20}}
    seen = ~np.isin(np.arange(len(ports)), (lost, far))
    now = usage(ports, growth(read(ports, 0, {}).taken(seen), read(ports, 1, sent).taken(seen)))
    found = figures(now, between, Direction.WITHIN)
    # Both ends of the cable that is not read are unknown, and the other ports sent nothing.
    assert (found.ports, found.unknown) == (len(rows), 2)
    known = len(rows) - 2
    assert (found.total, found.mean, found.least, found.most) == (1600, 1600 / known, 0, 1200)
    assert (found.packets, found.mean_packets, found.most_packets) == (30, 30 / known, 20)
    nothing = figures(usage(ports, None), between, Direction.WITHIN)
    assert (nothing.ports, nothing.unknown) == (len(rows), len(rows))
    assert np.isnan(nothing.total)


def test_a_bucket_begins_with_its_tenth_and_the_last_has_all_that_is_more(ports: Ports) -> None:
    between = groups(ports)[3]
    rows = np.flatnonzero(between.members)
    # 25 GB/s are 6.25e9 words of 4 bytes a second; a rate above it is a reading a little late.
    words = {
        0: 624_999_999,
        1: 625_000_000,
        2: 1_875_000_000,
        3: 5_624_999_999,
        4: 5_625_000_000,
        5: 6_260_000_000,
    }
    sent = {int(rows[at]): count for at, count in words.items()}
    now = usage(ports, growth(read(ports, 0, {}), read(ports, 1, {"XmitData": sent})))
    counts = buckets(now, between, Direction.WITHIN)
    assert counts.tolist() == [len(rows) - 5, 1, 0, 1, 0, 0, 0, 0, 1, 2]
    assert sum(counts) == len(rows)


def test_waiting_is_never_more_than_all_of_the_time(ports: Ports) -> None:
    here, far, rate = cable(ports)
    after = read(ports, 1, {"XmitWait": {here: round(rate / 8 * 1.01), far: round(rate / 80)}})
    now = usage(ports, growth(read(ports, 0, {}), after))
    assert now.waited[here] == 1.0
    assert now.waited[far] == pytest.approx(0.1)
    # In two seconds it is half as much.
    assert usage(ports, growth(read(ports, -1, {}), after)).waited[far] == pytest.approx(0.05)


def test_each_criterion_sorts_by_its_own(ports: Ports) -> None:
    here, far, rate = cable(ports)
    after = read(
        ports,
        1,
        {
            "XmitData": {here: 900, far: 100},
            "XmitPkts": {here: 1, far: 2},
            "XmitWait": {here: round(rate / 80), far: 0},
            "VL15Dropped": {far: 3},
            "LinkDowned": {here: 1},
        },
    )
    now = usage(ports, growth(read(ports, 0, {}), after))
    every = groups(ports)[0]

    def listed(criterion: Criterion) -> list[tuple[int, Any]]:
        return [(row.port, row.value) for row in focus(now, every, criterion, 9, nonzero=True)]

    assert listed(Criterion.HIGH) == [(here, 3600 / rate), (far, 400 / rate)]
    assert listed(Criterion.LOW) == [(far, 400 / rate), (here, 3600 / rate)]
    assert listed(Criterion.PACKETS) == [(far, 2), (here, 1)]
    assert listed(Criterion.WAITING) == [(here, pytest.approx(0.1))]
    assert listed(Criterion.SMA_CONGESTION) == [(far, 3)]
    assert listed(Criterion.INTEGRITY) == [(here, 1)]
    assert listed(Criterion.ROUTING) == []


def test_a_text_with_a_bracket_is_of_ports_by_number(ports: Ports) -> None:
    now = usage(ports, growth(read(ports, 0, {}), read(ports, 1, {})))
    every = groups(ports)[0]

    def listed(text: str) -> set[str]:
        return {ports.name(row.port) for row in focus(now, every, Criterion.HIGH, 99, text)}

    # A port and the one at the other end of its cable.
    assert listed("leaf-01[3]") == {"leaf-01[3]", "spine-01[1]"}
    assert listed("LEAF-01[3") == listed("leaf-01[3]")
    assert listed("01[1]") == {
        *("leaf-01[1]", "node0001 HCA-1[1]", "spine-01[1]", "leaf-01[3]"),
    }
    assert listed("leaf-01[9]") == set()
    assert len(listed("leaf-01")) == 8


def test_an_interval_is_from_the_first_port_that_was_read_to_the_last(ports: Ports) -> None:
    before, after = read(ports, 10, {}), read(ports, 20, {})
    before.times[:3] = (8 * SECOND, 11 * SECOND, 0)
    after.times[:3] = (21 * SECOND, 19 * SECOND, 0)
    now = usage(ports, growth(before, after))
    assert (now.begin, now.end) == (8 * SECOND, 21 * SECOND)
    assert now.seconds[:2].tolist() == [13, 8]
    # A port that does not say when it was read has no rates.
    assert np.isnan(now.seconds[2])
