"""Why a job was slow: verdicts on two edges and two cores, with counters made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest
from lacis import _core, why
from lacis.counters import FIELDS, LinkState, Unread
from lacis.counters.readings import SPEEDS
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of, with_owners
from lacis.facts import guilt as of
from lacis.facts.wording import text

from ..why_readings import AT, readings, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lacis.counters import Readings

TREE = "article"
"""NodeA and NodeB on edge1, NodeC and NodeD on edge2, a cable from each edge to each core; 12.5 GB/s."""
FULL = 12_500_000_000 // 8 * 60
"""Flits of 8 bytes that a link carries in 60 s."""
JOB = ("NodeA", "NodeC")
# minhop sends from A to C, and back, over core1: edge1[25] – core1[1], core1[2] – edge2[25].
PORTS = {
    *("NodeA hfi1_0[1]", "edge1[1]", "edge1[25]", "core1[1]"),
    *("core1[2]", "edge2[25]", "edge2[1]", "NodeC hfi1_0[1]"),
}
WINDOW = why.window(AT * 10**9, (AT + 60) * 10**9)

fabric = lacis.read(TREE)
routes = lacis.route(fabric, "minhop")


def pair(values: Mapping[tuple[str, str], int] | None = None) -> tuple[Readings, Readings]:
    return readings(fabric, 0, unit=8), readings(fabric, 60, values, unit=8)


def asked(before: Readings, after: Readings, **given: Any) -> why.Why:
    hosts = given.pop("hosts", JOB)
    return why.examine(routes, hosts, why.recordings(before, after), WINDOW, **given)


def after(values: Mapping[tuple[str, str], int], **given: Any) -> why.Why:
    return asked(*pair(values), **given)


def test_a_job_whose_ports_were_all_read_and_clean_is_not_the_fabrics() -> None:
    found = after({("edge1[25]", "XmitData"): FULL // 2, ("core1[2]", "XmitWait"): FULL // 100})
    assert found.verdict == "innocent"
    # Four cables, both ends and both directions of each; half of the rate, and 1 % of it in ticks of 8 bytes.
    assert found.fact == of.FabricInnocent(8, 8, 0.5, 0.01, 0.8, adaptive=False)
    assert {end for link in found.links for end in (link.egress, link.ingress)} == PORTS
    assert (found.guilty, found.busy, found.missing) == ((), (), ())


@pytest.mark.parametrize(
    ("counter", "growth", "accuses"),
    [
        ("LinkDowned", 1, True),
        ("LinkErrorRecovery", 1, True),
        ("UncorrectableErrors", 1, True),
        ("RcvErrors", 11, True),
        ("RcvErrors", 10, False),
        ("SymbolErrors", 11, True),
        ("XmitDiscards", 1000, False),
    ],
)
def test_errors_accuse_a_cable_or_leave_the_answer_open(counter: str, growth: int, *, accuses: bool) -> None:
    found = after({("core1[2]", counter): growth})
    if accuses:
        [part] = found.guilty
        assert (found.verdict, part.part, set(part.ends)) == ("guilty", "cable", {"core1[2]", "edge2[25]"})
        [one] = part.evidence
        assert isinstance(one, of.ErrorsGrew)
        assert (one.port, one.peer, one.growth, one.exact) == ("core1[2]", "edge2[25]", growth, True)
    else:
        assert (found.verdict, found.missing) == (
            "cannot_tell",
            (of.ErrorsFew(counter, growth, ["core1[2]"], 1),),
        )


def test_a_host_that_was_started_again_takes_its_link_down_and_that_is_said() -> None:
    for port, at_host in (("edge1[1]", True), ("core1[2]", False)):
        [part] = after({(port, "LinkDowned"): 1}).guilty
        [one] = part.evidence
        assert isinstance(one, of.ErrorsGrew)
        assert one.at_host is at_host
        assert ("a host that is started again takes its link down, too" in text(one)) is at_host
    [part] = after({("edge1[1]", "SymbolErrors"): 50}).guilty
    assert "started again" not in text(part.evidence[0])


def test_errors_of_a_cable_that_the_job_does_not_cross_do_not_matter_to_it() -> None:
    elsewhere = {("core2[2]", "LinkDowned"): 3, ("edge1[26]", "XmitData"): FULL}
    assert after(elsewhere).verdict == "innocent"
    # Where switches choose, packets of the job may cross core2 too.
    found = after(elsewhere, adaptive=True)
    assert found.verdict == "guilty"
    assert set(found.guilty[0].ends) == {"core2[2]", "edge2[26]"}


def test_a_link_that_lost_lanes_is_guilty_and_full_at_what_is_left_to_it() -> None:
    # A lane of EDR carries 25 of 100 Gbit/s: 24.24 of payload after its coding (64 in 66 bits).
    before, later = pair({("core1[1]", "XmitData"): FULL // 5})
    slow = rows_of(fabric, later, "core1[1]")
    later.lanes[slow], later.speeds[slow] = 1, SPEEDS.index("EDR")
    found = asked(before, later)
    assert found.verdict == "guilty"
    [part] = found.guilty
    assert set(part.ends) == {"edge1[25]", "core1[1]"}
    [one] = part.evidence
    assert isinstance(one, of.LinkSlowed)
    assert (one.port, one.peer) == ("core1[1]", "edge1[25]")
    assert one.carries == pytest.approx(one.rate / 4, rel=0.05)
    # A fifth of what the cable carries fills four fifths of what is left.
    [link] = [link for link in found.links if link.egress == "core1[1]"]
    assert link.utilisation == pytest.approx(0.8, rel=0.05)
    assert "25% of what its cable does" in text(one) or "24% of what its cable does" in text(one)


def test_a_link_that_is_down_comes_before_errors_and_those_before_busy_links() -> None:
    before, later = pair(
        {
            ("edge1[1]", "SymbolErrors"): 5000,
            ("edge2[1]", "LinkDowned"): 1,
            ("edge1[25]", "XmitData"): FULL,
        }
    )
    down = rows_of(fabric, later, "core1[1]")
    later = replace(later, states=np.where(down, LinkState.DOWN, later.states).astype(np.uint8))
    found = asked(before, later)
    assert found.verdict == "guilty"
    assert [set(part.ends) for part in found.guilty] == [
        {"edge1[25]", "core1[1]"},
        {"edge2[1]", "NodeC hfi1_0[1]"},
        {"edge1[1]", "NodeA hfi1_0[1]"},
    ]
    assert found.guilty[0].evidence == [of.PortDown("core1[1]", "edge1[25]")]
    assert [link.egress for link in found.busy] == ["edge1[25]"]


def test_an_adapter_that_does_not_take_what_it_gets_is_named_and_not_the_links_that_wait_for_it() -> None:
    # Data waits for NodeC on the link to it, and so on the link before.
    found = after(
        {
            ("edge2[1]", "XmitWait"): FULL // 2,
            ("edge2[1]", "XmitData"): FULL // 4,
            ("core1[2]", "XmitWait"): FULL // 5,
        }
    )
    assert found.verdict == "guilty"
    [part] = found.guilty
    assert (part.part, part.ends) == ("adapter", ("edge2[1]", "NodeC hfi1_0[1]"))
    assert part.evidence == [of.AdapterHoldsUp("edge2[1]", "NodeC hfi1_0[1]", 0.5, 0.25, 0)]


def test_a_job_that_waits_behind_anothers_slow_adapter_or_busy_link_is_held_up_by_that() -> None:
    # Packets of the job wait on core1[2]; NodeD, which is another job's, does not take its own.
    waits = {("core1[2]", "XmitWait"): FULL // 2}
    found = after({**waits, ("edge2[2]", "XmitWait"): FULL // 2})
    assert [(part.ends, part.of_job) for part in found.guilty] == [(("edge2[2]", "NodeD hfi1_0[1]"), False)]
    # The link to NodeD is full: it takes all that its link carries.
    found = after({**waits, ("edge2[2]", "XmitData"): FULL})
    assert (found.verdict, found.busy[0].egress, found.busy[0].of_job) == ("busy", "edge2[2]", False)
    # Nothing behind it is busy or slow.
    found = after(waits)
    assert found.verdict == "cannot_tell"
    assert found.missing == (of.WaitUnexplained([("core1[2]", "edge2[25]")], 1, 0.5),)


def test_shares_of_a_busy_link_are_those_of_the_jobs_on_it() -> None:
    # A and C send each other 0.3 of a link, B and C 0.6; from edge1 to C all goes over core1, from C to B over core2.
    some, more = FULL * 3 // 10, FULL * 6 // 10
    sent = {
        **dict.fromkeys(("NodeA hfi1_0[1]", "edge1[1]", "edge2[25]", "core1[1]"), some),
        **dict.fromkeys(("NodeB hfi1_0[1]", "edge1[2]", "edge2[26]", "core2[1]"), more),
        **dict.fromkeys(("edge1[25]", "core1[2]", "edge2[1]", "NodeC hfi1_0[1]"), some + more),
    }
    found = after(
        {(port, "XmitData"): value for port, value in sent.items()}, others={"B": ("NodeB", "NodeC")}
    )
    assert found.verdict == "busy"
    link = next(one for one in found.busy if one.egress == "edge1[25]")
    assert (link.busy, link.choice) == (1.0, 1)
    assert link.utilisation == pytest.approx(0.9)
    assert [share.jobs for share in link.shares] == [["B"], ["the job"]]
    assert [share.share for share in link.shares] == pytest.approx([2 / 3, 1 / 3])
    assert link.rest == pytest.approx(0, abs=1e-9)


def test_jobs_of_the_same_hosts_cannot_be_separated() -> None:
    sent = {(port, "XmitData"): FULL * 9 // 10 for port in PORTS}
    found = after(sent, others={"twin": JOB})
    [share] = found.busy[0].shares
    assert set(share.jobs) == {"the job", "twin"}
    assert share.share == pytest.approx(1.0)
    [alone] = after(sent).busy[0].shares
    assert alone.jobs == ["the job"]
    assert alone.share == pytest.approx(1.0)


def test_one_hop_of_two_that_switches_choose_between_may_be_busy() -> None:
    found = after({("edge1[25]", "XmitData"): FULL * 9 // 10}, adaptive=True)
    [link] = found.busy
    assert (link.choice, link.choice_busy) == (2, 1)
    # Two adapters and four cables between switches, both directions; half of the one pair over each core.
    flows = {one.egress: one.flows for one in found.links}
    assert len(flows) == 12
    assert (flows["edge1[1]"], flows["edge1[25]"], flows["edge1[26]"], flows["core2[1]"]) == (
        1.0,
        0.5,
        0.5,
        0.5,
    )


def lose(before: Readings, later: Readings, how: str) -> tuple[Readings, Readings]:
    """The same where one port of the job's lacks something."""
    one = rows_of(fabric, later, "core1[1]")
    guid = int(later.guids[one][0])
    match how:
        case "unread":
            later = replace(later.taken(~one), unread=(Unread(guid, 1, "timeout"),))
        case "never read":
            before, later = before.taken(~one), later.taken(~one)
        case "no such counter":
            later.known["XmitWait"][one] = False
        case "full":
            later.wide["XmitWait"][one] = before.wide["XmitWait"][one] = False
            later.values["XmitWait"][one] = (1 << 32) - 1
        case "cleared":
            before.values["RcvErrors"][one] = 7
        case "another LID":
            before.lids[one], later.lids[one] = 4, 5
        case "clock":
            later.times[one] = before.times[one]
        case "only a part":
            before.times[one] += 30 * 10**9
        case "no state":
            later.states[:] = before.states[:] = LinkState.UNKNOWN
    return before, later


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("unread", of.PortsUnread),
        ("never read", of.PortsUnread),
        ("no such counter", of.CountersLost),
        ("full", of.CountersLost),
        ("cleared", of.CountersLost),
        ("another LID", of.CountersLost),
        ("clock", of.CountersLost),
        ("only a part", of.WindowUncovered),
        ("no state", of.StatesUnknown),
    ],
)
def test_whatever_is_missing_is_named_and_nothing_is_called_innocent(how: str, kind: type) -> None:
    found = asked(*lose(*pair(), how))
    assert found.verdict == "cannot_tell"
    assert kind in {type(one) for one in found.missing}
    assert all(text(one) for one in found.missing)
    if kind is of.PortsUnread:
        assert found.missing[0] == of.PortsUnread(["core1[1]"], 1, "timeout" if how == "unread" else "")
    # What accuses a cable does so whatever else is missing.
    before, later = lose(*pair({("edge1[1]", "LinkDowned"): 2}), how)
    assert asked(before, later).verdict == "guilty"


NEEDED = (
    *("XmitData", "RcvData", "XmitWait", "LinkErrorRecovery", "LinkDowned", "RcvErrors", "XmitDiscards"),
    *("LocalLinkIntegrityErrors", "ExcessiveBufferOverruns", "UncorrectableErrors"),
)
"""What every port must say on Omni-Path."""


@pytest.mark.parametrize("counter", NEEDED)
@pytest.mark.parametrize("way", ["absent before", "absent after", "cleared", "full"])
def test_every_counter_of_every_port_of_the_job_counts_and_of_no_other(counter: str, way: str) -> None:
    every = {
        f"{fabric.descriptions()[node]}[{port}]" for node, port in fabric.cables().reshape(-1, 2).tolist()
    }
    verdicts: dict[bool, set[str]] = {True: set(), False: set()}
    for port in sorted(every):
        before, later = pair()
        row = rows_of(fabric, before, port)
        if way == "full" and not FIELDS[counter].bits:
            continue
        match way:
            case "absent before":
                before.known[counter][row] = False
            case "absent after":
                later.known[counter][row] = False
            case "cleared":
                before.values[counter][row] = 9
            case _:
                before.wide[counter][row] = later.wide[counter][row] = False
                later.values[counter][row] = before.values[counter][row] = (1 << FIELDS[counter].bits) - 1
        verdicts[port in PORTS].add(asked(before, later).verdict)
    assert verdicts[True] <= {"cannot_tell"}
    assert verdicts[False] <= {"innocent"}
    assert verdicts[True] or not FIELDS[counter].bits


def test_an_adapter_without_its_hosts_name_is_shown_with_the_host_that_numbers_imply() -> None:
    # Hosts of a leaf are numbered by its ports; the adapter between node0003 and node0005 is called as its maker calls it.
    net = lacis.read("fat-tree:16,2").to_net().replace("node0004 HCA-1", "MT4129 ConnectX7")
    fabric = _core.read_fabric(net.encode())
    shown = with_owners(ports_of(fabric), fabric)
    ports = {shown.name(row) for row in range(len(shown))}
    assert {port for port in ports if "MT4129" in port} == {"node0004? MT4129 ConnectX7[1]"}
    assert "node0005 HCA-1[1]" in ports


def test_either_end_says_what_a_link_carried() -> None:
    # The port that sends does not count; the one at the other end does.
    before, later = pair({("core1[1]", "RcvData"): FULL})
    for one in (before, later):
        one.known["XmitData"][rows_of(fabric, one, "edge1[25]")] = False
    found = asked(before, later)
    assert (found.verdict, found.busy[0].egress) == ("busy", "edge1[25]")


def test_a_port_that_one_sweep_in_the_middle_missed_is_known_from_those_around_it() -> None:
    sweeps = [readings(fabric, at, unit=8) for at in (0, 20, 40, 60)]
    sweeps[1] = sweeps[1].taken(~rows_of(fabric, sweeps[1], "core1[1]"))
    guid = int(fabric.guids()[2])
    sweeps[1] = replace(sweeps[1], unread=(Unread(guid, 1, "timeout"),))
    found = why.examine(routes, JOB, why.recordings(*sweeps), WINDOW)
    assert found.verdict == "innocent"
    # What it sent meanwhile is not lost: all of it in the 40 s around the sweep that missed it.
    sweeps[2].values["XmitData"][rows_of(fabric, sweeps[2], "core1[1]")] = FULL * 4 // 10
    sweeps[3].values["XmitData"][rows_of(fabric, sweeps[3], "core1[1]")] = FULL * 4 // 10
    found = why.examine(routes, JOB, why.recordings(*sweeps), WINDOW)
    assert isinstance(found.fact, of.FabricInnocent)
    assert found.fact.utilisation == pytest.approx(0.6)


def test_a_burst_between_two_of_many_sweeps_is_seen() -> None:
    # A link is full in one second of 100, which is 1 % of its rate over all of them.
    second = FULL // 60
    sweeps = [
        readings(fabric, at, {("edge1[25]", "XmitData"): second if at > 50 else 0}, unit=8)
        for at in range(101)
    ]
    begin = AT * 10**9
    found = why.examine(routes, JOB, why.recordings(*sweeps), why.window(begin, begin + 100 * 10**9))
    assert (found.verdict, found.busy[0].egress) == ("busy", "edge1[25]")
    assert found.busy[0].busy == pytest.approx(0.01)


def test_errors_since_a_clear_in_the_middle_still_accuse() -> None:
    before, later = pair({("core1[2]", "LinkDowned"): 2})
    before.values["LinkDowned"][rows_of(fabric, before, "core1[2]")] = 9
    found = asked(before, later)
    [part] = found.guilty
    [one] = part.evidence
    assert isinstance(one, of.ErrorsGrew)
    assert (one.growth, one.exact) == (2, False)


def test_a_job_that_sends_nothing_and_counters_of_another_fabric_are_refused() -> None:
    with pytest.raises(LacisError, match="one host on each rail"):
        after({}, hosts=("NodeA",))
    other = lacis.read("fat-tree:4,2")
    with pytest.raises(LacisError, match="of another fabric: none of the 32 ports"):
        asked(readings(other, 0), readings(other, 60))
    before, later = pair()
    with pytest.raises(LacisError, match="not later"):
        why.recordings(later, before)


def test_a_job_without_routes_is_refused_and_one_that_lacks_some_is_not_called_innocent() -> None:
    cut = lacis.route(fabric, "minhop")
    table = cut.table().copy()
    lids = dict(zip(cut.lids()[1].tolist(), cut.lids()[0].tolist(), strict=True))
    port_guid = {
        name: int(guid) + 0 for name, guid in zip(fabric.descriptions(), fabric.guids(), strict=True)
    }
    to_c = next(lid for guid, lid in lids.items() if guid - port_guid["NodeC hfi1_0"] in (0, 1))
    table[0, to_c] = 255
    lost = cut.with_table(table)
    found = why.examine(lost, JOB, why.recordings(*pair()), WINDOW)
    assert found.verdict == "cannot_tell"
    assert of.PairsUnrouted(1) in found.missing
    with pytest.raises(LacisError, match="no two of its hosts have a route"):
        why.examine(cut.with_table(np.full_like(table, 255)), JOB, why.recordings(*pair()), WINDOW)
