"""Suspects in words: how bad, how sure, on what evidence; the same in the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import wording
from ..facts.words import count

if TYPE_CHECKING:
    from ..documents.explain import Partly, Suspect
    from .culprits import Culprits, Found


def negotiated(one: Found) -> str:
    """The lower rate that its link may have negotiated; empty where none fits."""
    return wording.negotiated(one.like, one.suspect.rate)


def partly(one: Partly) -> str:
    """What is wrong where only some flows are slow."""
    if one.suspects[0].kind == "entry":
        known = one.suspects[0].egress is not None
        return "flows get what they would if it did" if known else "takes another path than the tables say"
    return f"flaps {'from repeat to repeat' if one.swings else 'from flow to flow'}"


def partly_evidence(one: Partly, *, is_time: bool) -> str:
    """Which flows are slow, and how slow then."""
    slow, then = f"{one.slow:,} of {count(one.flows, 'flow')}", wording.of_others(one.ratio, is_time=is_time)
    if one.suspects[0].kind == "entry":
        return f"{slow} are slow, median {then}"
    values = f" ({one.share:.0%} of values)" if one.swings else ""
    return f"slow in {slow}{values}, then {then}"


def verdict(culprits: Culprits) -> str:
    """The sentence where nothing is found."""
    said = "no link, adapter or switch is slow" if culprits.can_tell else "could not tell"
    return f"{said}, as far as these flows show"


def sight(culprits: Culprits, *, is_time: bool) -> str:
    """What would have shown."""
    word = "delay" if is_time else "loss"
    known = (
        f"a {word} of {loss:.0%} on {'all' if number == culprits.links else f'{number:,}'}"
        for loss, number in culprits.visible.items()
    )
    return f"{culprits.links:,} directed links crossed; would have shown: {', '.join(known)} (modelled)"


def backs(suspect: Suspect, culprits: Culprits) -> list[int]:
    """Numbers of the suspects that are the same cable in the other direction."""
    return [at for at, other in enumerate(culprits.found, 1) if _is_back(suspect, other.suspect)]


def _is_back(one: Suspect, other: Suspect) -> bool:
    return one.egress is not None and one.egress == other.ingress and one.ingress == other.egress


def percent(p: float) -> str:
    """A probability."""
    return "> 99 %" if p > 0.99 else f"{p:.0%}"
