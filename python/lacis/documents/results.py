"""Documents about kept results: `lacis results`, and the file `run.json` of a run."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from .base import Count, Document, FabricReading, KeptRow, Row, one_of

Unit = Annotated[str, one_of("s", "bytes/s", "messages/s", "bytes", "ratio")]
TimeSource = Annotated[str, one_of("given", "told", "kept")]
ValueProvenance = Annotated[str, one_of("measured", "modelled", "assumed")]


class TestCounts(KeptRow, frozen=True):
    """What was measured in one test."""

    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Unit
    """Of its values."""
    values: Count
    """How many there are."""
    least: Count | None
    """The smallest message [bytes]."""
    most: Count | None
    """The largest [bytes]."""


class NoteRow(KeptRow, frozen=True):
    """A remark on an input."""

    source: str
    """The input."""
    line: Count
    """Its first line that it is about; 0: the whole."""
    count: Count
    """How many lines it is about."""
    text: str
    """The remark."""


class FabricFacts(KeptRow, frozen=True):
    """What a run says of its fabric."""

    source: str
    """The file, or the name of a synthetic fabric; with the options that changed it."""
    sha256: str
    """Hash of the file, of the name of a synthetic fabric, or of a changed fabric as JSON."""
    hosts: Count
    """Its hosts."""


class InputFile(KeptRow, frozen=True):
    """A file that was read."""

    name: str
    """Its name."""
    bytes: Count
    """Its size."""
    sha256: str
    """Its hash."""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """What it says otherwise than other files of the run: the hosts of its ranks."""


class TableFile(KeptRow, frozen=True):
    """The file of values."""

    name: str
    """Its name."""
    bytes: Count
    """Its size."""
    sha256: str | None = None
    """Its hash; null in runs that earlier versions kept."""


class RunManifest(Document, frozen=True, tag="lacis.run/1", forbid_unknown_fields=False):
    """The file `run.json` of a run in the store."""

    id: str
    """The name of its folder."""
    name: str
    """As its user calls it."""
    time: str
    """When it was measured: ISO 8601, UTC."""
    time_source: TimeSource
    """`given` as an option; `told`: in the file; `kept`: the time of the import."""
    kept: str
    """When it was kept: ISO 8601, UTC."""
    lacis: str
    """The version of Lacis."""
    provenance: list[ValueProvenance]
    """Of its values."""
    values: Count
    """How many values it has."""
    hosts: Count
    """Hosts between which they were measured."""
    tests: list[TestCounts]
    """Test by test."""
    tags: dict[str, str]
    """Given by its user."""
    fabric: FabricFacts | None
    """The fabric, where one was given."""
    formats: list[str]
    """Of the files that were read."""
    files: list[InputFile]
    """The files that were read."""
    facts: dict[str, str]
    """Read from the files."""
    notes: list[NoteRow]
    """Remarks on the inputs."""
    table: TableFile
    """The file of its values."""


class RunRow(Row, frozen=True):
    """A run that is kept."""

    id: str
    """The name of its folder."""
    path: str
    """Its folder."""
    name: str
    """As its user calls it."""
    time: str
    """When it was measured: ISO 8601, UTC."""
    time_source: TimeSource
    """`given` as an option; `told`: in the file; `kept`: the time of the import."""
    kept: str
    """When it was kept: ISO 8601, UTC."""
    provenance: list[ValueProvenance]
    """Of its values."""
    values: Count
    """How many values it has."""
    hosts: Count
    """Hosts between which they were measured."""
    tests: list[TestCounts]
    """Test by test."""
    tags: dict[str, str]
    """Given by its user."""
    formats: list[str]
    """Of the files that were read."""
    facts: dict[str, str]
    """Read from the files."""
    notes: list[NoteRow]
    """Remarks on the inputs."""


class NamingRow(Row, frozen=True):
    """How names of results and of a fabric agree."""

    found: Count
    """Hosts that the fabric has by that name."""
    proposed: dict[str, str]
    """Other names, each with the only host of the fabric that it can mean."""
    absent: list[str]
    """Names without a similar one in the fabric."""
    unmeasured: list[str]
    """Hosts of the fabric without a result."""


class ImportDocument(FabricReading, frozen=True, tag="lacis.results-import/1"):
    """`lacis results import FILE… --json`: the run that was kept."""

    run: RunRow
    """The run."""
    naming: NamingRow | None
    """How its names agree with those of the fabric; null without `--fabric`."""


class BrokenRun(Row, frozen=True):
    """A folder that holds no whole run."""

    id: str
    """Its name."""
    path: str
    """The folder."""
    reason: str
    """What is wrong with it."""


class ListDocument(Document, frozen=True, tag="lacis.results-list/1"):
    """`lacis results list --json`: the runs that are kept."""

    store: str
    """The folder of runs."""
    runs: list[RunRow]
    """Oldest first."""
    broken: list[BrokenRun]
    """Folders that hold no whole run."""


class TestSummary(Row, frozen=True, rename={"class_": "class"}, kw_only=True):
    """One test of a run, in the unit."""

    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Unit
    """Of its values."""
    statistic: str
    """Of repeats: `sample`, `mean`, `min` …"""
    bytes: Count | None
    """Size of messages."""
    ranks: Count | None
    """Ranks that took part."""
    class_: Literal["same node", "same leaf", "different leaves", None] | UnsetType = UNSET
    """With `--by-class`: the class of its pairs."""
    values: Count
    """How many values."""
    pairs: Count
    """Between how many pairs."""
    min: float
    """The least."""
    median: float
    """The median."""
    p99: float
    """The 99th percentile."""
    max: float
    """The greatest."""
    provenance: list[ValueProvenance]
    """Of the values."""


class ShowDocument(Document, frozen=True, tag="lacis.results-show/1"):
    """`lacis results show RUN|FILE… --json`: what runs and files measured, test by test."""

    runs: list[RunRow]
    """The runs."""
    tests: list[TestSummary]
    """Their tests."""
    files: list[InputFile]
    """Files that were read and not kept."""
    notes: list[NoteRow]
    """Remarks on these files."""


class ChangedPair(Row, frozen=True):
    """A pair of hosts that changed apart from the rest."""

    source: str
    """The host that sends, or its rank."""
    destination: str
    """The other."""
    before: float
    """The median before."""
    after: float
    """The median after."""
    ratio: float
    """After ÷ before, over that of the median pair."""


class ChangedHost(Row, frozen=True):
    """A host at least half of whose pairs changed apart from the rest, to the same side."""

    host: str
    """Its name, or its rank."""
    changed: Count
    """Pairs of it that did."""
    pairs: Count
    """All of its pairs."""


class ChangedPairs(Row, frozen=True):
    """Pairs of hosts that changed apart from the rest, which the median does not see."""

    worse: Count
    """Pairs that became worse."""
    better: Count
    """Pairs that became better."""
    p: float
    """The chance of so uneven numbers where disturbances are as often before as after, corrected for the number of tests."""
    verdict: Annotated[str, one_of("better", "worse", "no difference shown")]
    """What that means."""
    hosts: list[ChangedHost]
    """Hosts that the verdict is about, the most pairs first."""
    pairs: list[ChangedPair]
    """The pairs, the greatest change first."""


class Difference(Row, frozen=True):
    """One test before and after."""

    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Unit
    """Of its values."""
    statistic: str
    """Of repeats: `sample`, `mean`, `min` …"""
    bytes: Count | None
    """Size of messages."""
    ranks: Count | None
    """Ranks that took part."""
    before: float
    """The median before."""
    after: float
    """The median after."""
    ratio: float
    """After ÷ before."""
    low: float | None
    """The lower bound of its 95 % interval; null with too few repeats."""
    high: float | None
    """The upper bound."""
    samples: tuple[Count, Count]
    """Values before and after."""
    pairs: Count
    """Pairs of hosts, each compared with itself; 0 where samples were compared."""
    p: float | None
    """The chance of so large a difference where there is none, corrected for the number of tests."""
    verdict: Annotated[str, one_of("better", "worse", "no difference shown", "too few repeats")]
    """What that means."""
    changed_pairs: ChangedPairs | None = None
    """Pairs that changed apart from the rest; null where none did, or where samples were compared."""


class ResultsDiffDocument(Document, frozen=True, tag="lacis.results-diff/1"):
    """`lacis results diff BEFORE AFTER --json`: two runs, or two groups of runs, test by test."""

    before: str
    """As typed."""
    after: str
    """As typed."""
    least: float
    """Smaller relative differences are ignored."""
    tests: list[Difference]
    """Tests that both have."""
    only_before: Count
    """Tests that the other lacks."""
    only_after: Count
    """Tests that the other lacks."""


class HistoryPoint(Row, frozen=True):
    """A run's values of one test."""

    run: str
    """Its id."""
    name: str
    """As its user calls it."""
    time: str
    """When it was measured."""
    median: float
    """Of all values, of all pairs and repeats."""
    low: float | None
    """The lower bound of its 95 % interval; null with fewer than six values."""
    high: float | None
    """The upper bound."""
    values: Count
    """How many values."""


class HistoryDocument(Document, frozen=True, tag="lacis.results-history/1"):
    """`lacis results history TEST --json`: one test over time."""

    provenance: str
    """Of the values: measured, modelled, assumed, or several with commas between."""
    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Unit
    """Of its values."""
    statistic: str
    """Of repeats: `sample`, `mean`, `min` …"""
    bytes: Count | None
    """Size of messages."""
    points: list[HistoryPoint]
    """Oldest first."""
