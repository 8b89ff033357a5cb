"""Which values of a run are explained: of one test, size and statistic, between pairs of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..documents.series import Series
from ..errors import LacisError
from ..measured.results import MEASURE, polars

if TYPE_CHECKING:
    import polars as pl

QUANTITIES = {"bytes/s": "rate", "s": "time"}
"""Units of values that can be explained, and what they are."""
_BEST = ("sample", "median", "mean")
"""Statistics of a test's own repeats that say what a flow usually gets."""


class Chosen(NamedTuple):
    """Which values to explain, as `choose` takes them; None for any."""

    test: str | None = None
    what: str | None = None
    bytes: int | None = None
    """Size of messages [bytes]."""


def series(frame: pl.DataFrame) -> list[Series]:
    """The series of a run that can be explained, best first: bandwidths of the largest messages, then times of the smallest."""
    pl = polars()
    ends = ("source", "destination")
    has_ends = pl.all_horizontal(
        pl.col(end).is_not_null() | pl.col(f"{end}_rank").is_not_null() for end in ends
    )
    # Not filtered before, as that would copy all rows.
    grouped = frame.group_by(MEASURE).agg(
        has_ends.sum().alias("values"), pl.col("round").drop_nulls().n_unique().alias("rounds")
    )
    found = [Series(**row) for row in grouped.iter_rows(named=True)]
    found = [one for one in found if one.unit in QUANTITIES and one.statistic in _BEST and one.values]

    def order(one: Series) -> tuple[bool, int, int, int, str, str]:
        is_time = one.unit == "s"
        size = one.bytes or 0
        statistic = _BEST.index(one.statistic)
        return is_time, size if is_time else -size, statistic, -one.values, one.test, one.what

    return sorted(found, key=order)


def choose(
    frame: pl.DataFrame,
    *,
    test: str | None = None,
    what: str | None = None,
    bytes: int | None = None,  # noqa: A002
) -> tuple[Series, list[Series]]:
    """The best series of those asked for, and all others.

    Raises:
        LacisError: when no value is of a pair, or none is asked for.
    """
    every = found = series(frame)
    if not found:
        raise LacisError("no bandwidth or latency between two hosts: nothing can be explained")
    for name, value in Chosen(test, what, bytes)._asdict().items():
        fitting = [one for one in found if value is None or getattr(one, name) == value]
        if not fitting:
            known = ", ".join(dict.fromkeys(str(getattr(one, name)) for one in found))
            raise LacisError(f"no {name} {value!r} between pairs ({known})")
        found = fitting
    return found[0], [one for one in every if one != found[0]]


def values_of(frame: pl.DataFrame, one: Series) -> pl.DataFrame:
    """The rows of a series."""
    pl = polars()
    conditions = [pl.col(name) == getattr(one, name) for name in ("test", "what", "unit", "statistic")]
    size = pl.col("bytes").is_null() if one.bytes is None else pl.col("bytes") == one.bytes
    return frame.filter(*conditions, size)
