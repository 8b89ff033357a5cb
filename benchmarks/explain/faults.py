"""Random faults, among links whose fault slows at least four flows of the rounds."""

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
    """`count` faults of a kind.

    `link`: a directed link, of hosts or between switches. `host`: an adapter, both directions. `speed`: a cable between
    switches, both directions, at half its rate. `inner`: a directed link between chips of one chassis. `flap`: a link
    that is slow half of the time. `entry`: a switch whose entry for a host names another port on a shortest path.

    Raises:
        ValueError: when there are fewer.
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
    """The links that join two switches of one chassis."""
    system = net.fabric.systems()
    a, b = system[net.ends[links, 0]], system[net.ends[links, 2]]
    inside: Ints = links[(a == b) & (a != 0)]
    return inside


def wrong_entries(rounds: Rounds, count: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Entries that at least four flows use, with another port to a switch as near to the host."""
    net = rounds.net
    through, host = switches_and_hosts(rounds)
    found: list[tuple[int, int, int]] = []
    for at in rng.permutation(len(through)).tolist():
        if ports := other_ports(net, int(through[at]), int(host[at])):
            found.append((int(through[at]), int(host[at]), int(rng.choice(ports))))
        if len(found) == count:
            return found
    raise ValueError("too few entries that enough flows use")


def has_entries(rounds: Rounds) -> bool:
    """Whether enough entries can be wrong for every case."""
    through, host = switches_and_hosts(rounds)
    able = (other_ports(rounds.net, s, h) for s, h in zip(through.tolist(), host.tolist(), strict=True))
    return sum(1 for ports in able if ports) >= 2 * ENOUGH


def switches_and_hosts(rounds: Rounds) -> tuple[Ints, Ints]:
    """Pairs of a switch and a host to which at least four flows pass through it, except the host's edge switch."""
    net = rounds.net
    far = np.append(net.ends[:, 2], -1)[rounds.path]
    own = net.ends[net.up, 2][rounds.flows[:, 1]]
    on = (far >= 0) & (far < net.fabric.num_switches) & (far != own[:, None])
    flow, _ = np.nonzero(on)
    key = far[on] * len(net.hosts) + rounds.flows[flow, 1]
    pairs, flows = np.unique(key, return_counts=True)
    through, host = np.divmod(pairs[flows >= ENOUGH], len(net.hosts))
    return through, host


def other_ports(net: Net, switch: int, host: int) -> list[int]:
    """Ports of a switch, except the one in its table, that lead to a switch one link nearer to the host."""
    switches = net.fabric.num_switches
    hops = net.hops_to(host)
    own = int(net.table[switch, net.lid(host)])
    links = net.leaving[switch]
    far = net.ends[links, 2]
    good = (links >= 0) & (far < switches)
    good[good] = hops[far[good]] == hops[switch] - 1
    return [int(port) for port in np.flatnonzero(good) if port != own]
