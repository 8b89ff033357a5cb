"""Leaf groups: hosts on the same leaf switches, and the units that switches above join them into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..scheduler.host_cables import Choice
from ..scheduler.leaves import find_groups
from ..scheduler.unions import Unions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
    from .host_ports import HostPorts

ALONE = -1
"""The group of a host without a link."""


@dataclass(frozen=True)
class LeafGroups:
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


def leaf_groups(fabric: Fabric, ports: HostPorts) -> LeafGroups:
    """The leaf groups of hosts, which are those of a scheduler's tree.

    Hosts that stand under none there, as their cables lead to leaves of several groups, are a group with those on the same leaves.
    """
    found = find_groups(fabric, Choice(hosts=ports.hosts)).groups
    leaves = [tuple(sorted(group.leaves)) for group in found]
    of, column_of = np.full(len(ports.hosts), ALONE, np.int32), ports.number
    for number, group in enumerate(found):
        of[[column_of[name] for name in group.hosts]] = number
    is_linked = (ports.leaf >= 0).any(axis=0)
    of[~is_linked] = ALONE
    added: dict[tuple[int, ...], int] = {}
    for host in np.flatnonzero(is_linked & (of == ALONE)).tolist():
        column = ports.leaf[:, host]
        own = tuple(sorted(set(column[column >= 0].tolist())))
        of[host] = added.setdefault(own, len(leaves) + len(added))
    leaves += added
    numbers, first = np.unique(of[is_linked], return_index=True)
    order = numbers[np.argsort(first)]
    rank = np.full(len(leaves), ALONE, np.int32)
    rank[order] = np.arange(len(order))
    of[is_linked] = rank[of[is_linked]]
    groups = tuple(leaves[number] for number in order.tolist())
    levels = fabric.levels()
    return LeafGroups(of, groups, _units(fabric, groups, levels[0] if levels else None), levels is not None)


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
    sets = Unions(fabric.num_switches + len(groups))
    for group, leaves in enumerate(groups):
        for leaf in leaves:
            sets.join(fabric.num_switches + group, leaf)
    found: list[NDArray[np.int32]] = []
    before = len(groups)
    for level in range(int(rank.max(initial=0)) + 1):
        for a, b in cables[rank[cables].max(axis=1, initial=0) == level].tolist():
            sets.join(a, b)
        roots = [sets.first(fabric.num_switches + group) for group in range(len(groups))]
        number: dict[int, int] = {}
        units = np.array([number.setdefault(one, len(number)) for one in roots], np.int32)
        if len(number) < before:
            found.append(units)
            before = len(number)
    return np.array(found, np.int32).reshape(len(found), len(groups))
