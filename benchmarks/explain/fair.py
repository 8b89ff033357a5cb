"""Values that share no code with the engine: max-min fair rates by numpy, on paths read from the tables' bytes.

Beside the measured flows there may be those of another job; and the tables that make the values may be others than those
that are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import lacis
import numpy as np
from lacis import _core

from .net import NONE, Net

if TYPE_CHECKING:
    from .measured import Rounds
    from .net import Floats, Ints


@dataclass(frozen=True)
class Noise:
    """How values deviate: 4 % a value, 1.5 % between hosts, 2 % of values uniform between 20 and 100 %, and hosts reach 92 %."""

    values: float = 0.04
    hosts: float = 0.015
    outliers: float = 0.02
    level: float = 0.92


def max_min(rates: Floats, path: Ints) -> Floats:
    """Max-min fair rates of flows at once: links fill in the order of what they leave each flow (Bertsekas and Gallager)."""
    out = np.full(len(path), np.inf)
    left = rates.astype(float)
    is_open = np.ones(len(path), dtype=bool)
    flow, step = np.nonzero(path != NONE)
    link = path[flow, step]
    is_open[np.setdiff1d(np.arange(len(path)), flow)] = False
    while is_open.any():
        live = is_open[flow]
        count = np.bincount(link[live], minlength=len(rates))
        share = np.where(count > 0, left / np.maximum(count, 1), np.inf)
        least = share.min()
        full = np.zeros(len(path), dtype=bool)
        full[flow[live & (share[link] <= least * (1 + 1e-6))]] = True
        full &= is_open
        out[full] = least
        left -= least * np.bincount(link[full[flow]], minlength=len(rates))
        left = np.maximum(left, 0)
        is_open &= ~full
    return out


def fair(
    rates: Floats, path: Ints, number: Ints, others: list[Ints] | None = None, factor: Floats | None = None
) -> Floats:
    """Max-min fair rates round by round [bytes/s].

    Args:
        rates: of links.
        path: links of the measured flows.
        number: their rounds.
        others: by round, links of the flows of another job.
        factor: by link, its rate relative to its full rate.
    """
    rates = rates if factor is None else rates * factor
    out = np.empty(len(path))
    for at in range(int(number.max()) + 1):
        own = path[number == at]
        beside = others[at] if others else own[:0]
        width = max(own.shape[1], beside.shape[1])
        both = np.full((len(own) + len(beside), width), NONE)
        both[: len(own), : own.shape[1]] = own
        both[len(own) :, : beside.shape[1]] = beside
        out[number == at] = max_min(rates, both)[: len(own)]
    return out


def noisy(values: Floats, rounds: Rounds, noise: Noise, repeats: int, rng: np.random.Generator) -> Floats:
    """Measured values [bytes/s], shape `(flows, repeats)`."""
    hosts = len(rounds.net.hosts)
    send, receive = (np.exp(noise.hosts * rng.standard_normal(hosts)) for _ in range(2))
    base = values * noise.level * send[rounds.flows[:, 0]] * receive[rounds.flows[:, 1]]
    shape = (len(values), repeats)
    each = np.exp(noise.values * rng.standard_normal(shape))
    far = rng.random(shape) < noise.outliers
    measured: Floats = base[:, None] * each * np.where(far, rng.uniform(0.2, 1.0, shape), 1.0)
    return measured


def another_job(
    net: Net, share: float, rounds: int, rng: np.random.Generator, *, changes: bool
) -> list[Ints]:
    """By round, the links of another job's flows: each of its hosts sends to another of them; `changes`: other ones each round."""
    number = int(share * len(net.hosts))
    out: list[Ints] = []
    for _ in range(rounds):
        if not out or changes:
            busy = rng.permutation(len(net.hosts))[:number]
            path = net.path(np.stack([busy, np.roll(busy, 1)], axis=1)).astype(np.int64)
            path = path[path[:, 0] != NONE]
        out.append(path)
    return out


def running(net: Net, engine: str, order: int) -> Net:
    """The net with tables of another engine, or with LIDs in another order (none for 0): those that run."""
    fabric = net.fabric.shuffle_guids(order) if order else net.fabric
    routes = lacis.route(fabric, engine)
    hosts = _core.listed_hosts(routes.fabric, list(enumerate(net.hosts)), rail="1")
    return Net(net.name, routes.fabric, routes, hosts)


def damaged(net: Net, cables: int, seed: int, engine: str) -> Net:
    """The net without some cables between switches."""
    rng = np.random.default_rng(seed)
    switches = net.fabric.num_switches
    inner = np.flatnonzero((net.ends[::2, 0] < switches) & (net.ends[::2, 2] < switches))
    names = [name for name, _ in net.fabric.switches()]
    gone = [net.ends[2 * cable] for cable in rng.choice(inner, cables, replace=False)]
    fabric = net.fabric.without([f"{names[end[0]]}[{end[1]}]" for end in gone])
    routes = lacis.route(fabric, engine)
    hosts = _core.listed_hosts(fabric, list(enumerate(net.hosts)), rail="1")
    return Net(f"{net.name}, damaged", fabric, routes, hosts)
