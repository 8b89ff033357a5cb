"""What accuses, in which order, what is behind data that waits, and what is missing: by hand, on two edges and two cores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core, why
from lacis.counters import LinkState
from lacis.facts import guilt as of
from lacis.facts.wording import text
from lacis.rails.locations import Locations, SharedCable

from ..why_readings import AT, readings, rows_of
from .test_why import FULL, JOB, NEEDED, WINDOW, after, asked, fabric, pair, routes

if TYPE_CHECKING:
    from collections.abc import Mapping

# edge1[25] – core1[1] and core1[2] – edge2[25] are between NodeA and NodeC; NodeB is at edge1[2], NodeD at edge2[2].
WAITS = FULL // 2


def with_counter(counter: str, values: Mapping[str, int], *lost: str, absent: bool = False) -> why.Why:
    """What is said where ports have one counter more: what each counted, and of which it is cleared or absent."""
    before = readings(fabric, 0, unit=8, more=(counter,))
    later = readings(fabric, 60, {(port, counter): value for port, value in values.items()}, 8, (counter,))
    rows = rows_of(fabric, before, *lost)
    if absent:
        later.known[counter][rows] = False
    else:
        before.values[counter][rows] = 9
    return why.examine(routes, JOB, why.recordings(before, later), WINDOW)


@pytest.mark.parametrize(
    ("counter", "tolerated"),
    [
        ("SymbolErrors", 10),
        ("EffectiveErrors", 10),
        ("RcvErrors", 10),
        ("LinkDowned", 0),
        ("LinkErrorRecovery", 0),
        ("LocalLinkIntegrityErrors", 0),
        ("ExcessiveBufferOverruns", 0),
        ("FecUncorrectable", 0),
        ("UncorrectableErrors", 0),
    ],
)
def test_a_counter_accuses_a_cable_from_one_more_than_is_tolerated(counter: str, tolerated: int) -> None:
    [part] = with_counter(counter, {"core1[2]": tolerated + 1}).guilty
    assert part.of_job is True
    errors = of.ErrorsGrew("core1[2]", "edge2[25]", counter, tolerated + 1, tolerated, True, False)
    assert part.evidence == [errors]
    found = with_counter(counter, {"core1[2]": tolerated})
    few = (of.ErrorsFew(counter, tolerated, ["core1[2]"], 1),) if tolerated else ()
    assert (found.guilty, found.missing) == ((), few)


# --- in which order --------------------------------------------------------------------------------


def test_of_one_cable_the_worst_evidence_comes_first_whichever_end_counted_it() -> None:
    before, later = pair(
        {
            ("edge1[25]", "SymbolErrors"): 20,
            ("edge1[25]", "LinkErrorRecovery"): 3,
            ("core1[1]", "SymbolErrors"): 50,
            ("core1[1]", "LinkDowned"): 1,
        }
    )
    down = rows_of(fabric, later, "core1[1]")
    later = replace(later, states=np.where(down, LinkState.INIT, later.states).astype(np.uint8))
    [part] = asked(before, later).guilty
    said = [
        (one.port, "down" if isinstance(one, of.PortDown) else one.counter)
        for one in part.evidence
        if isinstance(one, of.PortDown | of.ErrorsGrew)
    ]
    # A link that is down, one that was, and then errors by their number: 50, 20, 3.
    assert said == [
        ("core1[1]", "down"),
        ("core1[1]", "LinkDowned"),
        ("core1[1]", "SymbolErrors"),
        ("edge1[25]", "SymbolErrors"),
        ("edge1[25]", "LinkErrorRecovery"),
    ]


def test_cables_come_by_their_errors_and_before_adapters_which_come_by_how_long_they_keep_data_waiting() -> (
    None
):
    found = after(
        {
            ("edge1[25]", "SymbolErrors"): 11,
            ("core1[2]", "SymbolErrors"): 12,
            ("edge1[1]", "XmitWait"): FULL // 4,
            ("edge2[1]", "XmitWait"): WAITS,
        }
    )
    ends = [part.ends for part in found.guilty]
    assert [set(two) for two in ends[:2]] == [{"core1[2]", "edge2[25]"}, {"edge1[25]", "core1[1]"}]
    assert ends[2:] == [("edge2[1]", "NodeC hfi1_0[1]"), ("edge1[1]", "NodeA hfi1_0[1]")]


def named_in_log(*failures: tuple[tuple[tuple[str, int], tuple[str, int]], int]) -> why.Log:
    """A log of five failing pairs, and how many of them cross which cables."""
    pairs = tuple((f"a{number}", f"b{number}") for number in range(5))
    shared = tuple(SharedCable(ends, number, 5) for ends, number in failures)
    return why.Log((), Locations(5, pairs, (), (), 0, shared))


def test_of_two_alike_the_one_that_more_failures_of_the_log_cross_comes_first() -> None:
    cables = {("edge1[25]", "RcvErrors"): 30, ("core1[2]", "RcvErrors"): 20}
    log = named_in_log(((("core1", 2), ("edge2", 25)), 4), ((("edge1", 25), ("core1", 1)), 3))
    first, second = after(cables, log=log).guilty
    assert (set(first.ends), first.evidence[-1]) == ({"core1[2]", "edge2[25]"}, of.LogNames(4, 5))
    assert (set(second.ends), second.evidence[-1]) == ({"edge1[25]", "core1[1]"}, of.LogNames(3, 5))
    # One failure is more than none, and a link that went down comes before errors of the log, as these do before an adapter.
    log = named_in_log(((("core1", 2), ("edge2", 25)), 1))
    assert [part.evidence[0] for part in after(cables, log=log).guilty] == [
        of.ErrorsGrew("core1[2]", "edge2[25]", "RcvErrors", 20, 10, True, False),
        of.ErrorsGrew("edge1[25]", "core1[1]", "RcvErrors", 30, 10, True, False),
    ]
    more = {("edge1[25]", "LinkDowned"): 1, ("core1[2]", "RcvErrors"): 20, ("edge2[1]", "XmitWait"): WAITS}
    first, second, third = after(more, log=log).guilty
    assert [set(first.ends), set(second.ends)] == [{"edge1[25]", "core1[1]"}, {"core1[2]", "edge2[25]"}]
    log = named_in_log(((("edge2", 1), ("NodeC hfi1_0", 1)), 5))
    assert after(more, log=log).guilty[2].ends == third.ends == ("edge2[1]", "NodeC hfi1_0[1]")
    # Adapters: A's keeps data waiting for longer, and C's is in the log.
    slow = {("edge1[1]", "XmitWait"): WAITS, ("edge2[1]", "XmitWait"): FULL // 4}
    assert [part.ends[0] for part in after(slow).guilty] == ["edge1[1]", "edge2[1]"]
    log = named_in_log(((("edge2", 1), ("NodeC hfi1_0", 1)), 1))
    assert [part.ends[0] for part in after(slow, log=log).guilty] == ["edge2[1]", "edge1[1]"]


def test_a_link_that_went_down_more_often_comes_first() -> None:
    found = after({("edge1[25]", "LinkDowned"): 1, ("core1[2]", "LinkDowned"): 3})
    assert [set(part.ends) for part in found.guilty] == [{"core1[2]", "edge2[25]"}, {"edge1[25]", "core1[1]"}]


@pytest.mark.parametrize("counted", ["edge1[1]", "NodeA hfi1_0[1]"])
def test_an_adapter_whose_cable_is_accused_is_not_accused_twice(counted: str) -> None:
    found = after(
        {
            (counted, "LinkDowned"): 1,
            ("edge1[1]", "XmitWait"): WAITS,
            ("edge1[1]", "XmitDiscards"): 7,
            ("edge2[1]", "XmitWait"): WAITS,
        }
    )
    cable, adapter = found.guilty
    assert (cable.part, set(cable.ends)) == ("cable", {"edge1[1]", "NodeA hfi1_0[1]"})
    assert cable.evidence[1:] == [of.AdapterHoldsUp("edge1[1]", "NodeA hfi1_0[1]", 0.5, 0.0, 7)]
    assert (adapter.part, adapter.ends) == ("adapter", ("edge2[1]", "NodeC hfi1_0[1]"))


def common(*errors: str) -> str:
    fact = after({(port, "SymbolErrors"): 50 for port in errors}).fact
    assert isinstance(fact, of.FabricGuilty)
    return fact.common


def test_a_node_at_which_several_accused_parts_have_an_end_is_named() -> None:
    assert common("edge1[25]") == ""
    assert common("edge1[25]", "core1[2]") == "core1"
    assert common("edge1[1]", "edge1[25]") == "edge1"
    assert common("edge1[1]", "edge2[1]") == ""
    assert common("edge1[1]", "edge1[25]", "core1[2]") == ""


# --- behind data that waits ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "host", "of_job"),
    [
        ("edge1[1]", "NodeA", True),
        ("edge1[2]", "NodeB", False),
        ("edge2[1]", "NodeC", True),
        ("edge2[2]", "NodeD", False),
    ],
)
def test_the_adapter_of_any_host_behind_switches_that_wait_may_hold_a_job_up(
    port: str, host: str, *, of_job: bool
) -> None:
    # Both directions between the edges wait, so that what leaves either of them counts; and the circle of switches ends.
    trunks = ("edge1[25]", "core1[1]", "core1[2]", "edge2[25]")
    found = after({(one, "XmitWait"): WAITS for one in (*trunks, port)})
    assert [(part.part, part.ends, part.of_job) for part in found.guilty] == [
        ("adapter", (port, f"{host} hfi1_0[1]"), of_job)
    ]
    # One that takes what it gets does not, and where nothing does, that is not explained.
    found = after({(one, "XmitWait"): WAITS for one in trunks})
    assert (found.verdict, found.guilty) == ("cannot_tell", ())


def test_waiting_leads_over_switches_that_the_job_does_not_cross() -> None:
    # From core1 to edge2 data of the job waits, from there to core2 that of others, and from core2 the link to edge1 is busy.
    on_its_way = {("core1[2]", "XmitWait"): WAITS, ("core2[1]", "XmitData"): FULL}
    assert after(on_its_way).verdict == "cannot_tell"
    assert after(on_its_way, adaptive=True).verdict == "busy"
    found = after({**on_its_way, ("edge2[26]", "XmitWait"): WAITS}, others={"other": ("NodeB", "NodeD")})
    assert (found.verdict, [link.egress for link in found.busy]) == ("busy", ["core2[1]"])
    # A link that leaves the other way from where data waits is not behind it.
    assert after({("core1[2]", "XmitWait"): WAITS, ("edge1[2]", "XmitWait"): WAITS}).guilty == ()


def test_a_host_that_waits_is_explained_by_what_leaves_its_leaf_and_not_where_its_own_link_is_full() -> None:
    host = ("NodeA hfi1_0[1]", "XmitWait")
    found = after({host: WAITS})
    assert found.missing == (of.WaitUnexplained([("NodeA hfi1_0[1]", "edge1[1]")], 1, 0.5),)
    found = after({host: WAITS, ("edge1[2]", "XmitWait"): WAITS})
    assert [part.ends for part in found.guilty] == [("edge1[2]", "NodeB hfi1_0[1]")]
    # The other leaf's adapters do not keep NodeA waiting.
    assert after({host: WAITS, ("edge2[2]", "XmitWait"): WAITS}).guilty == ()
    # NodeA sends as much as its link carries: its waiting is its own, whatever else leaves the leaf.
    found = after({host: WAITS, ("NodeA hfi1_0[1]", "XmitData"): FULL, ("edge1[2]", "XmitWait"): WAITS})
    assert (found.guilty, [link.egress for link in found.busy]) == ((), ["NodeA hfi1_0[1]"])


@pytest.mark.parametrize("interval", [1, 2])
def test_a_second_of_a_hundred_in_which_an_adapter_keeps_the_job_waiting_is_seen(interval: int) -> None:
    second = FULL // 60
    waits = {
        ("edge2[2]", "XmitWait"): second // 2 * interval,
        ("core1[2]", "XmitWait"): second // 2 * interval,
    }
    at = [0, *range(50, 101, interval)]
    sweeps = [readings(fabric, one, waits if one > 50 else {}, unit=8) for one in at]
    begin = AT * 10**9
    found = why.examine(routes, JOB, why.recordings(*sweeps), why.window(begin, begin + 100 * 10**9))
    assert [part.ends for part in found.guilty] == [("edge2[2]", "NodeD hfi1_0[1]")]


def test_links_that_wait_for_nothing_that_is_known_come_by_how_long_they_do() -> None:
    [one] = after({("edge1[25]", "XmitWait"): FULL // 5, ("core1[2]", "XmitWait"): WAITS}).missing
    assert one == of.WaitUnexplained([("core1[2]", "edge2[25]"), ("edge1[25]", "core1[1]")], 2, 0.5)


def lost(found: why.Why) -> list[of.CountersLost]:
    return [one for one in found.missing if isinstance(one, of.CountersLost)]


# --- what is missing -------------------------------------------------------------------------------


def test_a_counter_that_is_not_required_is_missed_where_it_was_cleared_and_not_where_a_device_has_none() -> (
    None
):
    # Who clears one counter of a port clears all of them.
    found = lost(with_counter("EffectiveErrors", {}, "core1[2]"))
    assert [one for one in found if one.counter == "EffectiveErrors"] == [
        of.CountersLost("EffectiveErrors", "cleared", ["core1[2]"], 1)
    ]
    assert with_counter("EffectiveErrors", {}, "core1[2]", absent=True).verdict == "innocent"
    # Of ports of others nothing is said, nor of a counter that accuses nothing.
    assert with_counter("EffectiveErrors", {}, "core2[2]").verdict == "innocent"
    found = lost(with_counter("RcvSwitchRelayErrors", {}, "core1[2]"))
    assert {one.counter for one in found} == {*NEEDED} - {"XmitData", "RcvData", "XmitWait"} | {
        "SymbolErrors"
    }


def test_of_two_reasons_each_has_its_ports() -> None:
    before, later = pair()
    before.values["RcvErrors"][rows_of(fabric, before, "core1[1]", "core1[2]")] = 9
    later.known["RcvErrors"][rows_of(fabric, later, "edge2[1]")] = False
    # Ports come in the order of links: by switch, and the first end of each cable before the second.
    absent, cleared = [one for one in lost(asked(before, later)) if one.counter == "RcvErrors"]
    assert absent == of.CountersLost("RcvErrors", "absent", ["edge2[1]"], 1)
    assert (cleared.reason, set(cleared.ports), cleared.number) == ("cleared", {"core1[1]", "core1[2]"}, 2)


def test_few_errors_are_said_worst_first_four_ports_by_name() -> None:
    ports = ["edge1[1]", "edge1[25]", "core1[1]", "core1[2]", "edge2[25]"]
    [few] = after({(port, "RcvErrors"): at + 3 for at, port in enumerate(ports)}).missing
    assert few == of.ErrorsFew("RcvErrors", 7, ports[:0:-1], 5)


def test_a_port_of_unknown_state_is_missed_unless_a_packet_crossed_its_link() -> None:
    # NodeC and NodeA sent to each other over every link of theirs but that from core1 to edge2, on which others' came back.
    before, later = pair({("edge2[25]", "XmitData"): 5})
    later.states[:] = before.states[:] = LinkState.UNKNOWN
    [one] = asked(before, later).missing
    assert isinstance(one, of.StatesUnknown)
    # Of eight ports, the two of the cable that carried something in one direction were up.
    assert one.number == 6
    assert set(one.ports) <= {
        "NodeA hfi1_0[1]",
        "edge1[1]",
        "edge1[25]",
        "core1[1]",
        "edge2[1]",
        "NodeC hfi1_0[1]",
    }
    assert len(one.ports) == 4


def test_links_of_unknown_rate_are_missed() -> None:
    unrated = _core.read_fabric(lacis.read("fat-tree:4,2").to_net().replace(" 4xHDR", "").encode())
    hosts = [name.split()[0] for name in unrated.descriptions() if name.startswith("node")]
    found = why.examine(
        lacis.route(unrated, "minhop"),
        hosts,
        why.recordings(*(readings(unrated, at) for at in (0, 60))),
        WINDOW,
    )
    [rates] = [one for one in found.missing if isinstance(one, of.RatesUnknown)]
    # 8 cables of hosts and 8 between switches, of both ends; four are named.
    assert (rates.number, len(rates.links)) == (32, 4)


# --- words -----------------------------------------------------------------------------------------

CABLE, ADAPTER = ("a[1]", "b[2]"), ("s[1]", "n hfi1_0[1]")


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (of.PortDown("a[1]", "b[2]"), "the link of a[1] was not up"),
        (
            of.ErrorsGrew("a[1]", "b[2]", "RcvErrors", 1234, 10, True, False),
            "a[1] counted 1,234 RcvErrors (tolerated: 10)",
        ),
        (
            of.ErrorsGrew("a[1]", "b[2]", "LinkErrorRecovery", 1, 0, False, True),
            "a[1] counted at least 1 LinkErrorRecovery",
        ),
        (
            of.AdapterHoldsUp(*ADAPTER, 0.5, 0.25, 0),
            "data waited 50% of the time for n hfi1_0[1], while the link carried 25% of its rate",
        ),
        (
            of.AdapterHoldsUp(*ADAPTER, 0.5, 0.25, 1),
            "data waited 50% of the time for n hfi1_0[1], while the link carried 25% of its rate, and 1 packet dropped there",
        ),
        (of.LogNames(1, 1), "1 of 1 failure in the log crosses it"),
        (of.LogNames(2, 3), "2 of 3 failures in the log cross it"),
        (of.PortsUnread(["a[1]"], 1, ""), "1 port not read at both ends of the window: a[1]"),
        (
            of.PortsUnread(["a[1]", "b[2]"], 3, "timeout"),
            "3 ports not read at both ends of the window (timeout): a[1], b[2] and 1 more",
        ),
        (of.WindowUncovered(["a[1]"], 1, 0.5), "1 port read for 50% of the window only: a[1]"),
        (
            of.CountersLost("XmitWait", "cleared", ["a[1]"], 2),
            "XmitWait of 2 ports (cleared in between): a[1] and 1 more",
        ),
        (of.StatesUnknown(["a[1]"], 1), "neither the state of the link nor a packet of 1 port: a[1]"),
        (of.RatesUnknown([CABLE], 2), "the rate of 2 links: a[1] → b[2] and 1 more"),
        (
            of.ErrorsFew("RcvErrors", 3, ["a[1]"], 1),
            "clean links: RcvErrors grew by 3 at most, which accuses no cable, on a[1]",
        ),
        (
            of.WaitUnexplained([CABLE], 1, 0.25),
            "why data waited, 25% of the time at most, on 1 link behind which no link is busy and no adapter slow: a[1] → b[2]",
        ),
        (of.PairsUnrouted(1), "routes: 1 pair of the job's ports has none in these tables"),
        (of.PairsUnrouted(2), "routes: 2 pairs of the job's ports have none in these tables"),
        (of.FabricGuilty(1, "cable", CABLE, ""), "guilty: the cable a[1] – b[2], or what it is plugged into"),
        (
            of.FabricGuilty(2, "adapter", ADAPTER, "s"),
            "guilty: the adapter n hfi1_0[1], the worst of 2; all have an end at s",
        ),
        (
            of.FabricBusy(1, CABLE, 0.96, False),
            "busy: 1 link, most of all a[1] → b[2], which carried 96% of its rate",
        ),
        (
            of.FabricBusy(2, CABLE, 0.96, True),
            "busy: 2 links that the job's packets may cross, most of all a[1] → b[2], which carried 96% of its rate",
        ),
        (of.CannotTell(1), "cannot tell: 1 kind of readings is missing"),
        (of.CannotTell(2), "cannot tell: 2 kinds of readings are missing"),
    ],
)
def test_what_counters_show_in_words(fact: of.Evidence | of.Missing | of.Guilt, words: str) -> None:
    assert text(fact) == words
