"""What the search reads from a fabric: which hosts are on which switch, and which switch may be a root."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..routing.making import made

if TYPE_CHECKING:
    from .._core import Fabric, Participants, Routes


@dataclass(frozen=True)
class Layout:
    """Hosts and other end nodes by switch (its index among the nodes)."""

    guids: list[int]
    """Node GUIDs of the switches."""
    hosts: dict[int, list[int]]
    """Port GUIDs of the hosts on each leaf, rail after rail, and in a rail in the order of hosts."""
    others: dict[int, list[int]]
    """Port GUIDs of the aggregation nodes there, and last the switch's own port 0."""
    uplinks: dict[int, list[int]]
    """Ports of each switch with a cable to another, parallel cables together: neighbours by their lowest ports."""
    neighbours: dict[int, int]
    """Switches that each switch has cables to."""
    first: dict[int, int]
    """The first of them."""

    @property
    def leaves(self) -> list[int]:
        """The leaves, in the order of hosts."""
        return list(self.hosts)

    @classmethod
    def of(cls, fabric: Fabric, routes: Routes, traffic: Participants, rails: list[Participants]) -> Layout:
        """By the tables of any engine.

        Args:
            fabric: the fabric.
            routes: tables, only for the LIDs.
            traffic: all hosts that count.
            rails: the same, one rail after the other.
        """
        guids: list[int] = fabric.guids()[: fabric.num_switches].tolist()
        edge_of_lid = routes.edge_switches().tolist()
        lids, ports = (column.tolist() for column in routes.lids())
        edge_switch = {port: edge_of_lid[lid] for lid, port in zip(lids, ports, strict=True)}
        hosts: dict[int, list[int]] = {}
        for port in dict.fromkeys(port for rail in [*rails, traffic] for port in rail.guids().tolist()):
            if edge_switch.get(port, -1) >= 0:
                hosts.setdefault(edge_switch[port], []).append(port)
        taken = {port for some in hosts.values() for port in some}
        own = set(guids)
        others: dict[int, list[int]] = {}
        for port in sorted(
            (p for p in ports if p not in taken and edge_switch[p] >= 0), key=lambda p: p in own
        ):
            others.setdefault(edge_switch[port], []).append(port)
        bundles = fabric.bundles().reshape(-1, 3)
        neighbours = Counter(bundles[:, :2].ravel().tolist())
        first: dict[int, int] = {}
        for a, b in sorted([*bundles[:, [0, 1]].tolist(), *bundles[:, [1, 0]].tolist()]):
            first.setdefault(a, b)
        return cls(guids, hosts, others, _uplinks(fabric), dict(neighbours), first)

    def by_leaf(self, *, padded: bool) -> list[int]:
        """An order of targets: leaf after leaf.

        minhop and updn take a leaf's uplinks in turn, except for the leaf's own hosts. Where the number of these is a
        multiple of its uplinks, the turn continues where it stopped; else it is out of step with other leaves'. Padded,
        the leaf's aggregation node and its own port follow its hosts where that brings it into step (the port counts
        only with `port_profile_switch_nodes`).
        """
        order = []
        for leaf, hosts in self.hosts.items():
            rest = list(self.others.get(leaf, []))
            block = list(hosts)
            while padded and rest and len(block) % max(1, len(self.uplinks.get(leaf, ()))):
                block.append(rest.pop(0))
            order += block
        return order

    def bundled(self, *, turned: bool = False) -> list[tuple[int, list[int]]]:
        """An order in which leaves look through their ports: parallel cables one after the other.

        Then as many consecutive targets go to a spine as it has cables from the leaf, and they use all uplinks of the
        spine. Where a leaf instead goes round an even number of spines, each spine gets targets that are an even number
        apart, and uses half of its uplinks. Turned, each of the leaves with the same first spine begins one port later
        than the leaf before, so that the spine gets different targets from each.
        """
        lines, seen = [], Counter[int]()
        for leaf in self.hosts:
            ports = self.uplinks.get(leaf, [])
            if len(ports) > 1:
                start = -seen[self.first[leaf]] % len(ports) if turned else 0
                seen[self.first[leaf]] += 1
                lines.append((self.guids[leaf], ports[start:] + ports[:start]))
        return lines

    def level_hosts(self, fabric: Fabric, roots: list[int]) -> list[int]:
        """The hosts that ftree can take for compute nodes: those on switches of the rank that has most hosts."""
        hops = fabric.hops_from(roots).tolist()
        count = Counter(dict.fromkeys(hops, 0))
        for leaf, hosts in self.hosts.items():
            count[hops[leaf]] += len(hosts)
        rank, _ = max(count.items(), key=lambda item: (item[1], item[0]))
        return [port for leaf, hosts in self.hosts.items() if hops[leaf] == rank for port in hosts]


def _uplinks(fabric: Fabric) -> dict[int, list[int]]:
    """See `Layout.uplinks`."""
    cables = fabric.cables().reshape(-1, 4)
    between = cables[(cables[:, [0, 2]] < fabric.num_switches).all(axis=1)]
    first: dict[tuple[int, int], int] = {}
    ports: dict[int, list[tuple[int, int]]] = {}
    ends = [*between.tolist(), *between[:, [2, 3, 0, 1]].tolist()]
    for switch, port, far, _ in sorted(ends):
        lowest = first.setdefault((switch, far), port)
        ports.setdefault(switch, []).append((lowest, port))
    return {switch: [port for _, port in sorted(those)] for switch, those in ports.items()}


def participants(fabric: Fabric, groups: str) -> tuple[Routes, Participants, list[Participants]]:
    """Tables of minhop, the hosts that count, and the same rail by rail."""
    routes = made(fabric, "minhop")
    traffic = _core.participants(routes, groups=groups, rail="all", order="topology")
    rails = [
        _core.participants(routes, groups=groups, rail=str(rail), order="topology")
        for rail in range(1, traffic.rails + 1)
    ]
    return routes, traffic, rails
