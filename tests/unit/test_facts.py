"""Facts: every kind has words, said once; faces, exit codes and ranks read fields."""

from __future__ import annotations

import ast
import re
from typing import get_args

import msgspec
import pytest
from lacis.facts import advice, doubts, gains, job, refusals, steps, verdicts
from lacis.facts.fact import Fact
from lacis.facts.found import refusals as reasons
from lacis.facts.verdicts import rank
from lacis.facts.wording import (
    applications,
    cable_list,
    clauses,
    mending,
    purpose,
    sentence,
    text,
    way_back,
    why,
)

from ..conftest import ROOT

FACES = ("cli", "report", "map", "advice", "tuning", "reproduce", "job", "measured")
"""Rooms that get facts from others."""


def kinds() -> set[type[Fact]]:
    lists = (
        verdicts.Verdict,
        job.JobRemark,
        doubts.Doubt,
        advice.Running,
        advice.Alternative,
        advice.Need,
        advice.WayBack,
        gains.Reason,
        gains.NumberChange,
        gains.Objection,
        gains.InputsObjection,
        steps.Step,
    )
    alone: set[type[Fact]] = {
        advice.LanesNeeded,
        advice.RanksOrdered,
        advice.SingleFailures,
        *refusals.BY_LACIS,
    }
    return {kind for closed in lists for kind in get_args(closed)} | alone


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


RUST = re.compile(r"^    (?P<kind>[A-Z]\w+)(?: \{(?P<fields>.*?)^    \})?,$", re.M | re.S)
"""A variant of an enum of the core, with its fields."""


def variants(file: str, enum: str) -> dict[str, list[str]]:
    """Variants of an enum of the core's `sm/refusal`, each with the names of its fields."""
    source = (ROOT / "crates/lacis-core/src/sm/refusal" / file).read_text()
    body = source.split(f"pub enum {enum} {{\n", 1)[1].split("\n}\n", 1)[0] + "\n"
    return {
        one["kind"]: re.findall(r"^        (\w+):", one["fields"] or "", re.M) for one in RUST.finditer(body)
    }


@pytest.mark.parametrize(
    ("file", "enum", "closed"),
    [
        ("mod.rs", "RefusalReason", reasons.RefusalReason),
        ("tree.rs", "TreeMisfit", reasons.TreeMisfits),
        ("torus.rs", "TorusMisfit", reasons.TorusMisfits),
    ],
)
def test_a_refusal_has_the_same_kinds_and_fields_in_the_core(file: str, enum: str, closed: object) -> None:
    assert {kind.__name__: [*kind.__struct_fields__] for kind in get_args(closed)} == variants(file, enum)


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


PLUGIN = advice.PluginEngine(
    "eventree", "lacis-eventree", ("roots", "order"), ("scatter", "hop_weights"), ("updn", "minhop")
)
FILE = advice.TablesFromFile("eventree")
FAILED = advice.SingleFailures(16, 44, 0, 0, "", 0, "plugin", 1)
"""As `lacis advise` has it of 8 leaves and 4 spines: 32 cables and 12 switches, of which 16 were tried."""


@pytest.mark.parametrize(
    ("fact", "worded"),
    [
        (advice.DefaultAssumed("minhop", "OpenSM"), "minhop (assumed: OpenSM's default)"),
        (
            advice.DefaultAssumed("shortestpath", "Omni-Path's manager"),
            "shortestpath (assumed: the default of Omni-Path's manager)",
        ),
        (advice.ConfigurationModelled("updn", "a.conf", None), "updn as a.conf configures it (modelled)"),
        (
            advice.ConfigurationModelled("updn", "a.conf", "ar_updn"),
            "updn as a.conf configures it, adaptively among equal ports (ar_updn) (modelled)",
        ),
        (advice.TablesRead("lfts"), "the tables in lfts (read)"),
        (
            PLUGIN,
            "lacis-eventree inside OpenSM (roots given, the order of hosts given, scatter, hop weights, "
            "updn then minhop behind it)",
        ),
        (advice.OpensmEngine("updn", (), (), ()), "OpenSM's updn"),
        (
            advice.OpensmEngine("ftree", ("cn", "io"), (), ()),
            "OpenSM's ftree (compute nodes given, I/O nodes given)",
        ),
        (FILE, "the tables of eventree from a file"),
        (advice.OmniPathEngine("fattree"), "fattree of Omni-Path's manager"),
        (
            advice.OpensmVersion("3.3.23"),
            "OpenSM 3.3.23 on the manager's node (`opensm --version`): the plugin knows its structures and no other's.",
        ),
        (
            advice.PluginInstalled("libosmlacis.so", "osmlacis"),
            "The plugin, libosmlacis.so, which `make opensm-plugin` builds, in a folder that the loader searches "
            '(/usr/local/lib and `ldconfig`, or LD_LIBRARY_PATH of the service). Without it OpenSM logs "ERR 1000: '
            "cannot load plugin 'osmlacis'\" and goes on to the next engine of the list.",
        ),
        (
            advice.AdaptiveLost("ar_updn"),
            "What runs now, ar_updn, lets switches choose among equal ports. These tables are static, and so are the "
            "figures: compare `lacis simulate --adaptive` before you leave adaptive routing, and set ar_mode 0.",
        ),
        (
            advice.LanesNeeded("dfsssp", "sssp", 1),
            "Where QoS is off, or an application sends on service level 0 without asking: its tables are sssp's on one "
            "lane then, with a credit loop among the pairs of hosts.",
        ),
        (
            advice.LanesNeeded("nue", "nue", 0),
            "Where QoS is off, or an application sends on service level 0 without asking: its tables are the same on "
            "one lane then, which leaves no credit loop among the pairs of hosts here.",
        ),
        (
            advice.RanksOrdered("eventree", 1.0, 0.8815),
            "Shifts get 1.000 of the link rate where ranks are placed as eventree numbers hosts (order eventree), 0.881 "
            "leaf by leaf (order topology).",
        ),
        (
            advice.RanksOrdered("name", 0.5, 0.25),
            "Shifts get 0.500 of the link rate where ranks are placed by the names of hosts (order name), 0.250 leaf by "
            "leaf (order topology).",
        ),
        (
            FAILED,
            "Of 16 of 44 single failures, drawn with seed 1 (cables between switches, switches) none loses a pair of "
            "the hosts that are left; Lacis inside OpenSM makes new tables after each.",
        ),
        (
            advice.SingleFailures(6, 6, 2, 2, "cable a – b", 8, "opensm", 1),
            "Of all 6 single failures (cables between switches, switches) 2 lose pairs of hosts that are left (2 "
            "whatever the tables, as no cables join these), cable a – b 8 of them; OpenSM makes new tables after each.",
        ),
        (
            advice.SingleFailures(1, 1, 1, 0, "switch s", 1200, "none", 1),
            "Of 1 single failure (cables between switches, switches) 1 loses pairs of hosts that are left, switch s "
            "1,200 of them; no manager mends such tables: write and load new ones after each.",
        ),
    ],
)
def test_an_alternative_and_what_it_needs_have_words(fact: Fact, worded: str) -> None:
    assert text(fact) == worded


@pytest.mark.parametrize(
    ("alternative", "worded"),
    [
        (
            PLUGIN,
            "eventree of Lacis runs inside OpenSM as its plugin: in every sweep it makes tables for the fabric as it "
            "is then, and proves them before they are programmed. Where it fails, updn takes over.",
        ),
        (
            advice.PluginEngine("nue", "lacis-nue", (), (), ()),
            "nue of Lacis runs inside OpenSM as its plugin: in every sweep it makes tables for the fabric as it is "
            "then, and proves them before they are programmed.",
        ),
        (
            advice.OpensmEngine("updn", (), (), ()),
            "OpenSM routes by itself, with better inputs; it mends its tables after failures as it does now.",
        ),
        (
            FILE,
            "OpenSM loads tables that eventree of Lacis made for the fabric as it is now. It needs no plugin. OpenSM "
            "does not mend them. Prefer the plugin.",
        ),
        (
            advice.OmniPathEngine("fattree"),
            "The fabric manager routes by another of its algorithms; it mends its tables after failures as it does now.",
        ),
    ],
)
def test_an_alternative_says_what_it_is_for(alternative: advice.Alternative, worded: str) -> None:
    assert purpose(alternative) == worded


def test_every_alternative_has_a_purpose_and_every_step_a_reason() -> None:
    for function, closed in ((purpose, advice.Alternative), (why, steps.Step)):
        other = function.dispatch(Fact)
        assert {kind for kind in get_args(closed) if function.dispatch(kind) is other} == set()


RESTART = "restart OpenSM, which reads them at its start only"


@pytest.mark.parametrize(
    ("fact", "lines"),
    [
        (
            advice.CopyRestored("opensm.conf", ("routing_engine", "qos")),
            [
                "Before you load it, keep a copy of the site's opensm.conf. To go back, put the copy in its place and "
                "restart OpenSM. Without a copy: take out or put back as they were routing_engine, qos."
            ],
        ),
        (
            advice.CopyRestored("opafm.xml", ()),
            [
                "Before you change it, keep a copy of opafm.xml. To go back, put the copy in its place and restart the "
                "manager."
            ],
        ),
        (
            advice.LinesRestored(
                (advice.Setting("routing_engine", "updn"), advice.Setting("qos", "(null)")), ()
            ),
            [
                f"To go back, put these lines back as they were and {RESTART}:",
                "  routing_engine updn",
                "  qos (null)",
            ],
        ),
        (
            advice.LinesRestored((advice.Setting("routing_engine", "updn"),), ("qos", "event_plugin_name")),
            [
                f"To go back, put these lines back as they were and {RESTART}:",
                "  routing_engine updn",
                "and take out: qos, event_plugin_name",
            ],
        ),
        (
            advice.LinesKept(),
            [
                f"The configuration has these lines already. To leave them, change routing_engine and {RESTART}."
            ],
        ),
        (
            advice.LinesUnknown(),
            [
                "To go back, put routing_engine and the other lines back as they were (--opensm-conf FILE shows how), "
                f"take event_plugin_name out, and {RESTART}."
            ],
        ),
    ],
)
def test_the_way_back_has_words_line_by_line(fact: advice.WayBack, lines: list[str]) -> None:
    assert way_back(fact) == lines
    assert text(fact) == "\n".join(lines)


def test_what_mends_tables_has_words() -> None:
    assert {mender: mending(mender) for mender in get_args(advice.Mender)} == {
        "opensm": "OpenSM makes new tables after each",
        "plugin": "Lacis inside OpenSM makes new tables after each",
        "omni-path": "the manager makes new tables after each",
        "none": "no manager mends such tables: write and load new ones after each",
    }


@pytest.mark.parametrize(
    ("fact", "worded"),
    [
        (gains.RoutesGained(5484, "end nodes"), "5,484 pairs of end nodes get a route that they lack now"),
        (gains.RoutesGained(1, "hosts"), "1 pair of hosts gets a route that it lacks now"),
        (gains.LoopsGone(2, "hosts"), "the credit loops among hosts go"),
        (gains.BisectionsGain(0.5, 0.75), "random traffic gets more bandwidth"),
        (gains.LoadSpread(2.0, 1.5), "all-to-all is spread more evenly"),
        # 0.75 is half as much again as 0.5.
        (gains.BisectionsChange(0.5, 0.75), "random bisections 0.500 → 0.750 of the link rate (+50.0 %)"),
        (
            gains.LoopKept(1, 326, "end nodes"),
            "a credit loop is left among pairs of all end nodes (326 channels): traffic on one lane can stop forever",
        ),
        (
            gains.LoopKept(2, 40, "hosts"),
            "2 credit loops are left among pairs of hosts (40 channels): traffic on one lane can stop forever",
        ),
        (gains.FullestLinkChange(2.004, 1.5), "fullest link 2.00 → 1.50 × what some link must carry"),
        (
            gains.ShiftsChange(0.5, 0.75, 0.25, 0.3, 4, 3),
            "shifts 0.500 → 0.750, the worst 0.250 → 0.300, with 4 → 3 flows on a link at most",
        ),
        (gains.EngineRefuses("ftree"), "ftree refuses"),
        (gains.HostsUnrouted(1), "1 pair of hosts has no route"),
        (gains.HostsUnrouted(1200), "1,200 pairs of hosts have no route"),
        (gains.EndNodesUnrouted(1), "1 more pair of end nodes has no route"),
        (gains.EndNodesUnrouted(1200), "1,200 more pairs of end nodes have no route"),
        (gains.LoopLeft(3), "it leaves a credit loop among pairs of hosts"),
        (
            gains.TrafficSlower("bisections", 0.8, 0.5),
            "random bisections would fall from 0.800 to 0.500 of the link rate",
        ),
        (gains.TrafficSlower("shifts", 0.8, 0.5), "shifts would fall from 0.800 to 0.500 of the link rate"),
        (gains.FiguresWorse(of=6, worse=4, better=2), "of 6 figures 4 would get clearly worse, and 2 better"),
        (gains.InputsLosePairs(1), "loses 1 pair"),
        (gains.InputsLosePairs(1200), "loses 1,200 pairs"),
        (gains.InputsLeaveLoops(1), "leaves a credit loop"),
        (gains.InputsLeaveLoops(1200), "leaves 1,200 credit loops"),
        (gains.InputsUndefined(), "OpenSM's tables are undefined"),
        (gains.FailuresLosePairs(1), "1 failure loses pairs"),
        (gains.FailuresLosePairs(2), "2 failures lose pairs"),
        (gains.FailuresUndefined(2), "undefined after 2 failures"),
    ],
)
def test_what_tables_bring_and_what_forbids_them_have_words(fact: Fact, worded: str) -> None:
    assert text(fact) == worded


def test_reasons_are_a_sentence_and_changes_a_line() -> None:
    better = [gains.LoopsGone(1, "hosts"), gains.LoadSpread(2.0, 1.5)]
    assert sentence(better) == "The credit loops among hosts go; all-to-all is spread more evenly."
    assert (
        clauses([gains.FullestLinkChange(2.0, 1.5)]) == "fullest link 2.00 → 1.50 × what some link must carry"
    )
    assert clauses([]) == ""


CABLES = (
    steps.MissingCable("leaf-1", "0x" + "0" * 15 + "1", 17, "spine-2", "0x" + "0" * 15 + "2", 3),
    steps.MissingCable("leaf-1", "0x" + "0" * 15 + "1", 18, "spine-3", "0x" + "0" * 15 + "3", 4),
)
SUSPECT = steps.LookAtSuspect(
    suspect="leaf-1[17] → spine-2[3]",
    ratio=0.25,
    low=0.2,
    high=0.31,
    is_time=False,
    flows=12,
    slow=11,
    reached=0.3,
    beside=40,
    beside_reached=0.98,
    like=("1xEDR",),
    rate="4xEDR",
    others=("a", "b", "c", "d"),
)


@pytest.mark.parametrize(
    ("step", "title", "reason"),
    [
        (
            steps.RunInstead(
                advice.OpensmEngine("updn", (), (), ()),
                "minhop",
                (gains.LoadSpread(2.0, 1.5),),
                None,
                None,
                None,
            ),
            "Run OpenSM's updn instead of minhop",
            "All-to-all is spread more evenly. OpenSM routes by itself, with better inputs; it mends its tables after "
            "failures as it does now.",
        ),
        (
            steps.RunInstead(
                FILE,
                "minhop",
                (gains.LoadSpread(2.0, 1.5),),
                FAILED,
                advice.LanesNeeded("nue", "nue", 0),
                advice.RanksOrdered("name", 0.5, 0.25),
            ),
            "Load the tables of eventree from a file instead of minhop",
            f"All-to-all is spread more evenly. {purpose(FILE)} {text(FAILED)} (modelled) It needs QoS and path "
            f"records. {text(advice.LanesNeeded('nue', 'nue', 0))} {text(advice.RanksOrdered('name', 0.5, 0.25))} "
            "(modelled)",
        ),
        (
            steps.MendErrors("SWITCH_ABSENT", ("leaf-03",), "ports 5, 6 are empty", "Check its power."),
            "Mend leaf-03 (switch absent)",
            "Ports 5, 6 are empty. Check its power.",
        ),
        (
            steps.MendErrors("ISLAND", ("a", "b", "c", "d"), "a node apart", "Find its cables."),
            "Mend a, b, c and 1 more (island)",
            "a: a node apart. Find its cables.",
        ),
        (
            steps.SearchInputs(),
            "Search what OpenSM can do with its own inputs, in about a minute",
            "Engines, roots, compute nodes and orders are tried. Those that keep every pair without a credit loop go "
            "through single failures, and the best becomes a bundle like the others.",
        ),
        (
            steps.PlugCables(CABLES[:1], "updn"),
            "Plug in the 1 missing cable",
            "The pattern of their peers says where they belong. Compared under updn.",
        ),
        (
            steps.PlugCables(CABLES, "updn"),
            "Plug in the 2 missing cables",
            "The pattern of their peers says where they belong. Compared under updn.",
        ),
        (
            SUSPECT,
            "Look at leaf-1[17] → spine-2[3]",
            "It gets about 25% of its rate (20–31 %) (estimated); 11 of 12 flows over it are slow, median 30% of what "
            "others get; 40 that share other links with them, but not this one: 98% of what others get; as a link at "
            "1xEDR would be; its ends report 4xEDR; cannot be distinguished from a; b; c; and 1 more (measured).",
        ),
        (
            msgspec.structs.replace(
                SUSPECT, ratio=4.0, low=3.5, high=4.5, is_time=True, reached=3.9, beside=0, like=(), others=()
            ),
            "Look at leaf-1[17] → spine-2[3]",
            "It gets about 4.00 times as long (3.50–4.50) (estimated); 11 of 12 flows over it are slow, median 3.90 "
            "times as long as others (measured).",
        ),
    ],
)
def test_a_step_has_a_title_and_a_reason(step: steps.Step, title: str, reason: str) -> None:
    assert text(step) == title
    assert why(step) == reason


def test_cables_to_plug_in_are_listed_a_line_each() -> None:
    assert cable_list(steps.PlugCables(CABLES, "updn")) == (
        "leaf-1 port 17  –  spine-2 port 3\nleaf-1 port 18  –  spine-3 port 4"
    )


def test_applications_need_do_nothing_without_lanes() -> None:
    assert applications(None) == ["Nothing: one lane carries all traffic, and paths are found as before."]


# --- no face reads a sentence -------------------------------------------------------------------

SENTENCES = re.compile(
    r"\.(?:text|advice|why|words|where|reason|gain|title|purpose|line)$|\b(?:text|why|purpose|sentence|clauses)\("
)
"""Fields that hold words, and the functions that make them."""
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
