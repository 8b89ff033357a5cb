"""What is reached on a link to blame, with the interval of 95 %; and when no suspect is to blame."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lacis.documents.explain import Candidate, Fitness, Partly, Spell, Suspect
from lacis.explain.culprits import Culprits, interval, of_expected
from lacis.explain.tables import ASSUMED
from lacis.explain.unfit import why_unfit
from lacis.facts.wording import partly, partly_evidence


def test_a_loss_is_the_logarithm_of_what_is_missing() -> None:
    # Half of a rate, and twice a time, are both a loss of ln 2.
    assert of_expected(math.log(2), is_time=False) == pytest.approx(0.5)
    assert of_expected(math.log(2), is_time=True) == pytest.approx(2.0)


def test_the_true_share_lies_in_the_interval_with_95_percent() -> None:
    # A normal variable is within 1.96 deviations of its mean with 95 %: exp(-0.5 - 0.196) and exp(-0.5 + 0.196).
    low, high = interval(0.5, 0.1, is_time=False)
    assert [low, high] == pytest.approx([0.49858, 0.73786], abs=1e-5)
    # Of times the same, the other way round: exp(0.5 - 0.196) and exp(0.5 + 0.196).
    low, high = interval(0.5, 0.1, is_time=True)
    assert [low, high] == pytest.approx([1.35527, 2.00571], abs=1e-5)
    assert list(interval(0.5, 0.0, is_time=False)) == pytest.approx([math.exp(-0.5)] * 2)


def fitness(doubt: str | None, *, beyond: int = 0, unexplained: int = 0, switches: int = 0) -> Fitness:
    """Of 1,000 flows and 100 shared links."""
    return Fitness(
        doubt=doubt,
        shared=100,
        beyond=beyond,
        most=None,
        flows=1000,
        slow=unexplained,
        unexplained=unexplained,
        many_unexplained=unexplained > 50,  # more than 1 in 20
        wide=0,
        entries=2 * switches,
        switches=switches,
        many_switches=switches > 8,
        accused=0,
        at_half=0,
        hosts=64,
        rounds=[],
        leaves=[],
        slow_hosts=[],
    )


def ranking(*groups: list[tuple[str, str]], fits: bool = True) -> Any:
    """What a comparison of tables says: by group, names and how they are tables."""
    every = [
        Candidate(name, how, group, 0.0, 0.0, 1.0, 0.05, 0.9, 0)
        for group, of in enumerate(groups)
        for name, how in of
    ]
    consistent = [one for one in every if one.group == 0]
    return lambda: SimpleNamespace(
        candidates=every, consistent=consistent, distinguishes=len(groups) > 1, fits=fits
    )


def not_asked() -> Any:
    raise AssertionError("tables are compared only where there is doubt about them")


def test_values_without_doubt_and_doubts_of_traffic_ask_no_engine() -> None:
    assert why_unfit(fitness(None), not_asked) == (None, [])
    assert why_unfit(fitness("traffic", unexplained=200), not_asked) == ("other_traffic", [])


def test_other_tables_are_named_where_they_fit_better() -> None:
    other = ranking([("minhop", "tables"), ("updn", "orders")], [(ASSUMED, "tables")])
    named = ["minhop", "updn in another order of LIDs"]
    assert why_unfit(fitness("tables", beyond=50), other) == ("other_tables", named)
    assert why_unfit(fitness("either", unexplained=300), other) == ("other_tables", named)
    spread = ranking([("adaptive", "spread")], [(ASSUMED, "tables")])
    assert why_unfit(fitness("tables", beyond=50), spread) == ("other_tables", ["adaptive routing"])


def test_where_none_fits_the_sums_over_links_decide() -> None:
    poor = ranking([("minhop", "tables")], [(ASSUMED, "tables")], fits=False)
    assert why_unfit(fitness("tables", beyond=50), poor) == ("other_tables", [])
    assert why_unfit(fitness("either", unexplained=300), poor) == ("other_traffic", [])


def test_assumed_tables_that_fit_best_are_kept_unless_many_links_carry_too_much() -> None:
    own = ranking([(ASSUMED, "tables"), ("minhop", "tables")], [("sssp", "tables")])
    # Four links of 100: wrong entries, which are named by themselves. Beyond a tenth other tables run, which no engine made.
    assert why_unfit(fitness("tables", beyond=4), own) == (None, [])
    assert why_unfit(fitness("tables", beyond=11), own) == ("other_tables", [])
    assert why_unfit(fitness("tables", beyond=4, unexplained=51), own) == ("other_traffic", [])
    assert why_unfit(fitness("either", unexplained=51), own) == ("other_traffic", [])


def test_counters_that_show_no_other_traffic_decide_over_what_flows_suggest() -> None:
    own = ranking([(ASSUMED, "tables"), ("minhop", "tables")], [("sssp", "tables")])
    other = ranking([("minhop", "tables")], [(ASSUMED, "tables")])
    assert why_unfit(fitness("traffic", unexplained=200), not_asked, none_sent=True) == (None, [])
    assert why_unfit(fitness("either", unexplained=51), own, none_sent=True) == (None, [])
    assert why_unfit(fitness("either", unexplained=51), None, none_sent=True) == (None, [])
    assert why_unfit(fitness("tables", beyond=4, unexplained=51), own, none_sent=True) == (None, [])
    # Of tables they say nothing.
    assert why_unfit(fitness("either", unexplained=300), other, none_sent=True) == (
        "other_tables",
        ["minhop"],
    )
    assert why_unfit(fitness("tables", beyond=50), None, none_sent=True) == ("other_tables", [])


def test_many_suspects_ask_for_other_tables_and_are_named_where_the_assumed_ones_fit_best() -> None:
    own = ranking([(ASSUMED, "tables")], [("minhop", "tables")])
    other = ranking([("minhop", "tables")], [(ASSUMED, "tables")])
    poor = ranking([("minhop", "tables")], [(ASSUMED, "tables")], fits=False)
    assert why_unfit(fitness("many"), own) == (None, [])
    assert why_unfit(fitness("many"), other) == ("other_tables", ["minhop"])
    assert why_unfit(fitness("many"), poor) == (None, [])
    # Entries of nine switches are no faults, whatever no engine makes.
    for which in (own, poor, None):
        assert why_unfit(fitness("many", switches=9), which) == ("other_tables", [])
    assert why_unfit(fitness("many", switches=8), None) == (None, [])
    assert why_unfit(fitness("tables", beyond=4, switches=9), own) == ("other_tables", [])


def test_a_spell_is_said_with_its_rounds() -> None:
    link = Suspect("link", "leaf-01", "leaf-01[9]", "spine-03[1]", "4xHDR", None, [7])

    def said(before: int | None, after: int | None) -> str:
        return partly(Partly([link], 5, 5, 1.0, 0.5, False, 40.0, Spell(5, 9, before, after, 16, 11, 1.0)))

    assert said(4, 10) == "slow in rounds 5 to 9 of 16"
    assert said(4, None) == "slow since round 5 of 16"
    assert said(None, 10) == "slow up to round 9 of 16"
    one = Partly([link], 5, 5, 1.0, 0.5, False, 40.0, Spell(5, 9, 4, 10, 16, 11, 1.0))
    assert partly_evidence(one, is_time=False) == (
        "5 of 5 flows are slow then, median 50% of what others get; 11 in other rounds: 100% of what others get"
    )


def test_an_entry_that_only_makes_flows_faster_has_no_slow_flow_as_evidence() -> None:
    entry = Suspect("entry", "leaf-01", "leaf-01[9]", "spine-03[1]", None, "n7", [])
    faster = Partly([entry], flows=5, slow=0, share=0.0, ratio=1.5, swings=False, gain=20.0)
    said = partly_evidence(faster, is_time=False)
    assert said == "5 flows are faster than these tables allow, median 150% of what others get"
    slower = Partly([entry], flows=4, slow=3, share=0.75, ratio=0.5, swings=False, gain=20.0)
    assert partly_evidence(slower, is_time=False).startswith("3 of 4 flows are slow, median 50%")


def test_of_a_loss_as_small_as_healthy_hosts_differ_three_times_as_many_more_rounds_are_promised() -> None:
    # Half as many flows again would show each by the model: of 16 rounds 8 more, and three times 8 for a tenth.
    found = Culprits(
        [], [], 1, {}, np.zeros(0, np.uint32), {}, None, {0.1: 1.5, 0.2: 1.5, 0.5: 1.0}, [], None
    )
    assert [found.more_rounds(loss, 16) for loss in (0.1, 0.2, 0.5)] == [24, 8, 0]
    # Where no number does, or none was measured, there is none to promise.
    assert [found.more_rounds(0.1, 0), found.more_rounds(0.5, 0)] == [None, 0]


def test_flows_that_are_faster_are_counted_in_words() -> None:
    entry = Suspect("entry", "leaf-1", None, None, None, "h7", [])
    one = Partly([entry], 1, 0, 0.0, 2.0, False, 9.0)
    assert partly(one) == "takes another path than the tables say"
    assert partly_evidence(one, is_time=False).startswith("1 flow is faster than these tables allow")
