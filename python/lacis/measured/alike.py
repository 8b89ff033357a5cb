"""Measured values and modelled ones under one key, so that they can be compared.

Modelled values are less specific: a fair share is the rate of messages of any size, and a single value is both median
and mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .results import KEY, MEASURE, polars

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

_USUAL = ("sample", "median", "mean")
"""Statistics of repeats with which a model's single value is compared."""
_BANDWIDTHS = ("bandwidth", "send", "receive")
"""What a modelled bandwidth is compared with: some tests measure a flow at both ends."""


def alike(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same tables; where one is modelled and the other measured, modelled values have the keys of measured ones.

    The test and the unit are the same; so are the size and the number of ranks where the model has them. A log that does not
    say how many ranks a test had is compared with the only number that the other side has.
    """
    before, after = _with_ranks(before, after), _with_ranks(after, before)
    a, b = (set(frame["provenance"].unique()) for frame in (before, after))
    if "measured" in a and "measured" not in b:
        return before, _as_measured(after, before)
    if "measured" in b and "measured" not in a:
        return _as_measured(before, after), after
    return before, after


def _with_ranks(own: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Values whose number of ranks is unknown, with that of the other side where it has one alone."""
    pl = polars()
    if not own["ranks"].null_count():
        return own
    ranks = pl.col("ranks")
    theirs = other.group_by(MEASURE).agg(
        ranks.drop_nulls().unique().alias("_numbers"), ranks.null_count().alias("_unknown")
    )
    only = theirs.filter((pl.col("_numbers").list.len() == 1) & (pl.col("_unknown") == 0)).select(
        *MEASURE, pl.col("_numbers").list.first().alias("_ranks")
    )
    joined = own.join(only, on=list(MEASURE), how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.coalesce("ranks", "_ranks").alias("ranks")).select(own.columns)


def _as_measured(modelled: pl.DataFrame, measured: pl.DataFrame) -> pl.DataFrame:
    pl = polars()
    ours, theirs = (frame.select(KEY).unique(maintain_order=True) for frame in (modelled, measured))
    pairs: list[dict[str, object]] = []
    for one in ours.iter_rows(named=True):
        found = [other for other in theirs.iter_rows(named=True) if _is_alike(one, other)]
        pairs += [{**one, **{f"{key}_as": other[key] for key in KEY}} for other in found or [one]]
    types = {key: modelled.schema[key] for key in KEY}
    mapping = pl.DataFrame(pairs, schema={**types, **{f"{key}_as": kind for key, kind in types.items()}})
    joined = modelled.join(mapping, on=list(KEY), how="left", nulls_equal=True, maintain_order="left")
    return joined.drop(KEY).rename({f"{key}_as": key for key in KEY}).select(modelled.columns)


def _is_alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether a modelled key may be compared with a measured one."""
    same_what = one["what"] == other["what"] or (one["what"] == "bandwidth" and other["what"] in _BANDWIDTHS)
    usual = one["statistic"] == other["statistic"] or (
        one["statistic"] in _USUAL and other["statistic"] in _USUAL
    )
    same_size = all(one[key] is None or one[key] == other[key] for key in ("bytes", "ranks"))
    return one["test"] == other["test"] and one["unit"] == other["unit"] and same_what and usual and same_size
