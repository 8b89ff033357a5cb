"""The document of `lacis explain` without a fabric's tables: what measured values show by themselves."""

from __future__ import annotations

from typing import Annotated

from .base import FabricReading, Row, one_of
from .series import Series, ValuesFrom


class HostValues(Row, frozen=True):
    """A host, relative to the median one; more is worse."""

    name: str
    """The host."""
    leaf: str | None
    """Its leaf; null without a fabric."""
    sending: float | None
    """What its sending adds; null here and below: no pair is known."""
    receiving: float | None
    """What its receiving adds."""
    error: float | None
    """The standard error of both."""


class Peak(Row, frozen=True):
    """A kind of pairs, by their values alone."""

    center: float
    """Median [unit of the series]."""
    width: float
    """Half of the distance from the 16th to the 84th percentile [unit]."""
    count: int
    """Ordered pairs."""
    least: float
    """The least value [unit]."""
    greatest: float
    """The greatest value [unit]."""
    inside: int | None = None
    """Pairs inside leaves; without a fabric inside the finest groups; null where neither is known."""


class HostGrouping(Row, frozen=True):
    """Groups of hosts nearer to each other than to the rest."""

    inside: float
    """Median of pairs inside a group and inside no finer one [unit of the series]."""
    between: float
    """Median of pairs between groups, inside one coarser group [unit]."""
    gap: float
    """Between the two, relative to the level."""
    noise: float
    """Robust deviation of both kinds, relative to the level."""
    wrong: float
    """The share of pairs on the wrong side of the best threshold."""
    chance: float
    """A bound on the probability of this in noise."""
    groups: list[list[str]]
    """Names of hosts, group by group."""


class Parts(Row, frozen=True):
    """The symmetric component of the pairs and the antisymmetric one, relative to the level."""

    pairs: int
    """Pairs known in both directions."""
    symmetric: float
    """Standard deviation of the means of both directions."""
    antisymmetric: float
    """Standard deviation of half the differences."""
    by_hosts: float
    """The share of the square of the antisymmetric component that is due to hosts that send worse than they receive."""
    difference: float
    """Robust deviation of the differences there and back."""
    least: float
    """The least difference."""
    greatest: float
    """The greatest difference."""


class Jitter(Row, frozen=True):
    """Repeats of a pair off its mean, relative to the level."""

    least: float
    """The least."""
    greatest: float
    """The greatest."""
    deviation: float
    """Standard deviation of those that are averaged."""
    samples: int
    """Values of pairs with several."""
    outliers: int
    """Of these, too far off to be averaged."""


class Outstanding(Row, frozen=True):
    """A host that differs from the others."""

    host: str
    """Its name."""
    side: Annotated[str, one_of("sending", "receiving", "both")]
    """In what it differs."""
    by: float
    """How much worse than the median host, relative to the level; below 0 better."""
    deviations: float
    """The same in robust deviations of the hosts."""


class OutlyingPair(Row, frozen=True):
    """A pair that noise does not explain: to be measured again."""

    source: str
    """The sending host."""
    destination: str
    """The receiving host."""
    value: float
    """What was measured [unit of the series]."""
    by: float
    """How much worse than hosts and kinds of pairs let expect, relative to that; below 0 better."""
    deviations: float
    """The same in robust deviations of the pairs."""


class MisplacedHost(Row, frozen=True):
    """A host measured among the hosts of another leaf."""

    host: str
    """Its name."""
    leaf: str
    """Its leaf by the cables."""
    among: str
    """The leaf whose hosts it is near to."""
    own_near: int
    """Pairs with hosts of its own leaf that are near, …"""
    own: int
    """… of so many."""
    other_near: int
    """Pairs with hosts of the other leaf that are near, …"""
    other: int
    """… of so many."""


class LeafAgreement(Row, frozen=True, rename={"is_distinct": "is_told"}):
    """How a measurement and the cables agree about leaves."""

    is_distinct: bool
    """Whether pairs inside leaves differ from those between leaves by more than noise."""
    pairs: int
    """Known pairs inside leaves, without direction."""
    gap: float | None
    """By how much pairs between leaves are worse, relative to the level; null without such pairs."""
    noise: float
    """Robust deviation of both kinds, relative to the level."""
    misplaced: list[MisplacedHost]
    """Hosts among those of another leaf; none where pairs do not differ."""


class MeasuredStructure(Row, frozen=True):
    """What pairs show without tables, [relative to the level, more is worse](structure.md)."""

    series: Series
    """The values that were analysed."""
    others: list[Series]
    """Further ones that were not."""
    hosts: list[HostValues]
    """Host by host."""
    pairs: int
    """Ordered pairs known."""
    left_out: dict[str, int]
    """Values that are not used, by reason."""
    level: float
    """Median of the pairs [unit of the series]."""
    noise: float
    """Robust deviation of what hosts and kinds of pairs do not explain."""
    peaks: list[Peak]
    """Kinds of pairs by their values alone."""
    groupings: list[HostGrouping]
    """Finest first; empty where none stands out from noise."""
    least_gap: float | None
    """The gap from which groups of four hosts would stand out; null with too few hosts."""
    parts: Parts
    """The symmetric and the antisymmetric component."""
    jitter: Jitter | None
    """Null where no pair has repeats."""
    outstanding: list[Outstanding]
    """Hosts that stand out, worst first."""
    outlying: list[OutlyingPair]
    """Pairs that noise does not explain, worst first, up to 1,000."""
    leaves: LeafAgreement | None
    """How the measurement agrees with the cables; null without a fabric."""


class StructureDocument(FabricReading, frozen=True, tag="lacis.structure/1"):
    """`lacis explain --measured RUN --json`: what pairs show without a fabric."""

    provenance: ValuesFrom
    """Of the values."""
    structure: MeasuredStructure
    """What was found."""
