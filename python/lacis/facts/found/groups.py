"""Facts about the cables of groups, in a Dragonfly+ or a dragonfly."""

from __future__ import annotations

from ..fact import FoundFact
from ..row import Row
from .ends import Cable, FindingEnd


class PairPeers(Row, frozen=True):
    """How many pairs of a kind have the number of cables that is expected, which is the evidence for it."""

    agreeing: int
    """Pairs that have it."""
    of: int
    """Pairs of the kind."""


class GroupGap(Row, frozen=True):
    """Two switches with fewer cables than such pairs have."""

    ends: tuple[FindingEnd, FindingEnd]
    """The two switches."""
    have: int
    """Cables that there are."""
    expected: int
    """Cables that peers have."""
    ports: list[Cable]
    """The two ports of each missing cable; empty where the peers' cabling does not show them."""


class GroupCablesMissing(FoundFact, frozen=True):
    """Pairs of switches, all with one in common, that lack cables: in different groups, or in one group of a dragonfly."""

    switch: FindingEnd
    """The switch that all pairs have in common."""
    within: bool
    """Whether they are in one group."""
    gaps: list[GroupGap]
    """Each pair, this switch first."""
    peers: PairPeers
    """Pairs that have what is expected."""


class GroupsThin(FoundFact, frozen=True):
    """Two groups with fewer cables between them than others have, where cabling does not show which ports these belong to."""

    switches: tuple[FindingEnd, FindingEnd]
    """A switch of each group, that with the fewest global cables."""
    short: tuple[list[FindingEnd], list[FindingEnd]]
    """The switches of each group with fewer global cables than most have."""
    have: int
    """Cables that there are."""
    expected: int
    """Cables that peers have."""
    peers: PairPeers
    """Pairs of groups that have as many."""


class CablesExchanged(FoundFact, frozen=True):
    """Two cables whose ends are exchanged."""

    cables: tuple[Cable, Cable]
    """Each cable: the right end, then the one that is on the other's switch."""
    peers: PairPeers
    """Pairs of switches that are cabled as these should be."""
