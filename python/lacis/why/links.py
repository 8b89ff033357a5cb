"""The directed links of a fabric as arrays, and what a job that sends all to all puts on each.

A link is a row. Those of cable i, of n, are rows i and n + i, so that the other direction of row r is (r + n) modulo 2 n;
a row is also the port that the link leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..fabric.rates import speeds_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Participants, Routes

_SEED = 1


@dataclass(frozen=True)
class Links:
    """Every directed link.

    Attributes:
        nodes: the sending node.
        ports: the port that the link leaves.
        guids: the GUID of the sending node.
        rates: what it carries [bytes/s]; NaN where the source does not say.
        switches: how many of the nodes are switches; they are the first.
        names: of the nodes.
        owners: hosts of adapters whose names do not say them, by node; inferred from cabling and numbers.
    """

    nodes: NDArray[np.int64]
    ports: NDArray[np.int64]
    guids: NDArray[np.uint64]
    rates: NDArray[np.float64]
    switches: int
    names: Sequence[str]
    owners: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def back(self) -> NDArray[np.intp]:
        """Row → that of the other direction."""
        return np.roll(np.arange(len(self)), len(self) // 2)

    @cached_property
    def far(self) -> NDArray[np.int64]:
        """The receiving node."""
        return self.nodes[self.back]

    @cached_property
    def between_switches(self) -> NDArray[np.bool_]:
        """Whether both ends are switches."""
        return (self.nodes < self.switches) & (self.far < self.switches)

    @property
    def names_of_nodes(self) -> list[str]:
        """The name of the sending node of each row."""
        return [self.names[node] for node in self.nodes.tolist()]

    def port(self, row: int) -> str:
        """The port that a link leaves: `leaf-03[17]`; of an adapter without a host's name `node0001? MT4129[1]`."""
        node = int(self.nodes[row])
        owner = f"{self.owners[node]}? " if node in self.owners else ""
        return f"{owner}{self.names[node]}[{int(self.ports[row])}]"

    def ends(self, row: int) -> tuple[str, str]:
        """The ports that a link leaves and enters."""
        half = len(self) // 2
        return self.port(row), self.port((row + half) % (2 * half))

    def rows(
        self, guids: NDArray[np.uint64], ports: NDArray[np.integer]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """For ports by their node's GUID: the row of each, and whether there is one."""
        known, order, keys = self._by_guid
        at = np.minimum(np.searchsorted(known, guids), len(known) - 1)
        rows, is_there = _looked_up(order, keys, at << 16 | ports.astype(np.int64))
        return rows, is_there & (known[at] == guids)

    @cached_property
    def _by_guid(self) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.int64]]:
        """GUIDs, and ports by the number of their GUID among these: the order of rows, and sorted keys."""
        known, which = np.unique(self.guids, return_inverse=True)
        return (known, *_sorted(which.astype(np.int64) << 16 | self.ports))

    def rows_of_nodes(self, nodes: NDArray[np.integer], ports: NDArray[np.integer]) -> NDArray[np.intp]:
        """The row of each port that is given by its node; every one must have a cable."""
        wanted = nodes.astype(np.int64) << 16 | ports.astype(np.int64)
        rows, _ = _looked_up(*_sorted(self.nodes << 16 | self.ports), wanted)
        return rows


def _sorted(keys: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    order = np.argsort(keys, kind="stable")
    return order, keys[order]


def _looked_up(
    order: NDArray[np.intp], keys: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Rows of sorted keys, and which of those that are wanted are there."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return order[at], keys[at] == wanted


def links_of(fabric: Fabric) -> Links:
    """The links of a fabric.

    Raises:
        LacisError: when it has none.
    """
    cables = fabric.cables().reshape(-1, 2, 2).astype(np.int64)
    if not len(cables):
        raise LacisError("the fabric has no cables")
    kinds, which = fabric.cable_rates()
    speeds = np.array(
        [
            np.nan if s is None else s * 1e9
            for s in speeds_of(None if kind == "unknown" else kind for kind in kinds)
        ]
        or [np.nan]
    )
    nodes = np.concatenate([cables[:, 0, 0], cables[:, 1, 0]])
    return Links(
        nodes=nodes,
        ports=np.concatenate([cables[:, 0, 1], cables[:, 1, 1]]),
        guids=fabric.guids()[nodes],
        rates=np.tile(speeds[np.minimum(which, len(speeds) - 1)], 2),
        switches=fabric.num_switches,
        names=[*(name for name, _ in fabric.switches()), *fabric.descriptions()[fabric.num_switches :]],
        owners=owners_of(fabric),
    )


def owners_of(fabric: Fabric) -> dict[int, str]:
    """Hosts of adapters that are called otherwise."""
    hosts, named = _core.hosts(fabric), fabric.descriptions()
    return {
        node: host
        for number, host in enumerate(hosts.names)
        for node in hosts.adapters(number).tolist()
        if not named[node].lower().startswith(host.lower())
    }


@dataclass(frozen=True)
class Load:
    """What a job puts on links when each of its ports sends as much to each other one.

    Attributes:
        flows: of each link the ordered pairs of ports whose packets cross it; parts of pairs where switches choose.
        sets: of each link the number of the set among whose links a switch may choose; 0 where it has no choice.
        unrouted: pairs that have no route.
    """

    flows: NDArray[np.float64]
    sets: NDArray[np.int64]
    unrouted: int


def load_of(routes: Routes, links: Links, hosts: Sequence[str], *, adaptive: bool) -> Load:
    """The load of a job, rail by rail.

    Args:
        routes: the tables.
        links: those of their fabric.
        hosts: the job's.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """
    fabric = routes.fabric
    flows, sets, unrouted = np.zeros(len(links)), np.zeros(len(links), np.int64), 0
    for own in rails_of(fabric, hosts):
        predicted = _core.predict(routes, own, "alltoall", hottest=0)
        unrouted += predicted.unrouted
        nodes, ports, counts = predicted.loads()
        crossed = counts > 0
        there = np.zeros(len(links))
        there[links.rows_of_nodes(nodes[crossed], ports[crossed])] = counts[crossed]
        if adaptive:
            there, chosen = _spread(fabric, links, there)
            sets = np.where(chosen > 0, chosen, sets)
        flows += there
    return Load(flows, sets, unrouted)


def rails_of(fabric: Fabric, hosts: Sequence[str]) -> Iterable[Participants]:
    """The job's ports of each rail that has two of them or more."""
    named = list(enumerate(hosts, start=1))
    for rail in range(1, _core.listed_hosts(fabric, named).rails + 1):
        there = set(_core.host_names(fabric, rail=str(rail)))
        own = [(line, name) for line, name in named if name in there]
        if len(own) > 1:
            yield _core.listed_hosts(fabric, own, rail=str(rail))


def _spread(
    fabric: Fabric, links: Links, static: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Flows spread evenly, switch by switch, over all links that begin a shortest path; and the sets of such links.

    Links of hosts keep what the tables put there: a host has no choice.
    """
    trunk = links.between_switches
    spread = np.where(trunk, 0.0, static)
    first = np.flatnonzero((links.nodes >= links.switches) & (static > 0))
    leaves, senders = np.unique(links.far[first], return_counts=True)
    rows = np.flatnonzero(trunk)
    near, far = links.nodes[rows], links.far[rows]
    labels = np.zeros(len(links), np.int64)
    names = np.random.default_rng(_SEED).integers(1, 1 << 40, len(leaves))
    for at, leaf in enumerate(leaves.tolist()):
        hops = fabric.hops_from([leaf]).astype(np.int64)
        flow = np.zeros(links.switches)
        flow[leaves] = senders * senders[at]
        flow[hops[: links.switches] < 0] = 0
        nearer = (hops[far] >= 0) & (hops[near] == hops[far] + 1)
        ports = np.bincount(near[nearer], minlength=links.switches)
        for level in range(int(hops.max()), 0, -1):
            taken = nearer & (hops[near] == level) & (flow[near] > 0)
            part = flow[near[taken]] / ports[near[taken]]
            spread[rows[taken]] += part
            labels[rows[taken]] ^= names[at]
            np.add.at(flow, far[taken], part)
    # Links that leave one switch for the same leaves are a set; a link that is alone in its set leaves no choice.
    used = np.flatnonzero(labels)
    sets = np.zeros(len(links), np.int64)
    if len(used):
        pairs = np.stack([links.nodes[used], labels[used]], axis=1)
        _, which, sizes = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        sets[used] = np.where(sizes[which] > 1, which + 1, 0)
    return spread, sets
