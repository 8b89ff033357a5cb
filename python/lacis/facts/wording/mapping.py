"""The words of remarks on ranks in another order."""

from __future__ import annotations

from .. import mapping as of_mapping
from ..words import count, quantity
from .dispatch import text


@text.register
def _(fact: of_mapping.SeatsLeft) -> str:
    return f"{count(fact.slots, 'slot')} at the end of the list {'is' if fact.slots == 1 else 'are'} left as they were: no rank takes them"


@text.register
def _(fact: of_mapping.SizesAssumed) -> str:
    return f"assumed: {quantity(fact.bytes, 'bytes')} a step of each rank for {fact.group}"


@text.register
def _(_: of_mapping.NoLevels) -> str:
    return "the fabric has no levels: tiers are hosts and switches"


@text.register
def _(fact: of_mapping.Unrouted) -> str:
    return f"{quantity(fact.bytes, 'bytes')} have no route: hosts of the list do not all reach each other"


@text.register
def _(fact: of_mapping.EveryOrderTried) -> str:
    return f"every order of the {count(fact.hosts, 'host')} was tried"


@text.register
def _(fact: of_mapping.TimeNotComputed) -> str:
    return f"the time of {fact.messages:,} messages is not modelled (at most {fact.most:,} are); what the most loaded link needs is"


@text.register
def _(_: of_mapping.OrderKept) -> str:
    return "no order was found that is better: it stays as it was given"
