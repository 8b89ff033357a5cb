"""What a matrix of latencies between nodes tells: noise, asymmetry, slow nodes, and blocks inside a switch.

The matrix is what `mpi_nxnlatbw` and its like measure: one pair at a time, from each node to each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]


MOST_CUTS = 64
"""So many spaces between values are tried."""


@dataclass(frozen=True)
class LatencyMatrix:
    """What was found.

    Attributes:
        mean: over the repeats, shape `(n, n)`, not a number on the diagonal [s].
        level: over all pairs [s].
        jitter: least and greatest deviation of a repeat from the mean of its pair, relative to `level`.
        asymmetry: there less back, relative to `level`; shape `(n, n)`.
        sending: what a node's sending adds to `level`, relative to it; shape `(n,)`.
        receiving: the same of its receiving.
        rest: what pairs have beyond level and nodes [s]; shape `(n, n)`.
        gap: between the two classes of `rest` [s]; 0 where there is one class only.
        blocks: block of each node, numbered in the order of their first nodes; all different with one class.
    """

    mean: Array
    level: float
    jitter: tuple[float, float]
    asymmetry: Array
    sending: Array
    receiving: Array
    rest: Array
    gap: float
    blocks: NDArray[np.int64]


def analyse(samples: Array) -> LatencyMatrix:
    """Takes repeated latency matrices apart.

    Level and nodes are fitted by least squares; a block is a set of nodes whose latencies among each other, less what
    level and nodes explain, are of the lower of two classes.

    Args:
        samples: shape `(repeats, n, n)` or `(n, n)` [s]; the diagonal is not looked at. n is 3 at least.

    Raises:
        ValueError: when they have another shape, or a latency is missing.
    """
    samples = np.array(samples, dtype=np.float64, ndmin=3)
    n = samples.shape[-1]
    off = ~np.eye(n, dtype=bool)
    if samples.ndim != 3 or samples.shape[1] != n or n < 3 or not np.isfinite(samples[:, off]).all():
        shape = samples.shape
        raise ValueError(
            f"latencies of shape {shape}: expected (repeats, n, n), n ≥ 3, all but the diagonal known"
        )
    samples[:, ~off] = np.nan
    mean = samples.mean(axis=0)
    level = float(mean[off].mean())
    noise = (samples - mean)[:, off] / level
    sending, receiving = _nodes(np.where(off, mean - level, 0))
    rest = mean - level - sending[:, None] - receiving
    both = (rest + rest.T) / 2
    gap, blocks = _blocks(both, off)
    return LatencyMatrix(
        mean=mean,
        level=level,
        jitter=(float(noise.min()), float(noise.max())),
        asymmetry=(mean - mean.T) / level,
        sending=sending / level,
        receiving=receiving / level,
        rest=rest,
        gap=gap,
        blocks=blocks,
    )


def _nodes(excess: Array) -> tuple[Array, Array]:
    """What rows and columns add, by least squares over all but the diagonal, each adding nothing on average.

    As both vanish in sum, the normal equations are (n - 1) a - b = r and (n - 1) b - a = c, with the sums r of the rows and
    c of the columns.
    """
    n = len(excess)
    rows, columns = excess.sum(axis=1), excess.sum(axis=0)
    divisor = (n - 1) ** 2 - 1
    sending, receiving = ((n - 1) * rows + columns) / divisor, ((n - 1) * columns + rows) / divisor
    rest = np.where(np.eye(n, dtype=bool), 0, excess - sending[:, None] - receiving)
    noise = (rest**2).sum() / divisor / (n - 1)
    return _shrunk(sending, noise), _shrunk(receiving, noise)


def _shrunk(fitted: Array, noise: float) -> Array:
    """What is left of fitted values when noise of this square explains a part of them (James and Stein, 1961)."""
    square = float((fitted**2).mean())
    return fitted * (max(0.0, 1 - noise / square) if square > 0 else 0.0)


def _blocks(values: Array, off: NDArray[np.bool_]) -> tuple[float, NDArray[np.int64]]:
    """The distance of the means of two classes of values, and blocks of nodes that the lower class joins.

    The classes are told apart at one of the widest spaces between values: the first at which the lower one joins at least
    half of the nodes, and joins any two that it joins to a third.
    """
    n = len(values)
    alone = np.arange(n)
    flat = np.sort(values[off])
    for cut in np.argsort(np.diff(flat))[::-1][:MOST_CUTS]:
        low, high = flat[: cut + 1], flat[cut + 1 :]
        near = off & (values <= low[-1])
        blocks = _components(near)
        together = off & (blocks[:, None] == blocks)
        if (near == together).all() and 2 * near.any(axis=1).sum() >= n and not together[off].all():
            return float(high.mean() - low.mean()), blocks
    return 0.0, alone


def _components(near: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Nodes joined by chains of near pairs: the least number that comes round."""
    number = np.arange(len(near))
    while True:
        least = np.where(near, number, len(near)).min(axis=1)
        new = np.minimum(number, least)
        if (new == number).all():
            return np.unique(number, return_inverse=True)[1].astype(np.int64)
        number = new
