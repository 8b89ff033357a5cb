"""torus-2QoS: tables, service levels and lanes are OpenSM's on whole tori, and around losses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from lacis import _core

from . import opensm
from .compare import Run, differences
from .nets import Net, grid
from .path_records import service_levels
from .scores import Count, Scores

pytestmark = pytest.mark.oracle


@dataclass(frozen=True)
class Torus:
    """A torus (``wrap``) or mesh, and its configuration for OpenSM."""

    sizes: tuple[int, ...]
    seed: int
    wrap: bool = True
    hosts: int = 1
    cables: int = 1
    origin: tuple[int, ...] = (0, 0, 0)
    """The seed switch."""
    both: bool = True
    """Whether it names both neighbours in closed dimensions."""
    more: str = ""
    """More lines."""
    cut: tuple[tuple[str, str], ...] = ()
    """Pairs of switches that lose their cables."""
    lost: tuple[str, ...] = ()
    """Switches that are lost with their hosts."""
    shuffled: bool = False
    """Whether port numbers are shuffled."""
    config: str = ""
    """The sizes as configured, where they are not those of the fabric."""

    def net(self) -> tuple[Net, bytes]:
        """The fabric and its configuration."""
        net = grid(self.sizes, self.hosts, wrap=self.wrap, cables=self.cables, seed=self.seed)
        if self.shuffled:
            net.shuffle_ports()
        conf = self._conf(net)
        for a, b in self.cut:
            for _ in range(self.cables):
                net.cut(a, b)
        for name in self.lost:
            for i in range(self.hosts):
                net.remove(f"{name}-h{i}")
            net.remove(name)
        return net, conf.encode()

    def _conf(self, net: Net) -> str:
        sizes = self.config or " ".join(map(str, (*self.sizes, 1, 1)[:3]))
        lines = [f"{'torus' if self.wrap else 'mesh'} {sizes}"]
        for d, size in enumerate(self.sizes):
            for sign, step in (("p", 1), ("m", -1)):
                if sign == "p" or (self.both and self.wrap and size > 2):
                    there = list(self.origin[: len(self.sizes)])
                    there[d] = (there[d] + step) % size
                    lines.append(
                        f"{'xyz'[d]}{sign}_link {self._guid(net, self.origin)} {self._guid(net, there)}"
                    )
        return "\n".join([*lines, self.more]) + "\n"

    def _guid(self, net: Net, coordinates: Sequence[int]) -> str:
        return net.guid("t" + ".".join(map(str, coordinates[: len(self.sizes)])))


ROUTED = {
    "torus 6x5": Torus((6, 5), 1, hosts=2),
    "torus 6x5, ports in disorder": Torus((6, 5), 2, hosts=3, shuffled=True),
    "torus 4x4": Torus((4, 4), 3, origin=(1, 2)),
    "torus 5x3x3": Torus((5, 3, 3), 4, both=False),
    "torus 4x3x5, moved datelines": Torus((4, 3, 5), 5, origin=(3, 1, 4), more="x_dateline -2\nz_dateline 3"),
    "torus 8x2x3": Torus((8, 2, 3), 6),
    "mesh 4x5": Torus((4, 5), 7, wrap=False),
    "mesh 2x3x4": Torus((2, 3, 4), 8, wrap=False),
    "torus as a mesh": Torus((5, 6), 9, config="5 6M 1"),
    "three cables": Torus((5, 3), 10, hosts=4, cables=3, shuffled=True),
    "two cables in three dimensions": Torus((3, 5, 3), 11, hosts=3, cables=2, both=False),
    "two cables, hosts in another order": Torus((5, 5), 12, hosts=3, cables=2, more="port_order 3 1 7"),
    "a lost cable": Torus((6, 5), 13, cut=(("t2.1", "t3.1"),)),
    "lost cables in many rings": Torus(
        (4, 5, 3), 14, cut=(("t1.1.1", "t2.1.1"), ("t1.3.2", "t1.4.2"), ("t3.0.1", "t3.0.2"))
    ),
    "a lost switch": Torus((6, 5), 15, hosts=2, lost=("t3.2",)),
    "a lost switch and a lost cable": Torus((5, 6, 3), 16, lost=("t2.2.1",), cut=(("t1.0.2", "t1.1.2"),)),
    "lost cables of one cell": Torus((3, 3), 19, cut=(("t2.1", "t0.1"), ("t1.0", "t1.1"))),
    "lost switches above each other": Torus((5, 3, 5), 17, lost=("t2.1.2", "t2.1.3")),
    "a mesh without a corner": Torus((5, 3, 4), 18, wrap=False, lost=("t4.2.3",)),
}
REFUSED = {
    "a ring in pieces": Torus((6, 5), 20, cut=(("t2.1", "t3.1"), ("t4.1", "t5.1"))),
    "lost switches beside each other": Torus((6, 5), 21, lost=("t3.2", "t4.2")),
    "a mesh in pieces": Torus((5, 5), 22, wrap=False, lost=("t2.2",)),
    "a ring of four": Torus((4,), 25),
    "a seed that is not there": Torus((5, 5), 23, lost=("t0.1",)),
    "another torus": Torus((5, 5), 24, config="5 6 1"),
}


def run_of(net: Net, conf: bytes, seed: int) -> Run:
    idents = [node.ident for node in net.nodes.values() if node.cables]
    return Run("torus-2QoS", random.Random(seed).choice(idents), {"torus_config": conf})


@pytest.mark.parametrize("name", ROUTED)
def test_tables_are_opensms(name: str, scores: Scores) -> None:
    net, conf = ROUTED[name].net()
    count = Count()
    run = run_of(net, conf, ROUTED[name].seed)
    found = differences(net.text(), run, count)
    scores.add(name, "torus-2QoS", count)
    assert not found
    assert count.fell_back == 0
    fabric = _core.read_fabric(net.text().encode())
    _core.check_torus_config(fabric, conf)
    proof = _core.verify(run.lacis(fabric), "hosts")
    assert proof.good
    assert not proof.credit_loops


@pytest.mark.parametrize("name", REFUSED)
def test_what_opensm_refuses_is_refused(name: str, scores: Scores) -> None:
    net, conf = REFUSED[name].net()
    count = Count()
    found = differences(net.text(), run_of(net, conf, 1), count)
    scores.add(name, "torus-2QoS", count)
    assert not found
    assert count.fell_back == 1


@pytest.mark.parametrize("name", ["torus 4x4", "mesh 4x5", "a lost switch"])
def test_service_levels_are_those_of_path_records(name: str) -> None:
    net, conf = ROUTED[name].net()
    text, sm = net.text(), net.adapters()[0].ident
    routes = _core.route(_core.read_fabric(text.encode()), "torus-2QoS", sm=sm, torus_config=conf)
    table = routes.service_levels()
    assert table is not None
    row = {guid: i for i, guid in enumerate(routes.fabric.guids()[: len(table)].tolist())}
    lids = {guid: lid for lid, guid in zip(*(c.tolist() for c in routes.lids()), strict=True)}
    edge_switch = {
        lids[host.guid + 1]: row[net.nodes[host.cables[1][0]].guid] for host in net.adapters() if host.cables
    }
    pairs = random.Random(1).sample([(a, b) for a in edge_switch for b in edge_switch if a != b], 150)
    with_file = conf_with_file(conf)
    theirs, _ = with_file(text, sm, pairs)
    assert {pair: int(table[edge_switch[pair[0]], pair[1]]) for pair in pairs} == theirs


def conf_with_file(
    conf: bytes,
) -> Callable[[str, str, Sequence[tuple[int, int]]], tuple[dict[tuple[int, int], int], str]]:
    """Asks OpenSM, which reads the configuration from a file."""

    def ask(text: str, sm: str, pairs: Sequence[tuple[int, int]]) -> tuple[dict[tuple[int, int], int], str]:
        import tempfile

        with tempfile.NamedTemporaryFile("wb", prefix="lacis-oracle-") as file:
            file.write(conf)
            file.flush()
            lines = f"qos TRUE\ntorus_config {file.name}\n"
            return service_levels(text, "torus-2QoS", lines, sm=sm, pairs=pairs)

    return ask


@pytest.mark.parametrize("name", ["torus 4x3x5, moved datelines", "a lost switch", "three cables"])
def test_lanes_by_service_level_are_opensms(name: str) -> None:
    net, conf = ROUTED[name].net()
    text, sm = net.text(), net.adapters()[0].ident
    theirs = opensm.run(
        text, "torus-2QoS", ["-Q", "--torus_config", "@torus"], sm=sm, files={"torus": conf.decode()}
    )
    routes = _core.route(_core.read_fabric(text.encode()), "torus-2QoS", sm=sm, torus_config=conf)
    pieces: list[bytes] = []
    routes.dump_sl2vl(pieces.append)
    assert b"".join(pieces).decode() == theirs.dumps["opensm-sl2vl.dump"]
