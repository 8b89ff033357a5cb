"""`lacis.watch`: conditions open and close once; what readings, logs, tables, plans and lists of jobs show, by hand."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis import watch
from lacis.counters import growth
from lacis.counters.readings import SPEEDS
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.facts.watch import (
    CablesOffPlan,
    CounterFull,
    FileUnreadable,
    LinkDownedAtBothEnds,
    LinkFlaps,
    LinkHot,
    LinkIsDown,
    LinkSlow,
    ManagerFellBack,
    PortsSilent,
    ReadingsOld,
    SweepFails,
    SymbolErrorsMany,
    TablesChanged,
)
from lacis.watch import Hysteresis

from tests import counted

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.counters import Readings
    from lacis.facts.watch import Condition
    from lacis.watch import Event
    from lacis.watch.conditions import Key

AT = 1_700_000_000
FABRIC = api.read("fat-tree:4,2")
"""4 leaves and 2 spines: leaf ports 1 and 2 to hosts, 3 and 4 to the spines; HDR, 25e9 bytes/s."""
HOST = "node0001 HCA-1[1]"
CLEAN = 126 * 60


def watched(*readings: Readings | Exception, **more: Any) -> list[tuple[float, bool, Any]]:
    """What a watch of these sweeps says: seconds since the first, whether it opened, and the condition."""
    source = counted.Given(*readings)
    looking = watch.Watch(ports_of(FABRIC), source=source, **more)
    said = [event for _ in readings for event in looking.step()]
    return [(event.time - AT, event.opened, event.condition) for event in said]


def at(minutes: float, values: dict[str, dict[str, int]] | None = None, **more: Any) -> Readings:
    return counted.read(FABRIC, AT + 60 * minutes, values, **more)


# --- opening and closing ---------------------------------------------------------------------------


def condition(number: int = 1) -> PortsSilent:
    return PortsSilent(number, "a[1]")


def played(states: list[bool | None], hysteresis: Hysteresis, step: float = 1) -> list[Event]:
    """Events of one condition that holds, does not hold, or of which that is not known, a judgement a step."""
    conditions = watch.Conditions()
    said = []
    for number, state in enumerate(states):
        found: dict[Key, Condition] = {("key",): condition(number)} if state else {}
        unknown = [("key",)] if state is None else []
        said += conditions.judge("kind", number * step, found, hysteresis, unknown)
    assert bool(conditions.open) == (len(said) % 2 == 1)
    return said


@pytest.mark.parametrize(
    ("states", "hysteresis", "expected"),
    [
        ("1", (0, 0), [(0, True)]),
        ("0110", (0, 0), [(1, True), (3, False)]),
        ("0101", (0, 2), [(1, True)]),
        ("01000", (0, 2), [(1, True), (4, False)]),
        ("010100", (0, 2), [(1, True)]),
        ("0101000", (0, 2), [(1, True), (6, False)]),
        ("0101111", (2, 0), [(5, True)]),
        ("01?11", (2, 0), []),
        ("01?111", (2, 0), [(5, True)]),
        ("01?????", (0, 2), [(1, True)]),
        ("0100?000", (0, 2), [(1, True), (7, False)]),
        ("110011", (0, 0), [(0, True), (2, False), (4, True)]),
    ],
)
def test_a_condition_opens_and_closes_once(
    states: str, hysteresis: tuple[float, float], expected: list[tuple[float, bool]]
) -> None:
    known = {"0": False, "1": True, "?": None}
    said = played([known[one] for one in states], Hysteresis(*hysteresis))
    assert [(event.time, event.opened) for event in said] == expected


def test_no_alert_flaps_within_its_hysteresis() -> None:
    """Whatever holds and when: an alert opens after it has held for long enough, and closes after it has not for long enough."""
    drawn = random.Random(1)
    opened = 0
    for _ in range(400):
        opens, closes = drawn.randrange(5), drawn.randrange(9)
        likely = drawn.random()
        states: list[bool | None] = [
            None if drawn.random() < 0.1 else drawn.random() < likely for _ in range(60)
        ]
        said = played(states, Hysteresis(opens, closes))
        assert [event.opened for event in said] == [number % 2 == 0 for number in range(len(said))]
        for event in said:
            now = round(event.time)
            length = opens if event.opened else closes
            assert states[now - length : now + 1] == [event.opened] * (length + 1)
            opened += event.opened
        # Both events of a condition have its number, and each condition another one.
        assert [event.number for event in said] == [number // 2 + 1 for number in range(len(said))]
    assert opened > 500


def test_what_is_said_at_the_end_is_how_it_was_last() -> None:
    said = played([True, True, True, False], Hysteresis())
    assert [(event.since, event.condition) for event in said] == [(0, condition(0)), (0, condition(2))]


# --- cables ----------------------------------------------------------------------------------------


def errors(count: int, port: str = "leaf-01[1]", name: str = "SymbolErrors") -> dict[str, dict[str, int]]:
    return {port: {name: count}}


def test_two_symbol_errors_in_twelve_minutes_are_too_many_and_one_is_not() -> None:
    # 8 bits × 25e9 bytes/s × 720 s × 1e-14 = 1.44, and in 7,500 s at 1e-15 they are 1.5.
    assert watched(at(0), at(1, errors(1))) == []
    (said,) = watched(at(0), at(1, errors(1)), at(2, errors(2)))
    many = SymbolErrorsMany("leaf-01[1]", HOST, 2, 720, 1.44)
    assert said[:2] == (120, True)
    assert isinstance(said[2], SymbolErrorsMany)
    assert said[2].allowed == pytest.approx(1.44)
    assert (said[2].port, said[2].far, said[2].errors, said[2].seconds) == (many.port, many.far, 2, 720)


def test_errors_before_the_first_reading_are_not_counted() -> None:
    assert watched(at(0, errors(60000)), at(1, errors(60000))) == []


def test_errors_are_too_many_over_125_minutes_too() -> None:
    # One in each of two sweeps 124 minutes apart; after 126 the first no longer counts.
    (said,) = watched(at(0), at(1, errors(1)), at(124, errors(2)))
    assert isinstance(said[2], SymbolErrorsMany)
    assert (said[2].errors, said[2].seconds) == (2, 7500)
    assert watched(at(0), at(1, errors(1)), at(127, errors(2))) == []


def test_a_cable_is_good_again_after_126_clean_minutes() -> None:
    # Both are within 125 minutes up to minute 125, and the first one is not in minute 126, which is clean.
    bad = [at(0), at(1, errors(1)), at(2, errors(2))]
    later = [at(minute, errors(2)) for minute in range(3, 300)]
    opened, closed = watched(*bad, *later)
    assert (opened[0], opened[1]) == (120, True)
    assert (closed[0], closed[1]) == ((126 + 126) * 60, False)


def test_a_counter_that_is_cleared_is_neither_error_nor_proof() -> None:
    said = watched(at(0, errors(9)), at(1, errors(9)), at(2), at(3, errors(1)))
    assert said == []
    # Errors count from where it was cleared on.
    (one,) = watched(at(0, errors(9)), at(1), at(2, errors(2)))
    assert isinstance(one[2], SymbolErrorsMany)


def test_a_link_that_went_down_at_both_ends_is_one_condition_and_at_one_end_none() -> None:
    one = {"leaf-02[3]": {"LinkDowned": 1}}
    both = one | {"spine-01[2]": {"LinkDowned": 2}}
    assert watched(at(0), at(1, one), at(2, one)) == []
    said = watched(at(0), at(1, one), at(5, both), at(6, both))
    assert said == [(300, True, LinkDownedAtBothEnds("leaf-02[3]", "spine-01[2]", (1, 2), 720))]
    # A quarter of an hour apart they are two things.
    assert watched(at(0), at(1, one), at(14, both)) == []


def test_a_link_that_flaps_is_said_once_however_often_it_does() -> None:
    def downs(count: int, minute: float) -> Readings:
        return at(minute, {"leaf-02[3]": {"LinkDowned": count}})

    slowly = [downs(count, 31 * count) for count in range(6)]
    assert watched(*slowly) == []
    bursts = [downs(minute, minute) for minute in range(40)]
    quiet = [downs(39, minute) for minute in range(40, 300)]
    condition = LinkFlaps("leaf-02[3]", "spine-01[2]", 3, 3600)
    # The last three, of minutes 37 to 39, are within an hour up to minute 96: clean from 97 on.
    assert watched(*bursts, *quiet) == [(180, True, condition), ((97 + 126) * 60, False, condition)]


def test_a_link_that_is_down_and_comes_back_now_and_then_is_one_condition() -> None:
    sweeps = [at(minute, down=["leaf-01[3]"] if minute in (2, 3, 8) else []) for minute in range(30)]
    assert watched(*sweeps) == [
        (120, True, LinkIsDown("leaf-01[3]", "spine-01[1]")),
        ((9 + 10) * 60, False, LinkIsDown("leaf-01[3]", "spine-01[1]")),
    ]


def with_links(readings: Readings, lanes: dict[str, int], speed: str = "HDR") -> Readings:
    """The same, with the lanes that ports say; all others say nothing of theirs."""
    ports = ports_of(FABRIC)
    rows = ports.rows(readings.guids, readings.ports).tolist()
    for at_row, row in enumerate(rows):
        if ports.name(row) in lanes:
            readings.lanes[at_row], readings.speeds[at_row] = lanes[ports.name(row)], SPEEDS.index(speed)
    return readings


def test_a_link_that_loses_lanes_is_said_once_with_what_is_left() -> None:
    whole, part = {"leaf-01[3]": 4, "spine-01[1]": 4}, {"leaf-01[3]": 1, "spine-01[1]": 1}
    sweeps = [with_links(at(0), whole), with_links(at(1), part), with_links(at(2), part)]
    # One that says nothing of its lanes neither opens nor closes it.
    sweeps += [at(20), *(with_links(at(minute), whole) for minute in (30, 41))]
    condition = LinkSlow("leaf-01[3]", "spine-01[1]", "1xHDR", 0.25)
    assert watched(*sweeps) == [(60, True, condition), (41 * 60, False, condition)]
    # Four lanes of EDR carry half of what four of HDR do.
    (said,) = watched(with_links(at(0), {"leaf-01[3]": 4}, "EDR"))
    assert said[2] == LinkSlow("leaf-01[3]", "spine-01[1]", "4xEDR", 0.5)


def test_a_link_that_is_down_at_both_ends_is_one_condition() -> None:
    (said,) = watched(at(0, down=["leaf-01[3]", "spine-01[1]"]))
    assert said[1] is True


# --- hot links and jobs ----------------------------------------------------------------------------


def sending(shares: list[float], port: str = "leaf-01[3]") -> list[Readings]:
    """A sweep a minute, before each of which a port sent a share of its 25e9 bytes/s, in words of 4 bytes."""
    words = np.cumsum([0, *(round(share * 25e9 * 60 / 4) for share in shares)])
    return [at(minute, {port: {"XmitData": int(sent)}}) for minute, sent in enumerate(words.tolist())]


def test_a_link_is_hot_after_a_minute_and_cools_down_below_four_fifths_of_that() -> None:
    assert watched(*sending([0.95, 0.3, 0.95, 0.3])) == []
    said = watched(*sending([0.2, 0.95, 0.96, *[0.8] * 9, *[0.7] * 9]))
    opened, closed = said
    # 0.8 is more than four fifths of 0.9, 0.7 is not: it cools in minute 13, and is cool after five more.
    assert opened[:2] == (180, True)
    assert closed[:2] == ((13 + 5) * 60, False)
    assert isinstance(opened[2], LinkHot)
    assert (opened[2].egress, opened[2].ingress, opened[2].jobs) == ("leaf-01[3]", "spine-01[1]", ())
    assert opened[2].share == pytest.approx(0.96)
    assert opened[2].rate == pytest.approx(24e9)


def test_a_sweep_that_misses_both_ports_of_a_link_does_not_cool_it() -> None:
    sweeps = sending([0.95] * 20)
    sweeps[5:10] = [at(minute, silent=["leaf-01[3]", "spine-01[1]"]) for minute in range(5, 10)]
    (said,) = watched(*sweeps)
    assert isinstance(said[2], LinkHot)


def test_a_link_is_hot_by_what_its_far_end_received_where_its_own_port_is_not_read() -> None:
    words = [minute * round(0.95 * 25e9 * 60 / 4) for minute in range(5)]
    sweeps = [
        at(minute, {"spine-01[1]": {"RcvData": sent}}, silent=["leaf-01[3]"])
        for minute, sent in enumerate(words)
    ]
    (said,) = watched(*sweeps)
    assert isinstance(said[2], LinkHot)
    assert (said[2].egress, said[2].ingress) == ("leaf-01[3]", "spine-01[1]")


def test_the_jobs_behind_a_hot_link_are_those_whose_flows_cross_it() -> None:
    # Under minhop hosts 1 and 2 share leaf-01; whatever leaves it leaves by port 3 or 4.
    routes = api.route(FABRIC, "minhop")
    ports = ports_of(FABRIC)
    names = sorted(api.participants(routes).hosts)
    leaf_of = {
        ports.names[ports.nodes[ports.far[row]]].split()[0]: ports.name(row)
        for row in range(len(ports))
        if ports.kinds[ports.nodes[row]] == "switch" and ports.kinds[ports.nodes[ports.far[row]]] == "adapter"
    }
    jobs = {
        "17": tuple(names),
        "18": tuple(name for name in names if leaf_of[name].startswith("leaf-01")),
        "19": tuple(name for name in names if not leaf_of[name].startswith("leaf-01")),
    }
    crossing = watch.Crossing(routes, ports)
    row = [ports.name(row) for row in range(len(ports))].index("leaf-01[3]")
    ((job, hosts, pairs),) = [(one.name, one.hosts, one.pairs) for one in crossing.on(row, jobs)]
    crossed = sum(
        ("leaf-01", 3) in [(hop.node, hop.port_out) for hop in api.trace(routes, a, b).hops]
        for a in names
        for b in names
        if a != b and leaf_of[a].startswith("leaf-01") and not leaf_of[b].startswith("leaf-01")
    )
    assert (job, hosts) == ("17", 8)
    assert pairs == crossed > 0


# --- readings that fail ----------------------------------------------------------------------------


def test_sweeps_that_fail_are_said_once_and_end_no_condition() -> None:
    down = ["leaf-01[3]"]
    gone = LacisError("the adapter is gone")
    said = watched(at(0, down=down), gone, gone, at(30, down=down))
    assert [(opened, condition) for _, opened, condition in said] == [
        (True, LinkIsDown("leaf-01[3]", "spine-01[1]")),
        (True, SweepFails("the adapter is gone")),
        (False, SweepFails("the adapter is gone")),
    ]


def test_ports_that_stay_silent_are_said_by_node_after_five_minutes() -> None:
    lost = [(int(ports_of(FABRIC).guids[0]), port, "timeout") for port in (1, 2)]
    once = [at(0), counted.unread(at(1), *lost), at(2), at(9)]
    assert watched(*once) == []
    for_long = [counted.unread(at(minute), *lost) for minute in range(7)]
    assert watched(*for_long) == [(300, True, PortsSilent(2, "leaf-01[1]"))]


def test_a_counter_that_is_full_is_said_as_nothing_is_known_of_it() -> None:
    said = watched(at(0, errors(65530)), at(1, errors(65535)), at(2, errors(65535)), at(3), at(4))
    assert [(time, opened, one) for time, opened, one in said if isinstance(one, CounterFull)] == [
        (60, True, CounterFull("SymbolErrors", 1, "leaf-01[1]")),
        (180, False, CounterFull("SymbolErrors", 1, "leaf-01[1]")),
    ]


def test_a_clock_that_is_set_back_ends_nothing() -> None:
    sweeps = [at(0, down=["leaf-01[3]"]), at(-600), at(-500)]
    assert [opened for _, opened, _ in watched(*sweeps)] == [True]


def test_the_same_readings_again_are_no_new_sweep() -> None:
    one = at(0, down=["leaf-01[3]"])
    assert len(watched(one, one, one)) == 1


def test_a_store_to_which_nothing_is_added_is_said_to_be_old_and_ends_no_condition() -> None:
    clock = iter([AT, AT + 60, AT + 200, AT + 301, AT + 400, AT + 420]).__next__
    first = at(0, down=["leaf-01[3]"])
    again = [at(0, down=["leaf-01[3]"]) for _ in range(4)]
    said = watched(first, *again, at(6.5, down=["leaf-01[3]"]), clock=clock)
    assert said == [
        (0, True, LinkIsDown("leaf-01[3]", "spine-01[1]")),
        (301, True, ReadingsOld(301)),
        (420, False, ReadingsOld(400)),
    ]


@pytest.mark.slow
def test_the_same_sweep_of_a_store_read_twice_keeps_no_condition_open() -> None:
    bad = [at(0), at(1, errors(1)), at(2, errors(2))]
    later = [at(minute, errors(2)) for minute in range(3, 300) for _ in range(2)]
    assert len(watched(*bad, *later)) == 2


def test_growth_of_nothing_is_nothing() -> None:
    none = at(0).taken(np.zeros(32, np.bool_))
    assert len(growth(none, none)) == 0
    assert watched(none, none) == []


# --- files -----------------------------------------------------------------------------------------

SWEEP = "Nov 28 13:01:58 303647 [F47D06C0] 0x01 -> "
REFUSED = SWEEP + "ucast_mgr_route: ftree: cannot build lid matrices\n"
MINHOP = SWEEP + "osm_ucast_mgr_process: minhop tables configured on all switches\n"
FTREE = SWEEP + "osm_ucast_mgr_process: ftree tables configured on all switches\n"
NONE = (
    SWEEP
    + "osm_ucast_mgr_process: No routing engine able to successfully configure  switch tables on current fabric\n"
)


def test_a_manager_falls_back_and_returns(tmp_path: Path) -> None:
    file = tmp_path / "opensm.log"
    log = watch.ManagerLog(str(file))
    with pytest.raises(LacisError, match=r"opensm\.log: no such file or directory"):
        log.read()

    def added(text: str) -> ManagerFellBack | None:
        with file.open("a") as out:
            out.write(text)
        return log.read()

    fell_back = ManagerFellBack(str(file), ("ftree",), "minhop")
    assert added(f"{SWEEP}OpenSM 3.3.23\n{FTREE}") is None
    assert added(REFUSED) is None  # the sweep is not over
    assert added(MINHOP) == fell_back
    assert added("something else\n") == fell_back
    half = len(FTREE) // 2
    assert added(FTREE[:half]) == fell_back
    assert added(FTREE[half:]) is None
    assert added(REFUSED + NONE) == ManagerFellBack(str(file), ("ftree",), None)
    assert added(REFUSED + REFUSED.replace("ftree", "updn") + MINHOP) == ManagerFellBack(
        str(file), ("ftree", "updn"), "minhop"
    )
    # A log that is rotated goes on in a new file.
    file.rename(tmp_path / "opensm.log.1")
    assert added(FTREE) is None


def test_of_a_long_log_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lacis.watch.manager.FIRST", 400)
    file = tmp_path / "opensm.log"
    file.write_text(REFUSED + MINHOP + "x" * 1000 + "\n" + FTREE)
    assert watch.ManagerLog(str(file)).read() is None
    file.write_text("x" * 1000 + "\n" + REFUSED + MINHOP)
    assert watch.ManagerLog(str(file)).read() == ManagerFellBack(str(file), ("ftree",), "minhop")


def looks(file: Path, text: str | None, looking: watch.Watch, stamp: int) -> list[tuple[bool, object]]:
    """What is said in the two looks after a file was written; the second one finds it at rest."""
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
        os.utime(file, (stamp, stamp))
    return [(event.opened, event.condition) for _ in range(2) for event in looking.step()]


def test_tables_that_change_and_change_back(tmp_path: Path) -> None:
    texts = {}
    for engine in ("minhop", "updn"):
        path = tmp_path / engine
        api.write_tables(api.route(FABRIC, engine), path)
        texts[engine] = path.read_text()
    # One entry of leaf-01: LID 1 is its own, and leads to port 0.
    first = next(line for line in texts["minhop"].splitlines() if line.startswith("0x") and " 003 " in line)
    one = texts["minhop"].replace(first, first.replace(" 003 ", " 004 "), 1)
    file = tmp_path / "opensm-lfts.dump"
    file.write_text(texts["minhop"])
    looking = watch.Watch(ports_of(FABRIC), tables=watch.WatchedTables(str(file), FABRIC))
    assert looking.step() == []
    changed = TablesChanged(str(file), 1, 1, "leaf-01")
    assert looks(file, one, looking, 1) == [(True, changed)]
    assert looks(file, one, looking, 2) == []
    (lost,) = looks(file, "Unicast lids [0-\n", looking, 3)
    assert lost[0] is True
    assert isinstance(lost[1], FileUnreadable)
    assert [opened for opened, _ in looks(file, texts["minhop"], looking, 4)] == [False, False]
    said = looks(file, None, looking, 5)
    assert said == [(True, FileUnreadable(str(file), "is not there any more"))]
    assert [opened for opened, _ in looks(file, texts["minhop"], looking, 6)] == [False]


def test_a_file_that_is_still_being_written_is_not_read(tmp_path: Path) -> None:
    file, plan = tmp_path / "fabric.json", tmp_path / "plan.json"
    whole, cut = FABRIC.to_json(), FABRIC.without(["leaf-01--spine-01"]).to_json()
    plan.write_text(whole)
    file.write_text(whole)
    looking = watch.Watch(ports_of(FABRIC), cabling=watch.WatchedCabling(str(plan), str(file)))
    for length in (10, 20, len(cut)):
        file.write_text(cut[:length])
        os.utime(file, (length, length))
        assert looking.step() == []
    assert len(looking.step()) == 1


def test_a_fabric_leaves_its_plan_and_returns(tmp_path: Path) -> None:
    file, plan = tmp_path / "fabric.json", tmp_path / "plan.json"
    plan.write_text(FABRIC.to_json())
    cut = FABRIC.without(["leaf-01--spine-01"]).to_json()
    file.write_text(FABRIC.to_json())
    looking = watch.Watch(ports_of(FABRIC), cabling=watch.WatchedCabling(str(plan), str(file)))
    assert looking.step() == []
    missing = CablesOffPlan(str(plan), "missing", 1)
    assert looks(file, cut, looking, 1) == [(True, missing)]
    both = FABRIC.without(["leaf-01--spine-01", "leaf-01--spine-02"]).to_json()
    assert looks(file, both, looking, 2) == []
    (closed,) = looks(file, FABRIC.to_json(), looking, 3)
    assert closed == (False, CablesOffPlan(str(plan), "missing", 2))
