"""Which job has which share of a link: measured rates as a sum of what each job was predicted to put on every link.

Of each job only one number is sought, how much it sends in all; what it puts on each link then follows from its load.
These numbers are at least 0: C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", 1974, chapter 23.

| here      | in the book |
|-----------|-------------|
| `passive` | the set P   |
| `slope`   | w           |
| `wanted`  | z           |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

POINTS = 0.1
"""A share whose interval is wider than this on either side is no number, but from somewhere to somewhere."""
SURE = 3.0
"""Standard deviations of an interval. The link in question is the busiest of many, so that what its flows send is well above the average
of their jobs: of a hundred normal deviations the greatest is 2.5."""
_JOINED = 2.0
"""Standard deviations by which two jobs are known too badly to be distinguished."""
_ALIKE = 1e-6
"""Directions in which loads differ by less than this part of them are no directions."""
_ALIKE_LOADS = 1e-3
"""Two jobs' loads are alike where the cosine between them is so near to 1."""


def nnls(matrix: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least squares of matrix · x = values among all x that have no negative component."""
    columns = matrix.shape[1]
    x = np.zeros(columns)
    passive = np.zeros(columns, np.bool_)
    gram, moment = matrix.T @ matrix, matrix.T @ values
    tolerance = 1e-10 * max(float(np.abs(moment).max(initial=0.0)), 1e-300)
    for _ in range(3 * columns + 3):
        slope = np.where(passive, -np.inf, moment - gram @ x)
        if not columns or slope.max() <= tolerance:
            break
        passive[slope.argmax()] = True
        while passive.any():
            wanted = np.zeros(columns)
            wanted[passive] = np.linalg.lstsq(matrix[:, passive], values, rcond=None)[0]
            below = passive & (wanted <= 0)
            if not below.any():
                x = wanted
                break
            # As far towards the wanted values as none becomes negative; those that reach 0 leave.
            step = (x[below] / np.maximum(x[below] - wanted[below], 1e-300)).min()
            x = x + step * (wanted - x)
            passive &= x > 1e-14 * max(float(x.max()), 1e-300)
            x[~passive] = 0
    return x


def is_number(within: float | None) -> bool:
    """Whether a share is so exact that a number says it; else it lies somewhere between two."""
    return within is not None and within <= POINTS


def bounds(share: float, within: float | None) -> tuple[float, float]:
    """Between what a share lies."""
    wide = 1.0 if within is None else within
    return max(0.0, share - wide), min(1.0, share + wide)


@dataclass(frozen=True)
class Share:
    """What jobs have of a link.

    Attributes:
        jobs: one, or several that cannot be separated.
        share: of what the link carried.
        within: the share is so exact, on either side: three standard deviations.
    """

    jobs: tuple[int, ...]
    share: float
    within: float


def shares(
    loads: NDArray[np.float64], rates: NDArray[np.float64], link: int, trusted: NDArray[np.bool_]
) -> tuple[Share, ...]:
    """The shares of a link, greatest first; none where nothing was measured that a job's load explains.

    Args:
        loads: what each job puts on each link, by its prediction: links × jobs.
        rates: what each link carried [bytes/s]; NaN where that is not known.
        link: the link in question.
        trusted: links that carry one job's packets and no others, as those of hosts do. If they alone separate the jobs, they
            alone count: what other jobs, which are not known, send over the other links cannot mislead there.
    """
    known = np.isfinite(rates) & (loads > 0).any(axis=1)
    there = np.flatnonzero(loads[link] > 0)
    total = rates[link]
    if not len(there) or not np.isfinite(total) or total <= 0:
        return ()
    choices = [known & trusted, known]
    chosen = next((rows for rows in choices if _rank(loads[rows]) == loads.shape[1]), known)
    if not chosen.any():
        return ()
    scale = np.sqrt((loads[chosen] ** 2).sum(axis=0))
    scale[scale == 0] = 1.0
    matrix, part = loads[chosen] / scale, loads[link] / scale / total
    values = rates[chosen]
    sent = nnls(matrix, values)
    rest = values - matrix @ sent
    freedom = max(len(values) - matrix.shape[1], 1)
    covariance = float(rest @ rest) / freedom * np.linalg.pinv(matrix.T @ matrix, rcond=_ALIKE)
    part_of = part * sent
    # Flows differ from each other: by as much as explains what is left on all links, each of which has its number of flows.
    alone = loads[chosen] @ (sent / scale) ** 2
    swing = float((rest**2 / np.where(alone > 0, alone, np.inf)).sum()) / freedom
    own = swing * loads[link] * (sent / scale / total) ** 2
    variance = np.outer(part, part) * covariance + np.diag(own)
    part_of, variance = _agreed(part_of, variance)
    found = [
        Share(
            tuple(group),
            float(part_of[group].sum()),
            float(SURE * np.sqrt(max(variance[np.ix_(group, group)].sum(), 0.0))),
        )
        for group in _groups(matrix, variance, there)
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.jobs)))


def _agreed(
    part_of: NDArray[np.float64], variance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares and their variances, knowing that together they are the whole link, or less where other traffic is on it too.

    What is missing to the whole is other traffic, unless it is as small as the shares are uncertain; what is too much never is.
    """
    left, spread = 1 - float(part_of.sum()), float(variance.sum())
    if spread <= 0 or left > SURE * np.sqrt(spread):
        return part_of, variance
    gain = variance.sum(axis=1) / spread
    return np.maximum(part_of + gain * left, 0.0), variance - np.outer(gain, variance.sum(axis=0))


def _rank(matrix: NDArray[np.float64]) -> int:
    if not matrix.size:
        return 0
    norms = np.sqrt((matrix**2).sum(axis=0))
    if not norms.all():
        return int((norms > 0).sum()) - 1
    return int(np.linalg.matrix_rank(matrix / norms, tol=1e-3))


def _groups(
    matrix: NDArray[np.float64], variance: NDArray[np.float64], there: NDArray[np.intp]
) -> list[list[int]]:
    """Jobs on a link, those together that cannot be separated: loads that are alike, or shares that are known badly."""
    jobs = there.tolist()
    if len(jobs) > 1 and _rank(matrix[:, there]) < len(jobs) and not _alike(matrix, jobs).any():
        return [sorted(jobs)]
    alike = _alike(matrix, jobs)
    vague = _JOINED * np.sqrt(np.maximum(np.diag(variance)[there], 0.0)) > POINTS
    joined = alike | (vague[:, None] & vague[None, :]) | np.eye(len(jobs), dtype=np.bool_)
    # Jobs that are joined with a third one are joined with each other.
    for _ in jobs:
        joined = (joined.astype(np.int64) @ joined.astype(np.int64)) > 0
    groups = {tuple(job for job, together in zip(jobs, row, strict=True) if together) for row in joined}
    return [list(group) for group in sorted(groups)]


def _alike(matrix: NDArray[np.float64], jobs: list[int]) -> NDArray[np.bool_]:
    """Which two of some jobs have loads that are alike, up to a factor; columns have length 1."""
    cosine = matrix[:, jobs].T @ matrix[:, jobs]
    found: NDArray[np.bool_] = cosine > 1 - _ALIKE_LOADS
    np.fill_diagonal(found, val=False)
    return found
