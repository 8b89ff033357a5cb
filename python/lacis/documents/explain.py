"""The document of `lacis explain`: measured flows explained by tables."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from .base import FabricReading, Fraction, Modelled, Row, one_of
from .common import AssumedRates, OpensmConf, Refusal
from .series import Series, ValuesFrom
from .structure import MeasuredStructure

SuspectKind = Annotated[
    str, one_of("sending", "receiving", "link", "inner", "host", "cable", "switch", "entry")
]


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
