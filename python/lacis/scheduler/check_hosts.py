"""Whether a site's leaves hold the hosts that hang on the fabric's: a leaf stands for the group that most of its hosts hang on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from .. import _core
from ..errors import LacisError
from ..facts.scheduler import (
    GroupSplit,
    HostDoubled,
    HostsElsewhere,
    HostsLeftOut,
    HostsMisspelt,
    HostsRespelt,
    HostsUnjudged,
    HostsUnknown,
    LeafMixed,
    TopologyFault,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .site import SiteSwitch
    from .topology import Topology

Found: TypeAlias = "list[tuple[int, TopologyFault]]"

_MOST_NEAREST = 50
"""Unknown hosts for which the nearest names are looked for: a comparison with every name each."""


def judge(topology: Topology, switches: Mapping[str, SiteSwitch]) -> tuple[dict[str, str], Found]:
    """For each leaf of a file the fabric's group that it stands for, and what is wrong with its hosts.

    Raises:
        LacisError: when the fabric has none of its hosts.
    """
    group_of = {host: leaf.name for leaf in topology.leaves for host in leaf.hosts}
    known = {*group_of, *(one.host for one in topology.unplaced if one.host)}
    means, faults = _spellings(switches, known)
    single, several = _leaves_of(switches, means)
    if single and known.isdisjoint(single) and known.isdisjoint(several):
        few, first = min(single), min(known, default="none")
        raise LacisError(
            f"none of its {len(single) + len(several):,} hosts ({few[:40]}, …) is in the fabric, which has {first}, …: "
            "the file of another cluster?"
        )
    for host, leaves in several.items():
        faults.append((switches[leaves[1]].line, HostDoubled(host, list(dict.fromkeys(leaves)))))
        if len(set(leaves)) == 1:
            single[host] = leaves[0]
    groups, merged = _groups(topology, switches, single, group_of)
    faults += [(switches[name].line, LeafMixed(name, its)) for name, its in merged.items()]
    of_group: dict[str, list[str]] = {}
    for name, group in groups.items():
        of_group.setdefault(group, []).append(name)
    for group, leaves in of_group.items():
        if len(leaves) > 1:
            faults.append((switches[leaves[1]].line, GroupSplit(group, leaves)))
    faults += _elsewhere(switches, single, group_of, groups, merged, of_group)
    faults += _unknown(switches, means, known, group_of)
    faults += _absent(topology, {*single, *several}, of_group, merged)
    return groups, faults


def _leaves_of(
    switches: Mapping[str, SiteSwitch], means: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The leaf of each host that is named once, and the leaves of those that are named several times."""
    once: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for name, switch in switches.items():
        for given in switch.hosts:
            host = means.get(given, given)
            if host in several:
                several[host].append(name)
            elif host in once:
                several[host] = [once.pop(host), name]
            else:
                once[host] = name
    return once, several


def _form(name: str) -> str:
    return name.lower().split(".")[0]


def _spellings(switches: Mapping[str, SiteSwitch], known: set[str]) -> tuple[dict[str, str], Found]:
    """The hosts of the fabric that other spellings mean; names are right where all are spelt in one way."""
    by_form: dict[str, list[str]] = {}
    for name in known:
        by_form.setdefault(_form(name), []).append(name)
    named: dict[str, int] = {}  # hosts that are known in some spelling, with the line of each
    means: dict[str, str] = {}
    for switch in switches.values():
        for host in switch.hosts:
            if host in known:
                named[host] = switch.line
            elif (its := by_form.get(_form(host))) is not None and len(its) == 1:
                named[host], means[host] = switch.line, its[0]
    if not means:
        return {}, []
    # How each name differs: by its domain, by its letter case, by both or not at all.
    ways: dict[tuple[bool, bool], list[str]] = {}
    for host in named:
        meant = host if host in known else means.get(host)
        if meant is not None:
            (short, _, domain), (same, _, other) = host.partition("."), meant.partition(".")
            ways.setdefault((domain.lower() != other.lower(), short != same), []).append(host)
    usual = max(ways.values(), key=len)
    odd = [host for way in ways.values() if way is not usual for host in way]
    if not odd:
        return means, [(0, HostsRespelt(len(usual), usual[0], means[usual[0]]))]
    return means, [(named[odd[0]], HostsMisspelt(odd, [means.get(host, host) for host in odd]))]


def _groups(
    topology: Topology,
    switches: Mapping[str, SiteSwitch],
    single: Mapping[str, str],
    group_of: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """For each leaf the group that most of its hosts hang on, and the groups of leaves that hold most hosts of several."""
    size = {leaf.name: len(leaf.hosts) for leaf in topology.leaves}
    votes: dict[str, Counter[str]] = {}
    for host, name in single.items():
        if host in group_of:
            votes.setdefault(name, Counter())[group_of[host]] += 1
    groups, merged = {}, {}
    for name in switches:
        if name in votes:
            order = sorted(votes[name], key=lambda group: (-votes[name][group], group))
            groups[name] = order[0]
            most = [group for group in order if 2 * votes[name][group] > size[group]]
            if len(most) > 1:
                merged[name] = sorted(most)
    return groups, merged


def _elsewhere(
    switches: Mapping[str, SiteSwitch],
    single: Mapping[str, str],
    group_of: Mapping[str, str],
    groups: Mapping[str, str],
    merged: Mapping[str, list[str]],
    of_group: Mapping[str, list[str]],
) -> Iterator[tuple[int, TopologyFault]]:
    moved: dict[tuple[str, str], list[str]] = {}
    for host, name in single.items():
        group = group_of.get(host)
        if group is not None and group != groups.get(name) and group not in merged.get(name, ()):
            moved.setdefault((name, group), []).append(host)
    for (name, group), hosts in moved.items():
        right = of_group.get(group, [None])[0]
        yield switches[name].line, HostsElsewhere(hosts, name, group, right)


def _unknown(
    switches: Mapping[str, SiteSwitch],
    means: Mapping[str, str],
    known: set[str],
    group_of: Mapping[str, str],
) -> Iterator[tuple[int, TopologyFault]]:
    names = sorted(known)
    looked = 0
    for name, switch in switches.items():
        strange = [host for host in dict.fromkeys(switch.hosts) if host not in known and host not in means]
        if strange:
            looked += 1
            near = _core.nearest(strange[0], names, 2) if looked <= _MOST_NEAREST else []
            yield switch.line, HostsUnknown(strange, name, near)
        idle = [
            host
            for host in dict.fromkeys(means.get(host, host) for host in switch.hosts)
            if host in known and host not in group_of
        ]
        if idle:
            yield switch.line, HostsUnjudged(idle, name)


def _absent(
    topology: Topology,
    under: set[str],
    of_group: Mapping[str, list[str]],
    merged: Mapping[str, list[str]],
) -> Iterator[tuple[int, TopologyFault]]:
    holds = {group: name for name, its in merged.items() for group in its}
    for leaf in topology.leaves:
        absent = [host for host in leaf.hosts if host in topology.compute and host not in under]
        if absent:
            right = of_group.get(leaf.name, [holds.get(leaf.name)])[0]
            yield 0, HostsLeftOut(absent, leaf.name, right)
