"""Facts about what tables bring and what forbids them, in words."""

from __future__ import annotations

import pytest
from lacis.facts import gains
from lacis.facts.fact import Fact
from lacis.facts.wording import clauses, sentence, text


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
