"""Paths under tables, as arrays: the links between switches from each leaf to each host, and what shifts put on them.

A flow of a shift gets the least share of its links' rates that max-min fairness leaves to any flow: the rate of the link
with the most flows for its rate, divided by their number. So the slowest flow of a shift needs no filling step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..fabric.rates import bytes_per_second
from ..io.memory import need_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from .host_ports import HostPorts

MOST_LINKS = 64
"""More switches than this on a path mean that tables lead in a circle."""
_NO_PORT = 255
_BYTES = 60
"""Of a leaf and a host, while paths are followed: their links, twice, and where each stands."""


@dataclass(frozen=True)
class Paths:
    """Links of the paths among hosts.

    Attributes:
        base: for each row of `HostPorts` and each host as a sender, where its leaf's paths begin in `steps`.
        steps: numbers of links, shape `(leaves × hosts, links of the longest path)`; 0 is no link.
        inverse: 1 / rate of each link [s/byte]; 0 for no link.
        fastest: the rate of the slowest host's port [bytes/s], which no flow exceeds.
        lost: whether a leaf has no path to a host, by row of `steps`.
        egress: the switch and the port that each link leaves, `int64`: switch × 256 + port; -1 for no link.
    """

    base: NDArray[np.int64]
    steps: NDArray[np.int32]
    inverse: NDArray[np.float64]
    fastest: float
    lost: NDArray[np.bool_]
    egress: NDArray[np.int64]

    def links(self, senders: NDArray[np.int64], receivers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Numbers of the links of flows on every row, shape `(rows, …, links of the longest path)`."""
        found: NDArray[np.int32] = self.steps[self.base[:, senders] + receivers]
        return found

    def apart(self, has_port: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Pairs of hosts that lack a path on a rail of both, or have no rail in common; none where there are none.

        Args:
            has_port: whether a host has a port on a row of `HostPorts`.
        """
        if not self.lost.any() and has_port.all():
            return None
        count = self.base.shape[1]
        lost = np.zeros((count, count), np.bool_)
        joined = np.zeros((count, count), np.bool_)
        for base, there in zip(self.base, has_port, strict=True):
            lost |= self.lost[base[:, None] + np.arange(count)]
            joined |= there[:, None] & there
        found = lost | ~joined
        np.fill_diagonal(found, val=False)
        return found if found.any() else None


def paths_of(routes: Routes, ports: HostPorts) -> Paths:
    """The paths among hosts under tables."""
    fabric = routes.fabric
    peer, rate, host_rate = _cabling(fabric)
    table, edge = routes.table(), routes.edge_switches()
    count = len(ports.hosts)
    leaves_in_all = sum(len(np.unique(row)) for row in ports.leaf)
    need_memory(f"paths to {count:,} hosts from {leaves_in_all:,} leaves", leaves_in_all * count * _BYTES)
    base = np.zeros(ports.leaf.shape, np.int64)
    blocks: list[NDArray[np.int32]] = []
    lost_blocks: list[NDArray[np.bool_]] = [np.zeros(count, np.bool_)]
    done = 1
    for row in range(len(ports.leaf)):
        leaves, which = np.unique(ports.leaf[row], return_inverse=True)
        is_there = leaves >= 0
        # Row 0 of the blocks is that of hosts without a port: no link, nothing lost.
        at = np.where(is_there, done + np.cumsum(is_there) - 1, 0)
        base[row] = at[which] * count
        done += int(is_there.sum())
        block, lost = _walk(table, edge, peer, leaves[is_there], ports.lid[row])
        blocks.append(block)
        lost_blocks.append(lost.reshape(-1))
    longest = max((block.shape[1] for block in blocks), default=0)
    # Numbers of links instead of switches and ports: what is counted per link stays small.
    used = np.zeros(rate.size, np.bool_)
    for block in blocks:
        used[block[block >= 0]] = True
    egress = np.append(-1, np.flatnonzero(used))
    number = np.zeros(rate.size + 1, np.int32)
    number[egress] = np.arange(len(egress))
    steps = np.zeros((done * count, longest), np.int32)
    start = count
    for block in blocks:
        steps[start : start + len(block), : block.shape[1]] = number[block]
        start += len(block)
    inverse = np.append(0.0, 1.0 / rate.reshape(-1)[egress[1:]])
    return Paths(base, steps, inverse, host_rate, np.concatenate(lost_blocks), egress)


def _walk(
    table: NDArray[np.uint8],
    edge: NDArray[np.int32],
    peer: NDArray[np.int32],
    leaves: NDArray[np.int32],
    lids: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """From each leaf to each LID: switch × 256 + port of every link, -1 behind the last; and whether there is no path."""
    here = np.repeat(leaves.astype(np.int32), len(lids))
    lid = np.tile(lids.astype(np.int32), len(leaves))
    last = np.where(lid > 0, edge[lid], -1)
    going = (lid > 0) & (last >= 0) & (here != last)
    lost = np.zeros(len(here), np.bool_)
    columns: list[NDArray[np.int32]] = []
    while going.any():
        if len(columns) == MOST_LINKS:
            lost |= going
            break
        at = np.flatnonzero(going)
        port = table[here[at], lid[at]].astype(np.int32)
        following = peer[here[at], port]
        ends = (port == _NO_PORT) | (following < 0)
        lost[at[ends]] = True
        going[at[ends]] = False
        at, port, following = at[~ends], port[~ends], following[~ends]
        column = np.full(len(here), -1, np.int32)
        column[at] = here[at] * 256 + port
        columns.append(column)
        here[at] = following
        going[at] = here[at] != last[at]
    # What is lost has no links: it does not arrive.
    found = np.stack(columns, axis=1) if columns else np.zeros((len(here), 0), np.int32)
    found[lost] = -1
    return found, lost


def _cabling(fabric: Fabric) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
    """The switch behind each port of each switch, -1 for none; the rate there [bytes/s]; and that of the slowest host."""
    cables = fabric.cables().reshape(-1, 4).astype(np.int64)
    rates = bytes_per_second(fabric)
    known = rates[rates > 0]
    rates = np.where(rates > 0, rates, known.min(initial=np.inf) if len(known) else 1.0)
    peer = np.full((fabric.num_switches, 256), -1, np.int32)
    rate = np.ones((fabric.num_switches, 256))
    for a, b in ((0, 2), (2, 0)):
        is_switch = (cables[:, a] < fabric.num_switches) & (cables[:, b] < fabric.num_switches)
        near = cables[is_switch]
        peer[near[:, a], near[:, a + 1]] = near[:, b]
        rate[near[:, a], near[:, a + 1]] = rates[is_switch]
    to_hosts = (cables[:, 0] >= fabric.num_switches) | (cables[:, 2] >= fabric.num_switches)
    if not to_hosts.any():
        raise LacisError("no host has a cable")
    return peer, rate, float(rates[to_hosts].min())


def distances(hosts: int, most: int, pattern: str) -> list[int]:
    """The distances by which hosts of a job send, evenly spread where there are more than `most`.

    Args:
        hosts: of the job.
        most: how many distances to look at.
        pattern: `shifts` (every distance), `ring` (the next host and the one before) or `doubling` (powers of two).
    """
    last = hosts - 1
    if last < 1:
        return []
    if pattern == "ring":
        return sorted({1, last})
    if pattern == "doubling":
        return sorted({step for bit in range(last.bit_length()) for step in (1 << bit, hosts - (1 << bit))})
    count = min(most, last)
    return sorted({1 + i * last // count for i in range(count)})


def receivers(hosts: NDArray[np.int64], steps: Sequence[int]) -> NDArray[np.int64]:
    """To which host each host sends in each shift, shape `(shifts, hosts)`."""
    found: NDArray[np.int64] = hosts[
        (np.arange(len(hosts)) + np.array(steps, np.int64)[:, None]) % len(hosts)
    ]
    return found


def shift_loads(paths: Paths, hosts: NDArray[np.int64], steps: Sequence[int]) -> list[NDArray[np.int64]]:
    """How many flows each link has, shift by shift; hosts are in the order of ranks."""
    count = len(paths.inverse)
    if not paths.steps.shape[1]:
        return [np.zeros(count, np.int64) for _ in steps]
    begin = paths.base[:, hosts]
    found = []
    # Shift by shift, so that what is counted stays in the processor's caches.
    for theirs in receivers(hosts, steps):
        flows = np.bincount(paths.steps[begin + theirs].reshape(-1), minlength=count)
        flows[0] = 0
        found.append(flows)
    return found
