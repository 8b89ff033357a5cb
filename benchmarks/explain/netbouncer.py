"""NetBouncer: success probabilities of links by least squares.

C. Tan et al., "NetBouncer: active device and link failure localization in data center networks", NSDI 2019, section 4.

Minimises  Σ_j (y_j − Π_{i in path j} x_i)² + λ Σ_i x_i (1 − x_i)  over 0 ≤ x_i ≤ 1 by coordinate descent. The second term drives each
x_i to 0 or 1, so that few links are blamed.

| here | in the paper                                                                |
|------|-----------------------------------------------------------------------------|
| `y`  | success probability of a path; here: measured over predicted rate, at most 1 |
| `x`  | success probability of a link                                               |
| `λ`  | weight of the regulariser, `weight`                                         |
| `t`  | links below it are bad                                                      |

The objective is a parabola in each x_i. Links without a common path are updated together, which changes nothing: `turns`
is a colouring of such links. λ and `t` are chosen on other seeds.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .measured import Rounds
    from .net import Floats, Ints
    from .view import View

NAME = "NetBouncer"
SWEEPS = 30
STILL = 1e-4


class Setting(NamedTuple):
    """Parameters."""

    weight: float
    t: float


GRID = [
    Setting(*one)
    for one in product(
        (0.0, 0.003, 0.01, 0.05, 0.1, 0.3, 1.0), (0.6, 0.65, 0.7, 0.75, 0.8, 0.84, 0.88, 0.91, 0.94)
    )
]


def faulty_links(view: View, setting: Setting) -> list[int]:
    """Links, the least successful first."""
    x = solve(view, setting.weight)
    bad = np.flatnonzero(x < setting.t)
    return [int(link) for link in bad[np.argsort(x[bad], kind="stable")]]


@lru_cache(maxsize=256)
def solve(view: View, weight: float) -> Floats:
    """The x of all links; 1 for a link that no flow crosses."""
    y = np.minimum(view.ratio(), 1.0)
    turns = turns_of(view.rounds)
    flow, link = view.entries()
    links = view.rounds.net.num_links
    crossed = np.bincount(link, minlength=links)
    x = np.where(crossed > 0, np.bincount(link, y[flow], links) / np.maximum(crossed, 1), 1.0)
    whole = np.append(x, 1.0)[view.path].prod(axis=1)
    for _ in range(SWEEPS):
        before = x.copy()
        for at, of, these in turns:
            rest = whole[at] / np.maximum(x[of], 1e-9)
            a = np.bincount(of, rest * rest, links)[these] - weight
            b = np.bincount(of, rest * y[at], links)[these] - weight / 2
            # a x² − 2 b x is least at b / a where a > 0, else at 0 or 1.
            best = np.where(a > 0, b / np.where(a > 0, a, 1), a - 2 * b < 0)
            best = np.clip(best, 1e-3, 1.0)
            step = np.ones(links)
            step[these] = best / np.maximum(x[these], 1e-9)
            whole[at] *= step[of]
            x[these] = best
        if np.abs(x - before).max() < STILL:
            break
    return x


@lru_cache(maxsize=64)
def _turns(key: bytes, shape: tuple[int, int], links: int) -> list[tuple[Ints, Ints, Ints]]:
    path = np.frombuffer(key, dtype=np.int64).reshape(shape)
    colour = np.full(links + 1, -1)
    used = np.zeros(shape[0], dtype=np.uint64)
    flow, step = np.nonzero(path >= 0)
    link = path[flow, step]
    order = np.argsort(link, kind="stable")
    flow, link = flow[order], link[order]
    begin = np.searchsorted(link, np.arange(links + 1))
    for one in range(links):
        own = flow[begin[one] : begin[one + 1]]
        if len(own):
            colours = int(np.bitwise_or.reduce(used[own]))
            colour[one] = ((colours + 1) & ~colours).bit_length() - 1
            used[own] |= np.uint64(1 << int(colour[one]))
    out = []
    for number in range(int(colour.max()) + 1):
        kept = colour[link] == number
        out.append((flow[kept], link[kept], np.unique(link[kept])))
    return out


def turns_of(rounds: Rounds) -> list[tuple[Ints, Ints, Ints]]:
    """Groups of links of which no two are on one path: flows, their link of the group, and the links."""
    return _turns(rounds.path.tobytes(), rounds.path.shape, rounds.net.num_links)
