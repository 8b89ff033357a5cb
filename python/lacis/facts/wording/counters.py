"""The words of remarks on a sweep of counters."""

from __future__ import annotations

from .. import counters as of_counters
from ..words import count as counted
from .dispatch import text


@text.register
def _(fact: of_counters.LidsMoved) -> str:
    count = len(fact.nodes)
    return (
        f"{counted(count, 'node')} no longer {'has' if count == 1 else 'have'} the LID that the fabric says, such as "
        f"{fact.nodes[0]}: discover the fabric again"
    )


@text.register
def _(fact: of_counters.SwitchesChanged) -> str:
    count = len(fact.switches)
    return (
        f"{counted(count, 'switch', 'switches')} with a port that has changed since the manager looked, such as "
        f"{fact.switches[0]}: ports may be missing"
    )


@text.register
def _(_: of_counters.LidsUnchecked) -> str:
    return "no node answers when it is asked for its GUID, so that LIDs are taken as the fabric has them"


@text.register
def _(_: of_counters.LinkStatesUnread) -> str:
    return "no node says what its links do, neither by its LID nor by a path to it, so that their states are not known"
