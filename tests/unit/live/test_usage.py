"""What ports do, from readings made by hand on a tree of two edges and two cores."""

from __future__ import annotations

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
