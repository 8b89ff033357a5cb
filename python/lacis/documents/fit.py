"""The document of `lacis fit`: the best free nodes, and what other rules would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.allocation import AllocationRemark
from .base import Amount, Count, FabricReading, Modelled, Positive, Row, one_of
from .common import OpensmConf
from .job import ShiftsTried

Rule = Annotated[str, one_of("lacis", "slurm", "first", "contiguous")]
"""By which nodes are taken."""
Pattern = Annotated[str, one_of("shifts", "ring", "doubling")]
"""What a job sends."""


class AllocationRates(Row, frozen=True):
    """The slowest flow of shifts [bytes/s]; 0 where one has no path."""

    worst: Amount
    """In the worst shift, alone."""
    mean: Amount
    """Over the shifts, alone."""
    worst_beside: Amount
    """In the worst shift, while the running jobs send what they send on average."""
    mean_beside: Amount
    """Over the shifts, the same."""


class FitChoice(Row, frozen=True):
    """The nodes that a rule takes."""

    rule: Rule
    """`lacis` for the best ones found, `slurm` for Slurm's tree, `first` for the first free ones, `contiguous` for the tightest gap."""
    hosts: Sequence[str]
    """In natural order; empty where the rule finds none."""
    groups: Count
    """Leaf groups that they are in."""
    rates: AllocationRates | None
    """What they get; null where the rule finds none."""


class FitWaiting(Row, frozen=True):
    """Which jobs must end before some nodes have a bandwidth."""

    nodes: Positive
    """How many."""
    wanted: Amount
    """The worst shift that they are to have, alone [bytes/s]."""
    jobs: Sequence[str]
    """Those that must end, in the order in which they do."""
    seconds: Amount | None
    """Until the last of them is at its limit; null where a limit is unknown."""
    reached: Amount | None
    """The worst shift that the nodes then have [bytes/s]; null where even the empty machine has less."""
    hosts: Sequence[str]
    """The nodes, in natural order."""


class FitDocument(FabricReading, frozen=True, tag="lacis.fit/1", kw_only=True):
    """`lacis fit FABRIC --json`: the best free nodes for a job. Bandwidths are bytes per second, modelled."""

    provenance: Modelled
    """How bandwidths are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    nodes: Positive | None
    """How many were asked for; null with `--how-long` alone."""
    free: Count
    """How many are free."""
    of: Positive
    """How many the machine has."""
    groups: Count
    """Leaf groups of the machine."""
    jobs: Count
    """Jobs that run beside."""
    pattern: Pattern
    """What the job is taken to send."""
    shifts: ShiftsTried
    """The distances that were tried."""
    fastest: Amount
    """The rate of the slowest host's port, which no flow exceeds."""
    choices: Annotated[list[FitChoice], Meta(max_length=4)]
    """The best first, then those of other rules."""
    slurm: str | None
    """The options of `salloc`, `sbatch` or `srun` that ask for the best; null without, and where its hosts do not reach each other."""
    waiting: FitWaiting | UnsetType = UNSET
    """With `--how-long`."""
    notes: list[str]
    """What is to be known about it, in words."""
    remarks: Sequence[AllocationRemark]
    """The notes, as facts."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
