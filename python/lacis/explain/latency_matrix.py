"""A matrix of latencies between nodes, analysed: noise, asymmetry, slow nodes, and blocks inside a switch.

The matrix is what `mpi_nxnlatbw` and the like measure: one pair at a time, from each node to each other. The engine analyses
it as it does tables of results for `lacis.explain.structure`, which finds more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]


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
        gap: by how much pairs between blocks take longer than inside [s]; 0 without blocks.
        blocks: block of each node, numbered in the order of their first nodes; all different without blocks.
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
    """Analyses repeated latency matrices.

    Args:
        samples: shape `(repeats, n, n)` or `(n, n)` [s]; the diagonal is ignored. n is at least 3.

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
    repeat, source, destination = np.nonzero(np.isfinite(samples))
    found = _core.take_apart(
        n,
        source.astype(np.uint32),
        destination.astype(np.uint32),
        samples[repeat, source, destination].astype(np.float64),
        is_rate=False,
    )
    mean, unit = found["values"], found["level"]
    level = float(mean[off].mean())
    sending, receiving = found["sending"] * unit, found["receiving"] * unit
    blocks, gap = np.arange(n), 0.0
    if found["groupings"]:
        group, inside, between, *_ = found["groupings"][0]
        blocks, gap = group.astype(np.int64), (between - inside) * unit
    jitter = found["jitter"] or (0.0, 0.0)
    return LatencyMatrix(
        mean=mean,
        level=level,
        jitter=(jitter[0] * unit / level, jitter[1] * unit / level),
        asymmetry=(mean - mean.T) / level,
        sending=sending / level,
        receiving=receiving / level,
        rest=mean - level - sending[:, None] - receiving,
        gap=gap,
        blocks=blocks,
    )
