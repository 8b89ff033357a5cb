"""Spans of sweeps that show other traffic.

A span does where it counted more than the most that was sent in it, with headers, and more than fits into the time that it has before
and after the measurement. `excess` is what it counted beyond that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .bounds import FEW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bounds import Bounds

HEADERS = 0.04
"""What headers and acknowledgements add to what is sent, at most: packets of 256 bytes and IPoIB add more, and are not used to measure."""
SHARE = 0.05
"""Other traffic of this share of a link's rate counts; it takes 5 % from flows, which is less than what is called a loss."""


@dataclass(frozen=True)
class Best:
    """By link, of all spans: the greatest share of other traffic, 0 where none is seen; its bytes, and when the span begins and ends."""

    share: NDArray[np.float64]
    excess: NDArray[np.float64]
    ends: tuple[NDArray[np.float64], NDArray[np.float64]]


def best(bounds: Bounds, decided: NDArray[np.bool_]) -> Best:
    """Looks for other traffic in all spans of 1, 2, 4 … sweeps, and in the longest one."""
    count, size = bounds.times.shape
    best = Best(np.zeros(size), np.zeros(size), (np.zeros(size), np.zeros(size)))
    columns = np.arange(size)
    steps = sorted({*(1 << bit for bit in range(count.bit_length()) if 1 << bit < count), count - 1})
    for step in steps:
        found, *rest = _spans(bounds, step)
        found = np.where(decided, found, 0.0)
        row = found.argmax(axis=0)
        share = found[row, columns]
        excess, begin, end = (
            np.where(share > best.share, values[row, columns], old)
            for values, old in zip(rest, (best.excess, *best.ends), strict=True)
        )
        best = Best(np.maximum(share, best.share), excess, (begin, end))
    return best


def _spans(bounds: Bounds, step: int) -> tuple[NDArray[np.float64], ...]:
    """Of all spans of so many sweeps: the share that other traffic took at least, 0 where none is seen; its bytes; begin and end."""
    begin, end = bounds.times[:-step], bounds.times[step:]
    own = (bounds.most[step:] - bounds.least[:-step]) * (1 + HEADERS)
    outside = bounds.outside(begin, end)
    counted = bounds.bytes[step:] - bounds.bytes[:-step]
    excess = counted - own - np.where(outside > 0, bounds.rates * outside, 0)
    good = (end > begin) & (bounds.lost[step:] == bounds.lost[:-step])
    good &= bounds.unknown[step:] <= bounds.unknown[:-step]
    inside = np.maximum(end - begin - outside, 1e-9)
    share = excess / (bounds.rates * inside)
    is_seen = good & (outside < end - begin) & (excess > FEW) & (share > SHARE)
    return np.where(is_seen, share, 0.0), excess, begin, end
