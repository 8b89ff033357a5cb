"""The document of `lacis simulate`: what messages get, packet by packet."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from .base import Count, FabricReading, Fraction, HostGroup, Row, one_of
from .common import OpensmConf
from .packets import (
    CutCable,
    DeadlockFound,
    MeanBandwidth,
    MessageLatency,
    MovedLids,
    PacketCounts,
    PacketWaiting,
    SimulatedLink,
    SimulatedWorkload,
    UtilisationOverTime,
)
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
