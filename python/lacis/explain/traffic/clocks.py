"""By how much the clock of who read the counters may differ from that of the measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bounds import FEW, LACKING, Bounds

if TYPE_CHECKING:
    from .carried import Carried
    from .sent import Sent

CLOCKS = (
    (0.0, 0.1),
    *((sign * shift, within) for shift, within in ((0.2, 0.1), (0.4, 0.1), (0.65, 0.15)) for sign in (1, -1)),
    *((sign * 0.2 * 1.5**power * 5, 0.2 * 1.5**power) for power in range(11) for sign in (1, -1)),
)
"""By how many seconds the clock of who read the counters may be ahead of that of rank 0, and how exactly that is; up to a minute."""
_TRIED = 0.8
"""Clocks are possible that leave this share of the measurement within the sweeps: that they miss it is not supposed."""


def possible_clocks(sent: Sent, seen: Carried) -> list[tuple[float, float]]:
    """Which of `CLOCKS` are possible: at the right time hosts' links lack nothing of what was sent over them."""
    own = sent.bytes[sent.of_hosts[sent.link]].sum()
    few = LACKING * own + FEW
    bounds = [Bounds(sent, seen, *one, sent.of_hosts) for one in CLOCKS]
    # Where the sweeps would miss much of the measurement nothing can lack.
    there = [one.within_sweeps() for one in bounds]
    found = [
        (one, much)
        for one, much, each in zip(CLOCKS, there, bounds, strict=True)
        if much >= _TRIED * there[0] and each.lacking() <= few
    ]
    # The likeliest first: that by which the sweeps hold most of the measurement, and which is least apart.
    most = max((much for _, much in found), default=0.0)
    found.sort(key=lambda of: (of[1] < 0.99 * most, abs(of[0][0])))
    return [one for one, _ in found]
