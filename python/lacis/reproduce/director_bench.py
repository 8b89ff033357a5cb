"""Ping-pong on the two directors, and its random draws, seed by seed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..model.simulation import Device
from .director_tables import LABELS, Directors
from .runs import fluid_ping_pong, packets, ping_pong_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Rates = NDArray[np.float64]

MB = 10**6
LINK = 3071.0
"""Rate that hosts reach [MB/s]: 75 % of 4 × 1024, the report's input."""

MAP_TABLE = "ordered min-hop"
IDEAL = "ideal re-routing"
DRAWN_SIZE = 256 << 10
"""Message size where many pairings are drawn [bytes]."""


@dataclass(frozen=True)
class Bench:
    """Ping-pong on the fabric, in the report's MB/s: a lone pair gets `LINK` in either model."""

    net: Directors
    host_efficiency: float
    """Share of a link's rate that hosts reach: 1 where every link is as slow as a host, 0.75 as in device itasca."""
    packet_alone: float
    """Rate of a lone pair, packet by packet [bytes/s]."""
    fluid_alone: float
    """Rate of a lone pair, as a fluid [bytes/s]."""

    @classmethod
    def of(cls, net: Directors, host_efficiency: float) -> Bench:
        """Calibrated on one pair of a leaf."""
        device = Device(name="itasca", host_efficiency=host_efficiency)
        pair = np.array([[0, 1]])
        run = packets(net.tables[MAP_TABLE], net.hosts, pair, size=MB, device=device, test="ping-pong")
        return cls(net, host_efficiency, float(run.bandwidths()[0]), run.link_rate * host_efficiency)

    def packet(
        self,
        table: str,
        pairs: NDArray[np.int64],
        size: int = MB,
        count: int = 2,
        test: str = "ping-pong",
        queues: str = "fifo",
    ) -> Rates:
        """Rate of each pair, packet by packet [MB/s]."""
        device = Device(name="itasca", host_efficiency=self.host_efficiency, queues=queues)
        routes = self.net.tables[table]
        run = packets(routes, self.net.hosts, pairs, size=size, device=device, test=test, count=count)
        return run.bandwidths() / self.packet_alone * LINK

    def fluid(self, table: str, listed: str, messages: int, ideal: str = "spray") -> Rates:
        """Rate of each pair, max-min fair [MB/s]; `ideal` is how messages are spread over all shortest paths without tables."""
        routes = self.net.tables.get(table, self.net.tables[MAP_TABLE])
        multipath = ideal if table == IDEAL else "none"
        found = fluid_ping_pong(
            routes, self.net.hosts, listed, messages=messages, size=MB, multipath=multipath,
            host_efficiency=self.host_efficiency,
        )  # fmt: skip
        return found / self.fluid_alone * LINK

    def drawn(self, seed: int) -> Bench:
        """Return the bench with the unrelated orders of another seed."""
        return replace(self, net=self.net.drawn(seed))

    def pairing(self, seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Random pairs of all nodes, and whether each is on different leaves."""
        pairs = np.random.default_rng(seed).permutation(len(self.net.hosts.hosts)).reshape(-1, 2)
        return pairs, leaf(pairs[:, 0]) != leaf(pairs[:, 1])


def leaf(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The leaf of each node."""
    return nodes // 16


def over(seeds: Iterable[int], draw: Callable[[int], Iterable[float]]) -> Rates:
    """What `draw` finds at each seed, shape `(seeds, numbers)`; several at a time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.array(list(pool.map(lambda seed: tuple(draw(seed)), seeds)))


def random_pairs(bench: Bench, seeds: Iterable[int], model: str) -> dict[str, Rates]:
    """Table → average, least and most over the pairs on different leaves, shape `(seeds, 3)`; a seed draws pairs and orders."""

    def draw(seed: int) -> list[float]:
        here, (pairs, apart) = bench.drawn(seed), bench.pairing(seed)
        found: list[float] = []
        for label in LABELS:
            if model == "packet":
                rates = here.packet(label, pairs, size=DRAWN_SIZE)[apart]
            else:
                rates = here.fluid(label, ping_pong_text(pairs, 4, MB), 4)[apart]
            found += [float(rates.mean()), float(rates.min()), float(rates.max())]
        return found

    return dict(zip(LABELS, np.moveaxis(over(seeds, draw).reshape(-1, len(LABELS), 3), 1, 0), strict=True))


def shared_nodes(bench: Bench, seeds: Iterable[int]) -> tuple[Rates, Rates]:
    """Average, least and most of 256 ranks in pairs on 32 nodes of two leaves: on the same leaf, and on different ones."""

    def draw(seed: int) -> list[float]:
        nodes = np.random.default_rng(seed).permutation(32 * 8).reshape(-1, 2) // 8
        nodes = nodes[nodes[:, 0] != nodes[:, 1]]
        found = bench.packet(MAP_TABLE, nodes, count=4)
        near = leaf(nodes[:, 0]) == leaf(nodes[:, 1])
        return [f(rates) for rates in (found[near], found[~near]) for f in (np.mean, np.min, np.max)]

    found = over(seeds, draw)
    return found[:, :3], found[:, 3:]
