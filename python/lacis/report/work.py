"""The work list for the machine room, in the words of the terminal: what is broken comes first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..facts.found.cabling import Crossed
from ..facts.found.nodes import SwitchAbsent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.found.cabling import Action, CableEnd, CableWork

SEVERITIES = ("error", "warning", "notice")
ACTIONS: tuple[Action, ...] = ("plug in", "replace", "move", "swap", "check")
"""What costs bandwidth comes before what is to be looked at."""


def in_order(cabling: Sequence[CableWork]) -> list[CableWork]:
    """Errors first, then what costs bandwidth; within these as the work list has them, by rack."""
    return sorted(cabling, key=lambda it: (SEVERITIES.index(it.severity), ACTIONS.index(it.action)))


def to_do(cabling: Sequence[CableWork]) -> str:
    """How many there are of each action: `26 to plug in, 2 to move`."""
    by_action = Counter(work.action for work in cabling)
    return ", ".join(f"{by_action[action]:,} to {action}" for action in ACTIONS if by_action[action])


def end(of: CableEnd) -> str:
    """An end of a cable: `leaf-03[17]`; without a port where any free one will do, or none is known."""
    return of.node if of.port is None else f"{of.node}[{of.port}]"


def ends(work: CableWork) -> str:
    """Both ends, with how many more cables an absent switch lacks, or where a crossed adapter belongs."""
    both = f"{end(work.here)} – {end(work.there)}" if work.there else end(work.here)
    return f"{both}{beyond(work)}"


def beyond(work: CableWork) -> str:
    """What the two ends do not say: the other cables of an absent switch, and where a cable is to be moved to."""
    match work.reason:
        case SwitchAbsent(empty=empty) if empty and len(empty.ends) > 1:
            return f" and {len(empty.ends) - 1} more"
        case Crossed(target=target) if target:
            return f" → {target}"
        case _:
            return ""
