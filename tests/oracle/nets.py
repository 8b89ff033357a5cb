"""Fabrics for the oracle, written as net files without Lacis.

GUIDs are random over the whole range, so that OpenSM's order by byte-reversed GUID differs from
every other order. An adapter's port N has the GUID *node GUID + N*, as ibsim answers.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

End = tuple[str, int]


@dataclass
class Node:
    """A switch, an adapter or a router; ``cables`` maps its port number to the other end."""

    name: str
    radix: int
    is_switch: bool
    guid: int
    lid: int = 0
    cables: dict[int, End] = field(default_factory=dict)
    is_router: bool = False

    @property
    def ident(self) -> str:
        """The quoted identifier of the net file."""
        return f"{'S' if self.is_switch else 'R' if self.is_router else 'H'}-{self.guid:016x}"


class Net:
    """A fabric under construction. Nodes are named; ports may be given or are the lowest free ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.nodes: dict[str, Node] = {}

    def _add(self, name: str, radix: int, *, is_switch: bool) -> str:
        # A multiple of 256 and never the same twice: node GUID + port number stays unique too.
        used = {n.guid for n in self.nodes.values()}
        guid = next(
            g for _ in itertools.count() if (g := self.random.getrandbits(47) * 256 + 0x10) not in used
        )
        self.nodes[name] = Node(name, radix, is_switch, guid)
        return name

    def switch(self, name: str, radix: int = 36) -> str:
        """Adds a switch."""
        return self._add(name, radix, is_switch=True)

    def host(self, name: str, *switches: str | None, radix: int = 0) -> str:
        """Adds an adapter and cables its ports, in order, to the switches (None: left open)."""
        self._add(name, radix or max(1, len(switches)), is_switch=False)
        for port, switch in enumerate(switches, start=1):
            if switch is not None:
                self.cable((name, port), switch)
        return name

    def router(self, name: str, *switches: str | None) -> str:
        """Adds a router, cabled as an adapter would be."""
        self.host(name, *switches)
        self.nodes[name].is_router = True
        return name

    def hosts(self, switch: str, count: int) -> None:
        """Adds adapters of one port to a switch."""
        for i in range(count):
            self.host(f"{switch}-h{i}", switch)

    def free(self, name: str) -> int:
        """The lowest port of a node without a cable."""
        node = self.nodes[name]
        return next(p for p in range(1, node.radix + 1) if p not in node.cables)

    def cable(self, a: str | End, b: str | End, count: int = 1) -> None:
        """Connects two nodes, by name or by port."""
        for _ in range(count):
            ends = [(e, self.free(e)) if isinstance(e, str) else e for e in (a, b)]
            for (name, port), other in zip(ends, reversed(ends), strict=True):
                node = self.nodes[name]
                assert 1 <= port <= node.radix, (name, port)
                assert port not in node.cables, (name, port)
                node.cables[port] = other

    def cut(self, a: str, b: str | None = None, *, nth: int = 0) -> None:
        """Removes the n-th cable between two nodes, or every cable of one node."""
        found = [p for p, (other, _) in sorted(self.nodes[a].cables.items()) if b in (None, other)]
        for port in found if b is None else [found[nth]]:
            other, far = self.nodes[a].cables.pop(port)
            del self.nodes[other].cables[far]

    def remove(self, name: str) -> None:
        """Removes a node with its cables."""
        self.cut(name)
        del self.nodes[name]

    def shuffle_ports(self) -> None:
        """Shuffles the port numbers of every switch's cables."""
        for node in filter(lambda n: n.is_switch, self.nodes.values()):
            new = self.random.sample(range(1, node.radix + 1), len(node.cables))
            # No cable joins two ports of one switch.
            moved = dict(zip(sorted(node.cables), new, strict=True))
            node.cables = {moved[p]: end for p, end in node.cables.items()}
            for port, (other, far) in node.cables.items():
                self.nodes[other].cables[far] = (node.name, port)

    def sequential_guids(self, base: int = 0x0002C90000AA00F0) -> None:
        """Gives consecutive GUIDs in order of addition, across a byte boundary."""
        for i, node in enumerate(self.nodes.values()):
            node.guid = base + 4 * i

    def mixed_guids(self) -> None:
        """Gives GUIDs that differ in the last byte too, so that OpenSM's order mixes switches and adapters."""
        for i, node in enumerate(self.nodes.values()):
            node.guid = self.random.getrandbits(40) << 24 | i << 8 | self.random.randrange(200)

    def switches(self) -> list[Node]:
        """The switches, as added."""
        return [n for n in self.nodes.values() if n.is_switch]

    def adapters(self) -> list[Node]:
        """The adapters, as added."""
        return [n for n in self.nodes.values() if not n.is_switch and not n.is_router]

    def routers(self) -> list[Node]:
        """The routers, as added."""
        return [n for n in self.nodes.values() if n.is_router]

    def port_guids(self) -> list[int]:
        """The GUIDs of the adapters' cabled ports and of the switches' port 0."""
        return [n.guid + p for n in self.adapters() for p in sorted(n.cables)] + [
            n.guid for n in self.switches()
        ]

    def guid(self, name: str, port: int = 0) -> str:
        """A GUID as option files have it: the node's, or an adapter port's."""
        return f"0x{self.nodes[name].guid + port:016x}"

    def text(self) -> str:
        """The net file."""
        return "\n\n".join(self._block(n) for n in self.nodes.values()) + "\n"

    def _block(self, node: Node) -> str:
        def far(end: End) -> tuple[str, str]:
            other = self.nodes[end[0]]
            guid = "" if other.is_switch else f"({other.guid + end[1]:x})"
            return f'"{other.ident}"[{end[1]}]{guid}', f'"{other.name}" lid {other.lid} 4xQDR'

        cables = [(p, *far(end)) for p, end in sorted(node.cables.items())]
        head = f"vendid=0x2c9\ndevid=0x5a44\nsysimgguid=0x{node.guid:x}\n"
        if node.is_switch:
            head += f"switchguid=0x{node.guid:x}({node.guid:x})\n"
            head += f'Switch\t{node.radix} "{node.ident}"\t\t# "{node.name}" base port 0 lid {node.lid} lmc 0'
            lines = [f"[{p}]\t{peer}\t\t# {about}" for p, peer, about in cables]
        else:
            key, kind = ("rtguid", "Rt") if node.is_router else ("caguid", "Ca")
            head += f"{key}=0x{node.guid:x}\n"
            head += f'{kind}\t{node.radix} "{node.ident}"\t\t# "{node.name}"'
            lid = f"lid {node.lid} lmc 0"
            lines = [f"[{p}]({node.guid + p:x}) \t{peer}\t\t# {lid} {about}" for p, peer, about in cables]
        return "\n".join([head, *lines])


def tree2(leaves: int, spines: int, hosts: int, cables: int = 1, *, seed: int, radix: int = 36) -> Net:
    """Two tiers: ``l0..``, ``s0..``, hosts ``l0-h0..``; ``cables`` between every leaf and every spine."""
    net = Net(seed)
    for i in range(leaves):
        net.switch(f"l{i}", radix)
        net.hosts(f"l{i}", hosts)
    for j in range(spines):
        net.switch(f"s{j}", radix)
    for i, j in itertools.product(range(leaves), range(spines)):
        net.cable(f"l{i}", f"s{j}", cables)
    return net


def tree3(pods: int, width: int, hosts: int, up: int = 1, *, seed: int, radix: int = 36) -> Net:
    """Three tiers: pod p has ``width`` leaves ``l<p>.<i>`` and mids ``m<p>.<j>``, fully cabled; mid j of
    every pod goes to the ``width`` cores ``c<j>.<k>`` of its own group, ``up`` cables each."""
    net = Net(seed)
    for p, i in itertools.product(range(pods), range(width)):
        net.switch(f"l{p}.{i}", radix)
        net.hosts(f"l{p}.{i}", hosts)
    for p, j in itertools.product(range(pods), range(width)):
        net.switch(f"m{p}.{j}", radix)
        for i in range(width):
            net.cable(f"l{p}.{i}", f"m{p}.{j}")
    for j, k in itertools.product(range(width), range(width)):
        net.switch(f"c{j}.{k}", radix)
        for p in range(pods):
            net.cable(f"m{p}.{j}", f"c{j}.{k}", up)
    return net


def grid(sizes: Sequence[int], hosts: int, *, wrap: bool, cables: int = 1, seed: int) -> Net:
    """A mesh or, with ``wrap``, a torus; switch names are coordinates ``t1.0.2``."""
    net = Net(seed)
    points = list(itertools.product(*(range(s) for s in sizes)))

    def name(point: Sequence[int]) -> str:
        return "t" + ".".join(map(str, point))

    for point in points:
        net.switch(name(point))
        net.hosts(name(point), hosts)
    for point, d in itertools.product(points, range(len(sizes))):
        step = list(point)
        step[d] += 1
        # In a dimension of size 2 both directions lead to the same neighbour: one cable is enough.
        if step[d] == sizes[d] and wrap and sizes[d] > 2:
            step[d] = 0
        if step[d] < sizes[d]:
            net.cable(name(point), name(step), cables)
    return net


def irregular(switches: int, extra: int, most_hosts: int, *, seed: int) -> Net:
    """A random tree of switches with ``extra`` more random cables, and 0..``most_hosts`` hosts each."""
    net = Net(seed)
    names = [net.switch(f"r{i}") for i in range(switches)]
    for i in range(1, switches):
        net.cable(names[i], names[net.random.randrange(i)])
    for _ in range(extra):
        a, b = net.random.sample(names, 2)
        net.cable(a, b)
    for name in names:
        net.hosts(name, net.random.randint(0, most_hosts))
    if not net.adapters():
        net.hosts(names[0], 2)
    return net


def damaged(net: Net, cables: int, hosts: int) -> Net:
    """The net without that many random cables between switches, and hosts; stays connected."""
    names = [n.name for n in net.adapters()]
    for name in net.random.sample(names, hosts):
        net.remove(name)
    while cables:
        a = net.random.choice(net.switches())
        far = [other for other, _ in a.cables.values() if net.nodes[other].is_switch]
        if not far:
            continue
        b = net.random.choice(far)
        net.cut(a.name, b)
        if _connected(net):
            cables -= 1
        else:
            net.cable(a.name, b)
    return net


def _connected(net: Net) -> bool:
    start = net.switches()[0].name
    seen, todo = {start}, [start]
    while todo:
        for other, _ in net.nodes[todo.pop()].cables.values():
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen) == len(net.nodes)
