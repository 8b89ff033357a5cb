"""What breaks, drawn at random among the links that, broken so, would slow at least four flows of the rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .measured import Faults

if TYPE_CHECKING:
    from .measured import Rounds
    from .net import Ints, Net

KINDS = ("link", "host", "speed", "inner", "flap", "entry")
ENOUGH = 4
WRONG_SPEED = 0.5
"""A cable that came up with half its lanes."""


def draw(rounds: Rounds, kind: str, count: int, factor: float, rng: np.random.Generator) -> Faults:
    """So many faults of a kind.

    `link`: a directed link, of hosts or between switches. `host`: an adapter, both directions. `speed`: a cable between
    switches, both directions, at half its rate. `inner`: a directed link between chips of one chassis. `flap`: a link
    that is slow half of the time. `entry`: a switch that sends what goes to a host out of another port that leads there
    as fast.

    Raises:
        ValueError: when there are not as many.
    """
    net = rounds.net
    if kind == "entry":
        return Faults(entries=tuple(wrong_entries(rounds, count, rng)))
    if count == 0:
        return Faults()
    if kind == "host":
        hosts = rng.choice(len(net.hosts), count, replace=False)
        return Faults({link: factor for host in hosts for link in (int(net.up[host]), int(net.up[host]) ^ 1)})
    factor = WRONG_SPEED if kind == "speed" else factor
    links = np.flatnonzero(rounds.binding(factor) >= ENOUGH)
    if kind in ("speed", "inner"):
        switches = net.fabric.num_switches
        links = links[(net.ends[links, 0] < switches) & (net.ends[links, 2] < switches)]
    if kind == "inner":
        links = inner(net, links)
    chosen = [int(link) for link in rng.choice(links, count, replace=False)]
    if kind == "speed":
        return Faults({link: factor for one in chosen for link in (one, one ^ 1)})
    return Faults(dict.fromkeys(chosen, factor), flapping=0.5 if kind == "flap" else 1.0)


def inner(net: Net, links: Ints) -> Ints:
    """Those links that join two switches of one chassis."""
    system = net.fabric.systems()
    a, b = system[net.ends[links, 0]], system[net.ends[links, 2]]
    inside: Ints = links[(a == b) & (a != 0)]
    return inside


def wrong_entries(rounds: Rounds, count: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Entries of leaf switches that lead out of another port to a switch one link nearer to the host."""
    net = rounds.net
    switches = net.fabric.num_switches
    table = net.routes.table()
    found: list[tuple[int, int, int]] = []
    while len(found) < count:
        flow = int(rng.integers(len(rounds.flows)))
        path = rounds.path[flow]
        host = int(rounds.flows[flow, 1])
        switch = int(net.ends[path[0], 2])
        if (path >= 0).sum() < 4 or any(switch == s and host == h for s, h, _ in found):
            continue
        hops = net.fabric.hops_from([int(net.ends[net.up[host], 2])]).ravel()
        own = table[switch, net.lid(host)]
        ports = [
            port
            for port in range(1, 256)
            if (link := int(net.leaving[switch, port])) >= 0
            and port != own
            and net.ends[link, 2] < switches
            and hops[net.ends[link, 2]] == hops[switch] - 1
        ]
        if ports:
            found.append((switch, host, int(rng.choice(ports))))
    return found
