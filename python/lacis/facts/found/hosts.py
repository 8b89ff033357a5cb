"""Facts about hosts: their rails, leaf ports and names."""

from __future__ import annotations

from typing import Annotated

from ..fact import FoundFact
from ..row import Row, one_of
from .ends import FindingEnd


class RailMissing(FoundFact, frozen=True):
    """Hosts without an adapter on a rail that others of their series have."""

    hosts: list[FindingEnd]
    """The hosts."""
    rail: int
    """From 1."""
    label: str | None
    """What others call their adapter on it, if most agree."""
    absent_leaf: str | None
    """The absent leaf that they would be on, where that is the cause."""
    unnamed: int
    """Hosts without a name on the same leaves, which lack it for the same cause."""


class CrossedAdapter(Row, frozen=True):
    """An adapter on the leaf of another rail."""

    adapter: FindingEnd
    """The adapter."""
    label: str
    """Its label."""
    leaf: FindingEnd | None
    """The leaf that it is on, with the port where that is known."""
    rail: int
    """The rail of that leaf, from 1."""
    expected_rail: int
    """The rail that the label has elsewhere, from 1."""
    target: FindingEnd | None
    """The leaf port of that rail that another crossed adapter of the host has taken."""


class RailsCrossed(FoundFact, frozen=True):
    """Adapters of a host on leaves of other rails than their labels have elsewhere."""

    host: str
    """The host."""
    adapters: list[CrossedAdapter]
    """Each adapter."""


class LeafShared(FoundFact, frozen=True):
    """Adapters of a host on one leaf, where others of its series have a leaf for each."""

    host: str
    """The host."""
    adapters: list[FindingEnd]
    """Its adapters on the leaf."""
    labels: list[str]
    """What these are called, without the host's name; empty where they have no labels."""
    leaf: FindingEnd
    """The leaf."""


class HostCard(Row, frozen=True):
    """A host and its first adapter on the card."""

    host: str
    """The host."""
    adapter: FindingEnd
    """Its first adapter on the card."""


class CardPort(Row, frozen=True):
    """A port of an adapter card."""

    label: str
    """Label of the adapter; empty where it has none."""
    port: int
    """The port."""


class CardShared(FoundFact, frozen=True):
    """Hosts whose rails share an adapter card, all alike."""

    hosts: list[HostCard]
    """Each host and its card."""
    ports: list[CardPort]
    """The ports on the card."""


class PortUnexpected(FoundFact, frozen=True):
    """An adapter at another leaf port than its host's others."""

    adapter: FindingEnd
    """The adapter."""
    leaf: FindingEnd
    """The leaf port that it is at."""
    expected: int
    """The port number that the host's other adapters have."""
    there: FindingEnd | None
    """What is at that port of this leaf."""


class AbsentHost(Row, frozen=True):
    """A host that numbering and leaf ports imply."""

    host: FindingEnd
    """It, by the name that its leaf port implies."""
    ports: list[FindingEnd]
    """The empty leaf ports that it belongs on."""


class HostsAbsent(FoundFact, frozen=True):
    """Hosts that numbering and leaf ports imply."""

    hosts: list[AbsentHost]
    """Each host."""


class PlacedAdapter(Row, frozen=True):
    """An adapter, and the leaf port that it is at."""

    adapter: FindingEnd
    """The adapter."""
    leaf: FindingEnd | None
    """The leaf port that it is at; null where that is not known."""


class HostNameGeneric(FoundFact, frozen=True):
    """A host that has the name its installer gave it."""

    host: str
    """Its name."""
    adapters: list[PlacedAdapter]
    """Its adapters."""
    likely: str | None
    """Its probable name by its leaf ports."""
    group: Annotated[str, one_of("compute", "management", "storage", "gateway")] | None
    """What it is for, where its place shows it; null where nothing does, and it counts as compute."""


class AdaptersUnnamed(FoundFact, frozen=True):
    """Adapters whose description names no host."""

    description: str
    """That of the first."""
    adapters: list[PlacedAdapter]
    """Each adapter, with its probable name where its leaf port shows it."""
    likely_hosts: list[str]
    """The hosts that these probably belong to."""
