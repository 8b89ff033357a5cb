"""Facts: every kind has words, said once; faces, exit codes and ranks read fields."""

from __future__ import annotations

import ast
import re
from typing import get_args

import msgspec
import pytest
from lacis.facts import doubts, job, sources, verdicts
from lacis.facts.advice import LanesNeeded
from lacis.facts.fact import Fact
from lacis.facts.verdicts import rank
from lacis.facts.wording import applications, text

from ..conftest import ROOT

FACES = ("cli", "report", "map", "advice", "tuning", "reproduce", "job", "measured")
"""Rooms that get facts from others."""


def kinds() -> set[type[Fact]]:
    return {
        *get_args(verdicts.Verdict),
        *get_args(job.JobRemark),
        *get_args(doubts.Doubt),
        *get_args(sources.SourceRemark),
        LanesNeeded,
    }


def test_every_kind_of_fact_is_in_a_closed_list_and_has_words() -> None:
    assert set(Fact.__subclasses__()) == kinds()
    assert all(kind.__struct_config__.frozen for kind in kinds())
    assert {kind for kind in kinds() if text.dispatch(kind) is text.dispatch(Fact)} == set()


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


def test_only_messages_without_a_route_make_a_job_unroutable() -> None:
    from lacis.job import Job

    def found(*remarks: job.JobRemark) -> Job:
        return Job((), (), (), (), (0, 0), (), remarks)

    assert found(job.OneHost(), job.NotComputed("ring", "spray", "there is no route")).is_routed
    assert not found(job.RateAssumed("4xEDR", 3), job.MessagesUnrouted("shift", 1)).is_routed


def test_a_fact_as_json_has_its_kind_and_its_fields() -> None:
    lost = verdicts.PairsLost("minhop", 3, "hosts")
    assert msgspec.to_builtins(lost) == {
        "kind": "pairs_lost",
        "tables": "minhop",
        "pairs": 3,
        "population": "hosts",
    }
    assert msgspec.json.decode(msgspec.json.encode(lost), type=verdicts.Verdict) == lost


def test_applications_need_do_nothing_without_lanes() -> None:
    assert applications(None) == ["Nothing: one lane carries all traffic, and paths are found as before."]


# --- no face reads a sentence -------------------------------------------------------------------

SENTENCES = re.compile(r"\.(?:text|advice|why|words|where|reason|gain|title|purpose|line)$|\btext\(")
"""Fields that hold words, and the function that makes them."""
READERS = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
    "find",
}


def readings(source: str) -> list[int]:
    """Lines at which code looks into a sentence: a search in it, a cut of it, a comparison with part of it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        looked_into: list[ast.expr] = []
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            looked_into = node.comparators
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READERS:
                looked_into = [node.func.value]
            elif isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
                looked_into = node.args
        found += [part.lineno for part in looked_into if SENTENCES.search(ast.unparse(part))]
    return found


def test_no_face_looks_into_a_sentence() -> None:
    package = ROOT / "python" / "lacis"
    files = [path for room in FACES for path in sorted((package / room).rglob("*.py"))]
    assert [f"{path.relative_to(ROOT)}:{line}" for path in files for line in readings(path.read_text())] == []


def test_readings_are_found() -> None:
    source = (
        'a = "no route" in finding.text\n'
        'b = finding.advice.startswith("Bring ")\n'
        'c = re.search("port", verdict.text)\n'
        'd = "qos" in text(fact)\n'
        "e = finding.code in CODES\n"
        'f = spec.partition(":")\n'
        'g = re.match("a", name)\n'
    )
    assert readings(source) == [1, 2, 3, 4]
