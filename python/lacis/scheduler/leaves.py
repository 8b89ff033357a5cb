"""A scheduler's leaves: groups of leaf switches on which the same hosts hang.

A host of several rails hangs on a leaf of each. Two leaves are of one group where more than half of the compute hosts on the
fuller one hang on both. So a few strangers (managers, storage, a host that is cabled wrongly) join no groups and split none,
and a lost cable moves no host: a host stands under the group that most of its cables lead to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..facts.scheduler import (
    AdapterHostless,
    HostBetweenGroups,
    HostNotListed,
    HostOffGroups,
    HostOffRail,
    HostUncabled,
    HostUnnamed,
    WhyUnplaced,
)
from ..facts.words import natural
from .host_cables import Cabled, Choice, cables_of_hosts, purposes, unnamed_hosts
from .unions import Unions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .._core import Fabric, Hosts

_CLEARLY = 1.5
"""How many times as many hosts a group must have as another for which a host with as many cables to both is taken."""


@dataclass(frozen=True)
class LeafGroup:
    """Leaf switches on which the same hosts hang.

    Attributes:
        leaves: their nodes, in natural order of their names.
        hosts: in natural order.
        cables: how many lead from the hosts to the leaves.
    """

    leaves: tuple[int, ...]
    hosts: tuple[str, ...]
    cables: int


@dataclass(frozen=True)
class Unplaced:
    """A host that stands under no leaf, or an adapter of an unknown one, and why."""

    host: str
    why: WhyUnplaced


@dataclass(frozen=True)
class Grouping:
    """The hosts of a fabric by the leaves that they hang on.

    Attributes:
        groups: in natural order of their first leaf.
        unplaced: the hosts that stand under none.
        compute: the hosts that groups were made of.
    """

    groups: tuple[LeafGroup, ...]
    unplaced: tuple[Unplaced, ...]
    compute: frozenset[str]


def find_groups(fabric: Fabric, choice: Choice | None = None) -> Grouping:
    """The groups of leaves, and the hosts that stand under none.

    Raises:
        LacisError: when no adapter is as chosen, or the fabric has no hosts.
    """
    choice = choice or Choice()
    hosts = _core.hosts(fabric)
    cabled = cables_of_hosts(fabric, hosts, choice)
    unnamed = set() if choice.hosts is not None else unnamed_hosts(fabric, hosts)
    wanted = set(cabled.names if choice.hosts is None else choice.hosts) - unnamed
    compute = _compute(fabric, cabled, wanted, listed=choice.hosts is not None)
    parts = _parts(cabled, compute)
    part_of = _assign(cabled, parts, compute)
    kept = {part for host, part in part_of.items() if host in compute}
    switch_names = [name for name, _ in fabric.switches()]
    members = _members(cabled, parts, kept, part_of)
    placed: dict[int, list[int]] = {part: [] for part in kept}
    unplaced: list[Unplaced] = []
    left = []
    for host, name in enumerate(cabled.names):
        part = _host_part(cabled.leaves[host], members, part_of.get(host))
        if name in unnamed:
            unplaced.append(Unplaced(name, HostUnnamed()))
        elif name not in wanted:
            unplaced.append(Unplaced(name, HostNotListed()))
        elif part is not None and part in kept:
            placed[part].append(host)
        else:
            left.append(host)
    unplaced += _reasons(fabric, cabled, left, choice, members, switch_names)
    unplaced += _hostless(fabric, hosts, switch_names)
    groups = _groups(cabled, placed, members, switch_names)
    return Grouping(groups, tuple(unplaced), frozenset(cabled.names[host] for host in compute))


def _groups(
    cabled: Cabled,
    placed: Mapping[int, Sequence[int]],
    members: Mapping[int, int],
    switch_names: Sequence[str],
) -> tuple[LeafGroup, ...]:
    """The groups that hosts stand under, in natural order of their first leaf."""
    leaves: dict[int, list[int]] = {part: [] for part in placed}
    for leaf in sorted(members, key=lambda leaf: natural(switch_names[leaf])):
        leaves[members[leaf]].append(leaf)
    groups = [
        LeafGroup(
            tuple(leaves[part]),
            tuple(cabled.names[host] for host in hosts),
            sum(
                count
                for host in hosts
                for leaf, count in cabled.leaves[host].items()
                if members.get(leaf) == part
            ),
        )
        for part, hosts in placed.items()
        if hosts
    ]
    return tuple(sorted(groups, key=lambda group: natural(switch_names[group.leaves[0]])))


def _compute(fabric: Fabric, cabled: Cabled, wanted: Collection[str], *, listed: bool) -> set[int]:
    """The hosts that groups are made of: those that were listed, or all for computing; all where none is."""
    there = [at for at, name in enumerate(cabled.names) if name in wanted and cabled.leaves[at]]
    if listed:
        return set(there)
    purpose = purposes(fabric, [cabled.names[at] for at in there])
    return {at for at in there if purpose[cabled.names[at]] == "compute"} or set(there)


def _parts(cabled: Cabled, compute: Collection[int]) -> dict[int, int]:
    """For each switch with hosts the set of leaves that it is in, by a number."""
    kinds = Counter(tuple(sorted(cabled.leaves[host])) for host in compute if cabled.leaves[host])
    usual = _usual(kinds)
    # Hosts that lack cables which others on the leaf have say nothing about which leaves belong together.
    on: Counter[int] = Counter()
    together: Counter[tuple[int, int]] = Counter()
    for leaves, count in kinds.items():
        for leaf in leaves:
            if len(leaves) >= usual[leaf]:
                on[leaf] += count
        for a, b in combinations(leaves, 2):
            if len(leaves) >= max(usual[a], usual[b]):
                together[a, b] += count
    known = sorted({leaf for leaves in cabled.leaves for leaf in leaves})
    index = {leaf: at for at, leaf in enumerate(known)}
    sets = Unions(len(known))
    for (a, b), count in together.items():
        if 2 * count > max(on[a], on[b]):
            sets.join(index[a], index[b])
    return {leaf: sets.first(at) for leaf, at in index.items()}


def _usual(kinds: Mapping[tuple[int, ...], int]) -> dict[int, int]:
    """On how many leaves the hosts of each leaf hang, most of them; the larger of two numbers that are as common."""
    found: dict[int, Counter[int]] = {}
    for leaves, count in kinds.items():
        for leaf in leaves:
            found.setdefault(leaf, Counter())[len(leaves)] += count
    return {leaf: max(numbers, key=lambda n: (numbers[n], n)) for leaf, numbers in found.items()}


def _assign(cabled: Cabled, parts: dict[int, int], compute: Collection[int]) -> dict[int, int]:
    """For each host the set of leaves that most of its cables lead to; none where it cannot be said."""
    hosts_on = Counter(part for host in compute for part in {parts[leaf] for leaf in cabled.leaves[host]})
    found: dict[int, int] = {}
    for host, leaves in enumerate(cabled.leaves):
        votes: Counter[int] = Counter()
        for leaf, count in leaves.items():
            votes[parts[leaf]] += count
        most = max(votes.values(), default=0)
        first = sorted((part for part, count in votes.items() if count == most), key=lambda p: hosts_on[p])
        # A leaf that hosts of several groups share, as one for storage, is larger than either group's own.
        if len(first) == 1 or (len(first) > 1 and hosts_on[first[1]] >= _CLEARLY * hosts_on[first[0]] > 0):
            found[host] = first[0]
    return found


def _members(
    cabled: Cabled, parts: dict[int, int], kept: Collection[int], part_of: dict[int, int]
) -> dict[int, int]:
    """For each leaf of a group the group; leaves that most hosts of one group alone hang on, too, are of that group."""
    members = {leaf: part for leaf, part in parts.items() if part in kept}
    hosts_on: dict[int, Counter[int]] = {}
    for host, part in part_of.items():
        for leaf in cabled.leaves[host]:
            if leaf not in members and part in kept:
                hosts_on.setdefault(leaf, Counter())[part] += 1
    for leaf, votes in hosts_on.items():
        (part, count), *_ = votes.most_common(1)
        if 2 * count > votes.total():
            members[leaf] = part
    return members


def _host_part(leaves: dict[int, int], members: dict[int, int], assigned: int | None) -> int | None:
    """The group that a host stands under: that of most of its cables to leaves of groups."""
    votes: Counter[int] = Counter()
    for leaf, count in leaves.items():
        if leaf in members:
            votes[members[leaf]] += count
    most = [part for part, count in votes.items() if count == max(votes.values())]
    if assigned in most or len(most) > 1:
        return assigned if assigned in votes else None
    return most[0] if most else None


def _reasons(
    fabric: Fabric,
    cabled: Cabled,
    left: Sequence[int],
    choice: Choice,
    members: Mapping[int, int],
    switch_names: Sequence[str],
) -> list[Unplaced]:
    """Why hosts stand under no group."""
    first: dict[int, int] = {}
    for leaf in sorted(members, key=lambda leaf: natural(switch_names[leaf])):
        first.setdefault(members[leaf], leaf)
    purpose = purposes(fabric, [cabled.names[host] for host in left if cabled.leaves[host]])

    def why(host: int) -> WhyUnplaced:
        leaves = cabled.leaves[host]
        if not cabled.any_cable[host]:
            return HostUncabled()
        if not leaves:
            return HostOffRail(choice.in_words())
        groups = {members[leaf] for leaf in leaves if leaf in members}
        if groups:
            return HostBetweenGroups(sorted((switch_names[first[part]] for part in groups), key=natural))
        on = sorted((switch_names[leaf] for leaf in leaves), key=natural)
        return HostOffGroups(purpose[cabled.names[host]], on)

    return [Unplaced(cabled.names[host], why(host)) for host in left]


def _hostless(fabric: Fabric, hosts: Hosts, switch_names: Sequence[str]) -> list[Unplaced]:
    """Adapters whose host nothing shows."""
    nodes = hosts.unknown().tolist()
    if not nodes:
        return []
    described = fabric.descriptions()
    ends = fabric.cables().reshape(-1, 4)
    both = np.concatenate([ends[:, [0, 2]], ends[:, [2, 0]]])
    leaf = dict(both[np.isin(both[:, 0], nodes)].tolist())
    return [
        Unplaced(
            "",
            AdapterHostless(
                described[node],
                switch_names[leaf[node]] if node in leaf and leaf[node] < len(switch_names) else "",
            ),
        )
        for node in nodes
    ]
