"""Documents of `lacis measure`: what was measured, and which rounds to measure."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from .base import Document, FabricReading, Modelled, Row, one_of
from .common import AssumedRates, OpensmConf

Measured = Literal["measured"]


class TestProgress(Row, frozen=True):
    """How far a test came."""

    test: str
    """The test."""
    rounds: int
    """Rounds begun, …"""
    of: int
    """… of so many."""
    complete: bool
    """Whether it was completed."""


class FigureRow(Row, frozen=True):
    """A figure of a run."""

    test: str
    """The test."""
    what: str
    """What was measured."""
    pairs: str | None
    """A class of pairs, `overall`, `all together`, or the congestors beside them."""
    bytes: int | None
    """Size of messages."""
    unit: Annotated[str, one_of("s", "bytes/s", "messages/s")]
    """Of the figures."""
    count: int
    """How many values."""
    min: float | None
    """The least."""
    mean: float | None
    """The mean."""
    median: float | None
    """The median."""
    max: float | None
    """The greatest; of congestion the 99th percentile."""


class MeasureDocument(FabricReading, frozen=True, tag="lacis.measure-test/1"):
    """`lacis measure TEST --json`: what was measured. The records themselves are described in [lacis-mpi](mpi.md)."""

    provenance: Measured
    """How figures are known."""
    line: list[str]
    """The launch line."""
    files: list[str]
    """Files written for it."""
    output: str
    """The file of records."""
    complete: bool | None
    """Whether every test was completed; null for a dry run."""
    torn: bool
    """Whether the last line of the file is cut off."""
    tests: list[TestProgress]
    """How far each test came."""
    rows: list[FigureRow]
    """The figures."""
    remarks: list[str]
    """What was left out."""
    kept: str | None
    """The id of its run in the store; null with `--no-save`, and where there was nothing to keep."""


class MeasureShowDocument(Document, frozen=True, tag="lacis.measure-show/1"):
    """`lacis measure show FILE --json`: what a file of records says."""

    provenance: Measured
    """How figures are known."""
    file: str
    """The file."""
    complete: bool
    """Whether every test was completed."""
    torn: bool
    """Whether the last line of the file is cut off."""
    tests: list[TestProgress]
    """How far each test came."""
    rows: list[FigureRow]
    """The figures."""
    remarks: list[str]
    """What was left out."""


class PlannedRound(Row, frozen=True):
    """Flows at the same time; every host sends and receives one at most."""

    kind: str
    """How it is made."""
    flows: list[tuple[str, str]]
    """Sender and receiver."""
    contention: int
    """The most of them on one link."""
    classes: int
    """Classes of links that are distinguished once it is measured."""
    seconds: float
    """What it takes at most; estimated."""


class InseparableLinks(Row, frozen=True):
    """Links that the rounds do not distinguish."""

    links: list[tuple[str, str | None]]
    """Each with both ends."""
    can_be_split: bool
    """Whether other pairs of hosts would distinguish them."""


class MeasurePlanDocument(FabricReading, frozen=True, tag="lacis.measure-plan/1", kw_only=True):
    """`lacis measure plan FABRIC --json`: rounds to measure so that links can be distinguished. Classes are counted under the tables, seconds estimated."""

    provenance: Modelled
    """How figures are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    tables: str | None
    """Where the tables were read from."""
    rounds: list[PlannedRound]
    """Those of `--given` first."""
    given: int
    """How many come from `--given`."""
    suspects: int
    """Directed links that a flow of some pair crosses."""
    finest: int
    """Classes that flows of all pairs can distinguish."""
    classes: int
    """Classes that the rounds distinguish."""
    inseparable: list[InseparableLinks]
    """Classes of more than one link."""
    uncrossed: int
    """Suspects that no round crosses."""
    least_crossings: int
    """The fewest flows over a suspect."""
    unrouted: int
    """Pairs of hosts without a route."""
    seconds: float
    """What all rounds but the given take at most; estimated."""
    assumed_rates: AssumedRates | None
    """Links of unknown rate, and the rate assumed."""
    skipped: list[str]
    """Adapters without a host's name, which no launcher finds."""
    file: str | None
    """The file written."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
