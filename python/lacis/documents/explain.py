"""Documents of `lacis explain`: measured values explained by tables, and what they show without any."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from .base import FabricReading, Fraction, Modelled, Row, one_of
from .common import AssumedRates, OpensmConf, Refusal

ValuesFrom = Annotated[str, one_of("measured", "modelled", "assumed", "mixed")]
SuspectKind = Annotated[
    str, one_of("sending", "receiving", "link", "inner", "host", "cable", "switch", "entry")
]


class Series(Row, frozen=True):
    """Values that are comparable with each other."""

    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Annotated[str, one_of("bytes/s", "s")]
    """Of the values."""
    statistic: str
    """Of repeats: `sample`, `mean`, `min` …"""
    bytes: int | None
    """Size of messages."""
    values: int
    """How many are of a pair."""
    rounds: int
    """In how many rounds flows shared the network; 0: flows ran one after the other, assumed."""


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
    leaves: LeafAgreement | None
    """How the measurement agrees with the cables; null without a fabric."""


class StructureDocument(FabricReading, frozen=True, tag="lacis.structure/1"):
    """`lacis explain --measured RUN --json`: what pairs show without a fabric."""

    provenance: ValuesFrom
    """Of the values."""
    structure: MeasuredStructure
    """What was found."""


class Suspect(Row, frozen=True):
    """What may be slow."""

    kind: SuspectKind
    """`sending` (a host's adapter sends, and the cable from it), `receiving`, `link` (between switches), `inner` (inside a director), `host` and `cable` (between switches): both directions, `switch`, `entry` (of a switch's table)."""
    node: str
    """The host's adapter, or the switch."""
    egress: str | None
    """The port from which the link leaves; of an entry, the port by which flows leave instead, where rates show it."""
    ingress: str | None
    """The port at which it arrives."""
    rate: str | None
    """The rate that its ends report."""
    destination: str | None
    """Of an entry: the host."""
    links: list[int]
    """Numbers of its directed links in this fabric."""

    def __str__(self) -> str:
        """In words, with both ends."""
        if self.kind in ("host", "cable"):
            return f"{self.node}, both directions: {self.egress} ↔ {self.ingress}"
        if self.kind == "switch":
            return f"switch {self.node}, all that passes it"
        if self.kind == "entry" and self.egress:
            return f"{self.node}'s entry for {self.destination}: it leads to {self.egress} → {self.ingress}"
        if self.kind == "entry":
            return f"flows to {self.destination} through {self.node}, or a switch after it"
        which = {
            "sending": " (a host sends)",
            "receiving": " (a host receives)",
            "inner": " (inside a director)",
        }
        return f"{self.egress} → {self.ingress}{which.get(self.kind, '')}"


class LikelySuspect(Suspect, frozen=True):
    """What may be slow, with its probability."""

    probability: float
    """That it is this one among those that explain the same."""


class FoundSuspect(Row, frozen=True):
    """A suspect all of whose flows are slow."""

    ratio: float
    """Of what others get: the share of their rate, or how many times as long."""
    low: float
    """The lower bound of its 95 % interval."""
    high: float
    """The upper bound."""
    flows: int
    """Flows over it, limited by it and explained by nothing else."""
    slow: int
    """Those that lose at least half as much."""
    reached: float
    """Their median, of what others get."""
    beside: int
    """Flows that share other links with them."""
    beside_reached: float
    """Their median."""
    like: list[str]
    """Slower rates that a link may have negotiated, whose ratio is within the interval."""
    gain: float
    """ln of the likelihood ratio with it and without."""
    suspects: Annotated[list[LikelySuspect], Meta(min_length=1)]
    """This one and others that explain about as much, likeliest first."""


class Partly(Row, frozen=True):
    """A suspect only some of whose flows or values are slow."""

    suspects: Annotated[list[Suspect], Meta(min_length=1)]
    """This one and others that explain the same."""
    flows: int
    """Flows over it, explained by nothing else."""
    slow: int
    """Those that are slow, at times or always."""
    share: Fraction
    """The fraction of their values that are slow."""
    ratio: float
    """What these get while they are slow, of what others get."""
    swings: bool
    """Whether most differ from repeat to repeat; else from flow to flow."""
    gain: float
    """ln of the likelihood ratio."""


class VisibleLoss(Row, frozen=True):
    """A loss, and the links on which it would have been found."""

    loss: float
    """The share of its rate that a link loses."""
    links: int
    """On how many links it would have been found."""


class HealthySpread(Row, frozen=True):
    """How much healthy ones differ, as a fraction; estimated."""

    sending: float
    """Hosts that send."""
    receiving: float
    """Hosts that receive."""
    link: float
    """Links between switches."""


class UnexplainedPair(Row, frozen=True):
    """A slow flow that nothing found explains."""

    source: str
    """The sending host."""
    destination: str
    """The receiving host."""
    loss: float
    """What it loses."""


class UnexplainedFlows(Row, frozen=True):
    """Slow flows that nothing found explains."""

    flows: int
    """How many."""
    pairs: list[UnexplainedPair]
    """Up to 1,000 of them."""


class CulpritsRow(Row, frozen=True):
    """What makes flows slow, and what could have been found."""

    found: list[FoundSuspect]
    """Suspects all of whose flows are slow, likeliest first."""
    partly: list[Partly]
    """Suspects some of whose flows or values are slow."""
    links: int
    """Directed links that flows cross."""
    visible: list[VisibleLoss]
    """On how many links each loss would have been found."""
    differ: HealthySpread
    """How much healthy ones differ."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""


class FlowClass(Row, frozen=True):
    """Flows that are compared with each other."""

    links: int
    """Links on their paths; there and back for times."""
    contention: int
    """Flows on the limiting link, the flow itself included."""
    flows: int
    """How many."""
    level: float
    """Measured ÷ expected; of times the median [s]."""
    spread: float
    """Standard deviation of ln."""


class Candidate(Row, frozen=True):
    """Tables that a fabric may run, and how the measurement fits them."""

    name: str
    """Engine, file, or `adaptive`."""
    how: Annotated[str, one_of("tables", "orders", "spread")]
    """`tables`: with the fabric's order of LIDs; `orders`: with an unknown order; `spread`: switches choose."""
    group: int
    """Candidates of one group are not distinguished; 0 fits best."""
    likelihood: float
    """Mean ln of a flow's likelihood."""
    z: float
    """By how many standard deviations the best is better."""
    level: float
    """Measured ÷ expected."""
    spread: float
    """Half of the values are within it."""
    as_expected: float | None
    """The fraction of the differing flows within 15 %; null for an unknown order."""
    unrouted: int
    """Measured flows that have no route under it."""


class ComparedTables(Row, frozen=True, rename={"distinguishes": "told"}):
    """Which tables a measurement is consistent with."""

    provenance: Modelled
    """Of the rates that candidates predict."""
    distinguishes: bool
    """Whether any candidates are distinguished."""
    fits: bool
    """Whether a consistent candidate predicts at least half of the `differing` flows."""
    flows: int
    """Flows that were compared."""
    differing: int
    """Flows for which candidates predict different rates."""
    candidates: list[Candidate]
    """The likeliest first."""
    refused: list[Refusal]
    """Engines that do not run on the fabric, or were left out."""


class ExplainDocument(FabricReading, frozen=True, tag="lacis.explain/1", kw_only=True):
    """`lacis explain FABRIC --measured RUN --json`: measured values explained by tables.

    Paths and contention are modelled.
    """

    provenance: ValuesFrom
    """Of the values: `measured`, `modelled` (runs of a model), `assumed`, or `mixed`."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    tables: str | None
    """The file of the tables; null: those of `engine_used`."""
    series: Series
    """The explained values."""
    others: list[Series]
    """Other ones in the run."""
    values: int
    """Values used."""
    flows: int
    """Their flows."""
    unrouted: int
    """Flows without a route."""
    left_out: dict[str, int]
    """Values left out, by reason."""
    assumed_rates: AssumedRates | None
    """Links of unknown rate, and the rate assumed."""
    levels: list[FlowClass]
    """Classes of flows."""
    found: list[FoundSuspect]
    """Suspects all of whose flows are slow, likeliest first."""
    partly: list[Partly]
    """Suspects some of whose flows or values are slow."""
    links: int
    """Directed links that flows cross."""
    visible: list[VisibleLoss]
    """On how many links each loss would have been found."""
    differ: HealthySpread
    """How much healthy ones differ."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""
    structure: MeasuredStructure | None
    """As without FABRIC; null where fewer than half of the pairs were measured."""
    which_tables: ComparedTables | None
    """With `--which-tables`: the tables that the measurement is consistent with."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
