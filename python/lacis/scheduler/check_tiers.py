"""Whether what a site has above its leaves is what cables join: tiers, what is below each, and roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.scheduler import LeavesElsewhere, LinksAbsent, RootsApart, TierMissing, TopologyFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .site import SiteSwitch
    from .topology import Topology

_ALIKE = 0.5
"""The share of groups that a switch and what cables join must have in common, for one to stand for the other."""


def judge(
    topology: Topology,
    switches: Mapping[str, SiteSwitch],
    parents: Mapping[str, str],
    leaf_groups: Mapping[str, str],
) -> list[tuple[int, TopologyFault]]:
    """What is wrong above the leaves.

    Args:
        topology: the fabric's.
        switches: the file's, by name.
        parents: the switch above each, without cycles.
        leaf_groups: for each leaf of the file the group that it stands for.
    """
    leaves_under: dict[str, list[str]] = {}
    for leaf in leaf_groups:
        name: str | None = leaf
        while name is not None:
            leaves_under.setdefault(name, []).append(leaf)
            name = parents.get(name)
    groups_under = {
        name: frozenset(leaf_groups[leaf] for leaf in leaves) for name, leaves in leaves_under.items()
    }
    above = {name: its for name, its in groups_under.items() if switches[name].children}
    return [
        *_tiers(topology, switches, parents, leaf_groups, above),
        *_roots(topology, switches, parents, leaves_under, leaf_groups),
    ]


def _below(topology: Topology) -> dict[str, frozenset[str]]:
    """The groups below each of the fabric's switches above them."""
    found: dict[str, frozenset[str]] = {leaf.name: frozenset([leaf.name]) for leaf in topology.leaves}
    for one in topology.above:
        found[one.name] = frozenset().union(*(found[child] for child in one.children))
    return found


def _tiers(
    topology: Topology,
    switches: Mapping[str, SiteSwitch],
    parents: Mapping[str, str],
    leaf_groups: Mapping[str, str],
    above: Mapping[str, frozenset[str]],
) -> Iterator[tuple[int, TopologyFault]]:
    below = _below(topology)
    there = frozenset(leaf_groups.values())
    missing: dict[int, list[str]] = {}
    moved: dict[tuple[str, str, str | None], list[str]] = {}
    for one in topology.above:
        its = below[one.name] & there
        if one.name in topology.roots or len(its) < 2:
            continue
        share, match = _most_alike(its, above)
        if share <= _ALIKE:
            missing.setdefault(one.tier, []).append(one.name)
        elif share < 1:
            for leaf, group in leaf_groups.items():
                if group in its and group not in above[match]:
                    moved.setdefault((parents.get(leaf, ""), one.name, match), []).append(leaf)
                elif (
                    group in above[match]
                    and group not in its
                    and (belongs := _joined_above(topology, below, group, one.tier))
                ):
                    alike, name = _most_alike(below[belongs] & there, above)
                    # One switch of the file cannot stand for both.
                    right = name if alike > _ALIKE and name != match else None
                    moved.setdefault((match, belongs, right), []).append(leaf)
    for tier, names in sorted(missing.items()):
        yield 0, TierMissing(tier, names)
    for (switch, belongs, right), leaves in moved.items():
        line = switches[switch].line if switch else switches[leaves[0]].line
        yield line, LeavesElsewhere(leaves, switch, belongs, right)


def _most_alike(its: frozenset[str], above: Mapping[str, frozenset[str]]) -> tuple[float, str]:
    """The file's switch that joins the same groups, or else has most in common with them; and how much that is."""
    return max(
        ((len(its & others) / len(its | others), name) for name, others in above.items()),
        default=(0.0, ""),
        key=lambda pair: pair[0],
    )


def _joined_above(
    topology: Topology, below: Mapping[str, frozenset[str]], group: str, tier: int
) -> str | None:
    """The fabric's switch that joins a group where no other below a root does at a tier: its being under a wrong one is said here."""
    joins = next((one for one in topology.above if one.tier >= tier and group in below[one.name]), None)
    if joins is None or (joins.tier == tier and joins.name not in topology.roots):
        return None
    return joins.name


def _roots(
    topology: Topology,
    switches: Mapping[str, SiteSwitch],
    parents: Mapping[str, str],
    leaves_under: Mapping[str, list[str]],
    leaf_groups: Mapping[str, str],
) -> Iterator[tuple[int, TopologyFault]]:
    below = _below(topology)
    root_of = {group: root for root in topology.roots for group in below[root]}
    roots = {name: {root_of[leaf_groups[leaf]] for leaf in leaves} for name, leaves in leaves_under.items()}
    for name, its in roots.items():
        children = [child for child in switches[name].children if child in roots]
        # Said of the lowest switch alone: those above it join no more than it does.
        if len(its) > 1 and children and all(len(roots[child]) == 1 for child in children):
            parts: dict[str, list[str]] = {}
            for leaf in leaves_under[name]:
                parts.setdefault(root_of[leaf_groups[leaf]], []).append(leaf)
            yield switches[name].line, LinksAbsent(name, list(parts.values()))
    tops: dict[str, list[str]] = {}
    for name, its in roots.items():
        if name not in parents:
            for root in its:
                tops.setdefault(root, []).append(name)
    for names in tops.values():
        if len(names) > 1:
            yield switches[names[1]].line, RootsApart(names)
