"""Two runs, or two groups of them: by how much they differ, and whether repeats say so.

Values are compared as ratios. Where both have the same pairs of hosts, at least six, the median of the pairs' ratios is
given with its interval by order statistics (the sign test), and pairs that changed apart from the rest are listed
(`changed_pairs`). Else the repeats of both are two samples: the Hodges-Lehmann
median of all ratios with the interval of the rank-sum test (Hodges and Lehmann 1963; Conover, Practical Nonparametric
Statistics, 3rd edition, sections 3.5 and 5.4). Intervals are of 95 %. Many tests find something by chance, so p-values
are corrected by Holm's method.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..documents.results import Difference
from .alike import alike
from .changed_pairs import Changed, changed_apart, changed_pairs
from .results import KEY, polars

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PAIRS = 6
"""The fewest common pairs that can show a difference at 5 %: 2 × 0.5⁶ = 3 %."""
_MORE_IS_WORSE = ("s", "ratio")
"""Units of which more is worse."""
_MOST = 2000
"""Values of a sample; of more, every n-th is compared."""
_Z = 1.959964


class _Ratio(NamedTuple):
    """An estimate of after ÷ before, its 95 % interval, and the chance of it without a difference."""

    ratio: float
    low: float | None
    high: float | None
    p: float | None


class _Compared(NamedTuple):
    """Both sides of one test."""

    before: float
    after: float
    """The median before, and after."""
    samples: tuple[int, int]
    """Numbers of values."""
    ratio: _Ratio
    both: pl.DataFrame
    """Pairs of hosts that both have, with `value` before and `value_b` after; none where samples were compared."""
    apart: Changed
    """Those that changed apart from the rest."""


def compare(
    before: pl.DataFrame, after: pl.DataFrame, *, least: float = 0.0, alpha: float = 0.05
) -> list[Difference]:
    """Compares what both have, test by test and size by size; a statistic `max` or `min` only with itself.

    Modelled values are compared with measured ones as `alike` has it.

    Args:
        before: values of one run or of several.
        after: of the other.
        least: smaller relative differences are ignored: the whole interval must be beyond it.
        alpha: chance of finding any difference where there is none.
    """
    a, b = (_keyed(frame) for frame in alike(before, after))
    keys = (
        a.select(KEY)
        .unique(maintain_order=True)
        .join(b.select(KEY).unique(), on=list(KEY), nulls_equal=True, maintain_order="left")
    )
    by_key = [frame.partition_by(KEY, as_dict=True, maintain_order=True) for frame in (a, b)]
    found = [(row, _one(by_key[0][row], by_key[1][row], least)) for row in keys.iter_rows()]
    corrected = _holm([one.ratio.p for _, one in found])
    corrected_apart = _holm([_lopsided(one.apart) for _, one in found])
    out = []
    for (row, one), p, p_apart in zip(found, corrected, corrected_apart, strict=True):
        key = dict(zip(KEY, row, strict=True))
        ratio, low, high, _ = one.ratio
        beyond = _beyond(low, high, least)
        out.append(
            Difference(
                **key,
                before=one.before,
                after=one.after,
                ratio=ratio,
                low=low,
                high=high,
                samples=one.samples,
                pairs=one.both.height,
                p=p,
                verdict=_verdict(ratio, p, key["unit"], alpha, beyond=beyond),
                changed_pairs=None
                if p_apart is None
                else changed_pairs(
                    one.both, one.apart, p_apart, alpha, more_is_worse=key["unit"] in _MORE_IS_WORSE
                ),
            )
        )
    return out


def only_in_one(before: pl.DataFrame, after: pl.DataFrame) -> tuple[int, int]:
    """How many tests (with size and ranks) only the first has, and only the second."""
    a, b = (frame.select(KEY).unique() for frame in alike(before, after))
    return tuple(x.join(y, on=list(KEY), how="anti", nulls_equal=True).height for x, y in ((a, b), (b, a)))  # type: ignore[return-value]


def _keyed(frame: pl.DataFrame) -> pl.DataFrame:
    """Values with their pair; ranks stand for hosts without a name."""
    pl = polars()
    end = [
        pl.coalesce(name, pl.format("rank {}", pl.col(f"{name}_rank"))).alias(name)
        for name in ("source", "destination")
    ]
    return frame.select(*KEY, "value", *end)


def _one(a: pl.DataFrame, b: pl.DataFrame, least: float) -> _Compared:
    pl = polars()
    pair = ["source", "destination"]
    medians = [
        frame.drop_nulls(pair).group_by(pair, maintain_order=True).agg(pl.col("value").median())
        for frame in (a, b)
    ]
    both = medians[0].join(medians[1], on=pair, suffix="_b", maintain_order="left")
    sizes = (a.height, b.height)
    values = [frame["value"].to_numpy() for frame in (a, b)]
    apart = Changed.none()
    if both.height >= PAIRS:
        before, after = both["value"].to_numpy(), both["value_b"].to_numpy()
        ratio = _paired(np.sort(np.log(after / before)))
        apart = changed_apart(before, after, least=least)
    else:
        both = both.clear()
        ratio = _two_samples(np.log(values[0]), np.log(values[1]))
    return _Compared(float(np.median(values[0])), float(np.median(values[1])), sizes, ratio, both, apart)


def _lopsided(apart: Changed) -> float | None:
    """The chance that these pairs are so unevenly slower and faster; None where there is none."""
    if not len(apart.at):
        return None
    above = int((apart.change > 0).sum())
    return min(1.0, 2 * _binomial_tail(min(above, len(apart.at) - above), len(apart.at)))


def _paired(logs: Array) -> _Ratio:
    """Median of sorted logarithms, its interval by order statistics, and the sign test's p."""
    n = len(logs)
    # The largest k whose tail, P(B ≤ k - 1) for B of n fair coins, is at most 2.5 %.
    k = _binomial_k(n)
    low, high = (math.exp(logs[k - 1]), math.exp(logs[n - k])) if k > 0 else (None, None)
    above, below = int((logs > 0).sum()), int((logs < 0).sum())
    unequal = above + below
    p = min(1.0, 2 * _binomial_tail(min(above, below), unequal)) if unequal else 1.0
    return _Ratio(math.exp(float(np.median(logs))), low, high, p)


def _two_samples(a: Array, b: Array) -> _Ratio:
    """Hodges-Lehmann shift between two samples of logarithms, its interval, and the rank-sum test's p."""
    a, b = (np.sort(x)[:: max(1, len(x) // _MOST)] for x in (a, b))
    n, m = len(a), len(b)
    shifts = np.sort((b[:, None] - a[None, :]).ravel())
    ratio = math.exp(float(np.median(shifts)))
    if min(n, m) < 4 or not np.ptp(shifts):
        # With fewer than 4 and 4 values no order is rarer than 2.5 % on either side.
        return _Ratio(ratio, None, None, None)
    spread = math.sqrt(n * m * (n + m + 1) / 12)
    k = int(n * m / 2 - _Z * spread)
    low, high = math.exp(shifts[max(k - 1, 0)]), math.exp(shifts[min(n * m - k, n * m - 1)])
    # U counts ties as halves; their number lowers its variance.
    u = float((shifts > 0).sum() + (shifts == 0).sum() / 2)
    _, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    ties = float((counts.astype(float) ** 3 - counts).sum()) / ((n + m) * (n + m - 1))
    variance = n * m / 12 * (n + m + 1 - ties)
    z = max(abs(u - n * m / 2) - 0.5, 0) / math.sqrt(variance) if variance > 0 else 0.0
    return _Ratio(ratio, low, high, math.erfc(z / math.sqrt(2)))


def _binomial_tail(k: int, n: int) -> float:
    """P(B ≤ k) for B of n fair coins; by the normal law beyond 1,000 of them."""
    if n > 1000:
        return 0.5 * math.erfc(-(k + 0.5 - n / 2) / math.sqrt(n / 4) / math.sqrt(2))
    return float(sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


def _binomial_k(n: int) -> int:
    """The rank of the order statistic that bounds a median from below at 97.5 %; 0 where there is none."""
    if n > 1000:
        return int(n / 2 - _Z * math.sqrt(n) / 2)
    k = 0
    while k < n // 2 and _binomial_tail(k, n) <= 0.025:
        k += 1
    return k


def _holm(ps: list[float | None]) -> list[float | None]:
    """Holm's correction of those that are not None."""
    order = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    out: list[float | None] = [None] * len(ps)
    last = 0.0
    for rank, (p, i) in enumerate(order):
        last = max(last, min(1.0, p * (len(order) - rank)))
        out[i] = last
    return out


def _beyond(low: float | None, high: float | None, least: float) -> bool:
    """Whether the whole interval is a difference, of at least this much."""
    if low is None or high is None:
        return False
    # Logarithms of what is exactly so much differ in the last digit.
    least_log = math.log1p(least) - 1e-9 if least else 0.0
    return (math.log(low) >= least_log and low > 1) or (-math.log(high) >= least_log and high < 1)


def _verdict(ratio: float, p: float | None, unit: str, alpha: float, *, beyond: bool) -> str:
    if p is None:
        return "too few repeats"
    if p >= alpha or not beyond:
        return "no difference shown"
    return "better" if (ratio > 1) != (unit in _MORE_IS_WORSE) else "worse"
