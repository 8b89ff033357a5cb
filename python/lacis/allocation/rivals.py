"""Which nodes other rules would take: Slurm's tree, the first free ones, contiguous ones.

Slurm's rule is that of `topology/tree` in 22.05 with whole nodes of one weight, read in its source (`_eval_nodes_topo`), written
here from that description and compared with a running slurmctld: leaf after leaf,
the next one is closest to those in use; of several the one whose leaf, or else whose switch above, holds what is still
missing most tightly; if none does, that with the most free nodes. Nodes of a leaf are taken in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .groups import LeafGroups

RIVALS = ("slurm", "first", "contiguous")
"""Rules of others, in the order in which they are shown."""


def take(rule: str, groups: LeafGroups, free: NDArray[np.int64], nodes: int) -> NDArray[np.int64] | None:
    """The hosts that a rule takes; none where it finds too few.

    Args:
        rule: one of `RIVALS`.
        groups: of all hosts.
        free: hosts that are free, ascending.
        nodes: how many are wanted.
    """
    if nodes > len(free):
        return None
    if rule == "slurm":
        return slurm_tree(groups, free, nodes)
    if rule == "first":
        return free[:nodes]
    return contiguous(free, nodes)


def contiguous(free: NDArray[np.int64], nodes: int) -> NDArray[np.int64] | None:
    """The first hosts of the shortest gap that holds all of them next to each other, by the order of hosts."""
    gaps = np.split(free, np.flatnonzero(np.diff(free) > 1) + 1)
    fitting = [gap for gap in gaps if len(gap) >= nodes]
    return min(fitting, key=len)[:nodes] if fitting else None


def slurm_tree(groups: LeafGroups, free: NDArray[np.int64], nodes: int) -> NDArray[np.int64] | None:
    """The hosts that Slurm's tree takes; hosts without a leaf are none of its."""
    there = free[groups.of[free] >= 0]
    of = groups.of[there]
    # The highest switch with enough nodes is the root of what is considered; the last of several.
    top = groups.units[-1] if len(groups.units) else np.arange(len(groups))
    sizes = np.bincount(top[of], minlength=int(top.max(initial=-1)) + 1)
    enough = np.flatnonzero(sizes >= nodes)
    if not len(enough):
        return None
    there = there[top[of] == enough[-1]]
    of = groups.of[there]
    levels = [np.arange(len(groups)), *groups.units]
    # Nodes below each switch, level by level; those of higher levels are not counted again as leaves are used up.
    below = [np.bincount(level[of], minlength=int(level.max(initial=-1)) + 1) for level in levels]
    distance = np.zeros(len(groups), np.int64)
    taken: list[NDArray[np.int64]] = []
    missing = nodes
    while missing > 0:
        best = _next_leaf(levels, below, distance, missing)
        if best is None:
            return None
        distance += _hops(levels, best)
        own = there[of == best][:missing]
        taken.append(own)
        missing -= len(own)
        below[0][best] = 0
    return np.sort(np.concatenate(taken))


def _next_leaf(
    levels: list[NDArray[np.int64]], below: list[NDArray[np.int64]], distance: NDArray[np.int64], missing: int
) -> int | None:
    best: int | None = None
    for leaf in np.flatnonzero(below[0]).tolist():
        if best is None:
            best = leaf
            continue
        better = _compare(levels, below, leaf, best, missing)
        closer = distance[leaf] < distance[best] and better >= 0
        if closer or (distance[leaf] == distance[best] and better > 0):
            best = leaf
    return best


def _compare(
    levels: list[NDArray[np.int64]], below: list[NDArray[np.int64]], a: int, b: int, missing: int
) -> int:
    """1 where leaf `a` suits better, -1 where `b` does: the tighter fit, at the lowest level where either fits."""
    last = 0
    for level, count in zip(levels, below, strict=True):
        if level[a] == level[b]:
            break
        ours, theirs = int(count[level[a]]), int(count[level[b]])
        last = (ours > theirs) - (ours < theirs)
        if ours >= missing and theirs >= missing:
            return -last
        if ours >= missing or theirs >= missing:
            return last
    return last


def _hops(levels: list[NDArray[np.int64]], leaf: int) -> NDArray[np.int64]:
    """Switches from a leaf to each leaf: 0 to itself, 2 below the same switch, 4 below the next."""
    hops = np.zeros(len(levels[0]), np.int64)
    for level in levels[:-1]:
        hops += 2 * (level != level[leaf])
    return hops
