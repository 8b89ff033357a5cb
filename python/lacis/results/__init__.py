"""Rows of results: named tuples for short rows, frozen dataclasses for long ones; those that are printed as they are stand among the documents."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from ..documents.common import Entries, Forced, Refusal, Shifts
from ..documents.failures import Losses, LostDestination, PairsLost
from ..facts.bounds import ShiftsBounded
from ..facts.found.refusals import RefusalReason
from .analysed import (
    CandidateFit,
    ChosenRounds,
    HostsOnRail,
    JobsBeside,
    Located,
    LocatedSuspect,
    PartlyLocated,
    SharedByFlows,
    TableRanking,
)
from .compared import Cabling, Comparison, TableFit
from .mapped import MappedRanks, OrderOfRanks

__all__ = [
    "AdaptiveRouting",
    "AssumedRates",
    "Balance",
    "Bandwidth",
    "BusyLink",
    "Cabling",
    "CandidateFit",
    "ChosenRounds",
    "Collective",
    "Comparison",
    "Conf",
    "CreditLoop",
    "Cut",
    "Damage",
    "Deadlock",
    "EngineRow",
    "Entries",
    "Events",
    "Failing",
    "Failure",
    "FailureProof",
    "Forced",
    "Happened",
    "Hop",
    "HostsOnRail",
    "HottestLink",
    "Intact",
    "JobPhases",
    "JobsBeside",
    "LinkLoad",
    "Located",
    "LocatedSuspect",
    "Losses",
    "LostDestination",
    "MappedRanks",
    "Moved",
    "OptionRow",
    "OrderOfRanks",
    "Packets",
    "PairsLost",
    "PartlyLocated",
    "Refusal",
    "Resweep",
    "Setting",
    "SharedByFlows",
    "Shifts",
    "ShiftsBounded",
    "SimulatedLink",
    "SingleFailure",
    "TableFit",
    "TableRanking",
    "Unreached",
    "Waiting",
    "WorkloadResult",
]

_REASON: Any = RefusalReason
"""The type of a fact, which is a union of types."""

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def engine_refusal(engine: str, reason: str, subnet: str | None, fact: str) -> Refusal:
    """An engine that refused a fabric, as the engine hands it over: the fact as JSON."""
    return Refusal(engine, reason, subnet, msgspec.json.decode(fact, type=_REASON))


class AdaptiveRouting(NamedTuple):
    """Adaptive routing as an `opafm.xml` sets it for an instance of the manager."""

    enable: bool
    """Whether switches move routes."""
    lost_route_only: bool
    """Whether only for lost links."""
    algorithm: int
    """0 Random, 1 Greedy, 2 GreedyRandom."""
    frequency: int
    """0 to 7: at most once in 64 ms × 2^n."""
    threshold: int
    """0 to 7: the greater, the sooner a port counts as congested."""
    fine_grained: bool
    """Whether newer switches choose a port for each packet."""


class EngineRow(NamedTuple):
    """A routing engine, as the table of engines has it."""

    name: str
    """Spelled as by its manager."""
    author: Literal["OpenSM", "Lacis", "Omni-Path"]
    """The program whose rules it follows: `OpenSM`, `Lacis` or `Omni-Path`."""
    needs: str | None
    """The option without which it cannot route."""
    cost: int
    """About how many times as long as minhop it takes on a fabric of 666 switches and 3,675 adapters (measured)."""
    outgrows_tables: bool
    """Whether this factor grows with the fabric, as its time grows faster than the tables do."""
    failure_cost: int
    """Processor time of the sweep after a failure [ns for each entry of all tables] (measured)."""
    failure_doubles_by: int | None
    """The number of switches that adds as much again to the time after a failure; None where it does not grow."""
    promise: str
    """What it does, in a line."""


class OptionRow(NamedTuple):
    """An option of a manager, as the table of options has it."""

    name: str
    """The keyword of `RouteOptions`."""
    key: str | None
    """The key in `opensm.conf`; none where that has none."""
    flags: list[str]
    """On the command line."""
    kind: str
    """`flag`, `on unless not`, `number`, `file` or `node`."""
    unit: str | None
    """What help calls the value."""
    range: tuple[int, int] | None
    """The least and the greatest number."""
    default: int | None
    """OpenSM's default of a number."""
    engines: list[str]
    """The engines that read it; all where this is empty."""
    help: str
    """What it does, in a line."""


class Balance(NamedTuple):
    """All-to-all flows on links between switches, per direction."""

    max: int
    mean: float
    links: int
    """Directions, used or not."""
    used: int


class CreditLoop(NamedTuple):
    """A shortest circle of ports, with their lane (`VL 1`) where there are several, and the channels around it."""

    ports: list[str]
    channels: int
    """Links that can wait for each other in circles with these."""


class Unreached(NamedTuple):
    """A destination that some senders do not reach."""

    port: str
    lid: int
    sources: int


class Setting(NamedTuple):
    """A line of an `opensm.conf`."""

    line: int
    key: str
    value: str


class Conf(NamedTuple):
    """An `opensm.conf`: settings of routing, all others, NVIDIA's of adaptive routing, and unknown ones."""

    settings: list[Setting]
    ignored: list[Setting]
    adaptive: list[Setting]
    unknown: list[Setting]


class Failure(NamedTuple):
    """A pair that is not delivered."""

    verdict: str
    source: str
    target: str
    lid: int


class LinkLoad(NamedTuple):
    """A directed link and the flows over it."""

    egress: str
    ingress: str
    flows: int


class Hop(NamedTuple):
    """A node on a route; ports are None at its ends, the rate is that of the link out."""

    node: str
    kind: str
    guid: int
    port_in: int | None
    port_out: int | None
    rate: str


class Bandwidth(NamedTuple):
    """Bandwidth of flows in the fluid model [bytes/s]; `total` is the sum over the flows of a phase."""

    mean: float
    min: float
    max: float
    total: float


class Collective(NamedTuple):
    """Bandwidths of a collective, as nccl-tests define them [bytes/s]."""

    algorithm: float
    bus: float


class AssumedRates(NamedTuple):
    """Directed links that report no rate, and the rate taken for them."""

    links: int
    rate: str


class BusyLink(NamedTuple):
    """A directed link, its bytes, and the share of the time that it needs for them at its full rate."""

    egress: str
    ingress: str
    bytes: int
    utilisation: float


class SimulatedLink(NamedTuple):
    """A directed link: shares of the time that it sent, and that it had a packet but no credits; bytes."""

    egress: str
    ingress: str
    busy: float
    without_credits: float
    bytes: int


class Packets(NamedTuple):
    """Packets of a simulation."""

    sent: int
    arrived: int
    discarded: int


class Events(NamedTuple):
    """Events of a simulation, and links crossed by packets."""

    events: int
    hops: int


class Moved(NamedTuple):
    """How often switches moved a LID, and when in its phase the last was moved [s]."""

    lids: int
    last: float


class Waiting(NamedTuple):
    """A link of a deadlock, and its lane."""

    egress: str
    ingress: str
    lane: int


class Deadlock(NamedTuple):
    """The phase, from 0, and the links of which each waits for the next."""

    phase: int
    cycle: list[Waiting]


class Cut(NamedTuple):
    """A cable that failed: when [s], and its ports."""

    after: float
    port: str
    far: str


@dataclasses.dataclass(frozen=True, slots=True)
class HottestLink:
    """A directed link of a prediction, and the flows over it."""

    egress: str
    ingress: str
    contention: int
    """The most flows at once, over all phases."""
    phase: int
    """The first phase in which so many flows are on the link."""
    total: int
    """Flows over all phases."""
    utilisation: float | None
    """The share of its rate that is used in that phase (fluid model)."""
    flows: list[tuple[str, str]]
    """Some of the flows of that phase, by sender and receiver."""


class JobPhases(NamedTuple):
    """The phases of a simulated program; times [s] are not a number where nothing was sent."""

    name: list[str]
    begins: NDArray[np.float64]
    ends: NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class WorkloadResult:
    """What one workload of a simulation did."""

    flows: int
    unrouted: int
    inside_hosts: int
    """Messages of a program between ranks of one host."""
    through: int
    """Runs in which all arrived."""
    payload: int
    """Payload that arrived [bytes]."""
    latency: dict[str, float]
    """Latency of its messages, as `Simulation.latency`."""
    times: NDArray[np.float64]
    """Arrival of the last message in each run [s]."""
    bandwidths: NDArray[np.float64]
    """As `Simulation.bandwidths`."""
    ranks: int | None = None
    """Ranks of a program; None for a pattern, like the fields below."""
    weighted: bool = False
    """Whether a trace gives its messages weights."""
    phases: JobPhases | None = None
    bandwidth: Collective | None = None


class Failing(NamedTuple):
    """A `cable` or a `switch` that fails, by name."""

    kind: str
    name: str


class Happened(NamedTuple):
    """What a change did: `cut`, `drop`, `plug` or `return`, and the cables and nodes."""

    event: str
    names: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Resweep:
    """What a manager that noticed a change did."""

    manager: str
    mode: str
    """`kept` (as much of the tables as possible), `recomputed`, or `cached` (taken from the unicast cache)."""
    engine_before: str
    engine_used: str | None
    """None where every engine refused, so that tables stay."""
    fell_back: bool
    refusals: list[Refusal]


@dataclasses.dataclass(frozen=True, slots=True)
class Intact:
    """The fabric while nothing fails."""

    engine_used: str
    refusals: list[Refusal]
    pairs: int
    delivered: int
    shifts: Shifts | None


class Damage(PairsLost, frozen=True):
    """What a failure costs after the manager's next sweep."""

    engine_used: str
    refusals: list[Refusal]
    fell_back: bool
    no_engine: bool
    """Whether every engine refused the rest of the fabric."""
    blinded: bool
    """Whether the manager was cut off, so that tables stay."""
    entries: Entries
    shifts: Shifts | None


@dataclasses.dataclass(frozen=True, slots=True)
class SingleFailure:
    """A failure by its index in `Survey.parts`, and what it costs."""

    id: int
    kind: str
    name: str
    damage: Damage


@dataclasses.dataclass(frozen=True, slots=True)
class FailureProof:
    """What is proved about the tables after a failure."""

    pairs_lost: int
    credit_loops: int
    undefined: bool
    """Whether OpenSM's own tables vary from run to run there."""
    fell_back: bool
    engine_used: str
