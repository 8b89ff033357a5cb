"""The words of remarks on ranks in another order."""

from __future__ import annotations

from .. import mapping as of_mapping
from ..words import count, noun, quantity
from .dispatch import text


@text.register
def _(fact: of_mapping.SeatsLeft) -> str:
    left = noun(
        fact.slots, "is left as it was: no rank takes it", "are left as they were: no rank takes them"
    )
    return f"{count(fact.slots, 'slot')} at the end of the list {left}"


@text.register
def _(fact: of_mapping.SizesAssumed) -> str:
    return f"assumed: {quantity(fact.bytes, 'bytes')} a step of each rank for {fact.group}"


@text.register
def _(fact: of_mapping.RecordsPassedOver) -> str:
    return f"{count(fact.lines, 'line')} of the record passed over: not understood, or about ranks that recorded nothing"


@text.register
def _(_: of_mapping.NoLevels) -> str:
    return "the fabric has no levels: tiers are hosts and switches"


@text.register
def _(fact: of_mapping.Unrouted) -> str:
    apart = "hosts of the list do not all reach each other"
    if not fact.bytes:
        return f"{quantity(fact.given, 'bytes')} have no route in the order given, and all have one in the order chosen: {apart}"
    return f"{quantity(fact.bytes, 'bytes')} have no route: {apart}"


@text.register
def _(fact: of_mapping.EveryOrderTried) -> str:
    return f"every order of the {count(fact.hosts, 'host')} was tried"


@text.register
def _(fact: of_mapping.TimeNotComputed) -> str:
    return f"the time of {fact.messages:,} messages is not modelled (at most {fact.most:,} are); what the most loaded link needs is"


@text.register
def _(fact: of_mapping.OtherAlgorithm) -> str:
    return (
        f"{fact.algorithm} helps more than another order: in the order given the most loaded link needs {quantity(fact.seconds, 's')} with it, "
        f"and {quantity(fact.chosen, 's')} in the order chosen; its number of phases may cost more"
    )


_CALLS = {
    "barrier": (
        "in barriers",
        "doing without them brings at most that: most are not needed for correct results",
    ),
    "alltoall": ("in all-to-all", "exchanging with fewer ranks, or beside computation, brings at most that"),
    "blocking": ("in blocking sends and receives", "non-blocking ones beside computation bring at most that"),
    "waiting": (
        "waiting for non-blocking calls",
        "more computation before the wait, or nearer neighbours, bring at most that",
    ),
}


@text.register
def _(fact: of_mapping.TimeInCalls) -> str:
    where, what = _CALLS[fact.what]
    return f"ranks were {quantity(fact.seconds, 's')} {where}, {fact.share:.1%} of the run: {what}"


@text.register
def _(fact: of_mapping.BytesBetweenLeaves) -> str:
    return (
        f"neighbours far apart: {fact.given:.1%} of bytes go between leaves, {fact.chosen:.1%} in the order chosen; the most loaded link "
        f"needs {quantity(fact.seconds, 's')} for the run, and {quantity(fact.seconds_chosen, 's')}"
    )


@text.register
def _(_: of_mapping.OrderKept) -> str:
    return "no order was found that is better: it stays as it was given"
