"""The words of what a measurement shows to be slow: how slow, on what evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from .. import suspects as of
from ..words import count, noun
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Sequence


class Slow(Protocol):
    """What is slow, with the flows over it; the fields are those of `facts.steps.LookAtSuspect`."""

    @property
    def ratio(self) -> float:
        """What its flows get of what others get, or how many times as long they take."""

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """Upper end."""

    @property
    def flows(self) -> int:
        """Flows over it."""

    @property
    def slow(self) -> int:
        """Of them, those that are slow."""

    @property
    def reached(self) -> float:
        """The median of what they reach."""

    @property
    def beside(self) -> int:
        """Flows that share other links with them."""

    @property
    def beside_reached(self) -> float:
        """The median of what those reach."""


def severity(one: Slow, *, is_time: bool) -> str:
    """What its flows get of what others get, with its 95 % interval."""
    if is_time:
        return f"about {one.ratio:.2f} times as long ({one.low:.2f}–{one.high:.2f})"
    return f"about {one.ratio:.0%} of its rate ({100 * one.low:.0f}–{100 * one.high:.0f} %)"


def evidence(one: Slow, *, is_time: bool) -> str:
    """The slow flows over it, and the flows that share other links with them and are not slow."""
    text = f"{one.slow:,} of {count(one.flows, 'flow')} over it are slow, median {of_others(one.reached, is_time=is_time)}"
    if one.beside:
        text += f"; {one.beside:,} that share other links with them, but not this one: {of_others(one.beside_reached, is_time=is_time)}"
    return text


def negotiated(like: Sequence[str], rate: str | None) -> str:
    """The lower rates that a link may have negotiated, and that which its ends report; empty where none fits."""
    return f"as a link at {' or '.join(like[:3])} would be; its ends report {rate}" if like else ""


def of_others(ratio: float, *, is_time: bool) -> str:
    """A ratio in words."""
    return f"{ratio:.2f} times as long as others" if is_time else f"{ratio:.0%} of what others get"


@text.register
def _(fact: of.SlowTogether) -> str:
    where = {"chassis": "all of the chassis of ", None: ""}.get(fact.shared, "all of ") + (fact.node or "")
    what = f"{count(fact.links, 'link')} {noun(fact.links, 'was', 'were')} slow {_when(fact)}"
    notes = ", ".join(filter(None, (_hours(fact), _chance(fact.chance))))
    return f"{', '.join(filter(None, (what, where)))} ({notes})"


def _when(fact: of.SlowTogether) -> str:
    """The rounds of a group, as far as its members share them."""
    if fact.first is not None and fact.last is not None:
        return f"from round {fact.first} to {fact.last} of {fact.rounds:,}"
    if fact.first is not None:
        return f"from round {fact.first} of {fact.rounds:,} on, {'to the last' if fact.is_since else 'some of them longer than others'}"
    return f"up to round {fact.last} of {fact.rounds:,}, {'from the first on' if fact.is_until else 'some of them longer than others'}"


def _hours(fact: of.SlowTogether) -> str:
    """When these rounds were measured, as far as that is known."""
    began, ended = (
        "" if one is None else one.replace("T", " ").partition(".")[0] for one in (fact.began, fact.ended)
    )
    if began and ended:
        return (
            f"{began} to {ended.partition(' ')[2]} UTC"
            if began[:10] == ended[:10]
            else f"{began} to {ended} UTC"
        )
    return f"from {began} UTC" if began else f"until {ended} UTC" if ended else ""


def _chance(chance: float) -> str:
    """In how many measurements chance alone would do so."""
    times = 10 ** int(-math.log10(max(chance, 1e-6)))
    return f"by chance in less than one of {times:,} measurements"


@text.register
def _(fact: of.TablesFitBetter) -> str:
    as_assumed = (
        f"{fact.assumed:.0%} are as those assumed expect"
        if fact.as_expected is None
        else f"{fact.as_expected:.0%} are as these expect, {fact.assumed:.0%} as those assumed"
    )
    return f"of {count(fact.flows, 'flow')} for which tables expect different rates, {as_assumed}; so no suspect was sought"
