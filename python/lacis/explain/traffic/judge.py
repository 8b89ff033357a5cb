"""Whether something else was sent: what links carried, less what the measurement can have sent over them by then.

| file     | what it holds                                                        |
|----------|----------------------------------------------------------------------|
| `bounds` | what the measurement can have sent by each reading                   |
| `clocks` | by how much clocks may differ                                        |
| `spans`  | spans of sweeps that counted more than that                          |
| `unsaid` | why it cannot be said of some links that they carried nothing else   |
| `answer` | what is said in the end                                              |
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...facts import traffic as of
from .answer import ByLink, Others, Part, cannot_say
from .bounds import FEW, Bounds, Whole
from .clocks import CLOCKS, possible_clocks
from .spans import SHARE, best
from .unsaid import reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .carried import Carried
    from .sent import Sent

_ELSEWHERE = 0.1
"""The share of hosts' links from which the measurement ran elsewhere."""


def judged(sent: Sent, seen: Carried, *more: of.Unsaid) -> Others:
    """Whether the links of a measurement carried something else.

    Args:
        sent: what the measurement sent.
        seen: what its links carried.
        more: further reasons why it cannot be said that there was none.
    """
    if seen.sweeps < 2:
        return cannot_say(*more, of.SweepsFew(seen.sweeps))
    if seen.undated:
        return cannot_say(*more, of.SweepsUndated())
    bounds = Bounds(sent, seen, *CLOCKS[0])
    clocks = possible_clocks(sent, seen)
    if clocks and CLOCKS[0] not in clocks:
        return cannot_say(*more, of.ClocksApart(clocks[0][0]))
    # Where none fits, hosts lack what was sent at any time, and that is said below.
    clocks = [CLOCKS[0], *(one for one in clocks if one != CLOCKS[0])]
    whole = Whole(bounds)
    short = whole.short & sent.of_hosts
    looked_at = whole.is_covered & sent.of_hosts & (whole.own > FEW)
    if short.sum() > _ELSEWHERE * looked_at.sum() > 0:
        return cannot_say(*more, of.SentElsewhere(int(short.sum()), int(looked_at.sum())))
    differ = whole.short & ~sent.of_hosts
    decided: NDArray[np.bool_] = sent.of_hosts if differ.any() else np.ones(len(sent.rows), np.bool_)
    by_link = _by_link(sent, seen, whole, decided, clocks)
    unsaid = [*more, *reasons(sent, seen, bounds, whole, by_link, differ)]
    if short.any():
        # What a host did not send may have been sent by another, where their names are exchanged.
        moved = by_link.bytes <= whole.lacks[short].sum()
        by_link = replace(by_link, seen=by_link.seen & ~moved, share=np.where(moved, 0.0, by_link.share))
        unsaid.append(of.SentElsewhere(int(short.sum()), int(looked_at.sum())))
    if by_link.doubtful.any():
        unsure = max(abs(shift) + within for shift, within in clocks)
        unsaid.append(of.ClocksUnsure(unsure, int(by_link.doubtful.sum())))
    return Others(_verdict(sent, by_link, unsaid), [Part(sent, by_link)], unsaid)


def _verdict(sent: Sent, by_link: ByLink, unsaid: Sequence[of.Unsaid]) -> of.OtherTraffic:
    if by_link.seen.any():
        first = int(by_link.share.argmax())
        share = float(by_link.share[first])
        return of.OthersSent(int(by_link.seen.sum()), len(sent.rows), sent.ends(first), share)
    if unsaid or not by_link.clean.all() or not len(sent.rows):
        return of.CannotSay(len(unsaid))
    return of.NothingElseSent(len(sent.rows), float(np.maximum(by_link.bound, 0).max()))


def _by_link(
    sent: Sent,
    seen: Carried,
    whole: Whole,
    decided: NDArray[np.bool_],
    clocks: Sequence[tuple[float, float]],
) -> ByLink:
    """What each link says: other traffic is seen where it would be whichever of the possible clocks is right."""
    first, *others = (best(Bounds(sent, seen, *one), decided) for one in clocks)
    share = np.minimum.reduce([first.share, *(other.share for other in others)])
    is_seen = share > 0
    bound: NDArray[np.float64] = np.nan_to_num(whole.bound, nan=np.inf)
    clean: NDArray[np.bool_] = decided & (first.share == 0) & whole.is_covered & (bound <= SHARE)
    excess = np.minimum.reduce([first.excess, *(other.excess for other in others)])
    at = [
        np.where(is_seen, int(sent.began.min()) + (1e9 * times).astype(np.int64), 0) for times in first.ends
    ]
    doubtful = (first.share > 0) & ~is_seen
    return ByLink(is_seen, share, np.where(is_seen, excess, 0), at[0], at[1], doubtful, clean, whole.bound)
