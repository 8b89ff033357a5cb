"""The document of `lacis report`: what the page shows."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from ..facts.advice import HostOrder
from ..facts.bounds import ShiftsBounded
from ..facts.fact import Rank
from ..facts.found.cabling import CableWork
from ..facts.gains import NumberChange
from ..facts.steps import Step
from ..facts.verdicts import Verdict
from .base import Amount, Count, FabricReading, Fraction, Guid, Positive, Row, one_of
from .common import LinkBalance, OpensmConf, Refusal, RelativeBandwidth, Verdicts
from .explain import CulpritsRow
from .fabric import FabricState
from .structure import MeasuredStructure


class ReportedProof(Row, frozen=True):
    """What tables do for the pairs of one population."""

    pairs: Count
    """Ordered pairs."""
    lost: Count
    """Undelivered pairs, among them those of ports on different planes."""
    avoidable: Count
    """Lost pairs whose ports have LIDs and are joined by cables, so that other tables would deliver them."""
    verdicts: Verdicts
    """Pairs by verdict."""
    credit_loops: list[list[str]]
    """The ports of the shortest circle of each loop."""
    balance: LinkBalance
    """All-to-all flows per direction of a link between switches."""


class ReportedProofs(Row, frozen=True):
    """Among host adapters, and among all end nodes."""

    hosts: ReportedProof
    """Host adapters."""
    all: ReportedProof
    """All end nodes."""


class ReportedPrediction(Row, frozen=True):
    """A prediction's numbers, model `load`."""

    patterns: Count
    """Random bisections, or distances of shifts."""
    flows: Count
    """Delivered flows."""
    unrouted: Count
    """Flows without a route."""
    skipped: Count
    """Pairs left out on a rail that one of the two hosts lacks."""
    relative_bandwidth: RelativeBandwidth
    """Of all flows."""
    max_contention: Count
    """The most flows on a link in any pattern."""
    worst: Fraction | None
    """Mean relative bandwidth of the worst pattern."""
    mean_max_contention: float
    """The most flows on a link, mean over the patterns."""
    distribution: list[tuple[float, int]]
    """Relative bandwidths, ascending, each with its number of flows."""


class ReportedShifts(ReportedPrediction, frozen=True):
    """A prediction's numbers of shifts, model `load`."""

    words: str
    """Which distances these are."""


class ReportedOrder(Row, frozen=True):
    """Shifts of hosts in an order."""

    order: HostOrder
    """The order, as `--host-order` takes it."""
    shift: ReportedShifts
    """The shifts."""


class ReportedEngine(Row, frozen=True):
    """An engine with a choice of roots."""

    label: str
    """Its name, and the engine that runs where another was asked for."""
    engine_requested: str
    """The engine asked for."""
    engine_used: str
    """The engine that made the tables."""
    refusals: list[Refusal]
    """Engines that refused before, in order."""
    verify: ReportedProofs
    """What its tables do with every pair."""
    bisection: ReportedPrediction | None
    """Random bisections; null where there are not two hosts."""
    shift: ReportedShifts | None
    """Shifts in the order `host_order`; null where there are not two hosts."""
    own_order: ReportedOrder | None
    """Shifts in the order that suits the tables best, of `topology`, `eventree` and `name`; null where none is better than `host_order`."""


class LeafMatrix(Row, frozen=True):
    """Relative bandwidth from leaf to leaf, row by row; null where nothing was sent."""

    leaves: list[str]
    """Their names."""
    max: list[Fraction | None]
    """The best of the flows."""
    mean: list[Fraction | None]
    """The mean of the flows."""
    min: list[Fraction | None]
    """The worst of the flows."""


class LoadedLink(Row, frozen=True):
    """One of the fullest links under all-to-all traffic."""

    link: str
    """Its sending and its receiving port."""
    source: str
    """Its sending port alone."""
    flows: Count
    """Flows over it."""
    of_mean: float | None
    """Over the mean of all directed links between switches."""
    pairs: list[str]
    """Some of the pairs behind its flows."""


class RecommendedChange(Row, frozen=True):
    """Something to do, and what the models say it brings."""

    title: str
    """What it is."""
    why: str
    """Why."""
    gain: str
    """The modelled gain over the running tables."""
    command: str
    """What to run."""
    files: dict[str, list[Guid]]
    """Lists of GUIDs by file name."""
    step: Step
    """What `title` and `why` say."""
    changes: list[NumberChange]
    """What `gain` says."""


class FlowRates(Row, frozen=True):
    """What the flows of one pattern get [bytes/s]."""

    mean: Amount
    """Over all flows of all seeds."""
    worst: Amount
    """Of them; one that does not arrive counts as 0."""
    deadlock: bool = False
    """Whether some wait for each other in a circle for ever; then the rates say nothing about what the tables can do."""


class AdaptiveRow(Row, frozen=True):
    """One set of tables, static and adaptive."""

    engine: str
    """The engine that made them."""
    static: FlowRates
    """As the tables say."""
    adaptive: FlowRates
    """With adaptive routing."""


class AdaptiveComparison(Row, frozen=True):
    """Static and adaptive routing side by side, packet by packet, modelled."""

    device: str
    """The device simulated, and why."""
    pattern: str
    """Traffic, bytes of a message, seeds; empty where nothing is simulated."""
    rows: list[AdaptiveRow]
    """Engine by engine; none where the switches cannot route adaptively."""
    words: str
    """The result in a sentence, and whether the fabric's switches can route adaptively."""


class EngineFailures(Row, frozen=True):
    """What single failures do under one set of tables, repaired by one engine."""

    engine: str
    """The engine that made them."""
    repaired_by: Annotated[str, one_of("OpenSM", "Omni-Path's manager", "Lacis inside OpenSM", "no manager")]
    """`no manager` for tables that are loaded from a file."""
    tried: Count
    """Failures tried; where not all are, half of the sample are switches; 0 where each would take long."""
    of: Positive
    """Cables between switches, and switches."""
    lossy: Count
    """Failures after which a pair of hosts that are left has no route."""
    worst: str
    """The failure that loses most; empty where none loses any."""
    most_lost: Count
    """Ordered pairs of hosts that it loses."""
    entries_changed: Amount
    """Entries of the tables that change, median over the failures."""


class CutOffPart(Row, frozen=True):
    """A part whose failure alone cuts host adapters off, whatever the tables."""

    kind: Annotated[str, one_of("switch", "cable")]
    """What it is."""
    name: str
    """Its name."""
    adapters: Positive
    """Those that the largest part of what is left does not reach; a failed switch's own do not count."""


class HotLink(Row, frozen=True):
    """A link between switches that carries more than 1.2 times the mean of the links in use, and more than a host's own link, when all adapters of a rail send to all."""

    rail: str
    """The rail whose traffic it is, from 1; empty where the fabric has one."""
    source: str
    """Its sending port."""
    target: str
    """Its receiving port."""
    flows: Positive
    """Flows over it."""
    over_mean: Amount
    """Times the mean of the links in use."""
    hosts: list[str]
    """The first few hosts whose traffic crosses it; an inferred name ends with `?`."""


class ReportedVerdict(Row, frozen=True):
    """What is to be said first: of the fabric, of the tables that run, of a measurement."""

    rank: Rank
    """How bad it is; `good` where it is not."""
    text: str
    """The words."""
    fact: Verdict
    """What is the case."""


class ReportDocument(FabricReading, frozen=True, tag="lacis.report/1", kw_only=True):
    """`lacis report FABRIC --json`, which writes the page too: what the page shows."""

    file: str
    """The page."""
    source: str
    """The input."""
    version: str
    """The version of Lacis."""
    digest: str
    """A digest of the fabric."""
    origin: Annotated[str, one_of("read from the file", "read from standard input", "generated")]
    """Where the fabric is from."""
    taken: str | None
    """When the file was taken, as `ibnetdiscover` says in it."""
    fabric: FabricState
    """The keys of `lacis.fabric/1`."""
    verdicts: list[ReportedVerdict]
    """What is to be said first, in this order."""
    counted: str
    """Whose bisections and shifts are predicted: `469 hosts (458 compute, 6 management, 5 storage)`."""
    host_order: HostOrder
    """The order of hosts in which the `shift` of all engines is."""
    shifts_at_most: ShiftsBounded | UnsetType = UNSET
    """What these shifts can have at most, whatever the tables; left out where there are no two hosts, or adapters have several planes."""
    engines: list[ReportedEngine]
    """Each engine and choice of roots."""
    best: str
    """The label of the best engine: the one that is advised first, or what runs now where nothing is advised."""
    also_tried: str
    """The variants with files for OpenSM (roots, an order, hosts) that have no entry in `engines`, each with its mean of random bisections and the pairs it loses; empty where there are none."""
    left_out: str
    """Which engines were not tried on a large fabric, and why; empty where all were."""
    leaf_to_leaf: LeafMatrix | None
    """The heat map of the page."""
    hottest: list[LoadedLink]
    """The fullest links under all-to-all traffic."""
    changes: list[RecommendedChange]
    """Recommended changes."""
    cabling: list[CableWork]
    """The work list for the machine room, by rack, switch and port."""
    adaptive: AdaptiveComparison | None
    """Static and adaptive routing; null where a simulation would take too long."""
    failures: list[EngineFailures]
    """Single failures, modelled."""
    cut_off: list[CutOffPart]
    """Switches and cables between switches that cut host adapters off when they fail alone (exact; articulation points and bridges), most adapters first."""
    hot: list[HotLink]
    """Rail by rail, five a rail at most."""
    measured: MeasuredStructure | None
    """With `--measured`, the structure of the values without tables."""
    suspects: CulpritsRow | None
    """With `--measured`, what is slow under the running tables; null where nothing can be compared."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
