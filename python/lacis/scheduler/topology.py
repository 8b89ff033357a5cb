"""A fabric as schedulers see it: groups of leaves with their hosts, and what joins them, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .. import _core
from ..errors import LacisError
from ..facts.scheduler import (
    FabricApart,
    HostsInferred,
    LeavesThin,
    TiersAssumed,
    TiersUnknown,
    TopologyRemark,
)
from ..facts.words import count, natural
from .host_cables import Choice
from .leaves import Unplaced, find_groups
from .tiers import Uplink, find_tiers

if TYPE_CHECKING:
    from .._core import Fabric

By = Literal["cables", "bandwidth"]


@dataclass(frozen=True)
class Leaf:
    """A scheduler's leaf: a group of leaf switches.

    Attributes:
        name: made of what the names of its switches have in common.
        switches: their names, in natural order.
        hosts: in natural order.
        cables: how many lead from the hosts to the switches.
        up: what leads to the level above.
    """

    name: str
    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    cables: int
    up: Uplink


@dataclass(frozen=True)
class Above:
    """What joins leaves, or others of its kind.

    Attributes:
        name: made of what the names of its switches have in common; `root` for the only root.
        tier: how far above the leaves, from 1.
        children: the names of what it joins.
        switches: their names; none for a root above several tops.
        up: what leads to the level above.
    """

    name: str
    tier: int
    children: tuple[str, ...]
    switches: tuple[str, ...]
    up: Uplink


@dataclass(frozen=True)
class Topology:
    """What `topology` finds.

    Attributes:
        leaves: in natural order of their first switch.
        above: from the lowest tier up.
        roots: names of what has nothing above it, one for each connected fabric.
        unplaced: hosts that stand under no leaf, each with the reason.
        compute: the hosts that a scheduler is expected to have; others are strangers on their leaves.
        remarks: what is remarkable about the whole.
    """

    leaves: tuple[Leaf, ...]
    above: tuple[Above, ...]
    roots: tuple[str, ...]
    unplaced: tuple[Unplaced, ...]
    compute: frozenset[str]
    remarks: tuple[TopologyRemark, ...]

    @property
    def hosts(self) -> int:
        """How many hosts stand under leaves."""
        return sum(len(leaf.hosts) for leaf in self.leaves)

    @property
    def tiers(self) -> int:
        """How many tiers there are above the leaves."""
        return max((one.tier for one in self.above), default=0)

    def chains(self) -> dict[str, tuple[str, ...]]:
        """For each leaf the names from itself to the root, one for each tier; where it skips a tier, the name below."""
        parent = {child: one for one in self.above for child in one.children}
        found = {}
        for leaf in self.leaves:
            chain = [leaf.name]
            above = parent.get(leaf.name)
            for tier in range(1, self.tiers + 1):
                if above is not None and above.tier == tier:
                    chain.append(above.name)
                    above = parent.get(above.name)
                else:
                    chain.append(chain[-1])
            found[leaf.name] = tuple(chain)
        return found

    def __repr__(self) -> str:
        return (
            f"<topology of {count(self.hosts, 'host')} on {count(len(self.leaves), 'leaf', 'leaves')} "
            f"under {count(len(self.above), 'switch', 'switches')}>"
        )


def topology(fabric: Fabric, choice: Choice | None = None, *, by: By = "cables") -> Topology:
    """A fabric as schedulers see it.

    Args:
        fabric: the fabric.
        choice: the rail, the adapters and the hosts that count, where they are chosen by hand.
        by: `cables`: what is joined stays joined while a cable is left; `bandwidth`: what keeps less than half of
            the bandwidth of its like stands apart.

    Raises:
        LacisError: when no host hangs on a switch, or none is as chosen.
    """
    grouping = find_groups(fabric, choice)
    if not grouping.groups:
        raise LacisError("no host hangs on a leaf switch, so that a scheduler has no leaf to know")
    tiers = find_tiers(fabric, grouping.groups, by_bandwidth=by == "bandwidth")
    switch = [name for name, _ in fabric.switches()]
    names = (*tiers.group_names, *tiers.junction_names)
    leaves = tuple(
        Leaf(name, tuple(switch[leaf] for leaf in group.leaves), group.hosts, group.cables, up)
        for name, group, up in zip(tiers.group_names, grouping.groups, tiers.uplinks, strict=True)
    )
    above = tuple(
        Above(
            name,
            one.tier,
            tuple(names[child] for child in one.children),
            tuple(sorted((switch[node] for node in one.switches), key=natural)),
            one.up,
        )
        for name, one in zip(tiers.junction_names, tiers.junctions, strict=True)
    )
    roots = tuple(names[at] for at in tiers.roots)
    remarks: list[TopologyRemark] = []
    if not tiers.has_levels and len(leaves) > 1:
        remarks.append(TiersAssumed() if len(above) > len(roots) else TiersUnknown())
    if len(roots) > 1:
        remarks.append(FabricApart(list(roots)))
    if tiers.thin:
        remarks.append(LeavesThin([names[at] for at in tiers.thin]))
    inferred = _inferred(fabric, leaves)
    if inferred:
        remarks.append(HostsInferred(inferred))
    return Topology(leaves, above, roots, grouping.unplaced, grouping.compute, tuple(remarks))


def _inferred(fabric: Fabric, leaves: tuple[Leaf, ...]) -> list[str]:
    """The hosts under leaves whose names no description says."""
    hosts = _core.hosts(fabric)
    there = {name for leaf in leaves for name in leaf.hosts}
    return [
        name for name, inferred in zip(hosts.names, hosts.inferred, strict=True) if inferred and name in there
    ]
