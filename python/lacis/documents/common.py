"""Rows that documents of several commands have."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from ..facts.refusals import WhyNot
from .base import Amount, ByteRate, Count, Fraction, Positive, Row


class Refusal(Row, frozen=True):
    """An engine that refused, and why."""

    engine: str
    """Its name."""
    reason: str
    """What it cannot route."""
    subnet: str | None = None
    """The first switch of the subnet that it cannot route; null where there is one subnet."""
    fact: WhyNot | None = None
    """What `reason` says; null where an option is at fault, not the fabric."""


class ConfLine(Row, frozen=True):
    """A line of the given `opensm.conf`."""

    line: Positive
    """Its number, from 1."""
    key: str
    """The key, as written."""
    value: str
    """The value, as written."""


class OpensmConf(Row, frozen=True):
    """What Lacis does not use of the file that `--opensm-conf` names."""

    file: str
    """The file."""
    ignored: list[ConfLine]
    """Keys that say nothing about routing."""
    adaptive: list[ConfLine]
    """NVIDIA's keys about adaptive routing."""
    unknown: list[ConfLine]
    """Keys that OpenSM does not have."""


class RelativeBandwidth(Row, frozen=True):
    """Bandwidths of flows relative to what the host links carry; null where there is no flow."""

    mean: Fraction | None
    """The mean over the flows."""
    min: Fraction | None
    """The least of a flow."""
    max: Fraction | None
    """The greatest of a flow."""
    p01: Fraction | None
    """The 1st percentile."""
    p50: Fraction | None
    """The median."""
    p99: Fraction | None
    """The 99th percentile."""


class AssumedRates(Row, frozen=True):
    """Directed links that report no rate, and the rate that is assumed of them."""

    links: int
    """How many."""
    rate: str
    """The rate: `4xEDR`."""


class CollectiveBandwidth(Row, frozen=True):
    """Bandwidths of a collective, as nccl-tests define them."""

    algorithm: float
    """Bytes of a rank over the time of the collective [bytes/s]."""
    bus: float
    """The same, scaled to what a link carries [bytes/s]."""
    unit: ByteRate
    """Of both."""


class Entries(Row, frozen=True):
    """(switch, LID) entries of the tables of two states, of the switches that both have."""

    changed: Count
    """The sum of the next three."""
    rerouted: Count
    """Entries that lead to another port."""
    lost: Count
    """Entries that have no port now."""
    gained: Count
    """Entries that had no port before."""
    switches: Count
    """Switches with a changed entry."""
    compared: Count
    """All of them."""


class Shifts(Row, frozen=True):
    """What the shifts of the hosts that are left get."""

    distances: Count
    """Shifts that were tried."""
    worst_distance: Count | None
    """The distance of the worst one."""
    worst: Fraction | None
    """Mean relative bandwidth of the worst shift; null where no flow is left."""
    mean: Fraction | None
    """Mean relative bandwidth of all, flows without a route at 0."""
    max_contention: Count
    """The most flows on a link."""
    unrouted: Count
    """Flows without a route."""


class Intact(Row, frozen=True):
    """The fabric while nothing fails."""

    engine_used: str
    """The engine that made the tables."""
    refusals: list[Refusal]
    """Engines that refused before, in order."""
    pairs: Count
    """Ordered pairs of end ports."""
    delivered: Count
    """Pairs that the tables deliver."""
    shifts: Shifts | None
    """Shifts of the hosts; null where there are fewer than two."""


class Verdicts(Row, frozen=True):
    """Pairs by verdict; [what they mean](../explanation/verify.md)."""

    delivered: Count
    """The packet arrives."""
    no_entry: Count
    """A table has no port for it."""
    dead_port: Count
    """A table sends it to a port without a cable."""
    loop: Count
    """It passes a switch twice."""
    wrong_port: Count
    """It arrives at another port."""
    unknown_lid: Count
    """The destination has no LID."""


class Forced(Row, frozen=True, kw_only=True):
    """What some link must carry of all-to-all flows, whatever the tables."""

    flows: Count
    """The flows of the fullest link, at least."""
    why: str
    """Why, in words."""
    hosts: Count | UnsetType = UNSET
    """Where few cables around some switches force it: the end ports inside."""
    cables: Count | UnsetType = UNSET
    """The cables out of them."""
    switches: list[str] | UnsetType = UNSET
    """The switches inside that they leave."""


class LinkBalance(Row, frozen=True):
    """All-to-all flows on links between switches, per direction."""

    max: Count
    """Flows on the fullest one."""
    mean: Amount
    """The mean over all directions."""
    links: Count
    """Directions, used or not."""
    used: Count
    """Directions that carry a flow."""
    forced: Forced
    """What some link must carry whatever the tables."""
