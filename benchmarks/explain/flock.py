"""Flock: the most likely set of broken links, found greedily.

V. Harsh et al., "Flock: accurate network fault localization at scale", CoNEXT 2023, sections 3 and 4.

A flow with a known path loses a packet with probability `p_b` if a link of its path is broken, else `p_g`; each link
is broken with probability ρ. The link that adds most to the likelihood is added to the hypothesis, while one adds
anything. The gain of each link is kept, and updated only for the flows that the new link explains.

| here     | in the paper                                                            |
|----------|-------------------------------------------------------------------------|
| `bad`    | packets lost, of one; here: whether a flow's ratio is below `t`         |
| `p_g`, `p_b` | probability of that without and with a broken link                  |
| `prior`  | log of ρ / (1 − ρ)                                                      |
| `gain`   | Δ: the gain in log-likelihood by a link                                 |

`t`, `p_g`, `p_b` and ρ are chosen on other seeds, as the paper chooses them on training data.
"""

from __future__ import annotations

from itertools import product
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .view import View

NAME = "Flock"


class Setting(NamedTuple):
    """Parameters."""

    t: float
    p_g: float
    p_b: float
    prior: float


GRID = [
    Setting(*one)
    for one in product(
        (0.7, 0.75, 0.8, 0.85, 0.88, 0.91),
        (0.002, 0.005, 0.02, 0.05, 0.1),
        (0.2, 0.35, 0.5, 0.7, 0.9),
        (-4.0, -7.0, -10.0),
    )
]


def faulty_links(view: View, setting: Setting) -> list[int]:
    """Links in the order in which they are added."""
    flow, link = view.entries()
    links = view.rounds.net.num_links
    bad = view.ratio() < setting.t
    # The gain by a flow that a broken link explains.
    of_bad = log(setting.p_b / setting.p_g)
    of_good = log((1 - setting.p_b) / (1 - setting.p_g))
    weight = np.where(bad, of_bad, of_good)
    gain = np.bincount(link, weight[flow], links) + setting.prior
    order = np.argsort(link, kind="stable")
    begin = np.searchsorted(link[order], np.arange(links + 1))
    explained = np.zeros(len(bad), dtype=bool)
    named: list[int] = []
    while gain.max() > 1e-9:
        best = int(gain.argmax())
        named.append(best)
        own = flow[order[begin[best] : begin[best + 1]]]
        own = own[~explained[own]]
        explained[own] = True
        path = view.path[own]
        on = path >= 0
        gain -= np.bincount(path[on], np.repeat(weight[own], on.sum(axis=1)), links)
        gain[best] = -np.inf
    return named
