"""Facts about cables: their rates, the pattern of uplinks, and parts of the fabric behind few of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from .fact import FoundFact, Record
from .nodes import Side
from .places import Cable, FindingEnd, Rate

Joins: TypeAlias = Literal["same_level", "different_groups", "levels_apart"]
"""How two switches that a stray cable joins stand to each other."""


class UnevenLink(Record, frozen=True):
    """A link whose two ends report different rates."""

    cable: Cable
    rates: tuple[Rate | None, Rate | None]
    """What each end reports."""


class RatesDiffer(FoundFact, frozen=True):
    """Links with another rate at each end."""

    links: list[UnevenLink]


class OneSidedLink(Record, frozen=True):
    """A link that only one of its ends reports."""

    cable: Cable
    silent: FindingEnd
    """The end that does not report it."""


class LinksOneSided(FoundFact, frozen=True):
    """Links that one end reports and the other does not."""

    links: list[OneSidedLink]


class LinkBelow(Record, frozen=True):
    """A link below the rate of its kind."""

    cable: Cable
    rate: Rate


class _LinksBelow(FoundFact, frozen=True):
    links: list[LinkBelow]
    usual: Rate
    """What most links of the kind run at."""
    at_usual: int
    """Links of the kind that run at that."""
    of_kind: int
    """Links of the kind."""


class LinksSlow(_LinksBelow, frozen=True):
    """Links slower than those of their kind."""


class LinksNarrow(_LinksBelow, frozen=True):
    """Links with fewer lanes than those of their kind."""


class UplinkGap(Record, frozen=True):
    """A lower and an upper switch with fewer cables than their peers have."""

    lower: FindingEnd
    upper: FindingEnd
    have: int
    expected: int
    ports: list[Cable]
    """The two ports of each missing cable, the lower switch's first; empty where the peers' cabling does not show them."""


class _UplinkGaps(FoundFact, frozen=True):
    switch: FindingEnd
    """The switch that all pairs have in common."""
    side: Side
    """On which side of the cables it is."""
    gaps: list[UplinkGap]


class UplinksMissing(_UplinkGaps, frozen=True):
    """Pairs of switches without a cable."""


class UplinksFewer(_UplinkGaps, frozen=True):
    """Pairs of switches with fewer cables than their peers."""


class UplinksUnsure(FoundFact, frozen=True):
    """Missing cables of a switch, each of which led to one of several switches above."""

    lower: FindingEnd
    uppers: list[FindingEnd]
    missing: int
    have: int
    """Cables up."""
    expected: int


class MisplacedCable(Record, frozen=True):
    """A cable at another port than its peers'."""

    cable: Cable
    expected: FindingEnd
    """The switch that the same port of the peers leads to."""


class CablesMisplaced(FoundFact, frozen=True):
    """Cables of a switch at other ports than its peers'."""

    switch: FindingEnd
    cables: list[MisplacedCable]


class CableStray(FoundFact, frozen=True):
    """A cable between switches that none of their peers' cables join."""

    cable: Cable
    joins: Joins


class Cut(Record, frozen=True):
    """Hosts, and the cables that all their traffic to others takes."""

    hosts: int
    """End ports inside."""
    switches: int
    cables: int
    border: list[FindingEnd]
    """The switches inside that have a cable out."""
    alike: int
    """Other single switches with as few cables; 0 where several are inside."""


class Levels(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="levels"):
    """The share of what hosts can send that the thinnest level lets through."""

    share: float


class Halves(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="halves"):
    """The share of what hosts can send that halves of the section exchange."""

    share: float


class SectionThin(FoundFact, frozen=True):
    """A part of the fabric that little bandwidth joins with the rest."""

    cut: Cut
    others: int
    """Host adapters outside."""
    bytes_per_second: float
    """What the cables out carry in each direction."""
    share: float
    """That as a share of what the hosts inside can send."""
    compared: Levels | Halves


class HostsCrowded(FoundFact, frozen=True):
    """Hosts behind cables one of which must carry far more than other links, whatever the tables."""

    cut: Cut
    over_mean: float
    """What one of these carries when all hosts send to each other, over the mean of links between switches."""
    over_mean_without: float
    """What the fullest link must carry without these hosts, over the same mean."""
