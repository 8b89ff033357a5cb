"""Facts about tables and the files that they are made of: verdicts, doubts, and why an engine is not used, in words."""

from __future__ import annotations

import pytest
from lacis.facts import doubts, job, refusals, verdicts
from lacis.facts.fact import Fact
from lacis.facts.verdicts import rank
from lacis.facts.wording import text


@pytest.mark.parametrize(
    ("fact", "how_bad", "said"),
    [
        (
            verdicts.FindingsCounted("warning", 2, ("UPLINK_MISSING",)),
            "warning",
            "2 warnings: UPLINK_MISSING",
        ),
        (verdicts.NoFindings(), "good", "The fabric follows its own pattern: no findings"),
        (
            verdicts.SwitchesUndiscovered(1, 63),
            "warning",
            "1 switch is more than 63 hops from the manager: OpenSM would not find what is there, and not route it",
        ),
        (verdicts.HostsCutOff(1), "error", "1 host on islands: no cables join it with the rest"),
        (verdicts.NoTraffic(0), "notice", "Without hosts there is no traffic: tables are not compared"),
        (verdicts.NoTraffic(1), "notice", "With one host there is no traffic: tables are not compared"),
        (verdicts.PairsLost("minhop", 1, "hosts"), "error", "minhop: 1 pair of hosts has no route"),
        (
            verdicts.PairsLost("updn", 5484, "end nodes"),
            "warning",
            "updn: 5,484 pairs of end nodes have no route",
        ),
        (
            verdicts.CreditLoop("sssp", "end nodes"),
            "warning",
            "sssp leaves a credit loop among pairs of all end nodes, not of hosts alone: traffic on one lane can stop forever",
        ),
        (
            verdicts.LinkOverfull("minhop", 2.04),
            "warning",
            "minhop puts 2.0 × what some link must carry on the fullest link (all-to-all)",
        ),
        (
            verdicts.SuspectsSlow(5, ("a", "b", "c")),
            "warning",
            "5 suspects slow: a, b, c, and 2 more (measured)",
        ),
        (
            verdicts.SuspectsFlapping(1, "a"),
            "warning",
            "1 suspect slow now and then: a (measured)",
        ),
        (
            verdicts.HostsStandOut(("a", "b", "c", "d", "e")),
            "warning",
            "5 hosts stand out in the measurement: a, b, c, d, … (measured)",
        ),
        (
            verdicts.HostsMisplaced(("a",)),
            "warning",
            "1 host measured among the hosts of another leaf: a: a cable or a name swapped? (measured)",
        ),
        (verdicts.BestTried("eventree"), "good", "Best of the engines tried: eventree"),
    ],
)
def test_a_verdict_has_a_rank_and_words(fact: verdicts.Verdict, how_bad: str, said: str) -> None:
    assert rank(fact) == how_bad
    assert text(fact) == said


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (doubts.TablesOfStrangers("t", 1, "0x1"), "t: 1 table of switches not in the fabric, such as 0x1"),
        (
            doubts.SwitchesWithoutTable("t", 2, "leaf"),
            't: 2 switches have no table and will drop all packets: "leaf", …',
        ),
        (
            doubts.EntriesMisfit("t", 3, "moved"),
            "t: 3 entries moved to the LIDs that their ports have now",
        ),
        (
            doubts.GuidsUnknown("f", 1, 1, "0x2"),
            "f: its only GUID is not in the fabric, 0x2; OpenSM ignores it",
        ),
        (
            doubts.GuidsUnknown("f", 2, 5, "0x2"),
            "f: 2 of 5 GUIDs are not in the fabric, such as 0x2; OpenSM ignores them",
        ),
        (
            doubts.GuidsRepeated("f", 3, "0x2"),
            "f: GUID 0x2 is listed twice (and 2 more); OpenSM counts it once",
        ),
        (
            doubts.PortsRepeated("f", 1, "0x2", 7),
            "f: port 7 of switch 0x2 is listed twice; OpenSM counts it once",
        ),
        (
            doubts.EngineRefused("ftree", "no tree", "minhop", "OpenSM", False),
            "ftree refused: no tree; OpenSM would fall back to minhop and say so only in its log",
        ),
        (
            doubts.EngineRefused("ftree", "no tree", "updn", "OpenSM", True),
            "ftree refused: no tree; OpenSM would go on to updn and say so only in its log",
        ),
        (
            doubts.EngineRefused("eventree", "no tree", "minhop", "Lacis", True),
            "eventree refused: no tree; minhop instead",
        ),
        (
            doubts.EngineRefused("fattree", "no tree", "shortestpath", "Omni-Path", False),
            "fattree refused: no tree; shortestpath instead",
        ),
        (
            doubts.EngineRefused("eventree", "no tree", None, "Lacis", True),
            "eventree refused: no tree; the next engine instead",
        ),
    ],
)
def test_a_doubt_has_words(fact: doubts.Doubt, said: str) -> None:
    assert text(fact) == said


@pytest.mark.parametrize(
    ("fact", "worded"),
    [
        (
            refusals.ProofLosesPairs(3, 12, refusals.LostPair("a[1]", "b[1]", 7, "no_entry")),
            "loses 3 of 12 pairs, for example from a[1] to b[1] (LID 7): no entry",
        ),
        (refusals.ProofLosesPairs(3, 12, None), "loses 3 of 12 pairs"),
        (
            refusals.ProofFindsLoops(2, ("a[1]", "b[1]", "c[1]", "d[1]", "e[1]", "f[1]")),
            "leaves 2 credit loops, for example over a[1], b[1], c[1], d[1], e[1], f[1]",
        ),
        (
            refusals.ProofFindsLoops(1, ("a[1]", "b[1]", "c[1]", "d[1]", "e[1]", "f[1]", "g[1]")),
            "leaves a credit loop, for example over a[1], b[1], c[1], d[1], e[1], f[1], …",
        ),
        (refusals.EngineLong(5001), "takes long on 5,001 end nodes: name it to have it tried"),
    ],
)
def test_why_an_engine_is_not_used_has_words(fact: Fact, worded: str) -> None:
    assert text(fact) == worded


def test_only_messages_without_a_route_make_a_job_unroutable() -> None:
    from lacis.job import Job

    def found(*remarks: job.JobRemark) -> Job:
        return Job((), (), (), (), (0, 0), (), remarks)

    assert found(job.OneHost(), job.NotComputed("ring", "spray", "there is no route")).is_routed
    assert not found(job.RateAssumed("4xEDR", 3), job.MessagesUnrouted("shift", 1)).is_routed


@pytest.mark.parametrize(("times", "is_said"), [(1.0, False), (1.5, False), (1.51, True), (2.4, True)])
def test_a_link_is_overfull_beyond_half_as_much_again_as_some_link_must_carry(
    times: float, is_said: bool
) -> None:
    from types import SimpleNamespace
    from typing import Any

    from lacis.report.verdicts import of_tables

    proof = SimpleNamespace(unrouted=0, credit_loops=(), over_forced=times)
    tried: Any = SimpleNamespace(label="minhop", verify=(proof, proof))
    assert list(of_tables(tried)) == ([verdicts.LinkOverfull("minhop", times)] if is_said else [])
