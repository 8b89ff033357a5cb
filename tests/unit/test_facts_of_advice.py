"""Facts about alternatives: what they are for, what they need, how to go back, in words."""

from __future__ import annotations

from typing import get_args

import pytest
from lacis.facts import advice
from lacis.facts.fact import Fact
from lacis.facts.wording import applications, mending, purpose, text, way_back

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
            "The plugin, libosmlacis.so, which `lacis opensm build` builds, in a folder that the loader searches "
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


def test_applications_need_do_nothing_without_lanes() -> None:
    assert applications(None) == ["Nothing: one lane carries all traffic, and paths are found as before."]


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (
            advice.EnginesUntried(("lash", "nue"), 1200, 10_000, 3_000_000),
            "Not tried, as they take long: lash, nue (1,200 switches × 10,000 end nodes, more than 3,000,000).",
        ),
        (
            advice.BisectionsWithoutPairs(1, 1000),
            "1 of 1,000 pairs of random bisections (0.1%) are left out, on a rail that one of the two lacks",
        ),
        (
            advice.BisectionsWithoutPairs(1, 4),
            "1 of 4 pairs of random bisections (25%) are left out, on a rail that one of the two lacks",
        ),
        (advice.ManagerFallsBack("minhop"), "OpenSM would run minhop instead and say so only in its log"),
    ],
)
def test_what_is_beside_the_figures_of_engines_has_words(fact: advice.Compared, words: str) -> None:
    assert text(fact) == words
