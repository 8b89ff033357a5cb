"""The fabrics that are compared with OpenSM, by name.

Most are drawn in :mod:`nets`, without Lacis; the others are Lacis' own synthetic fabrics, with shuffled
GUIDs, as Lacis writes them. Each entry is a function, called when its test runs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import lacis

from .nets import Net, damaged, grid, irregular, tree2, tree3
from .opensm import as_simulated


@dataclass(frozen=True)
class Subject:
    """A fabric as a net file, and its root switches."""

    text: str
    roots: tuple[int, ...]

    @property
    def idents(self) -> list[str]:
        """Identifiers of the nodes that a subnet manager may run on, in the order of the file.

        Switches with a cable, and adapters with one at their first port: OpenSM takes no other.
        """
        blocks = re.split(r"\n(?=(?:Switch|Ca|Rt)\s)", "\n" + self.text)
        found = (
            re.match(r'(?:Switch|Ca)\s+\d+\s+"([^"]+)"', b)
            for b in blocks
            if re.search(r"^\[1\]" if b.startswith("Ca") else r"^\[", b, re.M)
        )
        return [m[1] for m in found if m]

    @property
    def has_lids(self) -> bool:
        """Whether any port reports a LID."""
        return re.search(r"\blid [1-9]", self.text) is not None

    @property
    def switch_guids(self) -> list[int]:
        """Node GUIDs of the switches."""
        return [int(g, 16) for g in re.findall(r"^switchguid=0x([0-9a-f]+)", self.text, re.M)]

    @property
    def adapter_port_guids(self) -> list[int]:
        """GUIDs of the adapters' and routers' cabled ports."""
        return [int(g, 16) for g in re.findall(r"^\[\d+\]\(([0-9a-f]+)\)", self.text, re.M)]

    def some_ids(self, rng: random.Random) -> list[tuple[int, int]]:
        """Ids for some of the switches, some of them equal."""
        chosen = rng.sample(self.switch_guids, rng.randint(1, len(self.switch_guids)))
        return [(guid, rng.choice([rng.randrange(4), rng.getrandbits(63)])) for guid in chosen]

    def some_hop_weights(self, rng: random.Random) -> list[tuple[int, int, int]]:
        """Hops that leaving switches by some ports counts as: a few or many, small or nearly too large."""
        most = rng.choice([2, 4, 60, 255])
        count = rng.randint(1, 4 * len(self.switch_guids))
        return [
            (rng.choice(self.switch_guids), rng.randint(1, 12), rng.randint(1, most)) for _ in range(count)
        ]

    def adapters_off_leaves(self) -> list[int]:
        """GUIDs of the adapter ports on switches that have no more than one adapter, where most have more."""
        edge_switches: dict[str, list[int]] = {}
        for guid, edge_switch in re.findall(r'^\[\d+\]\(([0-9a-f]+)\)\s*"(S-[^"]+)"', self.text, re.M):
            edge_switches.setdefault(edge_switch, []).append(int(guid, 16))
        if max(map(len, edge_switches.values())) < 2 or len(edge_switches) == len(self.switch_guids):
            return []
        return [guids[0] for guids in edge_switches.values() if len(guids) == 1]


def of(net: Net, *roots: str) -> Subject:
    """A subject from a drawn net; roots are prefixes of switch names."""
    named = tuple(n.guid for n in net.switches() if n.name.startswith(roots)) if roots else ()
    return Subject(net.text(), named)


def spec(text: str, seed: int, *roots: str, without: tuple[str, ...] = ()) -> Subject:
    """A subject from one of Lacis' synthetic fabrics; roots are prefixes of descriptions."""
    fabric = lacis.read(text)
    if without:
        fabric = fabric.without(list(without))
    net = as_simulated(fabric.shuffle_guids(seed).to_net())
    found = re.findall(r'^Switch\s+\d+\s+"S-([0-9a-f]{16})"\s+# "([^"]*)"', net, re.M)
    return Subject(net, tuple(int(g, 16) for g, name in found if roots and name.startswith(roots)))


def _spoil(net: Net, change: Callable[[Net], object], *roots: str) -> Subject:
    change(net)
    return of(net, *roots)


def preset(net: Net, *roots: str, share: float = 0.6) -> Subject:
    """Some nodes report a LID: most distinct, some twice, one far above the others."""
    lids = net.random.sample(range(1, 3 * len(net.nodes)), len(net.nodes))
    for node, lid in zip(net.nodes.values(), lids, strict=True):
        if net.random.random() < share:
            node.lid = lid
    chosen = net.random.sample(list(net.nodes.values()), 6)
    for a, b in zip(chosen[:3], chosen[3:], strict=True):
        a.lid = b.lid = net.random.randrange(1, 2 * len(net.nodes))
    chosen[0].lid = 700
    return of(net, *roots)


def _uneven(seed: int) -> Net:
    net = tree2(7, 3, 0, seed=seed)
    for i, count in enumerate((5, 0, 1, 4, 2, 6, 3)):
        net.hosts(f"l{i}", count)
    return net


def _dual(net: Net, pairs: list[tuple[str | None, str | None]]) -> Net:
    for i, (a, b) in enumerate(pairs):
        net.host(f"dual{i}", a, b)
    return net


def _on(net: Net, *switches: str) -> Net:
    for switch in switches:
        net.host(f"{switch}-io", switch)
    return net


def _routed(net: Net, *routers: tuple[str, ...]) -> Net:
    """With routers, each cabled to the switches named."""
    for i, switches in enumerate(routers):
        net.router(f"gateway{i}", *switches)
    return net


def _remove(net: Net, *names: str) -> Net:
    for name in names:
        net.remove(name)
    return net


def _cut(net: Net, *cables: tuple[str, str]) -> Net:
    for a, b in cables:
        net.cut(a, b)
    return net


def _join(net: Net, *cables: tuple[str, str]) -> Net:
    for a, b in cables:
        net.cable(a, b)
    return net


def _shuffled(net: Net) -> Net:
    net.shuffle_ports()
    return net


def _sequential(net: Net) -> Net:
    net.sequential_guids()
    return net


def _drop_leaf(net: Net, leaf: str) -> Net:
    return _remove(net, *[n for n in net.nodes if n.startswith(f"{leaf}-h")], leaf)


def _two_directors(seed: int) -> Net:
    """Two directors, each with leaf and spine chips, over leaves with cables to every leaf chip."""
    net = Net(seed)
    for d in range(2):
        lines = [net.switch(f"d{d}line{i}") for i in range(3)]
        for j in range(2):
            net.switch(f"d{d}spine{j}")
            for line in lines:
                net.cable(line, f"d{d}spine{j}", 2)
    for i in range(8):
        net.switch(f"leaf{i}")
        net.hosts(f"leaf{i}", 3)
        for d in range(2):
            net.cable(f"leaf{i}", f"d{d}line{i % 3}", 2)
    return net


def _late_host_names(seed: int) -> Net:
    """Adapters before switches in the file, and an adapter of many ports."""
    net = Net(seed)
    net.switch("l0")
    net.switch("l1")
    net.switch("s0")
    for leaf in ("l0", "l1"):
        net.cable(leaf, "s0", 3)
    net.host("many", "l0", "l1", "l0", "l1")
    net.hosts("l0", 2)
    net.hosts("l1", 3)
    net.nodes = dict(sorted(net.nodes.items(), key=lambda item: item[1].is_switch))
    return net


def _irregular(i: int) -> Subject:
    switches, extra = (4 + 4 * i, 3 * i) if i < 7 else (3 * i - 16, i % 9)
    return of(irregular(switches, extra, 4, seed=60 + i), "r0", "r3")


def _worn_two_tier(i: int) -> Subject:
    """Two tiers of many shapes, less some cables and adapters, some with adapters on the spines."""
    net = tree2(4 + i % 6, 2 + i % 4, 1 + i % 5, 1 + i % 3, seed=200 + i)
    if i % 3 == 0:
        _on(net, "s0", "s1")
    damaged(net, 1 + i % 4, i % min(4, len(net.adapters())))
    return of(_shuffled(net) if i % 2 else net, "s")


def _worn_three_tier(i: int) -> Subject:
    """The same in three tiers, some with cables between mids or between cores."""
    net = tree3(2 + i % 3, 2 + i % 2, 1 + i % 3, 1 + i % 2, seed=230 + i)
    if i % 4 == 1:
        _join(net, ("m0.0", "m1.1"))
    if i % 4 == 2:
        _join(net, ("c0.0", "c1.1"))
    if i % 3 == 0:
        _on(net, "m0.1", "c1.0")
    damaged(net, 1 + i % 5, i % 3)
    return of(_shuffled(net) if i % 2 else net, "c")


def dgx_subject(path: Path, *, keep_lids: bool) -> Subject:
    """The real cluster, NDR written as HDR, with the LIDs it had or without."""
    text = as_simulated(path.read_text())
    if not keep_lids:
        text = re.sub(r"\blid \d+", "lid 0", text)
    found = re.findall(r'^Switch\s+\d+\s+"S-([0-9a-f]{16})"\s+# "([^"]*)"', text, re.M)
    return Subject(text, tuple(int(g, 16) for g, name in found if "SPINE" in name))


FABRICS: dict[str, Callable[[], Subject]] = {
    # Two tiers.
    "two-tier-4-nodes": lambda: of(tree2(2, 2, 2, seed=1, radix=4), "s"),
    "two-tier-24": lambda: of(tree2(6, 3, 4, seed=2), "s"),
    "two-tier-sequential-guids": lambda: of(_sequential(tree2(12, 4, 8, seed=3)), "s"),
    "two-tier-144": lambda: of(tree2(12, 6, 12, seed=4), "s"),
    "two-cables-each": lambda: of(tree2(6, 3, 4, 2, seed=5), "s"),
    "three-cables-each": lambda: of(tree2(5, 2, 6, 3, seed=6), "s"),
    "shuffled-ports": lambda: of(_shuffled(tree2(6, 4, 5, 2, seed=7)), "s"),
    "missing-cable": lambda: of(_cut(tree2(6, 3, 4, seed=8), ("l2", "s1")), "s"),
    "missing-parallel-cable": lambda: of(_cut(tree2(6, 3, 4, 2, seed=9), ("l2", "s1")), "s"),
    "missing-cables-three": lambda: of(
        _cut(tree2(8, 4, 4, seed=10), ("l0", "s0"), ("l3", "s2"), ("l3", "s3")), "s"
    ),
    "missing-spine": lambda: of(_remove(_shuffled(tree2(6, 4, 4, seed=11)), "s2"), "s"),
    "missing-leaf": lambda: of(_drop_leaf(tree2(6, 3, 4, seed=12), "l3"), "s"),
    "missing-hosts": lambda: of(damaged(tree2(6, 3, 4, seed=13), 0, 9), "s"),
    "uneven-leaves": lambda: of(_uneven(14), "s"),
    "hosts-on-spines": lambda: of(_on(tree2(6, 3, 4, seed=15), "s0", "s2"), "s"),
    "hosts-on-every-spine": lambda: of(_on(tree2(5, 3, 3, 2, seed=16), "s0", "s1", "s2"), "s"),
    "dual-port-two-leaves": lambda: of(
        _dual(tree2(4, 2, 2, seed=17), [("l0", "l1"), ("l2", "l3"), ("l1", "l0"), ("l3", "l0")]), "s"
    ),
    "dual-port-same-leaf": lambda: of(_dual(tree2(4, 2, 2, seed=18), [("l0", "l0"), ("l2", "l2")]), "s"),
    "dual-port-one-open": lambda: of(_dual(tree2(4, 2, 2, seed=19), [(None, "l1"), ("l2", None)]), "s"),
    "many-ports-nodes-first": lambda: of(_late_host_names(20), "s"),
    "leaf-to-leaf-cable": lambda: of(_join(tree2(6, 3, 4, seed=21), ("l1", "l4")), "s"),
    "spine-to-spine-cable": lambda: of(_join(tree2(6, 3, 4, seed=22), ("s0", "s2")), "s"),
    "one-switch": lambda: of(tree2(1, 0, 9, seed=23)),
    "one-spine": lambda: of(tree2(4, 1, 3, 4, seed=24), "s"),
    "two-switches": lambda: of(_join(tree2(2, 0, 4, seed=25), ("l0", "l1"), ("l0", "l1"))),
    "preset-lids": lambda: preset(tree2(6, 3, 4, seed=26), "s"),
    "preset-lids-all": lambda: preset(tree2(8, 3, 5, 2, seed=27), "s", share=1.0),
    # Three tiers and directors.
    "three-tier-18": lambda: of(tree3(3, 3, 2, seed=30), "c"),
    "three-tier-parallel": lambda: of(tree3(4, 2, 3, 2, seed=31), "c"),
    "three-tier-shuffled-ports": lambda: of(_shuffled(tree3(3, 3, 3, 2, seed=32)), "c"),
    "three-tier-missing-leaf-cable": lambda: of(_cut(tree3(3, 3, 2, seed=33), ("l1.2", "m1.0")), "c"),
    "three-tier-missing-core-cable": lambda: of(_cut(tree3(3, 3, 2, seed=34), ("m2.1", "c1.0")), "c"),
    "three-tier-missing-parallel": lambda: of(_cut(tree3(3, 3, 2, 2, seed=35), ("m2.1", "c1.0")), "c"),
    "three-tier-missing-core": lambda: of(_remove(tree3(3, 3, 2, seed=36), "c1.2"), "c"),
    "three-tier-missing-mid": lambda: of(_remove(tree3(3, 3, 2, seed=37), "m0.1"), "c"),
    "three-tier-mid-to-mid": lambda: of(_join(tree3(3, 3, 2, seed=38), ("m0.1", "m1.2")), "c"),
    "three-tier-core-to-core": lambda: of(_join(tree3(3, 3, 2, seed=39), ("c0.1", "c2.2")), "c"),
    "three-tier-hosts-above": lambda: of(_on(tree3(3, 3, 2, seed=40), "m0.1", "m2.0", "c1.1"), "c"),
    "three-tier-uneven-pods": lambda: of(
        _drop_leaf(_drop_leaf(tree3(3, 3, 3, seed=41), "l1.0"), "l2.1"), "c"
    ),
    "three-tier-preset-lids": lambda: preset(tree3(3, 2, 3, seed=42), "c"),
    # Routers, to which sssp, dfsssp, ftree and nue have no routes.
    "router-on-a-leaf": lambda: of(_routed(tree2(5, 3, 3, seed=300), ("l1",)), "s"),
    "routers-on-leaves-and-spines": lambda: of(
        _routed(tree2(6, 3, 2, 2, seed=301), ("s0",), ("s2", "l4"), ("l2", "l2"), ("l2",)), "s"
    ),
    "routers-three-tier-worn": lambda: of(
        damaged(_routed(tree3(3, 2, 2, seed=302), ("c0.1",), ("l1.0",), ("m2.1", "l0.0")), 2, 2), "c"
    ),
    "routers-torus": lambda: of(
        _shuffled(_routed(grid((4, 3), 2, wrap=True, seed=303), ("t1.1",), ("t0.2",)))
    ),
    "two-directors": lambda: of(_two_directors(43), "d0spine", "d1spine"),
    "damaged-two-tier-a": lambda: of(damaged(tree2(8, 4, 5, 2, seed=44), 5, 6), "s"),
    "damaged-two-tier-b": lambda: of(damaged(_on(tree2(7, 5, 3, seed=45), "s1", "s4"), 6, 3), "s"),
    "damaged-three-tier-a": lambda: of(damaged(tree3(3, 3, 3, seed=46), 4, 5), "c"),
    "damaged-three-tier-b": lambda: of(damaged(tree3(4, 3, 2, 2, seed=47), 9, 4), "c"),
    "damaged-three-tier-c": lambda: of(damaged(_join(tree3(3, 3, 3, seed=48), ("m0.0", "m0.2")), 5, 3), "c"),
    # Fabrics that are not trees.
    "ring-8": lambda: of(grid((8,), 2, wrap=True, seed=50)),
    "chain-5": lambda: of(grid((5,), 2, wrap=False, seed=51)),
    "mesh-4x4": lambda: of(grid((4, 4), 1, wrap=False, seed=52), "t0.0", "t3.3"),
    "torus-4x4": lambda: of(grid((4, 4), 2, wrap=True, seed=53), "t1.1"),
    "torus-3x3x3": lambda: of(grid((3, 3, 3), 1, wrap=True, seed=54), "t0.0.0"),
    "torus-4x4x2-parallel": lambda: of(grid((4, 4, 2), 1, wrap=True, cables=2, seed=55), "t0.0.0", "t2.2.1"),
    "ring-5": lambda: of(grid((5,), 3, wrap=True, seed=56)),
    "ring-12-parallel": lambda: of(grid((12,), 1, wrap=True, cables=2, seed=57)),
    "chain-9": lambda: of(grid((9,), 1, wrap=False, seed=58), "t4"),
    "torus-5x5": lambda: of(_shuffled(grid((5, 5), 1, wrap=True, seed=59)), "t2.2"),
    "torus-6x3": lambda: of(grid((6, 3), 2, wrap=True, seed=60)),
    "torus-3x3-worn": lambda: of(damaged(grid((3, 3), 2, wrap=True, seed=61), 3, 4), "t0.0"),
    "torus-4x4x4": lambda: of(grid((4, 4, 4), 1, wrap=True, seed=62)),
    "mesh-3x3x2": lambda: of(grid((3, 3, 2), 1, wrap=False, seed=63), "t1.1.0"),
    **{f"random-{i}": partial(_irregular, i) for i in range(17)},
    **{f"worn-two-tier-{i}": partial(_worn_two_tier, i) for i in range(12)},
    **{f"worn-three-tier-{i}": partial(_worn_three_tier, i) for i in range(10)},
    # Lacis' own synthetic fabrics, as Lacis writes them.
    "fat-tree:8,3": lambda: spec("fat-tree:8,3", 70, "core"),
    "fat-tree:4,4": lambda: spec("fat-tree:4,4", 71, "core"),
    "fat-tree:12,2:taper=2": lambda: spec("fat-tree:12,2:taper=2", 72, "spine"),
    "pgft:3;4,3,3;1,2,2;1,2,2": lambda: spec("pgft:3;4,3,3;1,2,2;1,2,2", 73, "core"),
    "hypercube:4": lambda: spec("hypercube:4", 74),
    "dragonfly:2,4,2": lambda: spec("dragonfly:2,4,2", 75),
    "random:16,4,2": lambda: spec("random:16,4,2", 76),
    # dfsssp needs more lanes for these than links have.
    "torus:8x8": lambda: spec("torus:8x8", 140),
    "random:100,3,1": lambda: spec("random:100,3,1", 141),
    "torus:5x4": lambda: spec("torus:5x4", 77),
    "fat-tree:6,2": lambda: spec("fat-tree:6,2", 80, "spine"),
    "fat-tree:6,3": lambda: spec("fat-tree:6,3", 81, "core"),
    "pgft:2;6,4;1,3;1,2": lambda: spec("pgft:2;6,4;1,3;1,2", 82, "spine"),
    "hypercube:3": lambda: spec("hypercube:3", 83),
    "hypercube:5": lambda: spec("hypercube:5", 84),
    "dragonfly:2,6,3": lambda: spec("dragonfly:2,6,3", 85),
    "random:24,5,3": lambda: spec("random:24,5,3", 86),
    "torus:4x3x2": lambda: spec("torus:4x3x2", 87),
    "mesh:5x3": lambda: spec("mesh:5x3", 88),
    "fat-tree:8,3, two cables less": lambda: spec(
        "fat-tree:8,3", 89, "core", without=("random-cables=2,seed=3",)
    ),
    "itasca:9": lambda: spec("itasca:9", 78, "director-1-top", "director-2-top"),
    "itasca": lambda: spec("itasca", 79, "director-1-top", "director-2-top"),
}

UNDETERMINED = {
    "leaf-to-leaf-cable": "a leaf with adapters has a cable to a sibling: OpenSM's ftree then orders "
    "ports by unrelated memory, and two runs differ",
}
"""Fabrics on which OpenSM's ftree is not deterministic; minhop and updn are compared on them."""
