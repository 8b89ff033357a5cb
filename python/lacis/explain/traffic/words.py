"""What counters say of other traffic, in words; the same in the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from ...facts import wording
from ...facts.words import count

if TYPE_CHECKING:
    from ...documents.explain import OthersCounted, OthersOnLink

_SHOWN = 8


def lines(found: OthersCounted, withheld: int) -> list[str]:
    """The verdict, then links that carried something else, what is not known, and what to do.

    Args:
        found: what counters say.
        withheld: suspects that are not named for it.
    """
    said = [wording.text(found.fact), *map(_link, found.links[:_SHOWN])]
    if len(found.links) > _SHOWN:
        said.append(f"and {len(found.links) - _SHOWN:,} more (--json)")
    said += [f"not known: {wording.text(reason)}" for reason in found.because]
    if found.links and withheld:
        said.append(f"not accused, as that is why flows are slow there: {count(withheld, 'suspect')}")
    if found.links:
        said.append("drain the hosts of other jobs, or measure again without them, to judge these links")
    return said


def _link(one: OthersOnLink) -> str:
    return f"{one.egress} → {one.ingress}: at least {one.share:.0%} of its rate {_when(one)}{_whose(one)}"


def _when(one: OthersOnLink) -> str:
    day, _, begin = one.began.partition("T")
    end = one.ended.partition("T")[2]
    listed = ", ".join(str(number) for number in one.rounds[:4]) + (" …" if len(one.rounds) > 4 else "")
    rounds = f", round{'s' if len(one.rounds) > 1 else ''} {listed}" if one.rounds else ""
    return f"from {day} {begin} to {end}{rounds}"


def _whose(one: OthersOnLink) -> str:
    if one.jobs is UNSET:
        return ""
    return f", perhaps of {', '.join(one.jobs[:4])}" if one.jobs else ", of no job of the list"
