"""The forwarding tables for the report on two directors (E)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..fabric.reading import read
from ..ranks.participants import participants
from ..routing.making import route
from .runs import end_lids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric, Participants, Routes

NEAR_SET = 9
"""Leaves under the same mid-level chips."""

LABELS = ("D-mod-K", "ordered min-hop", "ordered, unrelated at the mids", "shuffled")


@dataclass(frozen=True)
class Directors:
    """The fabric of 64 full leaves, its hosts leaf by leaf, and tables by label."""

    fabric: Fabric
    hosts: Participants
    tables: dict[str, Routes]

    @classmethod
    def build(cls, seed: int) -> Directors:
        """All four tables; `seed` draws the unrelated orders."""
        fabric = read("itasca")
        plain = route(fabric, "minhop")
        hosts = participants(plain, host_order="name")
        ordered = route(fabric, "minhop", order=hosts.guids().tolist())
        return cls(fabric, hosts, dict(zip(LABELS, (dmodk(plain, hosts), ordered), strict=False))).drawn(seed)

    def drawn(self, seed: int) -> Directors:
        """Return the directors with the unrelated orders of another seed."""
        order = np.random.default_rng(seed).permutation(self.hosts.guids()).tolist()
        shuffled = route(self.fabric, "minhop", order=order)
        dmodk, ordered = (self.tables[label] for label in LABELS[:2])
        mixed = ordered.table()
        levels = self.fabric.levels()
        above = np.array(levels[0] if levels else []) > 0
        mixed[above] = shuffled.table()[above]
        found = (dmodk, ordered, ordered.with_table(mixed), shuffled)
        return replace(self, tables=dict(zip(LABELS, found, strict=True)))

    def level(self, level: int) -> list[int]:
        """The switches of a level, 0 for leaves."""
        levels = self.fabric.levels()
        return [] if levels is None else np.flatnonzero(np.array(levels[0]) == level).tolist()


def dmodk(routes: Routes, hosts: Participants) -> Routes:
    """Tables in which the path depends only on a destination's number (E. Zahavi, "D-Mod-K", 2010), on three levels.

    Up: destination d takes uplink d mod 8 of a leaf, and uplink ⌊d / 8⌋ mod 18 of a mid-level chip, in the order of the chips
    above and of ports. Down: the mid-level chip and the lines by which d itself would leave.
    """
    fabric = routes.fabric
    cables = fabric.cables().reshape(-1, 4).astype(np.int64)
    both = np.concatenate([cables, cables[:, [2, 3, 0, 1]]])
    both = both[(both[:, 0] < fabric.num_switches) & (both[:, 2] < fabric.num_switches)]
    both = both[np.lexsort((both[:, 1], both[:, 2], both[:, 0]))]
    levels = fabric.levels()
    level = np.array(levels[0] if levels else [])
    lids, table = end_lids(routes, hosts), routes.table()
    number, edge_switch = np.arange(len(lids)), routes.edge_switches()[lids].astype(np.int64)

    def ports(switch: int, up: bool) -> NDArray[np.int64]:
        mine = both[both[:, 0] == switch]
        found: NDArray[np.int64] = mine[(level[mine[:, 2]] > level[switch]) == up][:, 1:3]
        return found  # port, neighbour

    uplinks = {leaf: ports(leaf, True) for leaf in np.unique(edge_switch).tolist()}
    width = len(next(iter(uplinks.values())))
    # The mid-level chip through which each destination is reached from above, and its line there.
    chosen = np.array(
        [uplinks[leaf][d % width] for leaf, d in zip(edge_switch.tolist(), number.tolist(), strict=True)]
    )
    arrival = {(int(a), int(p)): (int(b), int(q)) for a, p, b, q in both.tolist()}
    last = np.array(
        [arrival[leaf, port] for leaf, (port, _) in zip(edge_switch.tolist(), chosen.tolist(), strict=True)]
    )
    for switch in range(fabric.num_switches):
        up, down = ports(switch, True), ports(switch, False)
        if level[switch] == 0:
            away = edge_switch != switch
            table[switch, lids[away]] = up[number[away] % len(up), 0]
        elif level[switch] == 1:
            below = np.isin(edge_switch, down[:, 1])
            table[switch, lids[~below]] = up[number[~below] // width % len(up), 0]
            _lead_down(table[switch], lids, below, edge_switch, number, down)
            mine = last[:, 0] == switch
            table[switch, lids[mine]] = last[mine, 1]
        else:
            lines = number // width
            everywhere = np.ones(len(lids), dtype=bool)
            _lead_down(
                table[switch], lids, everywhere, _mid_in_reach(down, last, uplinks, edge_switch), lines, down
            )
    return routes.with_table(table)


def _lead_down(
    row: NDArray[np.uint8],
    lids: NDArray[np.int64],
    which: NDArray[np.bool_],
    towards: NDArray[np.int64],
    number: NDArray[np.int64],
    down: NDArray[np.int64],
) -> None:
    """Sends destinations `towards` a switch below, over its lines in turn by their numbers."""
    for below in np.unique(down[:, 1]).tolist():
        lines = down[down[:, 1] == below][:, 0]
        mine = which & (towards == below)
        row[lids[mine]] = lines[number[mine] % len(lines)]


def _mid_in_reach(
    down: NDArray[np.int64],
    last: NDArray[np.int64],
    uplinks: dict[int, NDArray[np.int64]],
    edge_switch: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The mid-level chip above each destination's leaf that a top-level chip reaches: the one chosen, where it does."""
    reach = np.unique(down[:, 1])
    other = {leaf: int(np.intersect1d(up[:, 1], reach)[0]) for leaf, up in uplinks.items()}
    fallback = np.array([other[leaf] for leaf in edge_switch.tolist()])
    return np.where(np.isin(last[:, 0], reach), last[:, 0], fallback)
