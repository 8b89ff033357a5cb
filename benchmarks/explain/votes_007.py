"""007: votes of bad flows.

B. Arzani et al., "007: Democratically finding the cause of packet drops", NSDI 2018, section 5.2 and algorithm 1.

A flow that loses packets votes for each link of its path with 1 over the number of links. The link with most votes is named and its
flows removed, repeatedly, while the greatest tally exceeds a fraction of all votes.

| here  | in the paper                                             |
|-------|----------------------------------------------------------|
| `h`   | hops of a flow                                           |
| `v`   | tally of a link                                          |
| `bad` | flows with retransmissions; here: those slower than `t`   |
| `p`   | 1 %, of all votes                                        |

Here a flow is bad when its measured over its predicted rate is below `t`; the paper has no rates. `t` and `p` are chosen on other seeds.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .view import View

NAME = "007"


class Setting(NamedTuple):
    """Parameters."""

    t: float
    p: float


GRID = [
    Setting(*one) for one in product((0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9), (0.002, 0.005, 0.01, 0.02, 0.04))
]


def faulty_links(view: View, setting: Setting) -> list[int]:
    """Links, the most voted first."""
    flow, link = view.entries()
    links = view.rounds.net.num_links
    bad = view.ratio() < setting.t
    h = np.bincount(flow, minlength=len(bad))
    kept = bad[flow]
    flow, link = flow[kept], link[kept]
    v = np.bincount(link, weights=1 / h[flow], minlength=links)
    least = setting.p * v.sum()
    named: list[int] = []
    while len(flow) and v.max() >= least:
        worst = int(v.argmax())
        named.append(worst)
        explained = np.isin(flow, flow[link == worst])
        v -= np.bincount(link[explained], weights=1 / h[flow[explained]], minlength=links)
        v[worst] = 0
        flow, link = flow[~explained], link[~explained]
    return named
