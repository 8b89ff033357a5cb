"""The document of `lacis opafm`: what an `opafm.xml` says, and what a change of it does."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ..facts.found.settings import SettingFinding
from .base import Amount, Count, Document, Modelled, Positive, Row


class AdaptiveSettings(Row, frozen=True):
    """Adaptive routing as it holds for an instance of the manager."""

    enable: bool
    """Whether switches move routes."""
    lost_route_only: bool
    """Whether only for lost links."""
    algorithm: Annotated[int, Meta(ge=0, le=2)]
    """0 Random, 1 Greedy, 2 GreedyRandom."""
    frequency: Annotated[int, Meta(ge=0, le=7)]
    """At most once in 64 ms × 2^n."""
    threshold: Annotated[int, Meta(ge=0, le=7)]
    """The greater, the sooner a port counts as congested."""
    fine_grained: bool
    """Whether newer switches choose a port for each packet."""
    words: list[str]
    """What it means, in sentences."""


class OpafmFile(Row, frozen=True):
    """A file, and what it says."""

    file: str
    """The file, as typed."""
    instances: Count
    """Instances of the manager."""
    routing_algorithm: str
    """The engine."""
    adaptive_routing: AdaptiveSettings
    """Adaptive routing of the instance."""
    findings: list[SettingFinding]
    """What is wrong with it."""


class SettingChange(Row, frozen=True):
    """A value that differs between two files."""

    path: str
    """The element."""
    old: str | None
    """Its value in the first; null where it is missing."""
    new: str | None
    """Its value in the second; null where it is missing."""


class SeedMean(Row, frozen=True):
    """A mean over seeds."""

    mean: float
    """The mean."""
    margin: Amount | None
    """Half of its 95 % interval; null with one seed."""


class TrafficFigures(Row, frozen=True):
    """What traffic gets."""

    total: SeedMean
    """Bandwidth of all flows together: bytes over time [bytes/s]."""
    mean: SeedMean
    """Bandwidth of a flow [bytes/s]."""
    least: SeedMean
    """The least of a flow [bytes/s]."""
    time: SeedMean
    """Time of a run [s]."""
    moved: SeedMean
    """LIDs that switches moved."""


class OpafmWhatif(Row, frozen=True):
    """What a change of adaptive routing does to traffic, packet by packet."""

    provenance: Modelled
    """How figures are known."""
    fabric: str
    """The fabric, as typed."""
    traffic: str
    """The traffic, as typed."""
    engine_used: str
    """The engine that made the tables; that of a file is `file`."""
    tables: str | None
    """The file that the tables were read from; null where the engine made them."""
    device: str
    """The device simulated."""
    seeds: Positive
    """Runs of each file."""
    period: float
    """Between adjustments at ARFrequency 0 [s]."""
    period_assumed: bool
    """Whether that is assumed."""
    before: TrafficFigures
    """With the settings of the first file."""
    after: TrafficFigures
    """With those of the second."""
    change: TrafficFigures
    """After less before, run by run."""
    discarded: tuple[Count, Count]
    """Packets discarded before and after."""
    deadlocks: tuple[Count, Count]
    """Runs in deadlock before and after."""


class OpafmDocument(Document, frozen=True, tag="lacis.opafm/1"):
    """`lacis opafm … --json`: what configurations of Omni-Path's manager say, and how they differ."""

    files: Annotated[list[OpafmFile], Meta(max_length=2)]
    """One or two; none with `--emit`."""
    instance: Count
    """The instance whose settings are given, from 0."""
    changes: list[SettingChange] | None
    """With two files, the values that differ."""
    whatif: OpafmWhatif | None
    """With `--fabric`: what the change does."""
    block: str | None
    """With `--emit`: the block to paste."""
