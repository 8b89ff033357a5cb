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
"""A share whose interval is wider than this on either side is not given."""
_ALIKE = 1e-6
"""Jobs are alike on the links where what distinguishes their loads is less than this part of them."""


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


@dataclass(frozen=True)
class Share:
    """What jobs have of a link.

    Attributes:
        jobs: one, or several that cannot be separated.
        share: of what the link carried.
        within: the share is so exact, on either side.
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
    groups = _groups(matrix, covariance, part, there)
    found = [
        Share(
            tuple(group),
            float(part[group] @ sent[group]),
            float(2 * np.sqrt(max(part[group] @ covariance[np.ix_(group, group)] @ part[group], 0.0))),
        )
        for group in groups
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.jobs)))


def _rank(matrix: NDArray[np.float64]) -> int:
    if not matrix.size:
        return 0
    norms = np.sqrt((matrix**2).sum(axis=0))
    if not norms.all():
        return int((norms > 0).sum()) - 1
    return int(np.linalg.matrix_rank(matrix / norms, tol=1e-3))


def _groups(
    matrix: NDArray[np.float64],
    covariance: NDArray[np.float64],
    part: NDArray[np.float64],
    there: NDArray[np.intp],
) -> list[list[int]]:
    """Jobs on a link, those together that cannot be separated: loads that are alike, or shares that are known badly."""
    groups: list[list[int]] = [[int(job)] for job in there]
    alone = _rank(matrix[:, there]) == len(there)
    uncertain = [
        job for job in there.tolist() if 2 * np.sqrt(max(covariance[job, job], 0.0)) * part[job] > POINTS
    ]
    gram = matrix.T @ matrix
    merged: list[list[int]] = []
    for group in groups:
        (job,) = group
        like = next(
            (
                other
                for other in merged
                if any(gram[job, one] > 1 - 1e-3 for one in other)
                or (job in uncertain and any(one in uncertain for one in other))
            ),
            None,
        )
        if like is None:
            merged.append(group)
        else:
            like.append(job)
    if not alone and all(len(group) == 1 for group in merged) and len(there) > 1:
        return [sorted(int(job) for job in there)]
    return [sorted(group) for group in merged]
