"""The document of `lacis job`: the hosts of a job, the links they share, and what they get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.job import JobRemark
from .base import Amount, Count, FabricReading, Fraction, Modelled, Positive, Row, one_of
from .common import OpensmConf


class JobLeaf(Row, frozen=True):
    """A leaf switch and the job's hosts on it."""

    name: str
    """The switch."""
    hosts: Annotated[list[str], Meta(min_length=1)]
    """The job's hosts on it."""


class JobRail(Row, frozen=True):
    """The job on one rail."""

    rail: Positive
    """From 1."""
    hosts: Positive
    """Hosts with an adapter on it."""
    without: list[str]
    """Hosts that lack one."""
    leaves: list[JobLeaf]
    """Leaves with hosts, in the order of the fabric."""
    spines: list[str]
    """The other switches on paths between the hosts."""
    links: Count
    """Directed links between switches on those paths."""


class JobLink(Row, frozen=True):
    """A link between switches that flows of the job share."""

    rail: Positive
    """From 1."""
    egress: str
    """The port that it leaves."""
    ingress: str
    """The port that it enters."""
    pairs: Positive
    """Ordered pairs of hosts whose path crosses it."""
    flows: Annotated[list[tuple[str, str]], Meta(min_length=2)]
    """As many of them as can be in flight at a time, no host twice: sender and receiver."""


class JobBandwidth(Row, frozen=True):
    """What the job gets alone."""

    what: Annotated[str, one_of("shifts", "worst shift", "all-to-all", "ring", "nccl-ring", "nccl-tree")]
    """The traffic."""
    counted: str
    """What the numbers are."""
    static: Amount | None
    """By the tables [bytes/s]; null where some message has no route."""
    adaptive: Amount | None
    """With packets spread evenly over all shortest paths [bytes/s]; null where that cannot be computed."""


class ShiftsTried(Row, frozen=True):
    """Distances of shifts."""

    looked_at: Count
    """Distances that were tried, …"""
    of: Count
    """… of so many."""


class MeetingLink(Row, frozen=True):
    """A link that two jobs use."""

    rail: Positive
    """From 1."""
    egress: str
    """The port that it leaves."""
    ingress: str
    """The port that it enters."""
    own_pairs: Count
    """Pairs of this job that cross it."""
    other_pairs: Count
    """Pairs of the other job that cross it."""


class JobMeeting(Row, frozen=True):
    """Another job, and how the two slow each other, by the static tables."""

    name: str
    """The other job, as given."""
    hosts: Count
    """How many it has."""
    common: Sequence[str]
    """Hosts that are in both."""
    links: Count
    """Directed links between switches that both use."""
    worst: list[MeetingLink]
    """The links that both use most."""
    alone: Amount
    """Mean rate of a flow over the shifts of this job [bytes/s]."""
    together: Amount
    """The same while the other shifts too [bytes/s]."""
    worst_alone: Amount
    """Of the shift that loses most, alone [bytes/s]."""
    worst_together: Amount
    """The same beside the other [bytes/s]."""
    slower: Fraction
    """The share of flows that get less beside the other."""
    slowdown: Amount | None
    """`alone` over `together`; null where nothing is left."""


class JobDocument(FabricReading, frozen=True, tag="lacis.job/1", rename={"beside": "with"}, kw_only=True):
    """`lacis job FABRIC HOSTS --json`: which links flows of a job share, and what that costs. Bandwidths are bytes per second, modelled."""

    provenance: Modelled
    """How bandwidths are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    adaptive: str
    """The model of adaptive routing."""
    hosts: Annotated[Sequence[str], Meta(min_length=1)]
    """In the order of ranks."""
    rails: list[JobRail]
    """Rail by rail."""
    shared: list[JobLink]
    """Links that flows share, worst first."""
    bandwidths: list[JobBandwidth]
    """What the job gets alone."""
    notes: list[str]
    """What was assumed or left out, in words."""
    remarks: Sequence[JobRemark]
    """The notes, as facts."""
    shifts: ShiftsTried
    """The distances that were tried."""
    beside: list[str]
    """Other jobs, as typed."""
    meetings: list[JobMeeting]
    """One for each other job, and one for all where there are several."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
