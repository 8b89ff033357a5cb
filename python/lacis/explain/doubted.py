"""Whether other tables run than those assumed, seen before suspects are sought.

Under wrong tables there are hundreds of suspects, whose search takes minutes, and none of them is to blame. What shows them at once are
flows that are faster than the tables allow: they share no link with flows with which they should. Slow links make hardly any, and other
traffic none. Where there are such flows, other tables are compared with, and these decide where they fit far better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..facts.suspects import TablesFitBetter
from .tables import ASSUMED

if TYPE_CHECKING:
    from .._core import Explained
    from .tables import WhichTables

_FASTER = 0.13
"""By how much more than others of the same expected rate a flow has to get, ln."""
_SURE = 4
"""By how many standard deviations of these, too."""
_SHARE = 0.006
"""The share of flows from which they are many: 16 links at 70 % free up to 0.4 %; other tables make 1 % and more of them faster."""
_FEW = 20
"""Flows of one expected rate that are too few to be compared with each other, and the fewest that are many."""
_GOOD = 0.8
"""The share of the flows on which candidates differ that the best has to expect,"""
_BETTER = 0.1
"""by how much more that has to be than of the assumed ones,"""
_BEHIND = 20
"""and by how many standard deviations it has to be likelier."""


def has_faster(core: Explained) -> bool:
    """Whether many flows are faster than the tables allow."""
    flows = core.flows()
    expected, gain = flows["expected"], -flows["loss"]
    there = np.isfinite(gain) & np.isfinite(expected) & (expected > 0)
    gain, levels = gain[there], np.round(np.log(expected[there]), 2)
    _, kind, sizes = np.unique(levels, return_inverse=True, return_counts=True)
    order = np.lexsort((gain, kind))
    middles = np.cumsum(sizes) - sizes + sizes // 2
    beyond = (gain - gain[order][middles][kind])[sizes[kind] >= _FEW]
    if not len(beyond):
        return False
    spread = 1.4826 * float(np.median(abs(beyond)))
    many = int((beyond > max(_FASTER, _SURE * spread)).sum())
    return many >= max(_FEW, _SHARE * len(beyond))


def fit_better(which: WhichTables, *, by_far: bool = True) -> TablesFitBetter | None:
    """That tables other than those assumed let values expect better; none where they do not.

    Args:
        which: candidates, the assumed ones among them as `ASSUMED`.
        by_far: whether it has to be by so much that nothing else can be why.
    """
    own = next((one for one in which.candidates if one.name == ASSUMED), None)
    if own is None or own.group == 0 or own.as_expected is None or not which.distinguishes:
        return None
    known = [one.as_expected for one in which.consistent if one.as_expected is not None]
    best = max(known, default=None)
    if by_far:
        if own.z < _BEHIND or not which.fits:
            return None
        if (max(_GOOD, own.as_expected + _BETTER) > best) if best is not None else own.as_expected >= _GOOD:
            return None
    return TablesFitBetter(which.differing, best, own.as_expected, own.z)
