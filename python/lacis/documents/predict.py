"""Documents of `lacis predict`: patterns through a model, and the times of messages."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ..facts.bounds import ShiftsBounded
from .base import Amount, ByteRate, Count, FabricReading, Fraction, HostGroup, Link, Modelled, Row, one_of
from .common import CollectiveBandwidth, OpensmConf, RelativeBandwidth

Lane = Annotated[int, Meta(ge=0, le=14)]
Lanes = Annotated[int, Meta(ge=1, le=15)]
LanesByServiceLevel = Annotated[list[Lane], Meta(min_length=16, max_length=16)]
Arbitration = list[tuple[Lane, Annotated[int, Meta(ge=0, le=255)]]]
"""Lanes and their weights in units of 64 bytes."""


class DividedLanes(Row, frozen=True):
    """The lanes among which links are divided first, as the options say."""

    lanes: Lanes | None
    """How many; null: as many as are needed."""
    sl2vl: LanesByServiceLevel | None
    """The lane of each service level; null: its own number."""
    vlarb_high: Arbitration
    """Lanes and weights of high priority."""
    vlarb_low: Arbitration
    """Lanes and weights of low priority."""
    high_limit: Annotated[int, Meta(ge=0, le=255)]
    """Units of 4096 bytes of high priority before a packet of low; 255: no limit."""


class FlowBandwidth(Row, frozen=True):
    """Bandwidths in the model `fluid`."""

    mean: float
    """The mean of a flow."""
    min: float
    """The least of a flow."""
    max: float
    """The greatest of a flow."""
    total: float
    """The sum over the flows of a phase."""
    unit: ByteRate
    """Of all of them."""


class BandwidthDistribution(Row, frozen=True):
    """Two lists of one length."""

    relative_bandwidth: list[Fraction]
    """Relative bandwidths, ascending."""
    flows: list[Count]
    """The number of flows with each."""


class FlowEnds(Row, frozen=True, rename={"source": "from", "target": "to"}):
    """A flow."""

    source: str
    """The sending host or port."""
    target: str
    """The receiving one."""


class HottestLink(Row, frozen=True):
    """A directed link, and the flows over it."""

    link: Link
    """Its sending and its receiving port."""
    contention: Count
    """The most flows at once, …"""
    phase: Count
    """… and the first phase that has them."""
    total: Count
    """Flows over all phases."""
    utilisation: Fraction | None
    """The share of its rate that is used in that phase; null in the model `load`."""
    flows: list[FlowEnds]
    """The first 64 of those at once."""


class PhaseLists(Row, frozen=True):
    """Lists of one length, phase by phase."""

    label: list[float | None]
    """The distance of a shift, the offset of leaves, else a number."""
    mean: list[float | None]
    """Mean relative bandwidth."""
    min: list[float | None]
    """Least relative bandwidth."""
    max_contention: list[float | None]
    """The most flows on a link."""
    throughput: list[float | None]
    """The sum of all flows [bytes/s]."""


class BandwidthMatrix(Row, frozen=True, kw_only=True):
    """Relative bandwidth from each (row) to each; null where nothing was sent."""

    of: Annotated[str, one_of("leaf", "host")]
    """What rows and columns are."""
    labels: list[str]
    """Their names."""
    mean: list[list[Fraction | None]]
    """The mean over the flows."""
    min: list[list[Fraction | None]]
    """The least of a flow."""
    max: list[list[Fraction | None]]
    """The greatest of a flow."""


class PredictDocument(FabricReading, frozen=True, tag="lacis.predict/1", kw_only=True):
    """`lacis predict FABRIC --traffic PATTERN --json`: what flows of a pattern get."""

    model: Annotated[str, one_of("load", "fluid")]
    """The model."""
    traffic: str
    """The pattern as typed."""
    patterns: Count
    """Phases that were run: random patterns, distances of a shift …"""
    seed: Count | None
    """Of random patterns; null for the others."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    groups: str
    """Groups of hosts, as typed after `--hosts`."""
    host_order: str
    """As typed."""
    rail: str
    """As typed."""
    hosts: Count
    """Hosts in the traffic."""
    hosts_by_group: dict[HostGroup, Count]
    """The number of the hosts in each group."""
    unknown: Count
    """Adapters in the traffic whose host nothing shows: each takes part by itself, and counts as no host."""
    ports: Count
    """Ports in the traffic."""
    host_efficiency: Fraction | UnsetType = UNSET
    """*Assumed* fraction of their links that hosts use; model `fluid` only."""
    link_efficiency: Fraction | UnsetType = UNSET
    """*Assumed* fraction of every link's rate that carries payload; model `fluid` only."""
    lanes: DividedLanes | UnsetType | None = UNSET
    """The lanes among which links are divided first (null: no division); model `fluid` only."""
    flows: Count
    """Delivered flows, over all phases."""
    unrouted: Count
    """Flows without a route: they load no link, and count with bandwidth 0 in all following figures."""
    skipped: Count
    """Pairs left out on a rail that one of the two hosts lacks."""
    relative_bandwidth: RelativeBandwidth
    """Of all flows."""
    max_contention: Count
    """The most flows on a link in any phase."""
    mean_max_contention: Amount
    """The most flows on a link, mean over the phases."""
    bandwidth: FlowBandwidth | UnsetType = UNSET
    """Model `fluid` only."""
    distribution: BandwidthDistribution
    """How many flows get what."""
    hottest: list[HottestLink]
    """The links with the most flows at once."""
    shifts_at_most: ShiftsBounded | UnsetType = UNSET
    """All shifts with the model `load`: what these hosts in this order can have at most, whatever the tables."""
    phases: PhaseLists | UnsetType = UNSET
    """Phase by phase; left out beyond 4,096 phases."""
    matrix: BandwidthMatrix | UnsetType = UNSET
    """Present for shifts and leaf offsets up to 128 leaves, and with `--matrix`."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class CompletionTimes(Row, frozen=True):
    """Seconds that messages take from the beginning of their phase; null where there is none."""

    mean: float | None
    """The mean over the messages."""
    min: float | None
    """The shortest."""
    max: float | None
    """The longest."""
    p01: float | None
    """The 1st percentile."""
    p50: float | None
    """The median."""
    p99: float | None
    """The 99th percentile."""


class TimeDistribution(Row, frozen=True):
    """Two lists of one length."""

    seconds: list[float]
    """Times, ascending."""
    messages: list[Count]
    """The number of messages for each."""


class TimedPhases(Row, frozen=True):
    """Lists of one length, phase by phase."""

    name: list[str]
    """What the phase is."""
    begins: list[float]
    """When it begins [s]."""
    time: list[float]
    """How long it takes [s]."""
    messages: list[Count]
    """Messages that arrive."""
    bytes: list[Count]
    """Bytes that arrive."""


class BusyLink(Row, frozen=True):
    """A directed link that needs long for its traffic."""

    link: Link
    """Its sending and its receiving port."""
    bytes: Count
    """All that it carries, over all phases."""
    utilisation: Amount
    """The fraction of `seconds` that it needs at its full rate."""


class TimesDocument(FabricReading, frozen=True, tag="lacis.times/1", kw_only=True):
    """`lacis predict FABRIC --model fluid --traffic PATTERN --bytes SIZE --json`, and with a [program](traffic.md#message-programs): how long messages take."""

    model: Literal["fluid"]
    """The model."""
    provenance: Modelled
    """How times are known."""
    traffic: str
    """The pattern or program as typed."""
    bytes_each: Count | None
    """The value of `--bytes`; null for a trace."""
    seed: Count | None
    """Of random patterns; null for the others."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    groups: str
    """Groups of hosts, as typed after `--hosts`."""
    host_order: str
    """As typed."""
    rail: str
    """As typed."""
    hosts: Count
    """Hosts in the traffic."""
    hosts_by_group: dict[HostGroup, Count]
    """The number of the hosts in each group."""
    unknown: Count
    """Adapters in the traffic whose host nothing shows: each takes part by itself, and counts as no host."""
    ports: Count
    """Ports in the traffic."""
    ranks: Count | UnsetType = UNSET
    """Ranks; programs only."""
    ranks_per_host: Count | UnsetType = UNSET
    """Ranks on each host; programs only."""
    multipath: Annotated[str, one_of("none", "by-message", "by-peer", "by-hash", "spray", "ideal")]
    """As typed."""
    striping: Annotated[str, one_of("psm2", "ucx")] | None
    """The library that spreads messages over rails, where one does."""
    host_efficiency: Fraction
    """*Assumed* fraction of their links that hosts use."""
    link_efficiency: Fraction
    """*Assumed* fraction of every link's rate that carries payload."""
    lanes: DividedLanes | None
    """The lanes among which links are divided first; null: no division."""
    local_rate: float | UnsetType = UNSET
    """*Assumed* rate of all messages inside a host together [bytes/s]; programs only."""
    seconds: float | None
    """Job: from the first message's beginning to the last one's end; pattern: the sum over its phases, each alone."""
    phases: Count
    """Phases."""
    messages: Count
    """Messages that arrive, over all phases."""
    bytes: Count
    """Bytes that arrive, over all phases."""
    inside_hosts: Count
    """Messages among them that stay inside a host."""
    unrouted: Count
    """Messages without a route: they are left out, and no phase waits for them."""
    skipped: Count
    """Pairs left out on a rail that one of the two hosts lacks."""
    events: Count
    """Times at which messages ended."""
    completion: CompletionTimes
    """How long messages take."""
    distribution: TimeDistribution | UnsetType = UNSET
    """How many messages take how long; left out beyond 100,000 values."""
    gap: float | UnsetType = UNSET
    """With `--multipath ideal`: how far the slowest message's rate may be below the best possible, relative."""
    bandwidth: CollectiveBandwidth | UnsetType = UNSET
    """Collectives only."""
    each_phase: TimedPhases | UnsetType = UNSET
    """Phase by phase; left out beyond 4,096 phases."""
    busiest: list[BusyLink]
    """Links that need longest for their traffic."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
