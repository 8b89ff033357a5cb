"""What the views of `lacis top` have in their rows, and how keys move among views and instants, without a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.ports import Ports, ports_of
from lacis.live import Criterion, Direction, Pair, PairsThere, Swept
from lacis.live.jobs import JobOnPort, jobs_on_ports
from lacis.top import behind, rows
from lacis.top.behind import Behind
from lacis.top.state import State, View

from ...ports_read import SECOND, cable, read, row_of
from ...served import START
from .states import state_of

if TYPE_CHECKING:
    from lacis._core import Fabric


def nothing_read(ports: Ports) -> State:
    return State(ports, Swept(lambda: read(ports, START, {}), "live"))


# --- numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "-"),
        (0, "0"),
        (0.004, "0.00"),
        (1.5, "1.50"),
        (9.994, "9.99"),
        (10, "10"),
        (-1.5, "-1.50"),
        (999_999, "999,999"),
        (1_000_000, "1.00e+06"),
        (-2_000_000, "-2.00e+06"),
    ],
)
def test_a_number_has_seven_characters_or_few_more(value: float, shown: str) -> None:
    assert rows._number(value) == shown


def test_a_share_is_per_cent() -> None:
    assert (rows._percent(0.125), rows._percent(float("nan"))) == ("12.5 %", "-")


@pytest.mark.parametrize(
    ("criterion", "value", "heading", "shown"),
    [
        (Criterion.HIGH, 0.5, "used", "50.0 %"),
        (Criterion.LOW, 0.5, "used", "50.0 %"),
        (Criterion.WAITING, 0.25, "waited", "25.0 %"),
        (Criterion.PACKETS, 2500, "kP/s", "2.50"),
        (Criterion.INTEGRITY, 3, "integrity", "3.00"),
    ],
)
def test_each_criterion_has_its_unit(criterion: Criterion, value: float, heading: str, shown: str) -> None:
    assert (rows._heading(criterion), rows._value(criterion, value)) == (heading, shown)


# --- views -------------------------------------------------------------------------------------------


def test_a_summary_has_a_row_for_each_group_and_direction(ports: Ports) -> None:
    found = rows.table(state_of(ports, 0.5, packets=2500))
    assert found.keys == list(range(12))  # four groups, three directions
    cells = {row[:2]: row[2:] for row in found.rows}
    # Half of 25 GB/s leaves one port of 32, whose 2,500 packets a second are 2.5 thousand; the worst one counted
    # 3 errors, and no counter of congestion was read.
    assert cells["all", "within"] == ("32", "12,500", "391", "12,500", "2.50", "3.00", "-")
    assert cells["between switches", "within"][:2] == ("16", "12,500")
    # Adapters send out of their group by 8 cables, and into it 8 ports of leaves; no cable joins two adapters.
    assert [cells["adapters", way][0] for way in ("within", "out", "in")] == ["0", "8", "8"]
    assert cells["adapters", "within"][1:] == ("",) * 6


def test_what_is_not_known_is_a_dash(ports: Ports) -> None:
    cells = {row[:2]: row[2:] for row in rows.table(nothing_read(ports)).rows}
    assert cells["all", "within"] == ("32", "-", "-", "-", "-", "-", "-")
    assert cells["all", "out"] == ("0", *[""] * 6)


def test_ports_are_counted_by_tenths_of_use(ports: Ports) -> None:
    state = state_of(ports, 0.55)
    state.view = View.BUCKETS
    found = rows.table(state)
    assert found.columns[2:] == tuple(f" {tenth}+%" for tenth in range(0, 100, 10))
    assert found.rows[0] == ("all", "within", "31", *["."] * 4, "1", *["."] * 4)
    assert found.keys == list(range(12))


def test_a_list_has_two_rows_for_a_port_and_lists_by_errors_have_no_port_without(ports: Ports) -> None:
    here, far, _ = cable(ports)
    state = state_of(ports, 0.5, packets=2500)
    state.view = View.FOCUS
    found = rows.table(state)
    assert found.rows[:2] == [
        ("1", "50.0 %", "12,500", ports.name(here)),
        ("", "", "", f"<-> {ports.name(far)}"),
    ]
    assert found.keys[:2] == [here, here]
    assert len(found.rows) == 64
    state.criterion = Criterion.INTEGRITY
    assert [row[3] for row in rows.table(state).rows] == [ports.name(far), f"<-> {ports.name(here)}"]


def test_a_port_has_both_ends_and_leads_to_the_other(ports: Ports) -> None:
    here, far, _ = cable(ports)
    state = state_of(ports, 1.0, 0.5, packets=2500)
    state.view, state.port = View.PORT, here
    found = rows.table(state)
    cells = {row[0]: row[1:] for row in found.rows}
    assert found.columns == ("", "this end", "the other end")
    assert cells["cable carries"] == ("25,000 MB/s each way", "")
    assert cells["sends"] == ("12,500 MB/s, 50.0 %", "0 MB/s, 0.0 %")
    assert cells["packets"] == ("2.50 k/s", "0 k/s")
    assert cells["before"] == ("█▄", "  ")
    assert cells["SymbolErrors"] == ("+0", "+3")
    # What counts no faults, and faults that there were none of, have no row of their own.
    assert not cells.keys() & {"XmitData", "XmitPkts", "XmitWait", "LinkDowned"}
    assert set(found.keys) == {far}


def test_the_port_of_the_first_row_is_the_other_end_of_a_cable(ports: Ports) -> None:
    assert ports.name(0) == "leaf-01[1]"
    host = int(ports.far[0])
    state = state_of(ports, 0.5)
    state.view, state.port = View.PORT, host
    assert rows.table(state).rows[0] == ("port", ports.name(host), "leaf-01[1]")
    assert rows.table(state).keys[0] == 0
    state.choose(0)
    assert state.port == 0
    state.view = View.FOCUS
    listed = [row[3] for row in rows.table(state).rows]
    assert "<-> leaf-01[1]" in listed


def test_a_port_without_a_cable_leads_nowhere() -> None:
    ports = ports_of(_core.generate_fabric("fat-tree:4,2:radix=5"))
    state = State(ports, Swept(lambda: read(ports, START, {}), "live"), view=View.PORT)
    state.port = row_of(ports, "leaf-01[5]")
    found = rows.table(state)
    assert found.columns == ("", "this end")
    assert set(found.keys) == {None}
    at = state.port
    state.choose(0)
    assert state.port == at


def test_a_curve_has_24_blocks_of_an_eighth_and_ends_at_what_is_shown(ports: Ports) -> None:
    here, _, _ = cable(ports)
    state = state_of(ports, 0.0, 0.01, 0.125, 0.13, 0.5, 1.0, *[0.25] * 20)
    assert rows.history(state, here) == "▁▂▄█" + "▂" * 20
    assert rows.history(state, here, 3) == "▂▂▂"
    state.instant = (START + 6) * SECOND
    assert rows.history(state, here) == " ▁▁▂▄█"
    assert rows.history(nothing_read(ports), here) == ""


# --- instants and views ------------------------------------------------------------------------------


def test_instants_are_walked_between_their_ends(ports: Ports) -> None:
    state = state_of(ports, 1.0, 0.5, 0.25)
    seen = [state.number]
    for step in (state.forward, state.back, state.back, state.back, state.forward, state.forward):
        step()
        seen.append(state.number)
    assert seen == [2, 2, 1, 0, 0, 1, 2]
    gone_to = state.instant
    assert gone_to is not None  # the last one was gone to, and is not followed
    state.forward()
    assert state.instant is None
    # An instant between two is the one before it; one before all is the first.
    for at, number in ((START + 2.5, 1), (START - 5, 0), (START + 1, 0)):
        state.instant = round(at * SECOND)
        assert state.number == number


def test_without_instants_there_is_nothing_to_walk_or_to_keep(ports: Ports) -> None:
    state = nothing_read(ports)
    for step in (state.back, state.forward, state.keep, state.to_bookmark):
        step()
    assert (state.number, state.instant, state.bookmark) == (-1, None, None)
    assert state.now().end == 0


def test_a_bookmark_is_gone_to_until_it_is_dropped(ports: Ports) -> None:
    state = state_of(ports, 1.0, 0.5)
    state.back()
    state.keep()
    state.follow()
    assert state.number == 1
    state.to_bookmark()
    assert (state.number, state.bookmark) == (0, (START + 1) * SECOND)
    assert state.now().end == (START + 1) * SECOND
    assert state.now().share[cable(ports)[0]] == pytest.approx(1.0, rel=1e-5)
    state.follow()
    state.drop_bookmark()
    state.to_bookmark()
    assert state.number == 1


def test_what_comes_later_about_an_instant_is_shown_after_a_refresh(ports: Ports) -> None:
    state = state_of(ports, 0.5)
    first = state.now()
    assert state.now() is first
    state.refreshed()
    assert state.now() is not first


def test_rows_lead_down_and_keys_lead_up(ports: Ports) -> None:
    state = state_of(ports, 0.5)
    state.choose(5)  # the second group, whose third direction is "in"
    assert (state.view, state.group, state.direction) == (View.BUCKETS, 1, Direction.IN)
    state.choose(6)
    assert (state.view, state.group, state.direction) == (View.FOCUS, 2, Direction.WITHIN)
    state.choose(7)
    assert (state.view, state.port) == (View.PORT, 7)
    assert [state.up() for _ in range(4)] == [True, True, True, False]
    assert state.view is View.SUMMARY


def test_criteria_come_in_turn_and_again(ports: Ports) -> None:
    state = state_of(ports, 0.5)
    seen = []
    for _ in Criterion:
        seen.append(state.criterion)
        state.next_criterion()
    assert seen == list(Criterion)
    assert state.criterion is Criterion.HIGH


# --- behind a link -----------------------------------------------------------------------------------


def pair(**more: object) -> Pair:
    made = Pair("node0001", "node0002", (1, 2), "", 1.0, 0.125, None)
    return made._replace(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (pair(), "→ node0002  12.5 %"),
        (pair(part=0.75), "→ node0002  12.5 %, 75 % of it"),
        (pair(rate=2.5e6), "→ node0002  2.5 MB/s"),
        (pair(target="x" * 30), f"→ {'x' * 30}  12.5 %"),
        (pair(target="a" * 16 + "b" * 15), f"→ {'a' * 15}…{'b' * 15}  12.5 %"),
    ],
)
def test_a_pair_says_what_it_sends(one: Pair, said: str) -> None:
    assert behind._pair(one) == ("", "node0001", said)


@pytest.mark.parametrize(
    ("total", "found", "said"), [(7, 7, "7 pairs"), (1, 1, "1 pair"), (7000, 2, "2 of 7,000 pairs")]
)
def test_pairs_are_counted(total: int, found: int, said: str) -> None:
    assert behind._counted(PairsThere(total, found, 0.0, [])) == said


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (JobOnPort("one", 1200, None, 0.0, ()), "one: 1,200 flows"),
        (JobOnPort("one", 2, 0.75, 0.01, ()), "one: 2 flows 75 % ± 1"),
        # Too inexact for a number: between what it lies, which is nothing and all at most.
        (JobOnPort("one", 2, 0.8, 0.15, ()), "one: 2 flows 65 to 95 %"),
        (JobOnPort("one", 2, 0.25, 0.5, ()), "one: 2 flows 0 to 75 %"),
        (
            JobOnPort("one", 2, None, 0.0, ("two", "three", "four")),
            "one: not separable from two, three and 1 more",
        ),
    ],
)
def test_a_job_says_its_share_as_exactly_as_it_is_known(one: JobOnPort, said: str) -> None:
    assert behind._job(one) == said


def test_tables_alone_say_how_many_flows_there_are(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    state = state_of(ports, 0.5)
    # By leaf-01's first cable to a host come flows of the 7 others; the host sends to 7.
    lines = Behind(routes, ports).rows(state.now(), row_of(ports, "leaf-01[1]"))
    assert lines[:2] == [
        ("by minhop", "7 flows of all to all", "7 flows of all to all"),
        ("pairs", "7 pairs", "7 pairs"),
    ]
    assert len(lines) == 2 + 7
    # The same cable from its other end, whose far end is the first port of all.
    host = int(ports.far[row_of(ports, "leaf-01[1]")])
    assert Behind(routes, ports).rows(state.now(), host)[1] == ("pairs", "7 pairs", "7 pairs")


def test_a_job_that_uses_one_direction_of_a_cable_is_named_at_that_end(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    jobs = jobs_on_ports(routes, ports, {"one": ["node0001", "node0004"]})
    # What is for node0001 and what is for node0004 goes by two spines: each cable of leaf-01 has one of them.
    here = row_of(ports, "leaf-01[3]")
    ends = [here, int(ports.far[here])]
    assert sorted(jobs.loads[ends, 0].tolist()) == [0, 1]
    lines = Behind(routes, ports, jobs).rows(state_of(ports, 0.5).now(), here)
    cells = [line[1:] for line in lines if line[0] == "job"]
    assert cells == [tuple("one: 1 flow" if jobs.loads[end, 0] else "" for end in ends)]


def test_at_most_eight_jobs_and_forty_pairs_are_listed(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    jobs = {f"job{number}": ["node0001", "node0003"] for number in range(9)}
    shown = Behind(routes, ports, jobs_on_ports(routes, ports, jobs))
    here, nowhere = row_of(ports, "leaf-01[1]"), row_of(ports, "leaf-03[1]")
    now = state_of(ports, 0.5).now()
    lines = shown.rows(now, here)
    assert [line[0] for line in lines[:2]] == ["by minhop", "over predicted"]
    assert [line[0] for line in lines].count("job") == 8
    # Nothing of the jobs goes by the cable of node0005.
    lines = shown.rows(now, nowhere)
    assert lines[1] == ("over predicted", "-", "-")
    assert lines[2] == ("pairs", "no pairs", "no pairs")
    wide = _core.generate_fabric("fat-tree:8,2")
    ports_of_wide = ports_of(wide)
    all_of_them = Behind(_core.route(wide, "minhop"), ports_of_wide, adaptive=True)
    lines = all_of_them.rows(nothing_read(ports_of_wide).now(), cable(ports_of_wide)[0])
    # Four hosts of a leaf send to 28 others, over each of four cables a part.
    assert lines[0][:2] == ("by minhop, adaptive", "28 flows of all to all")
    assert lines[1][1] == "112 pairs"
    assert len(lines) == 2 + 40
