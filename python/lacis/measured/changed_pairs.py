"""Pairs of hosts that changed apart from the rest, which a median does not see: one slow host of 32, one slow link.

A pair's change is the logarithm of after ÷ before, less the median of all pairs. It stands out beyond what normal values of
the same median absolute deviation reach among so many pairs in 5 % of comparisons (Bonferroni), and beyond what the step of
the clock or of the printed digits explains. Outliers that chance makes, a disturbed repeat, are as often in the values before
as in those after: that more became worse than better is tested by the sign test.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..documents.results import ChangedHost, ChangedPair, ChangedPairs

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEWEST = 20
"""Pairs among which some can be discerned from the rest."""
_OF_A_HOST = 6
"""Pairs of a host below which half of them say nothing of it."""
_NORMAL = 1.4826
"""Standard deviation of normal values ÷ their median absolute deviation."""
_COARSEST = 0.1
"""Of the median value: what is further apart is no step of a clock or of printed digits."""
_STEPS = 1.5
"""Steps of a clock by which rounding alone never moves a pair: half a step before, half a step after, and some room."""


class Changed(NamedTuple):
    """Pairs that changed apart from the rest."""

    change: Array
    """By pair: ln of after ÷ before, less the median of all."""
    at: Ints
    """Its index among the compared pairs."""

    @classmethod
    def none(cls) -> Changed:
        """No pair."""
        return cls(np.zeros(0), np.zeros(0, np.int64))


def changed_apart(before: Array, after: Array, *, least: float = 0.0) -> Changed:
    """Finds pairs whose change stands out, the greatest first.

    Args:
        before: a value by pair, above 0.
        after: the other, of the same pairs.
        least: smaller relative changes are ignored.
    """
    if len(before) < FEWEST:
        return Changed.none()
    logs = np.log(after / before)
    common = float(np.median(logs))
    change = logs - common
    scale = _NORMAL * float(np.median(np.abs(change)))
    beyond = max(scale * _normal_quantile(0.025 / len(before)), math.log1p(least) - 1e-9, 1e-9)
    moved = np.abs(after - math.exp(common) * before)
    found = (np.abs(change) >= beyond) & (moved > _STEPS * max(_step(before), _step(after)))
    at = np.flatnonzero(found)
    at = at[np.argsort(-np.abs(change[at]), kind="stable")]
    return Changed(change[at], at)


def changed_pairs(
    both: pl.DataFrame, apart: Changed, p: float, alpha: float, *, more_is_worse: bool
) -> ChangedPairs:
    """The pairs with their hosts, and what they show.

    Args:
        both: all compared pairs: `source`, `destination`, `value` before, `value_b` after.
        apart: those that changed apart from the rest.
        p: the chance that so many more of them became slower than faster, or the other way round.
        alpha: below which that is no chance.
        more_is_worse: whether a greater value is worse.
    """
    rows = both[apart.at].rows(named=True)
    pairs = [
        ChangedPair(row["source"], row["destination"], row["value"], row["value_b"], ratio=math.exp(change))
        for row, change in zip(rows, apart.change.tolist(), strict=True)
    ]
    worse = (apart.change > 0) == more_is_worse
    number = int(worse.sum())
    if p >= alpha:
        return ChangedPairs(number, len(pairs) - number, p, "no difference shown", [], pairs)
    is_worse = 2 * number > len(pairs)
    hosts = _hosts([pair for pair, it in zip(pairs, worse, strict=True) if it == is_worse], both)
    return ChangedPairs(number, len(pairs) - number, p, "worse" if is_worse else "better", hosts, pairs)


def _hosts(changed: list[ChangedPair], both: pl.DataFrame) -> list[ChangedHost]:
    """Hosts at least half of whose pairs changed, the most first."""
    of_all = Counter(chain(both["source"], both["destination"]))
    counted = Counter(chain.from_iterable((pair.source, pair.destination) for pair in changed))
    return [
        ChangedHost(host, changed=number, pairs=of_all[host])
        for host, number in counted.most_common()
        if of_all[host] >= _OF_A_HOST and 2 * number >= of_all[host]
    ]


def _step(values: Array) -> float:
    """The step in which values were written; 0 where most of them occur once, or none are near each other."""
    distinct = np.unique(values)
    if len(distinct) < 2 or 2 * len(distinct) > len(values):
        return 0.0
    step = float(np.diff(distinct).min())
    return step if step <= _COARSEST * float(np.median(values)) else 0.0


def _normal_quantile(tail: float) -> float:
    """The value that normal ones exceed with this chance."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf(tail)
