"""Facts about nodes: identities, islands, absent switches."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact
from ..row import Guid, Row
from .ends import FindingEnd

Side: TypeAlias = Literal["above", "below"]
"""On which side of others switches are, by level."""


class _SharedGuid(FoundFact, frozen=True):
    guid: Guid
    """The GUID."""
    carriers: list[FindingEnd]
    """The nodes or ports that carry it."""


class NodeGuidShared(_SharedGuid, frozen=True):
    """Nodes with the same node GUID."""


class PortGuidShared(_SharedGuid, frozen=True):
    """Ports of end nodes with the same port GUID."""


class LidShared(FoundFact, frozen=True):
    """Ports of one subnet with a LID in common."""

    lid: int
    """The LID."""
    ports: list[FindingEnd]
    """The ports."""


class LidsMissing(FoundFact, frozen=True):
    """Ports without a LID, where the ports of their kind have one."""

    ports: list[FindingEnd]
    """The ports."""
    with_lid: int
    """How many ports of the same subnet and kind, of end nodes or of switches, have one."""


class Island(FoundFact, frozen=True):
    """Nodes apart from the rest of the fabric."""

    nodes: list[FindingEnd]
    """Switches first."""
    switches: int
    """How many of them are switches."""
    cabled: bool
    """Whether any of them has a cable."""


class EndNodesUncabled(FoundFact, frozen=True):
    """End nodes without any cable."""

    nodes: list[FindingEnd]
    """The nodes."""


class Run(Row, frozen=True, tag_field="kind", tag="run"):
    """Names with one number each, from the first to the last."""

    first: int
    """The first number."""
    last: int
    """The last."""


class Grid(Row, frozen=True, tag_field="kind", tag="grid"):
    """Names with two or three numbers each."""

    size: int
    """Combinations that there are."""


class EmptyPorts(Row, frozen=True):
    """Ports that are empty on all of some switches."""

    ports: list[int]
    """Their numbers."""
    switches: int
    """How many switches."""
    side: Side
    """Where these are, seen from the absent switch."""
    ends: list[FindingEnd]
    """Each of the ports, switch by switch."""


class SwitchAbsent(FoundFact, frozen=True):
    """A switch that numbering and cabling imply but that is absent."""

    switch: FindingEnd
    """It, by the name that its series implies."""
    present: int
    """Switches of its series that are there."""
    numbers: Run | Grid
    """The numbers of its series."""
    empty: EmptyPorts | None
    """The ports that would lead to it, where these show it."""
    role: Literal["leaf", "spine", "core"] | None
    """What the others of its series are; null where the fabric has no levels."""
    hosts: list[FindingEnd]
    """Hosts that would be on it: those that lack a rail whose leaf it is."""
    unnamed: int
    """Hosts without a name on the same leaves as those, which lack it for the same cause."""


class PrefixShared(FoundFact, frozen=True):
    """Planes whose managers have the same subnet prefix."""

    prefix: str
    """The prefix."""
    planes: list[int]
    """From 1."""


class NameShared(FoundFact, frozen=True):
    """Adapters with the same host name and label."""

    name: str
    """The name."""
    at: list[FindingEnd]
    """The leaf port of each, or the adapter where it has no cable."""


class DescriptionShared(FoundFact, frozen=True):
    """Switches with the same description."""

    description: str
    """The description, as the switches have it."""
    name: str
    """Its readable part."""
    switches: list[FindingEnd]
    """How many switches."""
