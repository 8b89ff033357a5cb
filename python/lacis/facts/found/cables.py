"""Facts about cables: their rates, the pattern of uplinks, and parts of the fabric behind few of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact
from ..row import Row
from .ends import Cable, FindingEnd, Rate
from .nodes import Side

Joins: TypeAlias = Literal["same_level", "different_groups", "levels_apart"]
"""How two switches that a stray cable joins stand to each other."""


class UnevenLink(Row, frozen=True):
    """A link whose two ends report different rates."""

    cable: Cable
    """Its two ends."""
    rates: tuple[Rate | None, Rate | None]
    """What each end reports."""


class RatesDiffer(FoundFact, frozen=True):
    """Links with another rate at each end."""

    links: list[UnevenLink]
    """Each link."""


class OneSidedLink(Row, frozen=True):
    """A link that only one of its ends reports."""

    cable: Cable
    """Its two ends."""
    silent: FindingEnd
    """The end that does not report it."""


class LinksOneSided(FoundFact, frozen=True):
    """Links that one end reports and the other does not."""

    links: list[OneSidedLink]
    """Each link."""


Basis: TypeAlias = Literal["lanes_lost", "could_be", "enabled", "peers", "devices"]
"""Why a rate is expected of a link: it was brought up with more lanes; the source says that it could be faster; both ends
have it enabled; links of its kind run at it; both devices can do it."""

Likeness: TypeAlias = Literal["series", "leaf", "switch"]
"""What slow links have in common: hosts of one series, hosts of one leaf, a switch of unknown model."""


class LinkBelow(Row, frozen=True):
    """A link below the rate that is expected of it."""

    cable: Cable
    """Its two ends."""
    rate: Rate
    """What it runs at."""


class _LinksBelow(FoundFact, frozen=True):
    links: list[LinkBelow]
    """Each link."""
    usual: Rate
    """What is expected."""
    at_usual: int
    """Links of the kind that run at that; 0 where the basis is another."""
    of_kind: int
    """Links of the kind; 0 where the basis is another."""
    basis: Basis
    """Why it is expected."""
    switch: FindingEnd | None
    """The switch whose cables to other switches they are, all of them; null where single links are concerned."""


class LinksSlow(_LinksBelow, frozen=True):
    """Links slower than they could be."""


class LinksNarrow(_LinksBelow, frozen=True):
    """Links with fewer lanes than they could have."""


class AlikeLinks(Row, frozen=True):
    """Links with something in common that run at one rate."""

    like: Likeness
    """What they have in common."""
    name: str
    """Its name: of the leaf, the switch, or the series of hosts."""
    nodes: list[FindingEnd]
    """The leaf, the switch, or the adapters."""
    rate: Rate
    """What they run at."""
    usual: Rate
    """What others run at."""
    links: int
    """How many links there are."""


class LinksSlowAlike(FoundFact, frozen=True):
    """Links slower than others, all of their like: how they were built."""

    groups: list[AlikeLinks]
    """What they have in common, and which they are."""


class UplinkGap(Row, frozen=True):
    """A lower and an upper switch with fewer cables than their peers have."""

    lower: FindingEnd
    """The lower switch."""
    upper: FindingEnd
    """The upper switch."""
    have: int
    """Cables that there are."""
    expected: int
    """Cables that peers have."""
    ports: list[Cable]
    """The two ports of each missing cable, the lower switch's first; empty where the peers' cabling does not show them."""


class _UplinkGaps(FoundFact, frozen=True):
    switch: FindingEnd
    """The switch that all pairs have in common."""
    side: Side
    """On which side of the cables it is."""
    gaps: list[UplinkGap]
    """The pairs, by the name of the other switch."""


class UplinksMissing(_UplinkGaps, frozen=True):
    """Pairs of switches without a cable."""


class UplinksFewer(_UplinkGaps, frozen=True):
    """Pairs of switches with fewer cables than their peers."""


class UplinksUnsure(FoundFact, frozen=True):
    """Missing cables of a switch, each of which led to one of several switches above."""

    lower: FindingEnd
    """The lower switch."""
    uppers: list[FindingEnd]
    """The switches above, one of which each cable led to."""
    missing: int
    """How many cables are missing."""
    have: int
    """Cables up."""
    expected: int
    """Cables that peers have."""


class MisplacedCable(Row, frozen=True):
    """A cable at another port than its peers'."""

    cable: Cable
    """Its ports, the lower switch's first."""
    expected: FindingEnd
    """The switch that the same port of the peers leads to."""


class CablesMisplaced(FoundFact, frozen=True):
    """Cables of a switch at other ports than its peers'."""

    switch: FindingEnd
    """The switch."""
    cables: list[MisplacedCable]
    """Each cable, by port."""


class AstrayCable(Row, frozen=True):
    """A cable to be moved, with its ports where the peers' cabling shows them."""

    stays: FindingEnd | None
    """The end that stays; null where it may be that of several cables."""
    at: FindingEnd
    """The end that is to be moved."""
    to: FindingEnd
    """Where it belongs."""


class CablesAstray(FoundFact, frozen=True):
    """Cables that are plugged into the wrong one of two switches."""

    stays: FindingEnd | None
    """The switch at the end that stays; null where it may be the end of any of several cables."""
    at: FindingEnd
    """The switch that they are plugged into."""
    to: FindingEnd
    """The switch that they belong in."""
    have: tuple[int, int]
    """Cables that these two have to the first, or global ones where that is not known."""
    expected: tuple[int, int]
    """Cables that their peers have."""
    cables: list[AstrayCable]
    """Each cable."""


class CableStray(FoundFact, frozen=True):
    """A cable between switches that none of their peers' cables join."""

    cable: Cable
    """Its ends, the lower switch's first."""
    joins: Joins
    """How the two switches stand to each other."""


class Cut(Row, frozen=True):
    """Hosts, and the cables that all their traffic to others takes."""

    hosts: int
    """End ports inside."""
    switches: int
    """Switches inside."""
    cables: int
    """Cables out."""
    border: list[FindingEnd]
    """The switches inside that have a cable out."""
    alike: int
    """Other single switches with as few cables; 0 where several are inside."""


class Levels(Row, frozen=True, tag_field="kind", tag="levels"):
    """The share of what hosts can send that the thinnest level lets through."""

    share: float
    """The share."""


class Halves(Row, frozen=True, tag_field="kind", tag="halves"):
    """The share of what hosts can send that halves of the section exchange."""

    share: float
    """The share."""


class SectionThin(FoundFact, frozen=True):
    """A part of the fabric that little bandwidth joins with the rest."""

    cut: Cut
    """What is inside, and the cables out."""
    others: int
    """Host adapters outside."""
    bytes_per_second: float
    """What the cables out carry in each direction."""
    share: float
    """That as a share of what the hosts inside can send."""
    compared: Levels | Halves
    """What the share is compared with."""


class HostsCrowded(FoundFact, frozen=True):
    """Hosts behind cables one of which must carry far more than other links, whatever the tables."""

    cut: Cut
    """What is inside, and the cables out."""
    over_mean: float
    """What one of these carries when all hosts send to each other, over the mean of links between switches."""
    over_mean_without: float
    """What the fullest link must carry without these hosts, over the same mean."""
