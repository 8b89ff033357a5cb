"""The document of `lacis simulate`: what messages get, packet by packet."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from .base import Amount, ByteRate, Count, FabricReading, Fraction, HostGroup, Link, Row, one_of
from .common import OpensmConf
from .predict import Arbitration, Lanes

TestName = Annotated[str, one_of("burst", "windows", "ping-pong", "load")]
Parameter = Annotated[
    str, Meta(pattern="^(threshold|marking_rate|packet_size|increase|limit|least|timer|step)$")
]


class WorkloadBeside(Row, frozen=True, kw_only=True):
    """A workload at the same time, with the keys that were given; for the others it is as the main one."""

    traffic: str
    """The pattern or program as typed."""
    test: TestName | UnsetType = UNSET
    """The test of a pattern."""
    bytes: Count | UnsetType = UNSET
    """The size of a message."""
    count: Count | UnsetType = UNSET
    """Messages of a flow."""
    window: Count | UnsetType = UNSET
    """Messages of a window."""
    load: float | UnsetType = UNSET
    """The load that is offered, relative to the host link."""
    duration: float | UnsetType = UNSET
    """How long [s]."""
    sl: Count | UnsetType = UNSET
    """The service level."""
    ranks_per_host: Count | UnsetType = UNSET
    """Ranks on each host."""
    local_rate: float | UnsetType = UNSET
    """The rate of all messages inside a host together [bytes/s]."""
    host_order: str | UnsetType = UNSET
    """The order of its hosts."""
    rail: str | UnsetType = UNSET
    """The rail of its hosts."""
    striping: Annotated[str, one_of("off", "psm2", "ucx")] | UnsetType = UNSET
    """The library that spreads messages over rails."""


class PacketCounts(Row, frozen=True):
    """Packets."""

    sent: Count
    """Packets that were sent."""
    arrived: Count
    """Packets that arrived."""
    discarded: Count
    """Packets without a route, or beyond the hop limit."""


class MessageLatency(Row, frozen=True):
    """Times of messages, from posting to arrival [s]; quantiles to 1/128."""

    count: Amount
    """Messages."""
    mean: Amount
    """The mean."""
    min: Amount
    """The shortest."""
    p50: Amount
    """The median."""
    p99: Amount
    """The 99th percentile."""
    p999: Amount
    """The 99.9th percentile."""
    max: Amount
    """The longest."""


class PacketWaiting(Row, frozen=True):
    """Waiting of packets in switches, summed [s]."""

    behind_others: float
    """Behind other packets of the same buffer."""
    for_credits: float
    """For room in the next buffer."""
    for_turn: float
    """For the output, while others send."""


class CutCable(Row, frozen=True):
    """A cable that failed."""

    after: float
    """When [s]."""
    ports: tuple[str, str]
    """Its two ports."""


class MovedLids(Row, frozen=True):
    """LIDs that switches moved (`--adaptive omni-path`)."""

    lids: Count
    """How often a switch moved one."""
    last: float | None
    """When in its phase the last was moved [s]; null: none was."""


class WaitingLink(Row, frozen=True):
    """A link of a deadlock."""

    link: Link
    """Its sending and its receiving port."""
    lane: Count
    """Its lane."""


class DeadlockFound(Row, frozen=True):
    """Links that wait for each other in a circle."""

    phase: Count
    """In which phase, from 0."""
    cycle: list[WaitingLink]
    """Each waits for the next, and the last for the first."""


class MeanBandwidth(Row, frozen=True, kw_only=True):
    """Payload over time of the flows whose messages all arrived."""

    unit: ByteRate
    """Of all of them."""
    mean: float
    """The mean of a flow."""
    min: float
    """The least of a flow."""
    max: float
    """The greatest of a flow."""
    flows: list[float] | UnsetType = UNSET
    """Flow by flow, by workload and phase; up to 100,000 flows."""


class WorkloadBandwidth(Row, frozen=True, kw_only=True):
    """Of a collective `algorithm`, `bus` and `unit`; else payload over time of the flows whose messages all arrived."""

    algorithm: float | UnsetType = UNSET
    """Bytes of a rank over the time of the collective, as nccl-tests define it."""
    bus: float | UnsetType = UNSET
    """The same, scaled to what a link carries."""
    unit: ByteRate
    """Of all of them."""
    mean: float | UnsetType = UNSET
    """The mean of a flow."""
    min: float | UnsetType = UNSET
    """The least of a flow."""
    max: float | UnsetType = UNSET
    """The greatest of a flow."""
    flows: list[float] | UnsetType = UNSET
    """Flow by flow, by phase; up to 100,000 flows."""


class SimulatedPhases(Row, frozen=True):
    """Lists of one length, phase by phase, up to 4,096 phases; null where nothing was sent."""

    name: list[str]
    """What the phase is."""
    begins: list[float | None]
    """When it begins [s]."""
    ends: list[float | None]
    """When it ends [s]."""


class SimulatedWorkload(Row, frozen=True, kw_only=True):
    """What one workload did."""

    flows: Count
    """Flows of a pattern, or messages of a program, that were simulated."""
    unrouted: Count
    """Those that were left out, as they have no route."""
    inside_hosts: Count
    """Messages of a program between ranks of one host."""
    through: Count
    """Phases in which all its messages arrived."""
    payload: Count
    """Bytes that arrived."""
    latency: MessageLatency
    """Of its messages."""
    times: list[float]
    """By phase: when its last message arrived [s]."""
    bandwidth: WorkloadBandwidth | UnsetType = UNSET
    """Left out where there is none, as in open loads."""
    ranks: Count | UnsetType = UNSET
    """Ranks; programs only."""
    each_phase: SimulatedPhases | UnsetType = UNSET
    """Phase by phase; programs only."""


class SimulatedLink(Row, frozen=True):
    """A busy link."""

    link: Link
    """Its sending and its receiving port."""
    busy: Fraction
    """The fraction of the time in which it sent."""
    without_credits: Fraction
    """The fraction of the time in which it had a packet and no credits."""
    bytes: Count
    """What it carried."""


class LinkOverTime(Row, frozen=True):
    """A link, interval by interval."""

    link: Link
    """Its sending and its receiving port."""
    busy: list[float]
    """The fraction of each interval in which it sent."""


class UtilisationOverTime(Row, frozen=True, kw_only=True):
    """Links over time."""

    interval: float
    """The length of an interval [s]."""
    intervals: list[Count]
    """For each phase the index after its last interval."""
    cut: bool
    """Whether later intervals were left out."""
    links: list[LinkOverTime] | UnsetType = UNSET
    """Link by link; up to a million numbers."""


class SimulateDocument(FabricReading, frozen=True, tag="lacis.simulate/1", kw_only=True):
    """`lacis simulate FABRIC --traffic TRAFFIC --json`: what messages get, packet by packet. Times in seconds, rates in bytes/s."""

    model: Literal["packet"]
    """The model."""
    traffic: str
    """The pattern or program as typed."""
    patterns: Count
    """Random patterns."""
    seed: Count
    """Of random patterns and random choices."""
    bytes: Count
    """The size of a message, or of what a program derives its messages from."""
    test: TestName
    """The test of a pattern."""
    count: Count
    """Messages of a flow."""
    window: Count
    """Messages of a window."""
    load: float
    """The load that is offered, relative to the host link."""
    duration: float
    """How long a load goes on [s]."""
    sl: Count
    """The service level."""
    ranks_per_host: Count
    """Ranks of a program on each host."""
    local_rate: float
    """*Assumed* rate of all messages inside a host together [bytes/s]."""
    device: str
    """The device whose constants are *assumed*."""
    mtu: Count | None
    """The MTU [bytes]; null, here and below: the device's value."""
    buffer: Count | None
    """The buffer of a port and lane [bytes]."""
    queues: Annotated[str, one_of("fifo", "virtual")] | None
    """How packets wait in a buffer."""
    switch_latency: float | None
    """The time that a header takes through a switch [s]."""
    cable_length: float | None
    """The length of all cables [m]."""
    host_efficiency: Fraction | None
    """The fraction of their links that hosts use."""
    adaptive: Annotated[str, one_of("off", "least", "two", "omni-path")]
    """How switches choose among ports."""
    ar_algorithm: Count | None
    """Omni-Path's Algorithm."""
    ar_threshold: Count | None
    """Omni-Path's Threshold."""
    ar_frequency: Count | None
    """Omni-Path's ARFrequency."""
    ar_period: float | None
    """The time between adjustments at ARFrequency 0 [s]."""
    lost_route_only: bool
    """Omni-Path's LostRouteOnly."""
    opafm: str | None
    """The `opafm.xml` that adaptive routing is taken from."""
    cuts: list[tuple[str, float]]
    """Cables to cut, as selectors, and when [s]."""
    lanes: Lanes | None
    """Lanes of every link; null: as many as are needed."""
    sl2vl: list[Count] | None
    """The lane of each service level; null: its own number."""
    vlarb_high: Arbitration
    """Lanes and weights of high priority."""
    vlarb_low: Arbitration
    """Lanes and weights of low priority."""
    high_limit: Count
    """Units of 4096 bytes of high priority before a packet of low; 255: no limit."""
    preempt: bool
    """Whether packets of high priority interrupt others."""
    congestion_control: dict[Parameter, float] | None
    """Parameters of congestion control; null: there is none."""
    multipath: Annotated[str, one_of("none", "by-message", "by-peer", "by-hash")]
    """How messages choose among a receiver's LIDs."""
    circles: bool
    """Whether a deadlock is looked for."""
    hop_limit: Count
    """Links that a packet may cross."""
    interval: float | None
    """The interval of `utilisation` [s]."""
    striping: Annotated[str, one_of("psm2", "ucx")] | None
    """The library that spreads messages over rails, where one does."""
    also: list[WorkloadBeside]
    """Workloads at the same time."""
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
    """Hosts in the main traffic."""
    hosts_by_group: dict[HostGroup, Count]
    """The number of the hosts in each group."""
    unknown: Count
    """Adapters in the traffic whose host nothing shows: each takes part by itself, and counts as no host."""
    ports: Count
    """Ports in the main traffic."""
    file: str | None
    """The file with all messages."""
    partial: bool
    """Whether it was interrupted."""
    phases: Count
    """Phases simulated to their end; a program is one."""
    flows: Count
    """Flows of patterns and messages of programs that were simulated."""
    unrouted: Count
    """Those that were left out, as they have no route."""
    times: list[float]
    """By phase: when the last message arrived."""
    simulated: float
    """The time simulated, all phases together."""
    payload: Count
    """Bytes that arrived."""
    packets: PacketCounts
    """Packets."""
    latency: MessageLatency
    """Of messages."""
    waited: PacketWaiting
    """Where packets waited."""
    events: Count
    """Events of the simulation."""
    hops: Count
    """Links crossed by packets."""
    marked: Count
    """Packets marked by congestion control."""
    cables_cut: list[CutCable]
    """Cables cut, as asked for by `--cut`."""
    moved: MovedLids
    """LIDs that switches moved."""
    deadlock: DeadlockFound | None
    """Where it ended in one."""
    bandwidth: MeanBandwidth | UnsetType = UNSET
    """Of all flows; left out where there are none, as in open loads."""
    workloads: list[SimulatedWorkload]
    """The main traffic, then those of `also`."""
    busiest: list[SimulatedLink]
    """The busiest links."""
    utilisation: UtilisationOverTime | UnsetType = UNSET
    """Where asked for."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
