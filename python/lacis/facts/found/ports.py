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
