"""Steps of advice: a title and a reason each, in words."""

from __future__ import annotations

import msgspec
import pytest
from lacis.facts import advice, gains, steps
from lacis.facts.wording import cable_list, purpose, text, why

FILE = advice.TablesFromFile("eventree")
FAILED = advice.SingleFailures(16, 44, 0, 0, "", 0, "plugin", 1)
"""As `lacis advise` has it of 8 leaves and 4 spines: 32 cables and 12 switches, of which 16 were tried."""


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
