"""Facts about hosts: their rails, leaf ports and names."""

from __future__ import annotations

from .fact import FoundFact, Record
from .places import FindingEnd


class RailMissing(FoundFact, frozen=True):
    """Hosts without an adapter on a rail that others of their series have."""

    hosts: list[FindingEnd]
    rail: int
    """From 1."""
    label: str | None
    """What others call their adapter on it, if most agree."""
    absent_leaf: str | None
    """The absent leaf that they would be on, where that is the cause."""
    unnamed: int
    """Hosts without a name on the same leaves, which lack it for the same cause."""


class CrossedAdapter(Record, frozen=True):
    """An adapter on the leaf of another rail."""

    adapter: FindingEnd
    label: str
    leaf: FindingEnd | None
    """The leaf that it is on, with the port where that is known."""
    rail: int
    """The rail of that leaf, from 1."""
    expected_rail: int
    """The rail that the label has elsewhere, from 1."""


class RailsCrossed(FoundFact, frozen=True):
    """Adapters of a host on leaves of other rails than their labels have elsewhere."""

    host: str
    adapters: list[CrossedAdapter]


class LeafShared(FoundFact, frozen=True):
    """Adapters of a host on one leaf, where others of its series have a leaf for each."""

    host: str
    adapters: list[FindingEnd]
    labels: list[str]
    """What these are called, without the host's name; empty where they have no labels."""
    leaf: FindingEnd


class HostCard(Record, frozen=True):
    """A host and its first adapter on the card."""

    host: str
    adapter: FindingEnd


class CardPort(Record, frozen=True):
    """A port of an adapter card."""

    label: str
    port: int


class CardShared(FoundFact, frozen=True):
    """Hosts whose rails share an adapter card, all alike."""

    hosts: list[HostCard]
    ports: list[CardPort]


class PortUnexpected(FoundFact, frozen=True):
    """An adapter at another leaf port than its host's others."""

    adapter: FindingEnd
    leaf: FindingEnd
    """The leaf port that it is at."""
    expected: int
    """The port number that the host's other adapters have."""
    there: FindingEnd | None
    """What is at that port of this leaf."""


class AbsentHost(Record, frozen=True):
    """A host that numbering and leaf ports imply."""

    host: FindingEnd
    ports: list[FindingEnd]
    """The empty leaf ports that it belongs on."""


class HostsAbsent(FoundFact, frozen=True):
    """Hosts that numbering and leaf ports imply."""

    hosts: list[AbsentHost]


class PlacedAdapter(Record, frozen=True):
    """An adapter, and the leaf port that it is at."""

    adapter: FindingEnd
    leaf: FindingEnd | None


class HostNameGeneric(FoundFact, frozen=True):
    """A host that has the name its installer gave it."""

    host: str
    adapters: list[PlacedAdapter]
    likely: str | None
    """Its probable name by its leaf ports."""


class AdaptersUnnamed(FoundFact, frozen=True):
    """Adapters whose description names no host."""

    description: str
    """That of the first."""
    adapters: list[PlacedAdapter]
    likely_hosts: list[str]
    """The hosts that these probably belong to."""
