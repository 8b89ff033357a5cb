"""Each test of a run in a row: how many values, and their spread over pairs and repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..documents.results import TestSummary
from .results import KEY, polars

if TYPE_CHECKING:
    import polars as pl


def summary(frame: pl.DataFrame, *, test: str | None = None, by_class: bool = False) -> list[TestSummary]:
    """A row for each test and size, in the order of the values.

    Args:
        frame: values of one run or of several.
        test: this test only.
        by_class: a row for each class of pairs.
    """
    pl = polars()
    if test is not None:
        frame = frame.filter(pl.col("test") == test)
    keys = [*KEY, "class"] if by_class else list(KEY)
    value = pl.col("value")
    pairs = pl.struct("source", "destination", "source_rank", "destination_rank").filter(
        pl.col("source").is_not_null() | pl.col("source_rank").is_not_null()
    )
    grouped = frame.group_by(keys, maintain_order=True).agg(
        pl.len().alias("values"),
        pairs.n_unique().alias("pairs"),
        value.min().alias("min"),
        value.median().alias("median"),
        value.quantile(0.99, "linear").alias("p99"),
        value.max().alias("max"),
        pl.col("provenance").unique().sort().implode().first().alias("provenance"),
    )
    return msgspec.convert(list(grouped.iter_rows(named=True)), list[TestSummary])
