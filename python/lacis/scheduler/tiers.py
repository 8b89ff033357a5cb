"""What is above the groups of leaves: what cables join, tier by tier, up to one root for each connected fabric.

Tier *k* joins what has more than half of its switches of level *k* in common. So a cable in the wrong port joins nothing, and
one that is lost parts nothing. A tier that joins nothing is left out; the root is above all that cables join in any way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..fabric.rates import bytes_per_second
from ..facts.words import natural
from . import names as naming
from .unions import Unions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric
    from .leaves import LeafGroup

ROOT = "root"
_LEAST = 0.5
"""The share of its like's bandwidth with which a part still stands with them (`--by bandwidth`)."""


@dataclass(frozen=True)
class Uplink:
    """What leads to the level above.

    Attributes:
        cables: how many cables.
        bandwidth: what they carry each way [bytes/s]; None where a rate is unknown.
    """

    cables: int
    bandwidth: float | None


@dataclass(frozen=True)
class Junction:
    """Switches that join groups of leaves, or other junctions.

    Attributes:
        tier: how far above the groups, from 1.
        children: indices of what it joins: groups first, then junctions in their order.
        switches: their nodes; none for a root above several tiers' tops.
        up: what leads to the level above.
    """

    tier: int
    children: tuple[int, ...]
    switches: tuple[int, ...]
    up: Uplink


@dataclass(frozen=True)
class Tiers:
    """Everything above the groups.

    Attributes:
        junctions: from the lowest tier up; what joins groups comes before what joins these.
        group_names: a name for each group.
        junction_names: a name for each junction.
        uplinks: what leads up from each group.
        roots: indices of what has nothing above, groups first, as in `Junction.children`.
        has_levels: whether the switches have levels; else they are taken for as high as they are far from leaves.
        thin: the groups that stand apart as they keep too little bandwidth.
    """

    junctions: tuple[Junction, ...]
    group_names: tuple[str, ...]
    junction_names: tuple[str, ...]
    uplinks: tuple[Uplink, ...]
    roots: tuple[int, ...]
    has_levels: bool
    thin: tuple[int, ...]


@dataclass
class _Trunks:
    """Cables between switches, each in both directions.

    Attributes:
        low: the switch that a cable leaves.
        high: the switch that it enters.
        rate: what it carries [bytes/s]; not a number where that is unknown.
        level: of each switch; -1 where it has none.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    rate: NDArray[np.float64]
    level: NDArray[np.int64]

    def up(self, switches: Sequence[int]) -> Uplink:
        """What leads from switches to higher levels; to other switches than these where there is one level."""
        leaving = np.isin(self.low, switches)
        if self.level.max(initial=-1) > 0:
            leaving &= self.level[self.high] > self.level[self.low]
        else:
            leaving &= ~np.isin(self.high, switches)
        rates = self.rate[leaving]
        known = not np.isnan(rates).any()
        return Uplink(int(leaving.sum()), float(rates.sum()) if known else None)


def find_tiers(fabric: Fabric, groups: Sequence[LeafGroup], *, by_bandwidth: bool = False) -> Tiers:
    """What joins groups of leaves.

    Args:
        fabric: the fabric that they are of.
        groups: as `find_groups` finds them.
        by_bandwidth: whether what keeps less than half of the bandwidth of its like stands apart from them.
    """
    trunks, has_levels = _trunks(fabric, [leaf for group in groups for leaf in group.leaves])
    owner = np.full(fabric.num_switches, -1, dtype=np.int64)
    for at, group in enumerate(groups):
        owner[list(group.leaves)] = at
    units = list(range(len(groups)))  # what each group is in, as an index of groups and junctions
    below: list[tuple[int, tuple[int, ...], NDArray[np.int64]]] = []
    top = int(trunks.level.max(initial=-1))
    thin: set[int] = set()
    for level in range(1, top + 1):
        current = sorted(set(units))
        cables, rates = _matrices(trunks, owner, current, level)
        apart = _thin(rates) if by_bandwidth else set()
        thin |= {current[at] for at in apart if current[at] < len(groups)}
        sets = _joined(cables, apart)
        of = {current[at]: part for part, members in enumerate(sets) for at in members}
        switches = _owned(cables, sets)
        next_units: dict[int, int] = {}
        for part, members in enumerate(sets):
            own = np.flatnonzero(switches == part)
            if len(members) == 1:
                next_units[part] = current[members[0]]
                owner[own] = current[members[0]]
                continue
            new = len(groups) + len(below)
            below.append((level, tuple(current[at] for at in members), own))
            next_units[part] = new
        for part, unit in next_units.items():
            inside = [one for one, its in of.items() if its == part]
            owner[np.isin(owner, inside) & (owner >= 0)] = unit
            owner[np.flatnonzero(switches == part)] = unit
        units = [next_units[of[unit]] for unit in units]
    roots = _roots(fabric, groups, units, trunks, below, top)
    return _named(fabric, groups, below, trunks, roots, sorted(thin), has_levels=has_levels)


def _trunks(fabric: Fabric, leaves: list[int]) -> tuple[_Trunks, bool]:
    """The cables between switches, and whether the fabric has levels."""
    ends = fabric.cables().reshape(-1, 4).astype(np.int64)
    inner = (ends[:, 0] < fabric.num_switches) & (ends[:, 2] < fabric.num_switches)
    rate = bytes_per_second(fabric)[inner]
    a, b = ends[inner, 0], ends[inner, 2]
    levels = fabric.levels()
    level = fabric.hops_from(leaves) if levels is None else np.array(levels[0])
    both = (np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([rate, rate]))
    return _Trunks(*both, level.astype(np.int64)), levels is not None


def _matrices(
    trunks: _Trunks, owner: NDArray[np.int64], current: Sequence[int], level: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cables and bandwidth from each unit to each switch of a level; shapes (units, switches)."""
    row = np.full(max(current, default=0) + 2, -1, dtype=np.int64)
    row[list(current)] = np.arange(len(current))
    unit = row[owner[trunks.low]]
    counts = (trunks.level[trunks.high] == level) & (trunks.level[trunks.low] < level)
    counts &= (trunks.level[trunks.low] >= 0) & (owner[trunks.low] >= 0) & (unit >= 0)
    shape = (len(current), len(owner))
    cables, rates = np.zeros(shape), np.zeros(shape)
    np.add.at(cables, (unit[counts], trunks.high[counts]), 1)
    # Where a rate is unknown, cables are compared instead.
    weight = np.ones(len(trunks.rate)) if np.isnan(trunks.rate).any() else trunks.rate
    np.add.at(rates, (unit[counts], trunks.high[counts]), weight[counts])
    return cables, rates


def _thin(rates: NDArray[np.float64]) -> set[int]:
    """Units whose bandwidth to a level is less than half of what their like have there."""
    total = rates.sum(axis=1)
    there = total[total > 0]
    if len(there) < 3:  # of two it cannot be said which is unlike the other
        return set()
    return set(np.flatnonzero((total > 0) & (total < _LEAST * np.median(there))).tolist())


def _joined(cables: NDArray[np.float64], apart: set[int]) -> list[list[int]]:
    """Units that share more than half of the switches of the one that has fewer."""
    has = (cables > 0).astype(np.float32)
    shared = has @ has.T
    size = np.diagonal(shared)
    sets = Unions(len(cables))
    a, b = np.nonzero(np.triu(2 * shared > np.minimum.outer(size, size), 1))
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        if one not in apart and other not in apart:
            sets.join(one, other)
    return sets.sets()


def _owned(cables: NDArray[np.float64], sets: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """For each switch the set that most of its cables lead down to; -1 where none do."""
    by_set = np.array([cables[list(members)].sum(axis=0) for members in sets]).reshape(len(sets), -1)
    if not len(sets):
        return np.full(cables.shape[1], -1, dtype=np.int64)
    return np.where(by_set.max(axis=0) > 0, by_set.argmax(axis=0), -1)


def _roots(
    fabric: Fabric,
    groups: Sequence[LeafGroup],
    units: list[int],
    trunks: _Trunks,
    below: list[tuple[int, tuple[int, ...], NDArray[np.int64]]],
    top: int,
) -> list[int]:
    """Adds a root to `below` for each connected component with several tops; the index of each component's root."""
    sets = Unions(fabric.num_switches)
    for a, b in np.unique(np.sort(np.stack([trunks.low, trunks.high], axis=1), axis=1), axis=0).tolist():
        sets.join(a, b)
    for group in groups:
        for leaf in group.leaves[1:]:
            sets.join(group.leaves[0], leaf)
    tops: dict[int, list[int]] = {}
    for group, unit in zip(groups, units, strict=True):
        its = tops.setdefault(sets.first(group.leaves[0]), [])
        if unit not in its:
            its.append(unit)
    roots = []
    for its in tops.values():
        if len(its) == 1:
            roots.append(its[0])
            continue
        roots.append(len(groups) + len(below))
        below.append((max(top, 0) + 1, tuple(sorted(its)), np.empty(0, dtype=np.int64)))
    return roots


def _named(
    fabric: Fabric,
    groups: Sequence[LeafGroup],
    below: Sequence[tuple[int, tuple[int, ...], NDArray[np.int64]]],
    trunks: _Trunks,
    roots: Sequence[int],
    thin: Sequence[int],
    *,
    has_levels: bool,
) -> Tiers:
    switch = [name for name, _ in fabric.switches()]
    group_switches = [[switch[leaf] for leaf in group.leaves] for group in groups]
    group_names = naming.name_all(group_switches, [one[0] for one in group_switches], taken=(ROOT,))
    count = len(groups)
    first: list[int] = list(range(count))
    for _, children, _ in below:
        first.append(min((first[child] for child in children), key=lambda at: natural(group_names[at])))
    is_root = {at - count for at in roots if at >= count}
    others = [at for at in range(len(below)) if at not in is_root]
    found = naming.name_all(
        [sorted((switch[one] for one in below[at][2].tolist()), key=natural) for at in others],
        [f"above-{group_names[first[count + at]]}" for at in others],
        taken=(*group_names, ROOT),
    )
    names = dict(zip(others, found, strict=True))
    for at in is_root:
        alone = len(roots) == 1
        names[at] = ROOT if alone else naming.cleaned(f"{ROOT}-{group_names[first[count + at]]}")
    height = {level: at for at, level in enumerate(sorted({level for level, _, _ in below}), start=1)}
    junctions = tuple(
        Junction(height[level], children, tuple(own.tolist()), trunks.up(own.tolist()))
        for level, children, own in below
    )
    return Tiers(
        junctions,
        tuple(group_names),
        tuple(names[at] for at in range(len(below))),
        tuple(trunks.up(group.leaves) for group in groups),
        tuple(roots),
        has_levels,
        tuple(thin),
    )
