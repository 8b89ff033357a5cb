"""`lacis.watch` at its limits: each threshold from either side, every port of a fabric, what is not known; and the words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis import watch
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.facts import watch as of
from lacis.facts.wording import text
from lacis.watch import Hysteresis

from tests import counted

from .test_watch import AT, FABRIC, FTREE, MINHOP, NONE, REFUSED, at, errors, sending, watched, with_links

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.counters import Readings

PORTS = ports_of(FABRIC)
NAMES = [PORTS.name(row) for row in range(len(PORTS))]


def test_a_condition_is_open_from_when_it_is_said_on_and_open_ones_are_in_that_order() -> None:
    conditions = watch.Conditions()
    slow, fast = Hysteresis(opens_after=60), Hysteresis()
    one, two, three = (of.PortsSilent(number, "a[1]") for number in (1, 2, 3))
    assert not conditions.is_open("slow", ("a",))
    conditions.judge("slow", 0, {("a",): one}, slow)
    assert not conditions.is_open("slow", ("a",))
    conditions.judge("fast", 10, {("b",): two}, fast)
    conditions.judge("slow", 60, {("a",): one, ("c",): three}, slow)
    assert conditions.is_open("slow", ("a",))
    assert not conditions.is_open("slow", ("c",))
    assert not conditions.is_open("fast", ("a",))
    # The one that began first opened second.
    assert conditions.open == [two, one]


# --- cables ----------------------------------------------------------------------------------------


LATER = range(10, 300, 10)
"""Minutes of sweeps, long enough for a cable to be good again."""


def test_what_is_not_known_of_a_bad_cable_does_not_make_it_good() -> None:
    # The port gives no answer any more; 126 minutes in which nothing is known of it are not clean ones.
    bad = [at(0), at(1, errors(1)), at(2, errors(2))]
    silent = [at(minute, silent=["leaf-01[1]"]) for minute in LATER]
    assert [opened for _, opened, _ in watched(*bad, *silent)] == [True]
    # Nor are those in which its counter is full.
    full = [at(minute, {"leaf-01[1]": {"SymbolErrors": 65535}}) for minute in LATER]
    said = [one for one in watched(*bad, *full) if isinstance(one[2], of.SymbolErrorsMany)]
    assert [opened for _, opened, _ in said] == [True]


DOWNS = {"leaf-02[3]": {"LinkDowned": 3}, "spine-01[2]": {"LinkDowned": 1}}


def test_what_is_not_known_of_a_cable_that_went_down_does_not_make_it_good() -> None:
    ends = ["leaf-02[3]", "spine-01[2]"]
    silent = [at(minute, silent=ends) for minute in LATER]
    assert [opened for _, opened, _ in watched(at(0), at(1, DOWNS), *silent)] == [True, True]
    full = {end: {"LinkDowned": 255} for end in ends}
    found = watched(at(0), at(1, DOWNS), *[at(minute, full) for minute in LATER])
    assert [opened for _, opened, one in found if not isinstance(one, of.CounterFull)] == [True, True]


@pytest.mark.parametrize("silent", ["leaf-02[3]", "spine-01[2]"])
def test_of_a_cable_one_end_is_enough(silent: str) -> None:
    # Minute 1 is within 12 minutes up to minute 10, and within an hour up to 60: clean from 20 and 70 on.
    other = {end: its for end, its in DOWNS.items() if end != silent}
    rest = [at(minute, other, silent=[silent]) for minute in LATER]
    closed = [event[0] for event in watched(at(0), at(1, DOWNS), *rest) if not event[1]]
    assert closed == [150 * 60, 200 * 60]


@pytest.mark.parametrize(
    ("leaf", "spine", "named"),
    [(5, 3, "leaf-02[3]"), (3, 5, "spine-01[2]"), (5, 2, "leaf-02[3]"), (2, 2, None)],
)
def test_a_link_that_flaps_is_named_by_the_end_that_has_counted_more(
    leaf: int, spine: int, named: str | None
) -> None:
    downs = {"spine-01[2]": {"LinkDowned": spine}, "leaf-02[3]": {"LinkDowned": leaf}}
    said = [one for _, _, one in watched(at(0), at(1, downs)) if isinstance(one, of.LinkFlaps)]
    assert [(one.port, one.times) for one in said] == ([(named, max(leaf, spine))] if named else [])


@pytest.mark.parametrize("name", NAMES)
def test_every_port_counts(name: str) -> None:
    row = NAMES.index(name)
    far = NAMES[int(PORTS.far[row])]
    said = watched(at(0), at(1, {name: {"LinkDowned": 3, "SymbolErrors": 9}}))
    assert {type(one): (one.port, one.far) for _, _, one in said} == {
        of.LinkFlaps: (name, far),
        of.SymbolErrorsMany: (name, far),
    }
    said = watched(at(0), at(1, {name: {"LinkDowned": 1}, far: {"LinkDowned": 1}}))
    assert [{one.port, one.far} for _, _, one in said] == [{name, far}]
    assert [{one.port, one.far} for _, _, one in watched(at(0, down=[name]))] == [{name, far}]
    [(_, _, hot)] = watched(*sending([0.95, 0.95], name))
    assert (hot.egress, hot.ingress) == (name, far)
    lost = counted.unread(at(0), (int(PORTS.guids[row]), int(PORTS.numbers[row]), "timeout"))
    [(_, _, silent)] = watched(lost, replace(lost, ended=lost.ended + 300 * counted.SECOND))
    assert silent == of.PortsSilent(1, name)


def test_ports_of_another_fabric_are_shown_by_number_and_counted_for_none_of_this() -> None:
    other = api.read("fat-tree:8,2")
    guids = set(PORTS.guids.tolist())
    name = next(
        ports.name(row)
        for ports in [ports_of(other)]
        for row in range(len(ports))
        if int(ports.guids[row]) not in guids and ports.far[row] >= 0
    )

    def more(minute: float, values: dict[str, dict[str, int]], **given: Any) -> Readings:
        return counted.read(other, AT + 60 * minute, values, **given)

    none: dict[str, dict[str, int]] = {name: {"SymbolErrors": 0}}
    many = {name: {"SymbolErrors": 9, "LinkDowned": 9}}
    assert watched(more(0, none), more(1, many), more(2, none), more(3, many)) == []
    assert watched(more(0, none, down=[name])) == []
    assert watched(more(0, none), more(1, {name: {"XmitData": int(25e9 * 60 / 4)}})) == []
    lost = counted.unread(at(0), (0xABC, 7, "timeout"))
    said = watched(lost, replace(lost, ended=lost.ended + 300 * counted.SECOND))
    assert said == [(300, True, of.PortsSilent(1, "0x0000000000000abc[7]"))]
    # A counter of 16 bits that is full.
    full = {name: {"SymbolErrors": 65535}}
    [(_, _, said_full)] = watched(more(0, full), more(1, full))
    assert isinstance(said_full, of.CounterFull)
    assert said_full.first.startswith("0x")


@pytest.mark.parametrize("ends", [("leaf-01[3]", "spine-01[1]"), ("leaf-01[1]", "node0001 HCA-1[1]")])
def test_a_link_whose_ends_are_silent_is_not_up_and_one_end_is_enough_to_know(ends: tuple[str, str]) -> None:
    down = at(0, down=ends[:1])
    nothing = [at(minute, silent=ends) for minute in range(1, 30)]
    assert [opened for _, opened, _ in watched(down, *nothing)] == [True]
    for silent in ends:
        rest = [at(minute, silent=[silent]) for minute in range(1, 30)]
        # Up from minute 1 on, as its other end says: over after ten minutes.
        assert [event[:2] for event in watched(down, *rest)] == [(0, True), (11 * 60, False)]


@pytest.mark.parametrize(
    ("port", "far"),
    [("leaf-01[1]", "node0001 HCA-1[1]"), ("node0001 HCA-1[1]", "leaf-01[1]"), ("leaf-01[3]", "spine-01[1]")],
)
def test_a_link_that_has_lost_lanes_is_whole_again_after_ten_minutes_by_either_end(
    port: str, far: str
) -> None:
    slow = with_links(at(0), {port: 1})
    for end in (port, far):
        said = watched(slow, *[with_links(at(minute), {end: 4}) for minute in (30, 39, 40)])
        assert [(*event[:2], event[2].runs_at) for event in said] == [
            (0, True, "1xHDR"),
            (2400, False, "1xHDR"),
        ]
        assert {said[0][2].port, said[0][2].far} == {port, far}
        assert watched(with_links(at(0), {end: 4})) == []


@pytest.mark.parametrize("port", ["leaf-01[1]", "node0001 HCA-1[1]", "spine-02[4]"])
def test_no_link_cools_while_neither_of_its_ports_is_read(port: str) -> None:
    far = NAMES[int(PORTS.far[NAMES.index(port)])]
    sweeps = sending([0.95] * 20, port)
    sweeps[5:20] = [at(minute, silent=[port, far]) for minute in range(5, 20)]
    assert [opened for _, opened, _ in watched(*sweeps)] == [True]


@pytest.mark.parametrize(("share", "opens"), [(0.5, True), (0.499, False)])
def test_a_link_is_hot_from_the_share_on(share: float, *, opens: bool) -> None:
    assert [opened for _, opened, _ in watched(*sending([share, share]), hot=0.5)] == [True] * opens


@pytest.mark.parametrize(("share", "cools"), [(0.4, False), (0.399, True)])
def test_a_hot_link_is_so_down_to_four_fifths_of_that(share: float, *, cools: bool) -> None:
    said = watched(*sending([0.6, 0.6, *[share] * 9]), hot=0.5)
    assert [opened for _, opened, _ in said] == [True, False][: 1 + cools]


def test_jobs_behind_a_link_come_by_the_pairs_that_cross_it_and_then_by_name() -> None:
    routes = api.route(FABRIC, "minhop")
    crossing = watch.Crossing(routes, PORTS)
    hosts = tuple(sorted(api.participants(routes).hosts))
    row = NAMES.index("leaf-01[3]")
    # node0001 and node0002 are at leaf-01: without one of them half as many pairs leave it.
    half = tuple(name for name in hosts if not name.startswith("node0001"))
    jobs = {"few": half, "b": hosts, "a": hosts}
    a, b, few = crossing.on(row, jobs)
    assert (a.name, b.name, few.name) == ("a", "b", "few")
    assert (a.hosts, few.hosts) == (8, 7)
    assert a.pairs == b.pairs > few.pairs > 0
    # A job that has ended is forgotten, and one with its hosts is counted again.
    crossing.keep({"few": half})
    assert crossing.on(row, jobs)[0].pairs == a.pairs


# --- time ------------------------------------------------------------------------------------------


def test_ports_are_silent_until_they_have_answered_for_five_minutes() -> None:
    lost = [counted.unread(at(minute), (int(PORTS.guids[0]), 1, "timeout")) for minute in range(7)]
    said = watched(*lost, *[at(minute) for minute in range(7, 20)])
    assert [event[:2] for event in said] == [(300, True), ((7 + 5) * 60, False)]


def test_readings_are_old_after_five_minutes_and_not_before() -> None:
    for age, old in ((300, False), (300.5, True)):
        clock = iter([AT, AT + age]).__next__
        assert [one for _, _, one in watched(at(0), at(0), clock=clock)] == [of.ReadingsOld(300)] * old
    # Readings that do not say when they were made have no age; each is a new sweep.
    timeless = [replace(at(0, down=down), started=0, ended=0) for down in ([], ["leaf-01[3]"])]
    clock = iter([AT, AT + 9000]).__next__
    assert [type(one) for _, _, one in watched(*timeless, clock=clock)] == [of.LinkIsDown]


def test_what_is_seen_without_readings_has_the_time_of_the_last_ones_or_that_of_the_clock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("lacis.watch.watching.time.time", lambda: AT + 77.0)
    gone = LacisError("the adapter is gone")
    assert [time for time, _, _ in watched(at(0.5), gone)] == [30]
    assert [time for time, _, _ in watched(gone)] == [77]
    log = tmp_path / "opensm.log"
    log.write_text(REFUSED + MINHOP)
    [event] = watch.Watch(PORTS, log=watch.ManagerLog(str(log))).step()
    assert event.time == AT + 77


# --- files -----------------------------------------------------------------------------------------


def test_of_a_long_log_the_beginning_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lacis.watch.manager.FIRST", 400)
    file = tmp_path / "opensm.log"
    file.write_text(REFUSED + "x" * 1000 + "\n" + MINHOP)
    assert watch.ManagerLog(str(file)).read() is None


def test_a_log_that_is_emptied_or_replaced_by_a_longer_one_is_read_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "opensm.log"
    file.write_text(FTREE + REFUSED + MINHOP)
    log = watch.ManagerLog(str(file))
    fell_back = of.ManagerFellBack(str(file), ("ftree",), "minhop")
    assert log.read() == fell_back
    file.write_text(FTREE)
    assert log.read() is None
    new = tmp_path / "new"
    new.write_text(REFUSED + MINHOP + "x" * 2000 + "\n")
    new.rename(file)
    assert log.read() == fell_back


def test_a_manager_that_no_engine_served_is_said_without_one_that_refused(tmp_path: Path) -> None:
    file = tmp_path / "opensm.log"
    file.write_text(NONE)
    found = watch.ManagerLog(str(file)).read()
    assert found == of.ManagerFellBack(str(file), (), None)
    assert text(found) == f"{file}: no engine routed the fabric: tables are as they were"


def test_of_tables_that_changed_the_switch_with_most_changes_is_named(tmp_path: Path) -> None:
    routes = api.route(FABRIC, "minhop")
    file = tmp_path / "tables"
    api.write_tables(routes, file)
    looking = watch.WatchedTables(str(file), FABRIC)
    table = routes.table().copy()
    for switch, changes in ((0, 1), (1, 3), (2, 2)):
        lids = np.flatnonzero(table[switch] == 3)[:changes]
        table[switch, lids] = 4
    api.write_tables(routes.with_table(table), file)
    assert looking.changed() == {}  # it may still be written
    [changed] = looking.changed().values()
    assert changed == of.TablesChanged(str(file), 6, 3, "leaf-02")


# --- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (of.ReadingsOld(59), "the last readings are 59 seconds old"),
        (of.ReadingsOld(60), "the last readings are 1 minute old"),
        (of.ReadingsOld(3599), "the last readings are 59 minutes old"),
        (of.ReadingsOld(3600), "the last readings are an hour old"),
        (of.ReadingsOld(3660), "the last readings are 61 minutes old"),
        (of.ReadingsOld(7199), "the last readings are 119 minutes old"),
        (of.ReadingsOld(7200), "the last readings are 2 hours old"),
        (of.ReadingsOld(259_199), "the last readings are 71 hours old"),
        (of.ReadingsOld(259_200), "the last readings are 3 days old"),
        (
            of.SymbolErrorsMany("a[1]", "b[2]", 1, 720, 0.9876),
            "a[1] from b[2]: 1 symbol error within 12 minutes, where a good cable has 0.988 at most",
        ),
        (
            of.SymbolErrorsMany("a[1]", None, 2, 720, 1.44),
            "a[1]: 2 symbol errors within 12 minutes, where a good cable has 1.44 at most",
        ),
        (
            of.LinkDownedAtBothEnds("a[1]", "b[2]", (2, 1), 720),
            "a[1] and b[2]: both count within 12 minutes that their link went down, 2 and 1 time",
        ),
        (of.LinkFlaps("a[1]", "b[2]", 3, 3600), "a[1] to b[2]: the link went down 3 times within an hour"),
        (of.LinkFlaps("a[1]", None, 3, 3600), "a[1]: the link went down 3 times within an hour"),
        (of.LinkIsDown("a[1]", "b[2]"), "a[1]: the link to b[2] is down"),
        (of.LinkHot("a[1]", "b[2]", 0.96, 24e9, ()), "a[1] → b[2] carries 24 GB/s, 96% of its rate"),
        (
            of.LinkHot("a[1]", "b[2]", 0.96, 24e9, (of.JobFlows("7", 2, 1), of.JobFlows("8", 9, 12))),
            "a[1] → b[2] carries 24 GB/s, 96% of its rate: job 7 with 1 pair of its hosts; job 8 with 12 pairs of its hosts",
        ),
        (of.TablesChanged("t", 1, 1, ""), "t: 1 entry of 1 switch changed"),
        (of.TablesChanged("t", 2, 3, "s"), "t: 2 entries of 3 switches changed, most of them on s"),
        (
            of.ManagerFellBack("log", ("ftree", "updn"), None),
            "log: ftree, updn refused the fabric and no other engine routed it: tables are as they were",
        ),
        (
            of.ManagerFellBack("log", ("ftree",), "minhop"),
            "log: ftree refused the fabric, and minhop made the tables",
        ),
        (of.CablesOffPlan("p", "unexpected", 1), "p: 1 cable not planned"),
        (of.CablesOffPlan("p", "misconnected", 2), "p: 2 cables connected elsewhere"),
        (of.NodesOffPlan("p", 1), "p: 1 node or manager not as planned"),
        (of.NodesOffPlan("p", 2), "p: 2 nodes and managers not as planned"),
        (of.PortsSilent(1, "a[1]"), "1 port without an answer: a[1]"),
        (of.PortsSilent(2, "a[1]"), "2 ports without an answer: a[1] and 1 more"),
        (
            of.CounterFull("RcvErrors", 3, "a[1]"),
            "RcvErrors stands at its greatest value and counts no further on 3 ports: a[1] and 2 more",
        ),
    ],
)
def test_conditions_in_words(fact: of.Condition, words: str) -> None:
    assert text(fact) == words
