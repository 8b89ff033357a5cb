"""Facts about ports: their states, what they have counted, and cables that lead back."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact
from ..row import Row
from .ends import Cable, FindingEnd

ThresholdsOf: TypeAlias = Literal["opareport", "ibqueryerrors"]
"""The tool whose thresholds decide which counts are tolerated."""


class InactiveLink(Row, frozen=True):
    """A link with an end that is not active."""

    cable: Cable
    """Its two ends, the one that is not active first."""
    states: tuple[str | None, str | None]
    """The states of both ends, `Initialize`; null where the source does not say."""
    physical: tuple[str | None, str | None]
    """Their physical states, `LinkUp`."""
    unreachable: FindingEnd | None
    """The end node behind it that no other active port reaches."""


class PortsInactive(FoundFact, frozen=True):
    """Ports with a link that are not active, where others are."""

    links: list[InactiveLink]
    """The links."""


class PortsInState(Row, frozen=True):
    """Ports in one state."""

    state: str
    """The state: `Initialize`."""
    ports: int
    """How many ports."""


class SubnetInactive(FoundFact, frozen=True):
    """A subnet in which no port with a link is active."""

    ports: int
    """How many ports have a link."""
    states: list[PortsInState]
    """How many of these are in each state."""


class Loopbacks(FoundFact, frozen=True):
    """Cables between two ports of one node."""

    node: FindingEnd
    """The node."""
    cables: list[Cable]
    """Each cable."""


class EndCount(Row, frozen=True):
    """A counter of one end of a link."""

    port: FindingEnd
    """The port."""
    counter: str
    """The counter: `LinkDowned`."""
    value: int
    """Its value."""
    threshold: int
    """What is tolerated: at most, or of link quality at least."""


class LinkCounts(Row, frozen=True):
    """A link, and the counters of its ends beyond their thresholds."""

    cable: Cable
    """Its two ends."""
    counts: list[EndCount]
    """Of the first end, then of the second."""


class _ErrorCounts(FoundFact, frozen=True):
    links: list[LinkCounts]
    """Each link."""
    thresholds: ThresholdsOf
    """Whose thresholds decide."""


class PortErrors(_ErrorCounts, frozen=True):
    """Links whose ports have counted more errors than is tolerated."""


class LinkQualityLow(_ErrorCounts, frozen=True):
    """Links whose quality their ports grade as poor."""


class HotCable(Row, frozen=True):
    """A link, and how hot its cable is at each end."""

    cable: Cable
    """Its two ends."""
    temperatures: tuple[int | None, int | None]
    """The temperature at either end [°C]; null where the source does not say."""


class CablesHot(FoundFact, frozen=True):
    """Cables hotter than is tolerated."""

    links: list[HotCable]
    """Each link."""
    limit: int
    """What is tolerated, at most [°C]."""


class DroppingEnd(Row, frozen=True):
    """A port, and what it has dropped."""

    port: FindingEnd
    """The port."""
    errors: int
    """Packets that arrived with an error: those that this link broke."""
    marked: int
    """Packets that were marked bad on their way: those that another link broke."""
    received: int
    """Packets received."""


class DroppingLink(Row, frozen=True):
    """A link, and what its ends have dropped."""

    cable: Cable
    """Its two ends."""
    ends: list[DroppingEnd]
    """The ends that have dropped too much."""


class PacketsDropped(FoundFact, frozen=True):
    """Links whose ports have dropped more of what they received than is tolerated."""

    links: list[DroppingLink]
    """Each link."""
    tolerated: float
    """The share of the packets received that is tolerated."""
