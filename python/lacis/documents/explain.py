"""The document of `lacis explain`: measured flows explained by tables."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from ..facts.suspects import SlowTogether, TablesFitBetter
from .base import FabricReading, Modelled, Row, one_of
from .common import AssumedRates, OpensmConf, Refusal
from .fitness import BusyHost as BusyHost
from .fitness import CountedTraffic as CountedTraffic
from .fitness import Doubt as Doubt
from .fitness import Fitness as Fitness
from .fitness import OthersCounted as OthersCounted
from .fitness import OthersOnLink as OthersOnLink
from .fitness import OverfullLink as OverfullLink
from .fitness import SlowPlace as SlowPlace
from .fitness import SlowRound as SlowRound
from .series import Series, ValuesFrom
from .structure import MeasuredStructure
from .suspects import CountedErrors as CountedErrors
from .suspects import FoundSuspect as FoundSuspect
from .suspects import LikelySuspect as LikelySuspect
from .suspects import Partly as Partly
from .suspects import Spell as Spell
from .suspects import Suspect as Suspect
from .suspects import SuspectGroup as SuspectGroup
from .suspects import SuspectKind as SuspectKind

Verdict = Annotated[str, one_of("found", "nothing", "cannot_tell", "other_tables", "other_traffic")]


class VisibleLoss(Row, frozen=True):
    """A loss, and the links on which it would have been found."""

    loss: float
    """The share of its rate that a link loses."""
    links: int
    """On how many links it would have been found."""
    more_rounds: int | None
    """So many more such rounds would find it nine times in ten, on the mean of the links; 0: these do; null: no number does, as healthy ones differ by too much, or flows are of no round."""


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
    """On how many links each loss would have been found; empty where no suspect was sought."""
    differ: HealthySpread
    """How much healthy ones differ; all 0 where no suspect was sought (`better`)."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    verdict: Verdict
    """`found`: something is slow; `nothing`: nothing is, as far as these flows show; `cannot_tell`: a link at half its rate would not have shown on most links; unfit to blame anyone: `other_tables` run, `other_traffic` was there."""
    running: list[str]
    """With `other_tables`: the tables that the values are consistent with, as `--which-tables` names them; empty where none fits."""
    withheld: int
    """Suspects that are not named, as the measurement is unfit to blame anyone, or as their links carried other traffic."""
    fitness: Fitness | None
    """What says so; null for times, and where no suspect was sought."""
    counted: CountedTraffic | None
    """What recorded port counters show; null where there are none."""
    others_counted: OthersCounted | None
    """With `--counters` of a store or a recording: whether they show other traffic; null without."""
    groups: list[SuspectGroup]
    """Suspects of one switch."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""
    together: list[SlowTogether]
    """Suspects of `partly` that were slow in the same rounds, oftener than chance would have it."""
    better: TablesFitBetter | None
    """With `other_tables`: that other tables fit so much better that no suspect was sought; null where some were sought."""


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
    """On how many links each loss would have been found; empty where no suspect was sought."""
    differ: HealthySpread
    """How much healthy ones differ; all 0 where no suspect was sought (`better`)."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    verdict: Verdict
    """`found`: something is slow; `nothing`: nothing is, as far as these flows show; `cannot_tell`: a link at half its rate would not have shown on most links; unfit to blame anyone: `other_tables` run, `other_traffic` was there."""
    running: list[str]
    """With `other_tables`: the tables that the values are consistent with, as `--which-tables` names them; empty where none fits."""
    withheld: int
    """Suspects that are not named, as the measurement is unfit to blame anyone, or as their links carried other traffic."""
    fitness: Fitness | None
    """What says so; null for times, and where no suspect was sought."""
    counted: CountedTraffic | None
    """What recorded port counters show; null where there are none."""
    others_counted: OthersCounted | None
    """With `--counters` of a store or a recording: whether they show other traffic; null without."""
    groups: list[SuspectGroup]
    """Suspects of one switch."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""
    together: list[SlowTogether]
    """Suspects of `partly` that were slow in the same rounds, oftener than chance would have it."""
    better: TablesFitBetter | None
    """With `other_tables`: that other tables fit so much better that no suspect was sought; null where some were sought."""
    structure: MeasuredStructure | None
    """As without FABRIC; null where fewer than half of the pairs were measured."""
    which_tables: ComparedTables | None
    """With `--which-tables`: the tables that the measurement is consistent with."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
