"""The words of what tables bring over those that run now, and of what forbids to advise them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import gains as of
from ..words import count
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..fact import Fact


def sentence(facts: Iterable[Fact]) -> str:
    """Facts, one after the other, as a sentence with its full stop."""
    line = clauses(facts)
    return f"{line[:1].upper()}{line[1:]}."


def clauses(facts: Iterable[Fact]) -> str:
    """Facts, one after the other."""
    return "; ".join(map(text, facts))


# --- why they are better -----------------------------------------------------------------------


@text.register
def _(fact: of.RoutesGained) -> str:
    get, they = ("gets", "it lacks") if fact.pairs == 1 else ("get", "they lack")
    return f"{count(fact.pairs, 'pair')} of {fact.population} {get} a route that {they} now"


@text.register
def _(fact: of.LoopsGone) -> str:
    return f"the credit loops among {fact.population} go"


@text.register
def _(_: of.BisectionsGain) -> str:
    return "random traffic gets more bandwidth"


@text.register
def _(_: of.LoadSpread) -> str:
    return "all-to-all is spread more evenly"


# --- the numbers that change -------------------------------------------------------------------


@text.register
def _(fact: of.BisectionsChange) -> str:
    change = 100 * (fact.then / fact.now - 1)
    return f"random bisections {fact.now:.3f} → {fact.then:.3f} of the link rate ({change:+.1f} %)"


@text.register
def _(fact: of.FullestLinkChange) -> str:
    return f"fullest link {fact.now:.2f} → {fact.then:.2f} × what some link must carry"


@text.register
def _(fact: of.ShiftsChange) -> str:
    return (
        f"shifts {fact.now:.3f} → {fact.then:.3f}, the worst {fact.worst_now:.3f} → {fact.worst_then:.3f}, "
        f"with {fact.flows_now} → {fact.flows_then} flows on a link at most"
    )


@text.register
def _(fact: of.LoopKept) -> str:
    what = "a credit loop is" if fact.loops == 1 else f"{fact.loops:,} credit loops are"
    return (
        f"{what} left among pairs of {'all ' * (fact.population == 'end nodes')}{fact.population} ({fact.channels:,} channels): "
        "traffic on one lane can stop forever"
    )


# --- why they are not advised ------------------------------------------------------------------


@text.register
def _(fact: of.EngineRefuses) -> str:
    return f"{fact.engine} refuses"


@text.register
def _(fact: of.HostsUnrouted) -> str:
    return f"{count(fact.pairs, 'pair')} of hosts {'has' if fact.pairs == 1 else 'have'} no route"


@text.register
def _(fact: of.EndNodesUnrouted) -> str:
    pairs = (
        "1 more pair of end nodes has" if fact.pairs == 1 else f"{fact.pairs:,} more pairs of end nodes have"
    )
    return f"{pairs} no route"


@text.register
def _(_: of.LoopLeft) -> str:
    return "it leaves a credit loop among pairs of hosts"


_TRAFFIC = {"bisections": "random bisections", "shifts": "shifts"}


@text.register
def _(fact: of.TrafficSlower) -> str:
    return f"{_TRAFFIC[fact.traffic]} would fall from {fact.now:.3f} to {fact.then:.3f} of the link rate"


@text.register
def _(fact: of.FiguresWorse) -> str:
    return f"of {fact.of} figures {fact.worse} would get clearly worse, and {fact.better} better"


# --- why inputs that a search found are not for production --------------------------------------


@text.register
def _(fact: of.InputsLosePairs) -> str:
    return f"loses {count(fact.pairs, 'pair')}"


@text.register
def _(fact: of.InputsLeaveLoops) -> str:
    return "leaves a credit loop" if fact.loops == 1 else f"leaves {fact.loops:,} credit loops"


@text.register
def _(_: of.InputsUndefined) -> str:
    return "OpenSM's tables are undefined"


@text.register
def _(fact: of.FailuresLosePairs) -> str:
    return f"{count(fact.failures, 'failure')} {'loses' if fact.failures == 1 else 'lose'} pairs"


@text.register
def _(fact: of.FailuresUndefined) -> str:
    return f"undefined after {count(fact.failures, 'failure')}"
