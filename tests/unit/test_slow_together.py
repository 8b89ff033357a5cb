"""Suspects that were slow in the same rounds are one group, unless chance would make such a one."""

from __future__ import annotations

from functools import partial
from typing import Any

import lacis
import numpy as np
import pytest
from lacis.documents.explain import Partly, Spell, Suspect
from lacis.explain.shared import shared_by
from lacis.explain.together import CHANCE, slow_together
from lacis.facts.suspects import SlowTogether
from lacis.facts.wording import numbered, text

from benchmarks.explain.together import LAWS, drawn, nothing

ROUNDS = 16


def link(number: int, ends: tuple[str, str] | None = None) -> Suspect:
    egress, ingress = ends or (f"leaf-03[{number}]", f"spine-{number:02}[3]")
    return Suspect("link", egress.partition("[")[0], egress, ingress, "4xHDR", None, [number])


def slow(number: int, first: int, last: int, *, before: int | None = -1, after: int | None = -1) -> Partly:
    """A link with a flow in every round, slow in some; other rounds next to these may be given."""
    before = (first - 1 if first else None) if before == -1 else before
    after = (last + 1 if last < ROUNDS - 1 else None) if after == -1 else after
    spell = Spell(first, last, before, after, ROUNDS, ROUNDS - (last + 1 - first), 1.0)
    return Partly([link(number)], 5, 5, 0.5, 0.5, swings=False, gain=40.0, spell=spell)


def groups(*partly: Partly, **more: Any) -> list[SlowTogether]:
    return slow_together(partly, nothing, **more)


def test_links_that_are_slow_in_the_same_rounds_are_one_group() -> None:
    # Of 16 rounds 55 spells of five and more begin after the first and are over before the last: those that begin in round b can end
    # in 11 - b of them. Three others are each the same as the first by chance 1 / 55.
    [group] = groups(*(slow(number, 5, 9) for number in range(4)))
    assert (group.members, group.links, group.first, group.last) == ([0, 1, 2, 3], 4, 5, 9)
    assert group.chance == pytest.approx(55**-3)
    # Of six spells 15 such groups can be chosen.
    beside = (slow(4, 1, 5), slow(5, 8, 13))
    [group] = groups(*(slow(number, 5, 9) for number in range(4)), *beside)
    assert group.members == [0, 1, 2, 3]
    assert group.chance == pytest.approx(15 * 55**-3)


def test_what_chance_makes_is_no_group() -> None:
    # 1 / 55 is more than the 1 in 100 that all kinds of groups may have.
    assert groups(slow(0, 5, 9), slow(1, 5, 9)) == []
    # Since round 8: spells of eight rounds to the last begin in one of the first eight after the first, so four links are 8 ** -3 = 0.002.
    assert groups(*(slow(number, 8, 15) for number in range(4))) == []
    [group] = groups(*(slow(number, 8, 15) for number in range(5)))
    assert (group.first, group.last, group.is_since) == (8, None, True)
    assert group.chance == pytest.approx(8**-4)
    [group] = groups(*(slow(number, 0, 7) for number in range(5)))
    assert (group.first, group.last, group.is_until) == (None, 7, True)


def test_a_link_whose_flows_leave_rounds_out_may_coincide_with_more() -> None:
    # It may have begun in any of rounds 3 to 5, and been over in any of 10 to 12: nine of the 55 spells, for each of two others.
    wide = [slow(number, 5, 9, before=2, after=12) for number in (1, 2)]
    assert groups(slow(0, 5, 9), *wide) == []  # 81 / 3025 = 0.03
    narrow = [slow(number, 5, 9) for number in (3, 4, 5)]
    [group] = groups(*narrow, *wide)
    # Begun in round 3 a spell of five rounds may be over in 8 to 12, in 4 in 9 to 12, and so on: 5 + 4 + 3 + 2 + 1 of the 55 are within
    # reach, for each of the two.
    assert group.members == [0, 1, 2, 3, 4]
    assert group.chance == pytest.approx(55**-2 * (15 / 55) ** 2)


def test_ends_that_are_a_round_apart_coincide() -> None:
    # An event within a round slows some of its flows by little.
    apart = [slow(number, 5 + number % 2, 9) for number in range(6)]
    [group] = groups(*apart)
    assert (group.members, group.first, group.last) == ([*range(6)], 5, 9)
    # Two rounds are too far; what is left are three and three, of which either may be chance.
    assert all(
        len(one.members) < 6 or one.first is None
        for one in groups(*(slow(n, 5 + 2 * (n % 2), 9) for n in range(6)))
    )


def test_what_only_began_together_is_said_so() -> None:
    ends = (7, 9, 11, 13, 10, 15)
    [group] = groups(*(slow(number, 5, end) for number, end in enumerate(ends)))
    assert (group.members, group.first, group.last, group.is_since) == ([*range(6)], 5, None, False)
    assert text(group).startswith(
        "6 links were slow from round 5 of 16 on, some of them longer than others (by chance"
    )


def test_both_directions_of_a_cable_are_no_coincidence() -> None:
    there = slow(0, 5, 9)
    back = Partly(
        [link(0, ("spine-00[3]", "leaf-03[0]"))], 5, 5, 0.5, 0.5, swings=False, gain=40.0, spell=there.spell
    )
    assert groups(there, back) == groups(there, back, slow(1, 5, 9)) == []
    [group] = groups(there, back, *(slow(number, 5, 9) for number in (1, 2)))
    assert (group.members, group.links) == ([0, 1, 2, 3], 3)
    assert group.chance == pytest.approx(55**-2)


def test_flaps_and_entries_are_in_no_group() -> None:
    flap = Partly([link(9)], 5, 5, 0.5, 0.5, swings=True, gain=40.0)
    [group] = groups(flap, *(slow(number, 5, 9) for number in range(3)))
    assert group.members == [1, 2, 3]
    assert groups() == groups(flap) == groups(flap, slow(0, 5, 9)) == []


def test_a_group_is_said_with_its_rounds_its_leaf_and_its_time() -> None:
    times = {
        5: ("2026-11-28T16:28:35.0Z", "2026-11-28T16:28:36.5Z"),
        9: ("2026-11-28T16:28:43.0Z", "2026-11-28T16:28:44.5Z"),
    }
    [group] = slow_together([slow(number, 5, 9) for number in range(4)], lambda _: ("leaf", "leaf-03"), times)
    assert (group.began, group.ended) == (times[5][0], times[9][1])
    assert text(group) == (
        "4 links were slow from round 5 to 9 of 16, all of leaf-03 (2026-11-28 16:28:35 to 16:28:44 UTC, "
        "by chance in less than one of 100,000 measurements)"
    )
    assert numbered([group], 3) == [f"3, 4, 5, 6: {text(group)}"]


def test_what_suspects_share() -> None:
    def shared(spec: str, *ends: tuple[str, str]) -> object:
        return shared_by(lacis.read(spec), [link(at, one) for at, one in enumerate(ends)])

    tree = partial(shared, "fat-tree:4,2")
    assert tree(("leaf-01[3]", "spine-01[1]"), ("node0001 HCA-1[1]", "leaf-01[1]")) == ("leaf", "leaf-01")
    assert tree(("leaf-01[3]", "spine-01[1]"), ("spine-01[2]", "leaf-02[3]")) == ("switch", "spine-01")
    assert tree(("leaf-01[3]", "spine-01[1]"), ("leaf-02[4]", "spine-02[2]")) is None
    # Switches of one director, one of whose cables goes to a leaf outside it.
    director = partial(shared, "itasca:3")
    inside = ("director-1-mid-02[19]", "director-1-top-1[2]")
    assert director(("leaf-01[1]", "director-1-mid-01[1]"), inside) == ("chassis", "director-1-mid-01")
    assert director(("leaf-01[1]", "director-2-mid-01[1]"), inside) is None
    assert director(inside, inside) == ("chassis", "director-1-mid-02")
    # Both cables join the same two switches: which of them it is cannot be said.
    assert tree(("leaf-01[3]", "spine-01[1]"), ("leaf-01[3]", "spine-01[1]")) is None


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_independent_spells_make_a_group_in_less_than_1_of_100_measurements(law: str) -> None:
    runs, false = 0, 0
    for rounds, links in ((16, 3), (16, 8), (40, 5), (100, 4)):
        for seed in range(100):
            # Flows cross each link in 70 % of the rounds.
            spells = drawn(law, rounds, links, 0.7, np.random.default_rng([seed, rounds]))
            false += bool(slow_together(spells, nothing))
            runs += 1
    assert false <= CHANCE * runs
