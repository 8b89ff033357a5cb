"""A fabric with its tables as flat arrays: directed links, their rates, and the links that flows cross.

Paths are followed here in the tables' bytes, independently of the code under test.

| here     | meaning                                                                            |
|----------|------------------------------------------------------------------------------------|
| link     | a directed link: `2 * c` from the first end of cable `c`, `2 * c + 1` from its second  |
| `path`   | links of flows, shape `(flows, longest)`, padded with -1                               |
| `up`     | link from a host to its switch, by host; `up ^ 1` is the link down to it                |
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import lacis
import numpy as np
from lacis import _core

from ..measure import shared_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lacis import Fabric, Participants, Routes
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

NONE = -1
REAL = ("dgx-2025", "selene-2021")
ENGINE = "ftree,updn,minhop"


@dataclass
class Net:
    """A routed fabric and the hosts that are measured."""

    name: str
    fabric: Fabric
    routes: Routes
    traffic: Participants
    ends: Ints = field(init=False)
    """Node and port at which each link begins, and ends; shape `(links, 4)`."""
    up: Ints = field(init=False)
    leaving: NDArray[np.int32] = field(init=False)
    """Link by switch and port."""
    _hops: dict[int, Ints] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        cables = self.fabric.cables().astype(np.int64).reshape(-1, 4)
        self.ends = np.stack([cables, cables[:, [2, 3, 0, 1]]], axis=1).reshape(-1, 4)
        switches = self.fabric.num_switches
        self.leaving = np.full((switches, 256), NONE, dtype=np.int32)
        own = np.flatnonzero(self.ends[:, 0] < switches)
        self.leaving[self.ends[own, 0], self.ends[own, 1]] = own
        edge_switch, lid = self._edge_switches[self._lids], self._lids
        self.up = self.leaving[edge_switch, self.table[edge_switch, lid]].astype(np.int64) ^ 1

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """Port by switch and LID."""
        return self.routes.table()

    @cached_property
    def _edge_switches(self) -> Ints:
        return self.routes.edge_switches().astype(np.int64)

    @cached_property
    def _lids(self) -> Ints:
        lids, guids = self.routes.lids()
        return np.array(
            [dict(zip(guids.tolist(), lids.tolist(), strict=True))[g] for g in self.traffic.guids().tolist()]
        )

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts."""
        return self.traffic.hosts

    @property
    def num_links(self) -> int:
        """Number of directed links."""
        return len(self.ends)

    @cached_property
    def rates(self) -> Floats:
        """By link [bytes/s]; 4xEDR where unknown."""
        names, which = self.fabric.cable_rates()
        known = np.array([rate_of(name) for name in names])
        return np.repeat(known[which], 2)

    def path(self, flows: Ints) -> NDArray[np.int32]:
        """The links of flows, `(sender, receiver)` by number of host; none for a flow without a route."""
        switches = self.fabric.num_switches
        to = self._lids[flows[:, 1]]
        at = self._edge_switches[self._lids[flows[:, 0]]]
        steps = [self.up[flows[:, 0]].astype(np.int32)]
        going = np.arange(len(flows))
        lost = []
        for _ in range(switches + 1):
            if not len(going):
                break
            link = self.leaving[at, self.table[at, to[going]]]
            step = np.full(len(flows), NONE, dtype=np.int32)
            step[going] = link
            steps.append(step)
            lost.append(going[link == NONE])
            far = self.ends[link, 2]
            on = (far < switches) & (link != NONE)
            going, at = going[on], far[on]
        path = np.stack(steps, axis=1)
        path[np.concatenate([*lost, going])] = NONE
        return path

    def hops_to(self, host: int) -> Ints:
        """The fewest links from each switch to a host's edge switch."""
        edge_switch = int(self.ends[self.up[host], 2])
        if edge_switch not in self._hops:
            self._hops[edge_switch] = self.fabric.hops_from([edge_switch]).astype(np.int64)
        return self._hops[edge_switch]

    def lid(self, host: int) -> int:
        """The LID of a host's port."""
        return int(self._lids[host])

    def entry(self, switch: str, egress: str | None, host: str) -> tuple[int, int, int]:
        """A wrong entry: switch, host and port, by the name of the port `node[port]`; -1 for a port that is not known."""
        port = NONE if egress is None else int(egress.removesuffix("]").rpartition("[")[2])
        return [one for one, _ in self.fabric.switches()].index(switch), self.hosts.index(host), port

    @cached_property
    def by_number(self) -> Ints:
        """Link by the engine's number: from 1 those between switches by egress port, then those of hosts."""
        switches = self.fabric.num_switches
        of_hosts = (self.ends[:, 0] >= switches) | (self.ends[:, 2] >= switches)
        return np.concatenate([[NONE], np.lexsort((self.ends[:, 1], self.ends[:, 0], of_hosts))])

    def label(self, link: int) -> str:
        """A link as `node:port`."""
        return f"{self.fabric.descriptions()[self.ends[link, 0]]}:{self.ends[link, 1]}"

    def wrong(self, entries: Iterable[tuple[int, int, int]]) -> NDArray[np.uint8]:
        """The table with wrong entries: switch, host and port of each."""
        table = self.table.copy()
        for switch, host, port in entries:
            table[switch, self.lid(host)] = port
        return table

    def with_table(self, table: NDArray[np.uint8]) -> Net:
        """The same with another table, for `path`; `routes` stays."""
        other = copy.copy(self)
        other.table = table
        return other


def rate_of(name: str) -> float:
    """Payload of a rate [bytes/s]: `4xHDR`."""
    lane = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 150 / 11, "EDR": 25, "OPA100": 25}
    lane |= {"HDR": 50, "NDR": 100, "CN5000": 100, "XDR": 200}
    if name == "unknown":
        return 12.5e9
    width, _, speed = name.partition("x")
    return int(width) * lane[speed] * 1e9 / 8


def net(name: str, engine: str = ENGINE) -> Net | None:
    """A fabric by name, hosts of its first rail; None where its file is absent."""
    source: str | None = name
    if name in REAL:
        found = shared_file(f"{name}.ibnetdiscover")
        source = str(found) if found else None
    if source is None:
        return None
    fabric = lacis.read(source)
    routes = lacis.route(fabric, engine)
    names = [host for host in lacis.participants(routes, rail="1").hosts if len(host.split()) == 1]
    return Net(name, fabric, routes, _core.listed_hosts(fabric, list(enumerate(names)), rail="1"))
