"""Steps of advice: what to do about a fabric, for the one who runs it."""

from __future__ import annotations

from typing import TypeAlias

from .advice import Alternative, LanesNeeded, RanksOrdered, SingleFailures
from .fact import Fact
from .gains import Reason
from .row import FindingCode, Guid, Row


class RunInstead(Fact, frozen=True):
    """Run, or load, an alternative to what runs now."""

    alternative: Alternative
    """What to run."""
    base: str
    """The label of what runs now."""
    reasons: tuple[Reason, ...]
    """Why it is better."""
    failures: SingleFailures | None
    """What single failures do with it; none where they were not tried."""
    lanes: LanesNeeded | None
    """What applications must do; none where they need do nothing."""
    ranks: RanksOrdered | None
    """The order of hosts that goes with the tables; none where the common one is as good."""


class SearchInputs(Fact, frozen=True):
    """Search among OpenSM's own inputs."""


class MendErrors(Fact, frozen=True):
    """Mend what findings of one code call an error, before anything is routed otherwise."""

    code: FindingCode
    """The code of the findings."""
    where: tuple[str, ...]
    """The node, port or cable of each."""
    first: str
    """What is the case at the first, as the engine worded it."""
    advice: str
    """What to do about it, likewise."""


class MissingCable(Row, frozen=True):
    """A cable that the pattern of its peers asks for, by the ports of its two ends."""

    node: str
    """The name of a switch."""
    guid: Guid
    """Its GUID."""
    port: int
    """The port there."""
    far_node: str
    """The name of the switch at the other end."""
    far_guid: Guid
    """Its GUID."""
    far_port: int
    """The port there."""


class PlugCables(Fact, frozen=True):
    """Plug in cables that are missing."""

    cables: tuple[MissingCable, ...]
    """The cables."""
    tables: str
    """The label of the engine under whose tables the gain is computed."""


class LookAtSuspect(Fact, frozen=True):
    """Look at what a measurement shows to be slow (measured)."""

    suspect: str
    """The likeliest link, adapter or switch."""
    ratio: float
    """What its flows get of what others get, or how many times as long they take (estimated)."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end."""
    is_time: bool
    """Whether times were measured; rates otherwise."""
    flows: int
    """Flows over it."""
    slow: int
    """Of them, those that are slow."""
    reached: float
    """The median of what the slow flows reach, over that of other flows."""
    beside: int
    """Flows that share other links with the slow ones, but not this one."""
    beside_reached: float
    """The median of what they reach, over that of other flows."""
    like: tuple[str, ...]
    """Lower rates that its link may have negotiated, the likeliest first; none where none fits."""
    rate: str | None
    """The rate that its ends report."""
    others: tuple[str, ...]
    """Suspects from which it cannot be distinguished."""


Step: TypeAlias = MendErrors | RunInstead | SearchInputs | PlugCables | LookAtSuspect
