"""Leaf groups: hosts on the same leaf switches, and the units that switches above join them into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
    from .host_ports import HostPorts

ALONE = -1
"""The group of a host without a link."""


@dataclass(frozen=True)
class Groups:
    """Leaf groups, in the order of their first host.

    Attributes:
        of: the group of each host; `ALONE` without a link. `int32`.
        leaves: the switches of each group, as indices of the fabric.
        units: level by level above the leaves, the unit of each group: hosts of one unit reach each other without
            switches of a higher level. The last level joins all that cables join. `int32`, shape `(levels, groups)`.
        has_levels: whether the fabric is a tree, whose levels units follow.
    """

    of: NDArray[np.int32]
    leaves: tuple[tuple[int, ...], ...]
    units: NDArray[np.int32]
    has_levels: bool

    def __len__(self) -> int:
        return len(self.leaves)


def groups_of(fabric: Fabric, ports: HostPorts) -> Groups:
    """The leaf groups of hosts: those with the same set of leaves.

    A host that lacks a leaf of its neighbours, or has one more, is in the group with which it shares most of its leaves.
    """
    own = [tuple(sorted(set(column[column >= 0].tolist()))) for column in ports.leaf.T]
    counted: dict[tuple[int, ...], int] = {}
    for leaves in own:
        if leaves:
            counted[leaves] = counted.get(leaves, 0) + 1
    joined: dict[tuple[int, ...], tuple[int, ...]] = {}
    kept: dict[tuple[int, ...], set[int]] = {}
    # Sets that many hosts have come first: they are what the machine was built with.
    for leaves in sorted(counted, key=lambda one: (-counted[one], -len(one), one)):
        shared = {other: len(its & set(leaves)) for other, its in kept.items()}
        best = max(shared, key=lambda one: shared[one], default=None)
        if best is not None and 2 * shared[best] >= len(leaves):
            joined[leaves] = best
            kept[best] |= set(leaves)
        else:
            joined[leaves] = leaves
            kept[leaves] = set(leaves)
    number: dict[tuple[int, ...], int] = {}
    of = np.full(len(own), ALONE, np.int32)
    for host, leaves in enumerate(own):
        if leaves:
            of[host] = number.setdefault(joined[leaves], len(number))
    groups = tuple(tuple(sorted(kept[leaves])) for leaves in number)
    levels = fabric.levels()
    return Groups(of, groups, _units(fabric, groups, levels[0] if levels else None), levels is not None)


def _units(
    fabric: Fabric, groups: tuple[tuple[int, ...], ...], levels: list[int] | None
) -> NDArray[np.int32]:
    """Level by level the groups that switches up to that level join; levels that join no more are left out."""
    cables = fabric.cables().reshape(-1, 4)[:, [0, 2]].astype(np.int64)
    cables = cables[(cables < fabric.num_switches).all(axis=1)]
    if levels is None:
        rank = np.zeros(fabric.num_switches, np.int64)
    else:
        rank = np.array(levels, np.int64)
        rank[rank < 0] = rank.max(initial=0)
    root = np.arange(fabric.num_switches + len(groups))
    for group, leaves in enumerate(groups):
        for leaf in leaves:
            _join(root, fabric.num_switches + group, leaf)
    found: list[NDArray[np.int32]] = []
    before = len(groups)
    for level in range(int(rank.max(initial=0)) + 1):
        for a, b in cables[rank[cables].max(axis=1, initial=0) == level].tolist():
            _join(root, a, b)
        roots = [_root(root, fabric.num_switches + group) for group in range(len(groups))]
        number: dict[int, int] = {}
        units = np.array([number.setdefault(one, len(number)) for one in roots], np.int32)
        if len(number) < before:
            found.append(units)
            before = len(number)
    return np.array(found, np.int32).reshape(len(found), len(groups))


def _root(root: NDArray[np.int64], node: int) -> int:
    while root[node] != node:
        root[node] = root[root[node]]
        node = int(root[node])
    return node


def _join(root: NDArray[np.int64], a: int, b: int) -> None:
    a, b = _root(root, a), _root(root, b)
    root[max(a, b)] = min(a, b)
