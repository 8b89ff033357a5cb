"""What `lacis.verify` counts, against walking every pair and against figures taken from the real OpenSM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import networkx as nx
import pytest

from .walk import Net, Walked, walk_all

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ["fat-tree:4,3", "torus:4x4", "random:9,3,3:seed=5", "itasca:4", "fat-tree:8,2:shuffle=7"]


def expect(net: Net, found: lacis.Verification, walked: Walked) -> None:
    assert {verdict: n for verdict, n in found.verdicts.items() if n} == dict(walked.verdicts)
    assert found.pairs == walked.verdicts.total()
    assert found.hops == dict(walked.hops)
    channels = [c for c, far in net.peer.items() if {c[0], far[0]} <= set(net.switches) and c[0] != far[0]]
    flows = [walked.loads[c] for c in channels]
    most, mean, links, used = found.balance
    assert (most, links, used) == (max(flows), len(flows), sum(f > 0 for f in flows))
    assert mean == pytest.approx(sum(flows) / len(flows))

    graph = nx.DiGraph((name(net, a), name(net, b)) for a, b in walked.waits)
    circles = [graph.subgraph(c) for c in nx.strongly_connected_components(graph) if len(c) > 1]
    assert sorted(n for _, n in found.credit_loops) == sorted(len(c) for c in circles)
    for cycle, _ in found.credit_loops:
        assert all(graph.has_edge(a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        assert len(cycle) == girth(next(c for c in circles if cycle[0] in c))


def girth(graph: nx.DiGraph) -> int:
    """Length of the shortest directed cycle."""
    shortest = dict(nx.all_pairs_shortest_path_length(graph))
    return min(int(shortest[b][a]) + 1 for a, b in graph.edges)


def name(net: Net, channel: tuple[str, int]) -> str:
    return f"{net.name[channel[0]]}[{channel[1]}]"


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.filterwarnings("ignore::lacis.FallbackWarning")  # whichever engine made them
@pytest.mark.parametrize("engine", ["minhop", "updn"])
def test_counts_are_those_of_walking_every_pair(spec: str, engine: str) -> None:
    fabric = lacis.read(spec)
    routes = lacis.route(fabric, engine)
    net = Net.parse(fabric.to_net())
    expect(net, lacis.verify(routes), walk_all(net, routes, hosts_only=False))


# Flows on the busiest inter-switch link over the mean, of the real OpenSM's tables.
@pytest.mark.parametrize(
    ("spec", "engine", "times_mean"),
    [
        ("fat-tree:8,3", "minhop", 3.8),
        ("fat-tree:36,3:pods=8", "minhop", 16.9),
        ("fat-tree:8,3", "ftree", 1.05),
        ("fat-tree:36,3:pods=8", "ftree", 1.06),
    ],
)
def test_minhop_crowds_the_uplinks_of_a_fat_tree_and_ftree_does_not(
    spec: str, engine: str, times_mean: float
) -> None:
    result = lacis.verify(lacis.route(lacis.read(spec), engine))
    most, mean, _, _ = result.balance
    digits = len(str(times_mean).split(".")[1])
    assert round(most / mean, digits) == times_mean
    assert result.good


def test_updn_with_automatic_roots_leaves_itasca_pairs_unrouted() -> None:
    # 1,072 nodes make 1072 · 1071 pairs; how many have no route was counted in OpenSM's own tables.
    result = lacis.verify(lacis.route(lacis.read("itasca:67"), "updn"))
    assert result.pairs == 1072 * 1071
    assert result.verdicts["no_entry"] == 132_096
    assert result.verdicts["delivered"] == 1072 * 1071 - 132_096
    assert not result.good


@pytest.mark.parametrize("spec", ["torus:4x4", "torus:4x4x4"])
def test_minhop_on_a_torus_has_a_credit_loop(spec: str) -> None:
    result = lacis.verify(lacis.route(lacis.read(spec), "minhop"))
    # Packets travel two hops round every ring of four, which closes it.
    assert min(len(cycle) for cycle, _ in result.credit_loops) == 4


# Flows on the busiest link and mean over all 1,064 directions, links used, and whether there is a
# credit loop, counted in the tables of OpenSM 3.3.23 on ibsim: hosts only, then all end nodes.
DGX = {
    "minhop": [("hosts", 2168, 534.3, 1064, False), ("all", 2408, 607.7, 1064, True)],
    "updn": [("hosts", 1713, 534.3, 850, False), ("all", 1830, 607.7, 1012, True)],
}


@pytest.mark.parametrize("engine", DGX)
def test_a_real_cluster_is_balanced_as_under_opensm(dgx: Path, engine: str) -> None:
    routes = lacis.route(lacis.read(dgx), engine)
    for population, most, mean, used, loops in DGX[engine]:
        result = lacis.verify(routes, population)
        assert (result.balance[0], round(result.balance[1], 1)) == (most, mean)
        assert result.balance[2:] == (1064, used)
        assert bool(result.credit_loops) == loops
        assert result.verdicts["delivered"] == result.pairs


@pytest.mark.slow
@pytest.mark.parametrize("engine", DGX)
def test_a_real_cluster_counts_as_walking_every_pair(dgx: Path, engine: str) -> None:
    fabric = lacis.read(dgx)
    routes = lacis.route(fabric, engine)
    net = Net.parse(fabric.to_net())
    for hosts_only in (True, False):
        walked = walk_all(net, routes, hosts_only=hosts_only)
        expect(net, lacis.verify(routes, "hosts" if hosts_only else "all"), walked)


def test_switch_lids_take_part_where_asked() -> None:
    fabric = lacis.read("fat-tree:4,2")
    routes = lacis.route(fabric, "minhop")
    ends, switches = fabric.num_end_nodes, fabric.num_switches
    result = lacis.verify(routes, switches=True)
    assert result.pairs == (ends + switches) * (ends + switches - 1)
    assert result.balance == lacis.verify(routes).balance


def test_the_busiest_links_are_the_heads_of_the_loads() -> None:
    result = lacis.verify(lacis.route(lacis.read("fat-tree:8,3"), "minhop"))
    nodes, ports, flows = result.loads()
    assert len(nodes) == len(ports) == len(flows) == result.balance[2]
    assert [flow for _, _, flow in result.busiest(5)] == sorted(flows.tolist(), reverse=True)[:5]
