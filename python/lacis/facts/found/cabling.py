"""Cabling work: what findings ask of the machine room, cable by cable, as the engine derives it."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from ..fact import FoundFact, Severity
from ..row import FindingCode, Positive, Row
from .cables import Joins
from .ends import Cable, FindingEnd, Rate
from .nodes import SwitchAbsent
from .ports import DroppingEnd, EndCount

Action: TypeAlias = Literal["plug in", "replace", "move", "swap", "check"]


class CableEnd(Row, frozen=True):
    """An end of a cable: `leaf-03` port 17."""

    node: str
    """The node, by a name that no other switch has."""
    guid: Annotated[str, Meta(pattern="^(0x[0-9a-f]{16})?$")]
    """Its GUID; empty where it is not known."""
    port: Positive | None
    """The port; null where any free one will do."""


class Missing(FoundFact, frozen=True):
    """Two switches, or two groups, have fewer cables than their peers."""

    have: int
    """Cables that there are."""
    expected: int
    """Cables that peers have."""


class OneOfSeveralMissing(FoundFact, frozen=True):
    """A switch has fewer cables up than its peers, which led to one of several switches."""

    have: int
    """Cables that there are."""
    expected: int
    """Cables that peers have."""


class Misplaced(FoundFact, frozen=True):
    """The port leads elsewhere than the same port of its peers."""

    expected: FindingEnd
    """The switch that theirs leads to."""


class Astray(FoundFact, frozen=True):
    """It is plugged into one switch and belongs in another, which has as many fewer."""

    to: FindingEnd
    """Where it belongs."""
    have: int
    """Cables that the switch has which it is plugged into."""
    expected: int
    """Cables that peers have."""


class Exchanged(FoundFact, frozen=True, rename={"with_": "with"}):
    """Its end and that of another cable are each on the switch of the other."""

    with_: Cable
    """The other cable."""
    expected: FindingEnd
    """The switch that the end to go to belongs on."""


class Stray(FoundFact, frozen=True):
    """No cable of the peers joins such switches."""

    joins: Joins
    """How the two switches stand to each other."""


class Below(FoundFact, frozen=True):
    """It is slower or narrower than the cables of its kind."""

    rate: Rate
    """What it runs at."""
    expected: Rate
    """What those run at."""


class SwitchBelow(FoundFact, frozen=True):
    """All cables of the switch to others are slower or narrower than they could be."""

    cables: int
    """How many cables."""
    rate: Rate
    """What they run at."""
    expected: Rate
    """What they could."""


class Inactive(FoundFact, frozen=True):
    """A port of it is not active."""

    states: tuple[str | None, str | None]
    """The states of both ends."""


class Loopback(FoundFact, frozen=True):
    """It leads back to the node that it comes from."""


class Errors(FoundFact, frozen=True):
    """Its ports have counted more errors than is tolerated, or grade its quality as poor."""

    counts: list[EndCount]
    """The counters beyond their thresholds."""


class Hot(FoundFact, frozen=True):
    """It is hotter than is tolerated."""

    temperatures: tuple[int | None, int | None]
    """The temperature at either end [°C]; null where the source does not say."""
    limit: int
    """What is tolerated [°C]."""


class Dropping(FoundFact, frozen=True):
    """Its ports have dropped more of what they received than is tolerated."""

    ends: list[DroppingEnd]
    """The ends that have."""


class Uneven(FoundFact, frozen=True):
    """Its ends report different rates."""

    rates: tuple[Rate | None, Rate | None]
    """What each reports; null where an end does not say."""


class OneSided(FoundFact, frozen=True):
    """One of its ends does not report it."""

    silent: FindingEnd
    """The end that does not report it."""


class Crossed(FoundFact, frozen=True):
    """The adapter is on the leaf of another rail."""

    host: str
    """The host."""
    rail: int
    """The rail of the leaf, from 1."""
    expected: int
    """The rail that the adapter's label has elsewhere, from 1."""
    target: FindingEnd | None
    """The leaf port that it belongs on, where another crossed adapter of the host has it."""


class OtherPort(FoundFact, frozen=True):
    """The adapter is at another leaf port than its host's others."""

    expected: int
    """The port of the others."""


class HostAbsent(FoundFact, frozen=True):
    """A host that numbering implies is absent."""

    host: FindingEnd
    """It, by the name that its leaf port implies."""
    ports: list[FindingEnd]
    """The empty leaf ports that it belongs on."""


class RailLacking(FoundFact, frozen=True):
    """A host has no adapter on a rail."""

    rail: int
    """From 1."""


class Apart(FoundFact, frozen=True):
    """Nodes are apart from the rest of the fabric."""

    nodes: int
    """How many."""


Reason: TypeAlias = (
    Missing
    | OneOfSeveralMissing
    | Misplaced
    | Astray
    | Exchanged
    | Stray
    | Below
    | SwitchBelow
    | Inactive
    | Loopback
    | Errors
    | Hot
    | Dropping
    | Uneven
    | OneSided
    | Crossed
    | OtherPort
    | HostAbsent
    | SwitchAbsent
    | RailLacking
    | Apart
)
"""Why a cable is to be worked at: what is expected beside what is there."""


class CablePart(Row, frozen=True):
    """A cable or a transceiver, as its memory was read at one end; what the source does not say is empty."""

    vendor: str
    """Who made it."""
    part: str
    """Part number."""
    serial: str
    """Serial number."""
    revision: str
    """Revision."""
    length: str
    """Length, as read: `3 m`."""
    temperature: int | None
    """Temperature at that end [°C]."""


class CableWork(Row, frozen=True):
    """One line of the work list for the machine room."""

    action: Action
    """What to do with the cable."""
    here: CableEnd
    """The end to go to first."""
    there: CableEnd | None
    """The other end; null where there is none, or the pattern does not say which."""
    rack: str
    """Racks in the names of the ends, as `A09 – A10`; empty where these have none."""
    code: FindingCode
    """The finding that asks for it."""
    severity: Severity
    """How bad that is; the worst come first."""
    reason: Reason
    """Why: its `kind` says which keys it has."""
    why: str
    """Why, in words."""
    part: CablePart | None = None
    """The cable there now; null where the source does not know it, and for one to be plugged in."""
