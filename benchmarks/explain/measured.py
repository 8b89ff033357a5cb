"""Synthetic measurements: rounds of flows on a fabric, faults, and noise.

Two models make the values. *Ideal*: a flow gets the least, over its links, of the link's rate over the flows of the round on it.
*Packet*: `lacis.simulate`, packet by packet, on a fabric whose broken cables have other rates.

A value is `model · level · sender · receiver · round · noise · outlier`; `level` is fixed, the later factors are random.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import lacis
import numpy as np
from lacis import _core
from lacis.measure import campaign

from .fair import fair
from .net import NONE, Net, rate_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .net import Floats, Ints


@dataclass(frozen=True)
class Noise:
    """How values deviate from the model.

    Attributes:
        values: standard deviation of the logarithm of each value.
        hosts: the same between senders, and between receivers.
        outliers: fraction of values that are far too low.
        drift: of the logarithm, from the first to the last round.
        level: fraction of the predicted rate that hosts reach.
    """

    values: float = 0.05
    hosts: float = 0.02
    outliers: float = 0.02
    drift: float = 0.01
    level: float = 0.92


@dataclass(frozen=True)
class Faults:
    """Faults.

    Attributes:
        factor: by link, its rate relative to its full rate; absent links are healthy.
        entries: wrong entries of tables: switch, destination host, port.
        flapping: fraction of the time in which a link with a factor below 1 is slow.
    """

    factor: dict[int, float] = field(default_factory=dict)
    entries: tuple[tuple[int, int, int], ...] = ()
    flapping: float = 1.0


@dataclass(frozen=True)
class Rounds:
    """Flows that are measured together, round after round.

    Attributes:
        net: the fabric and its hosts.
        flows: sender and receiver, numbers of hosts; shape `(flows, 2)`.
        number: round of each flow, ascending from 0.
    """

    net: Net
    flows: Ints
    number: Ints
    _moved: dict[tuple[int, int, int], bytes] = field(init=False, default_factory=dict, compare=False)

    @cached_property
    def path(self) -> Ints:
        """The links of each flow, padded with -1."""
        return self.net.path(self.flows).astype(np.int64)

    @cached_property
    def share(self) -> Floats:
        """The share of each flow of each link of its path [bytes/s]; infinite where `path` is padded."""
        return share(self.net.rates, self.path, self.number)

    @cached_property
    def predicted(self) -> Floats:
        """The rate of each flow without faults, ideally shared [bytes/s]."""
        least: Floats = self.share.min(axis=1)
        return least

    @cached_property
    def fair(self) -> Floats:
        """The max-min fair rate of each flow without faults [bytes/s]."""
        return fair(self.net.rates, self.path, self.number)

    @cached_property
    def crossed(self) -> Ints:
        """How many flows cross each link."""
        return np.bincount(self.path[self.path != NONE], minlength=self.net.num_links)

    def binding(self, factor: float) -> Ints:
        """How many flows each link would slow at `factor` times its rate; others cross a narrower link."""
        slower = (self.share * factor < self.predicted[:, None]) & (self.path != NONE)
        return np.bincount(self.path[slower], minlength=self.net.num_links)

    @cached_property
    def classes(self) -> Ints:
        """A number for each link, equal for links that the same flows cross; -1 for links that none crosses."""
        numbers = np.random.default_rng(7).integers(0, 1 << 63, len(self.flows), dtype=np.uint64)
        prints = np.zeros(self.net.num_links + 1, dtype=np.uint64)
        np.add.at(prints, self.path, numbers[:, None])
        _, found = np.unique(prints[:-1], return_inverse=True)
        return np.where(self.crossed > 0, found, NONE)

    def moved(self, entry: tuple[int, int, int]) -> bytes:
        """The flows and rates that one wrong entry changes, as bytes: equal for entries that no measurement can distinguish.

        Args:
            entry: switch, host, port.
        """
        if entry not in self._moved:
            other = replace(self, net=self.net.with_table(self.net.wrong([entry]))).predicted / self.predicted
            changed = np.flatnonzero(abs(np.log(other)) > 1e-6)
            key = np.concatenate([changed, np.round(other[changed], 6)])
            self._moved[entry] = key.tobytes() if len(changed) else b""
        return self._moved[entry]

    def first(self, count: int) -> Rounds:
        """The first `count` rounds."""
        kept = self.number < count
        return Rounds(self.net, self.flows[kept], self.number[kept])


def share(rates: Floats, path: Ints, number: Ints) -> Floats:
    """The rate of each link of each flow over the flows of the same round that cross it."""
    key = number[:, None] * len(rates) + np.where(path == NONE, 0, path)
    flat = key[path != NONE]
    _, where, count = np.unique(flat, return_inverse=True, return_counts=True)
    out = np.full(path.shape, np.inf)
    out[path != NONE] = rates[path[path != NONE]] / count[where]
    return out


def campaign_rounds(net: Net, rounds: int) -> Rounds:
    """Rounds that `lacis measure plan` chooses."""
    chosen = campaign.plan(net.routes, net.hosts, rounds=rounds, crossings=rounds).rounds
    number = {host: at for at, host in enumerate(net.hosts)}
    flows = [(number[a], number[b]) for one in chosen for a, b in one.flows]
    return Rounds(net, np.array(flows), np.repeat(np.arange(len(chosen)), [len(one.flows) for one in chosen]))


def leaf_rounds(net: Net, inside: int, between: int) -> Rounds:
    """`inside` rounds inside leaves and `between` rounds from leaf to leaf, evenly spread over the offsets."""
    leaves: dict[str | None, list[int]] = {}
    for host, name in enumerate(net.traffic.leaf_of_hosts()):
        leaves.setdefault(name, []).append(host)
    groups = list(leaves.values())
    flows: list[tuple[int, int]] = []
    number: list[int] = []
    widest = max(map(len, groups))
    kinds = [(0, by) for by in np.linspace(1, widest - 1, inside).astype(int).tolist()]
    kinds += [
        (by, at % widest)
        for at, by in enumerate(np.linspace(1, len(groups) - 1, between).astype(int).tolist())
    ]
    for at, (offset, shift) in enumerate(kinds):
        for leaf, hosts in enumerate(groups):
            to = groups[(leaf + offset) % len(groups)]
            ends = [(a, to[(k + shift) % len(to)]) for k, a in enumerate(hosts[: len(to)])]
            flows += [end for end in ends if end[0] != end[1]]
        number += [at] * (len(flows) - len(number))
    return Rounds(net, np.array(flows), np.array(number))


def shift_rounds(net: Net, shifts: Sequence[int]) -> Rounds:
    """A round for each shift: every host sends to the host `shift` further on."""
    hosts = np.arange(len(net.hosts))
    flows = [np.stack([hosts, np.roll(hosts, -shift)], axis=1) for shift in shifts]
    return Rounds(net, np.concatenate(flows), np.repeat(np.arange(len(shifts)), len(hosts)))


def nxn_rounds(net: Net, hosts: int) -> Rounds:
    """All ordered pairs of the first `hosts` hosts, one pair at a time."""
    a, b = np.divmod(np.arange(hosts * hosts), hosts)
    flows = np.stack([a, b], axis=1)[a != b]
    return Rounds(net, flows, np.arange(len(flows)))


def ideal(rounds: Rounds, faults: Faults, rng: np.random.Generator, repeats: int = 1) -> Floats:
    """Values of the ideal model without noise [bytes/s], shape `(flows, repeats)`."""
    net = rounds.net
    if faults.entries:
        rounds = replace(rounds, net=net.with_table(net.wrong(faults.entries)))
    factor = np.ones(net.num_links + 1)
    links = np.array(sorted(faults.factor), dtype=np.int64)
    factor[links] = [faults.factor[link] for link in links.tolist()]
    if faults.flapping >= 1 or not len(links):
        values = (rounds.share * factor[rounds.path]).min(axis=1)
        return np.repeat(values[:, None], repeats, axis=1)
    last = int(rounds.number.max()) + 1
    out = np.empty((len(rounds.flows), repeats))
    for repeat in range(repeats):
        slow = rng.random((last, len(links))) < faults.flapping
        by_round = np.ones((last, net.num_links + 1))
        by_round[:, links] = np.where(slow, factor[links], 1)
        out[:, repeat] = (rounds.share * by_round[rounds.number[:, None], rounds.path]).min(axis=1)
    return out


def packet(
    rounds: Rounds,
    faults: Faults,
    *,
    base: str,
    slow: str,
    size: int = 1 << 17,
    seed: int = 1,
    adaptive: str = "off",
) -> Floats:
    """Values of the packet model without noise [bytes/s], shape `(flows, 1)`: each flow sends one message.

    Flows without a route have no number. All cables have the rate `base`, those with a link in `faults` the rate `slow` in both directions.
    """
    net = rounds.net
    text = json.loads(net.fabric.to_json())
    nodes = {node["guid"]: node for node in text["nodes"]}
    guids = [f"{guid:#018x}" for guid in net.fabric.guids().tolist()]
    for node in text["nodes"]:
        for port in node["ports"]:
            if "rate" in port:
                port["rate"] = base
    for link in faults.factor:
        for node, number in (net.ends[link, :2], net.ends[link, 2:]):
            port = next(p for p in nodes[guids[node]]["ports"] if p["number"] == number)
            port["rate"] = slow
    fabric = _core.read_fabric(json.dumps(text).encode())
    # Nodes keep their order, so the tables are comparable row by row.
    routes = lacis.route(fabric, net.routes.engine_used)
    if not (routes.table() == net.routes.table()).all():
        raise ValueError("the tables depend on the rates")
    if faults.entries:
        routes = routes.with_table(net.wrong(faults.entries))
    hosts = _core.listed_hosts(fabric, list(enumerate(net.hosts)), rail="1")
    routed = (rounds.path != NONE).any(axis=1)
    out = np.full(len(rounds.flows), np.nan)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs"
        for number in range(int(rounds.number.max()) + 1):
            own = (rounds.number == number) & routed
            flows = rounds.flows[own].tolist()
            file.write_text("".join(f"{net.hosts[a]} {net.hosts[b]}\n" for a, b in flows))
            work = lacis.Workload(traffic=f"file:{file}", size=size, hosts=hosts)
            got = lacis.simulate(routes, work, device=DEVICE, seed=seed, adaptive=adaptive).bandwidths()
            if len(got) != len(flows):
                raise ValueError("a flow without a route")
            out[own] = got
    return out[:, None]


DEVICE = "hdr"
"""The device of the packet model: switches with 64 KiB buffers, 4 KiB packets."""


def with_noise(values: Floats, rounds: Rounds, noise: Noise, rng: np.random.Generator) -> Floats:
    """Synthetic measured values [bytes/s]: those of a model with noise."""
    hosts = len(rounds.net.hosts)
    send, receive = (np.exp(noise.hosts * rng.standard_normal(hosts)) for _ in range(2))
    last = max(int(rounds.number.max()), 1)
    drift = np.exp(noise.drift * (rounds.number / last - 0.5))
    ours = send[rounds.flows[:, 0]] * receive[rounds.flows[:, 1]] * drift
    each = np.exp(noise.values * rng.standard_normal(values.shape))
    far = rng.random(values.shape) < noise.outliers
    low = 1 / (1 + 0.3 * rng.pareto(1.5, values.shape))
    measured: Floats = values * noise.level * ours[:, None] * each * np.where(far, low, 1.0)
    return measured


def slower(base: str, slow: str) -> float:
    """The ratio of the rates `slow` and `base`."""
    return rate_of(slow) / rate_of(base)
