"""Rows of what the packet model finds: counts, latencies, bandwidths, links and how they are used."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from .base import Amount, ByteRate, Count, Fraction, Link, Row


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
