"""Whose packets leave by a port, by the tables: which sources' to which destinations, leaf by leaf, without a list of flows.

The tables are followed from all leaves to all destinations of the port at once; all sources on a leaf take the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from ..fabric.ports import Ports

_AT_ONCE = 1 << 20
"""Leaves × destinations that are followed at once."""
_HOPS = 64
"""A packet that has crossed so many switches is in a loop."""
_NONE = 255
"""No port, in a table."""


class Senders(NamedTuple):
    """Ports each of which sends as much to each other one.

    Attributes:
        name: the job whose they are; empty for all hosts.
        guids: of the ports; none for those of all hosts.
    """

    name: str
    guids: NDArray[np.uint64] | None = None


ALL = Senders("")
"""All hosts."""


class Crossing(NamedTuple):
    """What leaves by a port.

    Attributes:
        sources: LIDs of the ports that send.
        leaves: the row of `part` of each source: that of its leaf.
        targets: LIDs of the ports that receive.
        part: how much of what a source on a leaf sends to a target leaves by the port, from 0 to 1.
    """

    sources: NDArray[np.intp]
    leaves: NDArray[np.intp]
    targets: NDArray[np.intp]
    part: NDArray[np.float32]


@dataclass(frozen=True)
class Crossings:
    """Whose packets leave by each port.

    Attributes:
        routes: the tables.
        ports: of their fabric.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """

    routes: Routes
    ports: Ports
    adaptive: bool = False

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """By LID the row of the port that has it; -1 where that is no port of a cable."""
        lids, guids = self.routes.lids()
        rows = np.full(len(self.leaves), -1, np.intp)
        its_guids, its_rows = _ports_of_hosts(self.routes.fabric, self.ports)
        at = np.minimum(np.searchsorted(its_guids, guids), max(0, len(its_guids) - 1))
        if len(its_guids):
            known = its_guids[at] == guids
            rows[lids[known]] = its_rows[at[known]]
        # Ports of adapters whose host nothing shows, and of other nodes: where their leaf sends what is for them.
        others = lids[(rows[lids] < 0) & (self.leaves[lids] >= 0)].astype(np.intp)
        leaves = self.leaves[others]
        by = self.routes.table()[leaves, others]
        rows[others] = np.where(by != _NONE, self._far_rows[leaves, by], -1)
        return rows

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        """By LID the switch on which its port hangs; -1 where there is none."""
        return self.routes.edge_switches().astype(np.intp)

    @cached_property
    def _far_rows(self) -> NDArray[np.intp]:
        """The row of the port at the other end of each switch's port; -1 where there is none."""
        ports = self.ports
        found = np.full((self.routes.fabric.num_switches, 256), -1, np.intp)
        cabled = np.flatnonzero((ports.far >= 0) & (ports.nodes < len(found)))
        found[ports.nodes[cabled], ports.numbers[cabled]] = ports.far[cabled]
        return found

    def of(self, senders: Senders, port: int) -> Crossing:
        """What some senders' packets leave by a port.

        Args:
            senders: who sends.
            port: the row of the port.
        """
        sources, targets = self._lids(senders)
        node, far = int(self.ports.nodes[port]), int(self.ports.far[port])
        table = self.routes.table()
        if far < 0:
            targets = targets[:0]
        if node >= len(table):  # of an adapter: it alone sends there
            sources = sources[self.rows[sources] == port]
            reached = table[self.leaves[sources][:, None], targets[None, :]] != _NONE
            return _trimmed(sources, np.zeros(len(sources), np.intp), targets, reached)
        leaves, at = np.unique(self.leaves[sources], return_inverse=True)
        peer = int(self.ports.nodes[far]) if far >= 0 else -1
        if self.adaptive and 0 <= peer < len(table):
            return _trimmed(sources, at, targets, self._chosen(leaves, targets, node, peer))
        targets = targets[table[node, targets] == self.ports.numbers[port]]
        return _trimmed(sources, at, targets, self._followed(table, leaves, targets, node))

    def _lids(self, senders: Senders) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The LIDs from which and to which is sent; a port that has several sends from the lowest, and of jobs receives on it alone."""
        lids, guids = self.routes.lids()
        _, first = np.unique(guids, return_index=True)
        if senders.guids is not None:
            base = lids[np.sort(first)[np.isin(guids[np.sort(first)], senders.guids)]].astype(np.intp)
            base = base[self.leaves[base] >= 0]
            return base, base
        adapters = np.asarray(self.ports.kinds) == "adapter"
        every = lids[(self.rows[lids] >= 0) & (self.leaves[lids] >= 0)].astype(np.intp)
        every = every[adapters[self.ports.nodes[self.rows[every]]]]
        return np.intersect1d(every, lids[first]).astype(np.intp), every

    def _followed(
        self, table: NDArray[np.uint8], leaves: NDArray[np.intp], targets: NDArray[np.intp], node: int
    ) -> NDArray[np.bool_]:
        """Whether what a leaf sends to a target comes by a switch; `leaves` × `targets`."""
        found = np.zeros((len(leaves), len(targets)), np.bool_)
        step = max(1, _AT_ONCE // max(1, len(leaves)))
        far = np.where(self._far_rows >= 0, self.ports.nodes[self._far_rows], len(table))
        for begin in range(0, len(targets), step):
            some = targets[begin : begin + step]
            here = np.repeat(leaves, len(some))
            there = np.tile(some, len(leaves))
            is_by = here == node
            moving = np.flatnonzero(~is_by)
            for _ in range(_HOPS):
                if not len(moving):
                    break
                reached = far[here[moving], table[here[moving], there[moving]]]
                here[moving] = reached
                is_by[moving] = reached == node
                moving = moving[(reached < len(table)) & (reached != node)]
            found[:, begin : begin + step] = is_by.reshape(len(leaves), len(some))
        return found

    def _chosen(
        self, leaves: NDArray[np.intp], targets: NDArray[np.intp], node: int, peer: int
    ) -> NDArray[np.float32]:
        """How much of what a leaf sends to a target leaves by a cable between switches that spread evenly; `leaves` × `targets`."""
        near, far = self._trunks
        last, at = np.unique(self.leaves[targets], return_inverse=True)
        found = np.zeros((len(leaves), len(last)), np.float32)
        switches = self.routes.fabric.num_switches
        for number, leaf in enumerate(last.tolist()):
            hops = self.routes.fabric.hops_from([leaf])[:switches]
            if hops[node] < 0 or hops[node] != hops[peer] + 1:
                continue
            nearer = (hops[far] >= 0) & (hops[near] == hops[far] + 1)
            choices = np.bincount(near[nearer], minlength=switches)
            part = np.zeros(switches)
            part[node] = 1 / choices[node]
            for level in range(int(hops[node]) + 1, int(hops.max()) + 1):
                taken = nearer & (hops[near] == level) & (part[far] > 0)
                if not taken.any():
                    break
                part += np.bincount(near[taken], part[far[taken]], switches) / np.maximum(choices, 1)
            found[:, number] = part[leaves]
        return found[:, at]

    @cached_property
    def _trunks(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The switches at both ends of every cable between switches, each cable both ways."""
        near, number = np.nonzero(self._far_rows >= 0)
        far = self.ports.nodes[self._far_rows[near, number]]
        between = far < len(self._far_rows)
        return near[between], far[between]


def _ports_of_hosts(fabric: Fabric, ports: Ports) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """GUIDs of the ports of hosts' adapters, sorted, and their rows."""
    hosts = _core.hosts(fabric)
    nodes = [node for host in range(len(hosts.names)) for node in hosts.adapters(host).tolist()]
    radixes = [fabric.radix(node) for node in nodes]
    guids = np.array([guid for _, _, guid in hosts.addresses()], np.uint64)
    numbers = np.concatenate([np.arange(1, radix + 1) for radix in radixes] or [np.zeros(0, np.int64)])
    rows = ports.rows_of_nodes(np.repeat(np.array(nodes, np.intp), radixes), numbers)
    order = np.argsort(guids, kind="stable")
    return guids[order], rows[order]


def _trimmed(
    sources: NDArray[np.intp],
    leaves: NDArray[np.intp],
    targets: NDArray[np.intp],
    part: NDArray[np.bool_] | NDArray[np.float32],
) -> Crossing:
    """Without sources and targets of which nothing leaves by the port."""
    rows, columns = np.asarray(part.any(axis=1)), np.asarray(part.any(axis=0))
    number = np.cumsum(rows) - 1
    kept = rows[leaves] if len(leaves) else np.zeros(0, np.bool_)
    return Crossing(
        sources[kept], number[leaves[kept]], targets[columns], part[rows][:, columns].astype(np.float32)
    )
