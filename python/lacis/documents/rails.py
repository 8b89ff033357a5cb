"""The document of `lacis rails show`: which adapter is on which rail."""

from __future__ import annotations

from typing import Annotated, Literal

from ..facts.found.findings import Finding
from .base import Count, FabricReading, Guid, Positive, Row, one_of


class PlaneRow(Row, frozen=True):
    """A plane."""

    plane: Count
    """From 1."""
    switches: Count
    """Its switches."""
    adapters: Count
    """Adapters on it."""
    hosts: Count
    """Their hosts."""
    switch: str
    """Its first switch."""
    prefix: Guid | None
    """Its subnet prefix."""
    prefix_from: Literal["option", "dump", None]
    """`option`: as given; `dump`: as ports report it."""


class RailRow(Row, frozen=True):
    """A rail."""

    rail: Count
    """From 1."""
    labels: list[str]
    """What hosts call its adapters, the commonest first."""
    adapters: Count
    """Its adapters."""
    leaves: Count
    """Its leaves."""
    planes: list[Count]
    """The planes that it is on."""


class LeafRow(Row, frozen=True):
    """A leaf, and what it serves; null where that is several."""

    leaf: str
    """The switch."""
    plane: Count | None
    """Its plane."""
    rail: Count | None
    """The rail that two thirds of its adapters are on."""
    labels: list[tuple[str, Positive]]
    """Labels of its adapters, each with the number of adapters."""
    adapters: Count
    """Adapters on it."""


class AdapterRow(Row, frozen=True):
    """A port of an adapter; null where it has no cable, or the value is not known."""

    label: str
    """What its host calls it."""
    guid: Guid
    """Its port GUID."""
    port: Count | None
    """The number of the port."""
    rail: Count | None
    """Its rail."""
    plane: Count | None
    """Its plane."""
    leaf: str | None
    """The leaf that it is on."""
    leaf_port: Count | None
    """The port of the leaf."""
    rate: str | None
    """The rate of its cable."""
    card: Guid
    """Equal for ports of one card."""
    owner: Annotated[str, one_of("named", "inferred", "unknown")]
    """How it is known whose it is: by its description, from cards, cabling and numbering, or not at all."""
    plane_of_adapter: Positive | None
    """Which plane of its adapter it is; null where the adapter is one end node."""


class HostRow(Row, frozen=True):
    """A host, and its adapters."""

    host: str
    """Its name."""
    generic: bool
    """Whether that is a name that installers give, or that of its place."""
    inferred: bool
    """Whether no description names it: numbering or cabling alone implies it."""
    adapters: list[AdapterRow]
    """Port by port."""


class UnknownAdapter(Row, frozen=True):
    """An adapter whose host nothing shows."""

    description: str
    """What it says of itself."""
    ports: list[AdapterRow]
    """Port by port."""


class RailsDocument(FabricReading, frozen=True, tag="lacis.rails-show/1"):
    """`lacis rails show FABRIC… --json`: which adapter of which host is on which plane, rail and leaf."""

    provenance: Literal["measured"]
    """Read from the dumps."""
    planes: list[PlaneRow]
    """Plane by plane."""
    rails: list[RailRow]
    """Rail by rail."""
    leaves: list[LeafRow]
    """Leaf by leaf."""
    rail_optimised: bool
    """Two thirds of the leaves serve one rail each."""
    hosts: list[HostRow]
    """Host by host."""
    unnamed: Count
    """Adapters whose description names no host, whichever host they are of."""
    inferred: Count
    """Adapters whose host is *inferred*."""
    planes_per_adapter: Count
    """Planes of an adapter; 1 where an adapter is one end node."""
    unknown: list[UnknownAdapter]
    """Adapters whose host nothing shows: they count as no host."""
    findings: list[Finding]
    """What is wrong with the rails."""
