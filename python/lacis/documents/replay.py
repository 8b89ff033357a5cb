"""The document of `lacis replay`: a trace of jobs under four rules of choosing nodes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from ..facts.allocation import AllocationRemark
from .base import Amount, Count, FabricReading, Fraction, Modelled, Positive, Row
from .common import OpensmConf
from .fit import Pattern, Rule


class MeanInterval(Row, frozen=True):
    """A mean over seeds, and the interval that has the true mean with 95 % (Student's t)."""

    mean: Amount
    """Of the seeds."""
    low: float
    """Where the interval begins; the mean for one seed."""
    high: float
    """Where it ends."""


class ReplayPolicy(Row, frozen=True):
    """What a rule makes of the trace."""

    rule: Rule
    """By which nodes are taken."""
    wait: MeanInterval
    """Mean wait of a job [s]."""
    utilisation: MeanInterval
    """Node-seconds in use, as part of those until the last job ends."""
    slowdown: MeanInterval
    """How many times as long jobs run as with nothing to slow them down, by node-seconds."""
    makespan: MeanInterval
    """From the first submission to the last end [s]."""


class ReplayDocument(FabricReading, frozen=True, tag="lacis.replay/1", kw_only=True):
    """`lacis replay FABRIC --json`: a trace of jobs under four rules of choosing nodes, first come, first served with EASY backfill."""

    provenance: Modelled
    """How the results are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    trace: str | None
    """The file of the trace; null for the one that comes with Lacis."""
    jobs: Positive
    """Jobs that were replayed."""
    unknown: Count
    """Jobs that were left out, as their run time, processors or submission is unknown."""
    too_large: Count
    """Jobs that were left out, as the machine has too few nodes."""
    cores: Positive
    """Processors that were taken for a node."""
    nodes: Positive
    """Of the machine."""
    share: Fraction
    """The mean part of its run time that a job sends for; each job's is drawn between 0 and twice that."""
    seeds: Sequence[Count]
    """Of those parts, the same for every rule."""
    pattern: Pattern
    """What jobs send."""
    policies: list[ReplayPolicy]
    """By rule."""
    notes: list[str]
    """What is to be known about it, in words."""
    remarks: Sequence[AllocationRemark]
    """The notes, as facts."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
