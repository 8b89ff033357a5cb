"""`lacis results export`: values as a file of another kind, or as a matrix."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import LacisError
from .._units import Size
from ._shared import store_option

if TYPE_CHECKING:
    import polars as pl

_SIZE = Size(zero=True)
_KINDS = ("csv", "jsonl", "parquet")


@click.command("export", short_help="Write values as CSV, JSON lines or Parquet, or as a matrix.")
@click.argument("selector", metavar="RUN")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Its suffix says the kind: .csv, .jsonl, .parquet; `-` is CSV.",
)
@store_option
@click.option("--test", metavar="NAME", help="This test only.")
@click.option("--what", metavar="WORD", help="What is measured: latency, bandwidth.")
@click.option("--bytes", "size", type=_SIZE, metavar="SIZE", help="This size of messages only.")
@click.option(
    "--matrix",
    type=click.Choice(["median", "min", "max", "sum-of-bytes"]),
    help="A matrix of hosts as CSV instead: of values, or of all bytes that were sent.",
)
def command(
    selector: str,
    output: str,
    where: str,
    test: str | None,
    what: str | None,
    size: int | None,
    matrix: str | None,
) -> int:
    """Write the values of RUN to FILE, in SI units: seconds, bytes per second."""
    from ...io.files import write
    from ...measured import Store
    from ...measured.results import polars

    pl = polars()
    frame = Store(where).values(selector)
    for column, value in (("test", test), ("what", what), ("bytes", size)):
        if value is None:
            continue
        known = frame[column].unique(maintain_order=True).to_list()
        frame = frame.filter(pl.col(column) == value)
        if not frame.height:
            raise LacisError(f"no {column} {value!r} ({', '.join(str(one) for one in known[:12])})")
    kind = "csv" if output == "-" else Path(output).suffix.removeprefix(".").lower()
    if kind not in (("csv",) if matrix else _KINDS):
        raise LacisError(
            f"is written as {', '.join('.' + one for one in (('csv',) if matrix else _KINDS))}", source=output
        )
    if matrix is not None:
        frame = _matrix(frame, matrix)
    out = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(out)
    elif kind == "jsonl":
        frame.write_ndjson(out)
    else:
        frame.write_csv(out)
    write(output, out.getvalue())
    return 0


def _matrix(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Row by source, a column for each destination; empty where nothing was measured."""
    from ...measured.results import MEASURE, polars

    pl = polars()
    ends = ("source", "destination")
    ranks = [pl.col(f"{end}_rank") for end in ends]
    frame = frame.with_columns(
        pl.coalesce(end, rank.cast(pl.String)).alias(end) for end, rank in zip(ends, ranks, strict=True)
    ).drop_nulls(ends)
    if not frame.height:
        raise LacisError("no value is of a pair")
    if kind == "sum-of-bytes":
        # One row a message: several values of one message count once.
        frame = frame.filter(pl.col("what") == frame["what"][0]).with_columns(
            pl.col("bytes").cast(pl.Float64).alias("value")
        )
    else:
        kinds = frame.select(MEASURE).unique()
        if kinds.height > 1:
            some = ", ".join(
                f"{test} {what} {size} B"
                for test, what, _, _, size in kinds.sort(pl.all()).head(4).iter_rows()
            )
            raise LacisError(
                f"a matrix has one test and size, these are {kinds.height}: {some} …; --test, --what and --bytes choose"
            )
    function = {
        "sum-of-bytes": pl.col("value").sum(),
        "median": pl.col("value").median(),
        "min": pl.col("value").min(),
        "max": pl.col("value").max(),
    }
    cells = frame.group_by("source", "destination", maintain_order=True).agg(function[kind])
    # Hosts in the order of their ranks, else of their first values.
    both = pl.concat(
        frame.select(pl.col(end).alias("name"), pl.col(f"{end}_rank").alias("rank")) for end in ends
    )
    order = (
        both.group_by("name", maintain_order=True)
        .agg(pl.col("rank").min())
        .sort("rank", maintain_order=True, nulls_last=True)
    )
    names = order["name"].to_list()
    wide = cells.pivot("destination", index="source", values="value")
    missing = [name for name in names if name not in wide.columns]
    wide = wide.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in missing)
    rows = pl.DataFrame({"source": names}).join(wide, on="source", how="left", maintain_order="left")
    return rows.select("source", *names)  # type: ignore[no-any-return]
