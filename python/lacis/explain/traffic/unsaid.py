"""Why it cannot be said of some links that they carried nothing but the measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...counters import Lost
from ...facts import traffic as of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .answer import ByLink
    from .bounds import Bounds, Whole
    from .carried import Carried
    from .sent import Sent

_LISTED = 8


def reasons(
    sent: Sent,
    seen: Carried,
    bounds: Bounds,
    whole: Whole,
    by_link: ByLink,
    differ: NDArray[np.bool_],
) -> list[of.Unsaid]:
    """Why it cannot be said of some links that they carried nothing else."""
    found: list[of.Unsaid] = []
    if len(sent.unknown):
        found.append(of.SentUnknown(float((sent.unknown[:, 1] - sent.unknown[:, 0]).sum() / 1e9)))
    unread: NDArray[np.bool_] = ~whole.is_read
    uncovered: NDArray[np.bool_] = whole.is_read & ~whole.is_enclosed
    unrated: NDArray[np.bool_] = whole.is_covered & np.isnan(bounds.rates)
    masks: list[tuple[type[of.EndsUnread | of.LinksUncovered | of.LinkRatesUnknown], NDArray[np.bool_]]] = [
        (of.EndsUnread, unread),
        (of.LinksUncovered, uncovered),
        (of.LinkRatesUnknown, unrated),
    ]
    found += [kind(_some(sent, which), int(which.sum())) for kind, which in masks if which.any()]
    is_lost = whole.is_enclosed & whole.is_lost
    for code in np.unique(seen.reasons[is_lost]).tolist():
        of_code: NDArray[np.bool_] = is_lost & (seen.reasons == code)
        found.append(of.GrowthLost(Lost(code).name.lower(), _some(sent, of_code), int(of_code.sum())))  # type: ignore[arg-type]
    if differ.any():
        found.append(of.PathsDiffer(_some(sent, differ), int(differ.sum())))
        return found
    between = whole.is_covered & ~by_link.seen & ~by_link.doubtful & ~by_link.clean & ~unrated
    coarse = between & (whole.seconds > 1.2 * bounds.length)
    if coarse.any():
        seconds = float(whole.seconds[coarse].max())
        found.append(of.SweepsCoarse(seconds, bounds.length, int(coarse.sum())))
    small = between & ~coarse
    if small.any():
        found.append(of.ShareSmall(float(whole.bound[small].max()), int(small.sum())))
    return found


def _some(sent: Sent, which: NDArray[np.bool_]) -> list[tuple[str, str]]:
    return [sent.ends(at) for at in np.flatnonzero(which)[:_LISTED].tolist()]
