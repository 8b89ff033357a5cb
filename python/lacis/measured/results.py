"""Results in memory: one table of one schema, and what is known about the run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..documents.results import InputFile, TestCounts
from ..errors import LacisError, needing
from ..facts.words import noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

PROVENANCES = ("measured", "modelled", "assumed")
UNITS = ("s", "bytes/s", "messages/s", "bytes", "ratio")

COLUMNS = {
    "test": "name of the test: the program's, or a model's",
    "what": "what is measured: latency, bandwidth, message rate, time …",
    "source": "host that sends; null where the value is of all hosts, or only ranks are known",
    "destination": "host that receives",
    "bytes": "of a message; null where that is meaningless",
    "repeat": "which one of several values of the same kind, from 0",
    "round": "values of one test, size and `what` that were measured at the same time have one number; null where unknown",
    "value": "in `unit`; finite and more than 0",
    "unit": "s, bytes/s, messages/s, bytes, or ratio: of one value to another, more being worse",
    "statistic": "of the test's own repeats: sample, mean, median, min, max, p99 …",
    "class": "of the pair: same node, same leaf, different leaves; null where unknown",
    "ranks": "how many took part; null where unknown",
    "source_rank": "MPI rank that sends; null where unknown",
    "destination_rank": "MPI rank that receives",
    "provenance": "measured, modelled or assumed",
    "file": "that the value was read from; null where it is of none",
    "began": "when measuring the value with all its repeats began, UTC, by the clock of rank 0; null where unknown",
    "ended": "when it had ended; null where unknown",
    "sent": "bytes that the source sent the destination from `began` to `ended`, warm-ups too; null where unknown",
}
"""The columns of every table of results, and what they hold."""

MEASURE = ("test", "what", "unit", "statistic", "bytes")
"""The columns that values of one measure share."""
KEY = (*MEASURE, "ranks")
"""The columns that two values must share to be compared."""


@dataclass(frozen=True)
class Measure:
    """What values are of.

    Attributes:
        test: the program's name for it.
        what: what is measured: bandwidth, latency.
        unit: of `UNITS`.
        statistic: of the test's own repeats.
        bytes: of a message, or none.
    """

    test: str
    what: str
    unit: str
    statistic: str
    bytes: int | None


def polars() -> Any:
    """The module polars.

    Raises:
        MissingPackageError: when it is not installed.
    """
    with needing("results need polars", "'lacis[results]'"):
        import polars as pl
    return pl


def schema() -> dict[str, Any]:
    """Types of the columns, as polars has them."""
    pl = polars()
    # Columns with few different texts are stored as numbers, in half the time; readers see texts.
    words = dict.fromkeys(
        ("test", "what", "unit", "statistic", "class", "provenance", "file"), pl.Categorical
    )
    types = words | {
        "bytes": pl.UInt64,
        "repeat": pl.UInt32,
        "round": pl.UInt32,
        "value": pl.Float64,
        "ranks": pl.UInt32,
        "source_rank": pl.UInt32,
        "destination_rank": pl.UInt32,
        "began": pl.Datetime("us", "UTC"),
        "ended": pl.Datetime("us", "UTC"),
        "sent": pl.UInt64,
    }
    return {name: types.get(name, pl.String) for name in COLUMNS}


@dataclass(frozen=True)
class Note:
    """A remark on an input.

    Attributes:
        source: the file.
        line: the first line that it concerns, from 1.
        count: how many lines it concerns.
        text: in words, with the line.
    """

    source: str
    line: int
    count: int
    text: str

    def __str__(self) -> str:
        return f"{self.source}: {self.text}"


@dataclass(frozen=True)
class Results:
    """Values and what is known about them.

    Attributes:
        frame: the columns of `COLUMNS`, a row a value.
        formats: names of the formats that were read.
        facts: of the run, from the inputs.
        notes: what was left out, and why.
        files: the inputs.
        tests: what was measured.
    """

    frame: pl.DataFrame
    formats: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[Note] = ()
    files: Sequence[InputFile] = ()
    tests: Sequence[TestCounts] = ()

    def __repr__(self) -> str:
        tests = ", ".join(list(dict.fromkeys(one.test for one in self.tests))[:5])
        return f"<lacis.measured.Results: {self.frame.height:,} values of {tests}>"

    def hosts(self) -> list[str]:
        """Names of the hosts, in the order of their first values."""
        pl = polars()
        both = pl.concat(
            [
                self.frame["source"].unique(maintain_order=True),
                self.frame["destination"].unique(maintain_order=True),
            ]
        )
        return list(both.drop_nulls().unique(maintain_order=True))

    def with_facts(self, facts: Mapping[str, str]) -> Results:
        """Return the values with other facts."""
        return replace(self, facts=facts)

    def with_frame(self, frame: pl.DataFrame) -> Results:
        """Return the values with other ends or classes."""
        return replace(self, frame=frame)


def checked(frame: pl.DataFrame) -> pl.DataFrame:
    """A table with the columns of the schema in their order and types; those that lack are null.

    Raises:
        LacisError: when a column is unknown, a value is missing, or a unit or provenance is unknown.
    """
    pl = polars()
    types = schema()
    unknown = [name for name in frame.columns if name not in types]
    if unknown:
        raise LacisError(f"results have no column {unknown[0]!r} (columns: {', '.join(types)})")
    lacking = [name for name in ("test", "value", "unit", "provenance") if name not in frame.columns]
    if lacking:
        raise LacisError(f"results need a column {lacking[0]!r}")
    defaults: dict[str, object] = {"repeat": 0, "statistic": "mean", "what": "value"}
    try:
        frame = frame.select(
            (pl.col(name) if name in frame.columns else pl.lit(defaults.get(name))).cast(kind).alias(name)
            for name, kind in types.items()
        )
    except pl.exceptions.PolarsError as error:
        raise LacisError(f"results of other types: {str(error).splitlines()[0]}") from None
    for name, known in (("unit", UNITS), ("provenance", PROVENANCES)):
        other = frame[name].unique().to_list()
        wrong = [value for value in other if value not in known]
        if wrong:
            raise LacisError(f"{wrong[0]!r} is no {name} ({', '.join(known)})")
    bad = frame.filter(
        ~pl.col("value").is_finite() | pl.col("value").is_null() | (pl.col("value") <= 0)
    ).height
    if bad:
        raise LacisError(
            f"{bad:,} {noun(bad, 'value is no finite number', 'values are no finite numbers')} above 0"
        )
    return frame


def together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Values of several runs in one table, with their rounds numbered consecutively, as runs are not simultaneous."""
    pl = polars()
    first, moved = 0, []
    for frame in frames:
        last: Any = frame["round"].max()
        moved.append(frame.with_columns(pl.col("round") + pl.lit(first, dtype=pl.UInt32)) if first else frame)
        first += 0 if last is None else int(last) + 1
    return pl.concat(moved)  # type: ignore[no-any-return]


def modelled(
    columns: Mapping[str, Any], *, provenance: str = "modelled", facts: Mapping[str, str] | None = None
) -> Results:
    """Results of a model, or of anything that has columns: `test`, `value` and `unit` at least.

    Raises:
        LacisError: when a column is unknown or of another type.
    """
    pl = polars()
    frame = pl.DataFrame(dict(columns)).with_columns(provenance=pl.lit(provenance))
    frame = checked(frame)
    return Results(frame, ("lacis",), dict(facts or {}), tests=tests_of(frame))


def tests_of(frame: pl.DataFrame) -> list[TestCounts]:
    """What was measured, test by test."""
    pl = polars()
    grouped = frame.group_by("test", "what", "unit", maintain_order=True).agg(
        pl.len().alias("values"), pl.col("bytes").min().alias("least"), pl.col("bytes").max().alias("most")
    )
    return [TestCounts(**row) for row in grouped.iter_rows(named=True)]
