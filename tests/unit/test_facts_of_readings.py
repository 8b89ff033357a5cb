"""The words of remarks on folders, on sweeps of counters, on other traffic, and on what suspects share: one and several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from lacis.documents.explain import OthersCounted, OthersOnLink
from lacis.facts import counters, launch, sources, suspects, traffic
from lacis.facts.found.cabling import CablePart
from lacis.facts.wording import certainty, numbered, on_link, others, text
from lacis.facts.wording.sources import part_words
from lacis.facts.wording.suspects import evidence, negotiated, severity

from .test_facts_of_steps import SUSPECT

if TYPE_CHECKING:
    from lacis.facts.fact import Fact

LINKS = [("a[1]", "b[2]"), ("c[3]", "d[4]")]
SHOWN = "a[1] → b[2], c[3] → d[4]"


# --- folders -----------------------------------------------------------------------------------------


def folder(**more: Any) -> sources.FolderRead:
    """Of which only the cables are read, unless more is said."""
    nothing: dict[str, Any] = {
        "also": (), "tables": "", "opensm_conf": "", "lid_cache": "", "lids": 0, "counters": (), "passed_over": 0,
    }  # fmt: skip
    return sources.FolderRead(folder="f", fabric="net.lst", **{**nothing, **more})


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (folder(), "f: cables from net.lst"),
        (folder(lid_cache="guid2lid"), "f: cables from net.lst; LID cache guid2lid"),
        (
            folder(
                also=("a", "b"), counters=("c", "d"), tables="lfts", opensm_conf="conf", lid_cache="guid2lid", lids=2, passed_over=3
            ),
            "f: cables from net.lst; more about ports from a, b; counters from c, d; tables lfts; configuration conf; "
            "LIDs of 2 ports from guid2lid; 3 other files passed over",
        ),
        (sources.CablesDiffer("x", "y", 1, ("a", "b")), "1 cable of x not in y: a – b"),
        (sources.CablesDiffer("x", "y", 2, ("a", "b")), "2 cables of x not in y, such as a – b"),
        (sources.NodesDiffer("x", "y", 1, "a"), "1 node of x not in y: a"),
        (sources.NodesDiffer("x", "y", 2, "a"), "2 nodes of x not in y, such as a"),
        (sources.LidsDiffer("x", "y", 1, "a", (3, 4)), "a has LID 3 in x, 4 in y: not of one day"),
        (
            sources.LidsDiffer("x", "y", 2, "a", (3, 4)),
            "a has LID 3 in x, 4 in y (and 1 more port): not of one day",
        ),
        (
            sources.LidsDiffer("x", "y", 1002, "a", (3, 4)),
            "a has LID 3 in x, 4 in y (and 1,001 more ports): not of one day",
        ),
        (sources.LidsOccupied("x", 1, "a", 3, "b"), "a has LID 3 in x, but b has it: left out"),
        (
            sources.LidsOccupied("x", 3, "a", 3, "b"),
            "a has LID 3 in x, but b has it (and 2 more ports): left out",
        ),
        (sources.FilesApart("x", "y", -1), "x was written 1 day before y: it may be of another state"),
        (sources.FilesApart("x", "y", 2), "x was written 2 days after y: it may be of another state"),
    ],
)  # fmt: skip
def test_remarks_on_folders(fact: Fact, words: str) -> None:
    assert text(fact) == words


def test_a_cable_is_named_by_what_its_memory_says() -> None:
    assert part_words(None) == ""
    assert part_words(CablePart("", "", "", "", "", None)) == ""
    assert part_words(CablePart("V", "P", "S", "R", "1 m", 0)) == "V P, serial S, 1 m, 0 °C"
    assert part_words(CablePart("", "P", "", "R", "", None)) == "P"


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (launch.NamesQuoted(1, "a b"), '1 name with blanks in quotes, which no launcher reads, such as "a b"'),
        (launch.NamesQuoted(2, "ü\x1b"), '2 names with blanks in quotes, which no launcher reads, such as "\\xfc\\x1b"'),
    ],
)  # fmt: skip
def test_remarks_on_names_in_files_of_launchers(fact: Fact, words: str) -> None:
    assert text(fact) == words


# --- counters ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (counters.LidsMoved(("0x1",)), "1 node no longer has the LID that the fabric says, such as 0x1: discover the fabric again"),
        (counters.LidsMoved(("0x1", "0x2")), "2 nodes no longer have the LID that the fabric says, such as 0x1: discover the fabric again"),
        (counters.SwitchesChanged(("0x1",)), "1 switch with a port that has changed since the manager looked, such as 0x1: ports may be missing"),
        (counters.SwitchesChanged(("0x1", "0x2")), "2 switches with a port that has changed since the manager looked, such as 0x1: ports may be missing"),
        (traffic.ValuesUndated(1, 2000), "1 of 2,000 values do not say when they were measured and what was sent for them"),
        (traffic.SweepsFew(0), "no sweep of counters is from the time of the measurement"),
        (traffic.SweepsFew(1), "1 sweep of counters around the measurement: at least two show growth"),
        (traffic.EndsUnread(LINKS, 2), f"2 links neither of whose ports was read: {SHOWN}"),
        (traffic.EndsUnread(LINKS, 5), f"5 links neither of whose ports was read: {SHOWN} and 3 more"),
        (traffic.LinksUncovered(LINKS[:1], 1), "1 link not read before the measurement and after it: a[1] → b[2]"),
        (traffic.GrowthLost("full", LINKS, 2), f"a counter of 2 links (it stands at the greatest value that it can hold): {SHOWN}"),
        (traffic.SweepsCoarse(60, 0.3, 1), "1 link carried something else, perhaps before or after the measurement: it took 0.3 s, and 60.0 s lie between the sweeps around it"),
        (traffic.ShareSmall(0.013, 2), "2 links may have carried up to 1.3% of the rate for others, which is little"),
        (traffic.LinkRatesUnknown(LINKS[:1], 1), "the rate of 1 link: a[1] → b[2]"),
        (traffic.SentElsewhere(1, 2), "1 of 2 links of hosts counted less than the measurement sent over them: it ran over other adapters or other hosts, or the clocks are apart"),
        (traffic.PathsDiffer(LINKS, 3), f"3 links between switches counted less than the measurement sent over them: other tables run, or switches choose: {SHOWN} and 1 more"),
        (traffic.ClocksApart(2.5), "the counters show what was measured some 2.5 s later: the clocks of who read them and of rank 0 differ"),
        (traffic.ClocksApart(-30), "the counters show what was measured some 30 s earlier: the clocks of who read them and of rank 0 differ"),
        (traffic.ClocksUnsure(1.5, 1), "1 link carried something else, unless the clocks of who read the counters and of rank 0 differ, by up to 1.5 s"),
        (traffic.OthersSent(2, 3000, LINKS[0], 0.25), "counters show other traffic on 2 of 3,000 links that flows cross, most of all on a[1] → b[2], at least 25% of its rate"),
        (traffic.NothingElseSent(1, 0.013), "counters show no other traffic: 1 link that flows cross carried what was measured, and nothing else beyond 1.3% of a link's rate"),
    ],
)  # fmt: skip
def test_remarks_on_counters_and_on_other_traffic(fact: Fact, words: str) -> None:
    assert text(fact) == words


# --- suspects ----------------------------------------------------------------------------------------


def test_a_suspect_is_said_with_its_severity_and_evidence() -> None:
    wide = msgspec.structs.replace(SUSPECT, low=0.6, high=0.97)
    assert severity(wide, is_time=False) == "about 25% of its rate (60–97 %)"
    assert severity(SUSPECT, is_time=True) == "about 0.25 times as long (0.20–0.31)"
    assert evidence(SUSPECT, is_time=False) == (
        "11 of 12 flows over it are slow, median 30% of what others get; "
        "40 that share other links with them, but not this one: 98% of what others get"
    )
    rates = ("1xEDR", "1xHDR", "2xHDR", "4xFDR")
    assert negotiated((), "4xEDR") == ""
    assert (
        negotiated(rates, "4xEDR") == "as a link at 1xEDR or 1xHDR or 2xHDR would be; its ends report 4xEDR"
    )


def together(**more: Any) -> suspects.SlowTogether:
    """Two links in rounds 5 to 9 of 16, of which nothing else is known."""
    known: dict[str, Any] = {
        "members": [0, 1], "links": 2, "first": 5, "last": 9, "is_since": False, "is_until": False, "rounds": 16,
        "began": None, "ended": None, "shared": None, "node": None, "chance": 0.002,
    }  # fmt: skip
    return suspects.SlowTogether(**{**known, **more})


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "2 links were slow from round 5 to 9 of 16 (CHANCE)"),
        ({"last": None, "is_since": True}, "2 links were slow from round 5 of 16 on, to the last (CHANCE)"),
        ({"last": None}, "2 links were slow from round 5 of 16 on, some of them longer than others (CHANCE)"),
        ({"first": None, "is_until": True}, "2 links were slow up to round 9 of 16, from the first on (CHANCE)"),
        ({"first": None}, "2 links were slow up to round 9 of 16, some of them longer than others (CHANCE)"),
        ({"began": "2026-11-28T23:59:01.5Z"}, "2 links were slow from round 5 to 9 of 16 (from 2026-11-28 23:59:01 UTC, CHANCE)"),
        ({"ended": "2026-11-29T00:00:02.5Z"}, "2 links were slow from round 5 to 9 of 16 (until 2026-11-29 00:00:02 UTC, CHANCE)"),
        (
            {"began": "2026-11-28T23:59:01.5Z", "ended": "2026-11-29T00:00:02.5Z"},
            "2 links were slow from round 5 to 9 of 16 (2026-11-28 23:59:01 to 2026-11-29 00:00:02 UTC, CHANCE)",
        ),
        ({"shared": "chassis", "node": "s"}, "2 links were slow from round 5 to 9 of 16, all of the chassis of s (CHANCE)"),
    ],
)  # fmt: skip
def test_what_suspects_share_is_said(more: dict[str, Any], words: str) -> None:
    # Two of a thousand are less than one of a hundred, and more than one of a thousand.
    chance = "by chance in less than one of 100 measurements"
    assert text(together(**more)) == words.replace("CHANCE", chance)


def test_better_tables_are_said_with_how_many_flows_are_as_they_expect() -> None:
    of = "for which tables expect different rates,"
    assert text(suspects.TablesFitBetter(1, 0.9, 0.4, 7)) == (
        f"of 1 flow {of} 90% are as these expect, 40% as those assumed; so no suspect was sought"
    )
    assert text(suspects.TablesFitBetter(2000, None, 0.4, 7)) == (
        f"of 2,000 flows {of} 40% are as those assumed expect; so no suspect was sought"
    )


SHARE = suspects.SlowShare


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (suspects.NothingSlow(), "no link, adapter or switch is slow, as far as these flows show"),
        (suspects.SlowUnknown(), "could not tell, as far as these flows show"),
        (suspects.UnfitToBlame("other_tables"), "unfit to blame anyone: other tables run"),
        (suspects.UnfitToBlame("other_traffic"), "unfit to blame anyone: other traffic"),
        (suspects.TablesConsistent(["minhop", "updn"]), "consistent with: minhop, updn (--which-tables compares all)"),
        (suspects.NoTablesFit(compared=True), "no engine's tables fit (--which-tables compares all)"),
        (suspects.NoTablesFit(compared=False), "no engine's tables fit: give those that run (--lfts)"),
        (
            suspects.HostsBusy(3, 1600, "sent", 1.25, "n1", 2.04, 7),
            "port counters show it: 3 of 1,600 hosts and rounds sent over 1.25 times the median, n1 2.0 times in round 7",
        ),
        (
            suspects.LinksOverfull(2, 1000, "leaf[9]", 1.254, 1, 4),
            "2 of 1,000 links that several flows of a round share would carry over 115% of their rates, leaf[9] 125.4% with 1 flow "
            "in round 4",
        ),
        (
            suspects.FlowsUnexplained(1500, 2000, 30),
            "1,500 of 2,000 flows (75%) are slow; nothing that could be named explains 30",
        ),
        (suspects.FlowsUnexplained(0, 0, 0), "0 of no flows (0%) are slow; nothing that could be named explains 0"),
        (
            suspects.SuspectsAtHalf(1, 1),
            "1 suspect in all, 1 of them at about half of their rate, as a flow of another job leaves it",
        ),
        (suspects.SlowShares("host", [SHARE(f"n{at}", 4, at) for at in (4, 3, 2, 1, 0)]), "where: n4 100%, n3 75%, n2 50%, n1 25%"),
        (suspects.SlowShares("leaf", [SHARE("leaf-1", 0, 0)]), "leaves: leaf-1 0%"),
        (suspects.SlowShares("round", [SHARE("5", 8, 2), SHARE("6", 8, 1)]), "when: round 5 25%, round 6 12%"),
        (
            suspects.OthersToDrain(),
            "drain the hosts and measure again, or record port counters meanwhile (lacis counters --keep STORE, for --counters STORE), "
            "or around the rounds (lacis measure rounds --counters)",
        ),
        (
            suspects.ManySwitchesLead(1, 9),
            "1 entry of 9 switches would have to lead elsewhere: a manager that fails to write tables fails at a few",
        ),
        (suspects.SuspectsWithheld(2), "2 suspects not named for that"),
        (
            suspects.SuspectsAtSwitch([0, 2], "leaf-1", 1200, 0.504),
            "2 suspects (1, 3) are at leaf-1, of whose cables flows cross 1,200: median 50%; the switch or its line card may be the fault",
        ),
        (
            suspects.LossesVisible(1200, [(0.1, 1000), (0.5, 1200)], is_time=False),
            "1,200 directed links crossed; would have shown: a loss of 10% on 1,000, a loss of 50% on all (modelled)",
        ),
        (
            suspects.LossesVisible(3, [(0.5, 0)], is_time=True),
            "3 directed links crossed; would have shown: a delay of 50% on 0 (modelled)",
        ),
        (
            suspects.LossesDecidable([(0.1, None), (0.2, 1), (0.5, 0)], is_time=False),
            "nine times in ten: a link at 90%: in no number of rounds; a link at 80% would be seen in 1 more round; a link at 50%: in "
            "these (modelled)",
        ),
        (
            suspects.LossesDecidable([(0.5, 12)], is_time=True),
            "nine times in ten: a delay of 50% would be seen in 12 more rounds (modelled)",
        ),
    ],
)  # fmt: skip
def test_why_no_suspect_is_named_and_what_would_have_shown(fact: Fact, words: str) -> None:
    assert text(fact) == words


def test_of_many_suspects_the_first_eight_are_numbered_as_they_are_listed() -> None:
    many = list(range(9))
    assert "9 suspects (1, 2, 3, 4, 5, 6, 7, 8, …) are at s," in text(
        suspects.SuspectsAtSwitch(many, "s", 9, 0.5)
    )
    (line,) = numbered([together(members=many)], 3)
    assert line.startswith("3, 4, 5, 6, 7, 8, 9, 10, …: 2 links were slow")
    assert [certainty(p) for p in (0.5, 0.99, 0.991)] == ["50%", "99%", "> 99 %"]


def on(rounds: list[int], **more: Any) -> OthersOnLink:
    """A link from 12:00:00 to 12:00:10 of a day."""
    known: dict[str, Any] = {"egress": "a[1]", "ingress": "b[2]", "share": 0.254, "bytes": 1}
    return OthersOnLink(
        **known, began="2026-11-28T12:00:00Z", ended="2026-11-28T12:00:10Z", rounds=rounds, **more
    )


def test_a_link_that_carried_something_else_is_said_with_its_time_rounds_and_jobs() -> None:
    begin = "a[1] → b[2]: at least 25% of its rate from 2026-11-28 12:00:00Z to 12:00:10Z"
    assert on_link(on([])) == begin
    assert on_link(on([3])) == f"{begin}, round 3"
    assert on_link(on([3, 4, 5, 6, 7])) == f"{begin}, rounds 3, 4, 5, 6 …"
    assert on_link(on([], jobs=[])) == f"{begin}, of no job of the list"
    assert on_link(on([], jobs=["1", "2", "3", "4", "5"])) == f"{begin}, perhaps of 1, 2, 3, 4"


def test_of_links_with_other_traffic_eight_are_listed_and_what_follows_comes_last() -> None:
    sent = traffic.OthersSent(10, 40, ("a[1]", "b[2]"), 0.254)
    found = OthersCounted("seen", sent, [on([at]) for at in range(10)], [traffic.SweepsUndated()])
    first, *links, more, unknown, spared, drain = others(
        found, [traffic.SuspectsSpared(2), traffic.LinksToDrain()]
    )
    assert first == text(sent)
    assert links == [on_link(on([at])) for at in range(8)]
    assert more == "and 2 more (--json)"
    assert unknown == "not known: the counters do not say when they were read"
    assert spared == "not accused, as that is why flows are slow there: 2 suspects"
    assert drain == "drain the hosts of other jobs, or measure again without them, to judge these links"
