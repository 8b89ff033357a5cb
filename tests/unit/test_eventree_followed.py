"""eventree's tables followed hop by hop on odd fabrics: who is reached, what waits for what, and what shifts get in its order."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import lacis
import networkx as nx
import pytest
from lacis import _core

from tests.oracle.fabrics import FABRICS
from tests.oracle.nets import Net

if TYPE_CHECKING:
    from collections.abc import Callable

Link = tuple[int, int]
"""A switch and the port by which packets leave it."""


def rail_pods(net: Net) -> None:
    """Two pods, hosts with an adapter on each of four leaves; the leaves of a number share spines, and these two cores."""
    cores = [net.switch(f"core{i}") for i in range(2)]
    for rail in range(4):
        spines = [net.switch(f"rail{rail}-spine{i}") for i in range(2)]
        for pod in range(2):
            leaf = net.switch(f"pod{pod}-rail{rail}")
            for spine in spines:
                net.cable(leaf, spine, 2)
            for host in range(3):
                net.host(f"dgx{pod}{host} mlx5_{rail}", leaf)
        for spine in spines:
            for core in cores:
                net.cable(spine, core)


def trees_in_a_dragonfly(net: Net) -> None:
    """Three trees, between each two a cable from spine to spine."""
    for group in range(3):
        _tree(net, f"g{group}", leaves=3, spines=2, hosts=2)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        net.cable(f"g{a}-spine0", f"g{b}-spine1")


def leaves_below_leaves(net: Net) -> None:
    """Two leaves that hang by two cables each from leaves of a tree."""
    _tree(net, "dir", leaves=6, spines=4, hosts=3)
    for i in range(2):
        appended = net.switch(f"edge{i}")
        net.hosts(appended, 3)
        for leaf in (2 * i, 2 * i + 1):
            net.cable(appended, f"dir-leaf{leaf}")


def two_trees_joined_at_leaves(net: Net) -> None:
    """Two trees of different sizes, and one cable from a leaf to a leaf."""
    _tree(net, "old", leaves=4, spines=2, hosts=4)
    _tree(net, "new", leaves=3, spines=3, hosts=2)
    net.cable("old-leaf0", "new-leaf2")


def generations_below_cores(net: Net) -> None:
    """Spines of an old and a new tree below the same cores, storage on one of them, a router on a leaf."""
    _tree(net, "old", leaves=3, spines=2, hosts=5)
    _tree(net, "new", leaves=4, spines=4, hosts=3)
    for i in range(2):
        core = net.switch(f"core{i}")
        for spine in (*(f"old-spine{n}" for n in range(2)), *(f"new-spine{n}" for n in range(4))):
            net.cable(spine, core)
    net.hosts("core1", 2)
    net.router("gateway", "new-leaf0")


def two_ports_at_two_leaves(net: Net) -> None:
    """Adapters with a port on each of two leaves, and a leaf without its cable to a spine."""
    _tree(net, "x", leaves=4, spines=4, hosts=0)
    for pair in range(2):
        for host in range(4):
            net.host(f"node{pair}{host}", f"x-leaf{2 * pair}", f"x-leaf{2 * pair + 1}")
    net.cut("x-leaf1", "x-spine2")


def _tree(net: Net, name: str, *, leaves: int, spines: int, hosts: int) -> None:
    """A tree of two levels with a cable from each leaf to each spine."""
    tops = [net.switch(f"{name}-spine{i}") for i in range(spines)]
    for i in range(leaves):
        leaf = net.switch(f"{name}-leaf{i}")
        for top in tops:
            net.cable(leaf, top)
        net.hosts(leaf, hosts)


SHAPES: tuple[Callable[[Net], None], ...] = (
    rail_pods,
    trees_in_a_dragonfly,
    leaves_below_leaves,
    two_trees_joined_at_leaves,
    generations_below_cores,
    two_ports_at_two_leaves,
)


def drawn(shape: Callable[[Net], None], seed: int) -> lacis.Fabric:
    """A fabric with its GUIDs and ports drawn."""
    net = Net(seed)
    shape(net)
    net.shuffle_ports()
    return _core.read_fabric(net.text().encode())


class Followed:
    """The links between switches from each switch with end nodes to each LID, as the tables lead."""

    def __init__(self, routes: lacis.Routes) -> None:
        fabric, table = routes.fabric, routes.table()
        count = fabric.num_switches
        lids, guids = routes.lids()
        edge_of = routes.edge_switches()
        cables = fabric.cables().reshape(-1, 4).tolist()
        far = {end: node for a, p, b, q in cables for end, node in (((a, p), b), ((b, q), a))}
        switches = {int(guid) for guid in fabric.guids()[:count]}
        self.lid_of = {
            guid: lid
            for lid, guid in zip(lids.tolist(), guids.tolist(), strict=True)
            if guid not in switches and edge_of[lid] >= 0
        }
        self.edge_of = {lid: int(edge_of[lid]) for lid in self.lid_of.values()}
        self.paths: dict[tuple[int, int], list[Link]] = {}
        self.lost: list[tuple[int, int]] = []
        for source in sorted(set(self.edge_of.values())):
            for lid, last in self.edge_of.items():
                at = source
                path: list[Link] = []
                while at != last and at < count and len(path) <= count:
                    link = (at, int(table[at, lid]))
                    path.append(link)
                    at = far.get(link, count)
                if at != last or far.get((last, int(table[last, lid])), 0) < count:
                    self.lost.append((source, lid))
                else:
                    self.paths[source, lid] = path

    def waits(self) -> nx.DiGraph:
        """An edge from each link to each that packets take next."""
        graph = nx.DiGraph()
        for path in self.paths.values():
            nx.add_path(graph, path)
        return graph

    def fullest(self, lids: list[int]) -> int:
        """The most pairs on a link, each of these sending to every other."""
        load = Counter(link for a in lids for b in lids if a != b for link in self.paths[self.edge_of[a], b])
        return max(load.values(), default=0)

    def shift(self, lids: list[int], distance: int) -> tuple[float, int]:
        """Of a shift: the mean share of the link rate, and the most flows on a link."""
        paths = [
            self.paths[self.edge_of[lid], lids[(i + distance) % len(lids)]] for i, lid in enumerate(lids)
        ]
        load = Counter(link for path in paths for link in path)
        shares = [1 / max((load[link] for link in path), default=1) for path in paths]
        return sum(shares) / len(shares), max(load.values(), default=1)


def check(fabric: lacis.Fabric) -> None:
    """Every pair arrives, no circle of links waits, and figures and bounds are those of plain counting."""
    routes = lacis.route(fabric, "eventree", fallback=False)
    followed = Followed(routes)
    switches = nx.Graph([(a, b) for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist()]).subgraph(
        range(fabric.num_switches)
    )
    part = {s: n for n, some in enumerate(nx.connected_components(switches)) for s in some}
    assert [pair for pair in followed.lost if part.get(pair[0]) == part.get(followed.edge_of[pair[1]])] == []
    assert nx.is_directed_acyclic_graph(followed.waits())
    ports = _core.participants(routes, rail="each", order="eventree")
    hosts = [followed.lid_of[guid] for guid in ports.guids().tolist()]
    if followed.lost or len(hosts) < 2:
        return
    written = lacis.routing_order(fabric, "eventree", rail="each")[1]
    assert written == ports.guids_by_rail().tolist()
    most = lacis.verify(routes, "hosts").balance.max
    assert most == followed.fullest(hosts)
    assert most >= _core.forced(routes, "hosts").flows
    counted = [followed.shift(hosts, distance) for distance in range(1, len(hosts))]
    (found,) = _core.predict_each(routes, ports, ["shift"], patterns=1, seed=1)
    phases = found.phases()
    assert phases["mean"] == pytest.approx([mean for mean, _ in counted], abs=1e-12)
    assert found.max_contention == max(flows for _, flows in counted)
    if (bound := _core.shift_bound(ports)) is not None:
        assert phases["mean"].mean() <= bound.mean + 1e-9
        assert phases["mean"].min() <= bound.worst + 1e-9


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_tables_lead_where_they_should_on_shapes_that_no_generator_draws(
    shape: Callable[[Net], None], seed: int
) -> None:
    check(drawn(shape, seed))


@pytest.mark.slow
def test_tables_lead_where_they_should_on_all_fabrics_of_the_oracle_with_levels() -> None:
    # With routers, adapters of several ports, hosts on any switch, islands and lost cables.
    checked = 0
    for subject in FABRICS.values():
        fabric = _core.read_fabric(subject().text.encode())
        try:
            lacis.route(fabric, "eventree", fallback=False)
        except lacis.RefusedError:
            continue
        check(fabric)
        checked += 1
    assert checked >= 75
