"""Fabrics as graphs and Arrow tables, against networkx' own search and the net file that Lacis writes."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import lacis
import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
import rustworkx as rx

if TYPE_CHECKING:
    from collections.abc import Callable

FABRICS = [
    f"{spec} without {amount}%,seed={seed}"
    for seed in (1, 2)
    for spec, amount in (("fat-tree:8,2", 20), ("torus:5x4:h=2", 15), ("random:24,4,2:seed=9", 30))
]


def damaged(text: str) -> lacis.Fabric:
    spec, _, amount = text.partition(" without ")
    return lacis.read(spec).without([f"random-cables={amount}"])


@pytest.mark.parametrize("text", FABRICS)
def test_shortest_distances_are_those_of_networkx(text: str) -> None:
    fabric = damaged(text)
    switches = range(fabric.num_switches)
    among = lacis.to_networkx(fabric).subgraph(switches)
    for source in switches:
        hops = nx.single_source_shortest_path_length(among, source)
        assert fabric.hops_from([source]).tolist() == [hops.get(target, -1) for target in switches]


@pytest.mark.parametrize("text", FABRICS)
def test_minhop_delivers_over_networkx_s_shortest_paths(text: str) -> None:
    fabric = damaged(text)
    graph = lacis.to_networkx(fabric)
    hosts = [node for node, data in graph.nodes(data=True) if data["kind"] == "adapter"]
    counted: dict[int, int] = {}
    for source in hosts:
        hops = nx.single_source_shortest_path_length(graph, source)
        for target in hosts:
            if target != source and target in hops:
                # Links less one are switches.
                counted[hops[target] - 1] = counted.get(hops[target] - 1, 0) + 1
    assert lacis.verify(lacis.route(fabric)).hops == counted


def test_nodes_and_cables_have_what_the_net_file_says() -> None:
    fabric = lacis.read("pgft:2;4,4;1,2;1,2:rate=4xEDR")  # two cables between each leaf and each spine
    graph = lacis.to_networkx(fabric)
    net = fabric.to_net()
    described = dict(re.findall(r'^(?:Switch|Ca)\s+\d+ "(\S+)"\s+# "([^"]+)"', net, re.MULTILINE))
    assert len(described) == graph.number_of_nodes()
    kinds = {"S": "switch", "H": "adapter"}
    of_name = {}
    for node, data in graph.nodes(data=True):
        (identifier,) = (key for key, name in described.items() if name == data["name"])
        assert (data["kind"], data["guid"]) == (kinds[identifier[0]], int(identifier[2:], 16))
        of_name[identifier] = node
    ends = set()
    for block in net.split("\n\n"):
        if found := re.search(r'^(?:Switch|Ca)\s+\d+ "(\S+)"', block, re.MULTILINE):
            for port, peer, far in re.findall(
                r'^\[(\d+)\](?:\(\w+\))?\s+"(\S+)"\[(\d+)\]', block, re.MULTILINE
            ):
                ends.add((of_name[found[1]], int(port), of_name[peer], int(far)))
    cables = [data for _, _, data in graph.edges(data=True)]
    both = {(c["node_a"], c["port_a"], c["node_b"], c["port_b"]) for c in cables}
    assert both | {(b, q, a, p) for a, p, b, q in both} == ends
    # 4 lanes of 25.78125 Gbaud with 64b/66b: 12.5 GB/s.
    assert {(cable["rate"], cable["speed"]) for cable in cables} == {("4xEDR", 12.5)}


def test_parallel_cables_are_edges_of_their_own() -> None:
    fabric = lacis.read("pgft:2;4,4;1,2;1,2")
    graph = lacis.to_networkx(fabric)
    leaf, spine = (
        next(n for n, data in graph.nodes(data=True) if data.get("level") == level) for level in (0, 1)
    )
    between = graph.get_edge_data(leaf, spine)
    assert len(between) == 2
    assert [data["cable"] for data in between.values()] == list(between)
    assert len({data["port_a"] for data in between.values()}) == 2
    rows = lacis.tables.cables(fabric)
    for key, data in between.items():
        assert data["port_a"] == rows["port_a"][key]


def test_rustworkx_has_the_same_graph() -> None:
    fabric = damaged(FABRICS[0])
    one, other = lacis.to_networkx(fabric), lacis.to_rustworkx(fabric)
    assert isinstance(other, rx.PyGraph)
    assert [dict(one.nodes[node]) for node in one] == other.nodes()
    assert (
        sorted((data for *_, data in one.edges(data=True)), key=lambda data: data["cable"]) == other.edges()
    )
    assert sorted(map(sorted, other.edge_list())) == sorted(map(sorted, one.edges()))
    lengths = rx.distance_matrix(other)
    assert lengths[0].tolist() == [
        nx.single_source_shortest_path_length(one, 0).get(node, 0) for node in range(len(lengths))
    ]


def test_what_is_unknown_is_absent() -> None:
    graph = lacis.to_networkx(lacis.read("torus:4x4"))  # no tree: no levels
    assert not any("level" in data for _, data in graph.nodes(data=True))


def test_a_list_without_rates_has_none(tmp_path: Any) -> None:
    (tmp_path / "net").write_text(
        'Switch 2 "S-1" # "a"\n[1] "H-1"[1]\n[2] "H-2"[1]\n\nHca 1 "H-1" # "n1 HCA-1"\n[1] "S-1"[1]\n\n'
        'Hca 1 "H-2" # "n2 HCA-1"\n[1] "S-1"[2]\n'
    )
    fabric = lacis.read(tmp_path / "net")
    table = lacis.tables.cables(fabric)
    assert (table["rate"], table["speed"]) == ([None, None], [None, None])
    (one, _) = (data for *_, data in lacis.to_networkx(fabric).edges(data=True))
    assert "rate" not in one
    assert "speed" not in one


@pytest.mark.parametrize(
    "rate", ["1xSDR", "4xQDR", "4xFDR10", "12xDDR", "4xHDR", "4xNDR", "4xXDR", "4xOPA100", "4xCN5000"]
)
def test_speeds_are_payload(rate: str) -> None:
    # Lanes × Gbit/s of payload a lane / 8 (InfiniBand Architecture Specification, volume 2; Omni-Path's nominal rates).
    payload = {
        "SDR": 2,
        "DDR": 4,
        "QDR": 8,
        "FDR10": 10,
        "HDR": 50,
        "NDR": 100,
        "XDR": 200,
        "OPA100": 25,
        "CN5000": 100,
    }
    lanes, _, name = rate.partition("x")
    speeds = lacis.tables.cables(lacis.read(f"chain:2:rate={rate}"))["speed"]
    assert speeds == pytest.approx([int(lanes) * payload[name] / 8] * 3)


def test_tables_are_pyarrow_s_too() -> None:
    fabric = lacis.read("fat-tree:4,2")
    routes = lacis.route(fabric)
    found = lacis.predict(routes, "shift:2", model="fluid", keep_flows=True)
    tables = {
        "nodes": lacis.tables.nodes(fabric),
        "cables": lacis.tables.cables(fabric),
        "entries": lacis.tables.entries(routes),
        "flows": lacis.tables.flows(found),
    }
    for name, table in tables.items():
        arrow = table.to_arrow()
        assert isinstance(arrow, pa.Table), name
        assert arrow.column_names == list(table.columns)
        assert arrow.to_pydict() == {key: list(column) for key, column in table.columns.items()}
        assert pa.table(table).equals(arrow.cast(pa.table(table).schema)), name  # through Arrow's C stream
    assert tables["nodes"].to_arrow().schema.field("guid").type == pa.uint64()
    flows = tables["flows"]
    # Shift by 2 over 8 hosts: each sends one flow; those of a leaf share no link at 25 GB/s.
    assert len(flows) == 8
    assert np.array_equal((np.asarray(flows["source"]) + 2) % 8, flows["destination"])
    with pytest.raises(lacis.LacisError, match="kept no flows"):
        lacis.tables.flows(lacis.predict(routes, "shift:2"))


@pytest.mark.parametrize(
    ("absent", "call", "said"),
    [
        ({"networkx"}, lacis.to_networkx, "pip install networkx"),
        ({"rustworkx"}, lacis.to_rustworkx, "pip install rustworkx"),
        ({"pyarrow"}, lambda f: lacis.tables.nodes(f).to_arrow(), "pip install pyarrow"),
        ({"polars"}, lambda f: lacis.tables.nodes(f).to_polars(), r"pip install 'lacis\[results\]'"),
        ({"polars", "pyarrow"}, lambda f: lacis.tables.nodes(f).__arrow_c_stream__(), "pip install polars"),
    ],
)
def test_what_is_not_installed_is_an_import_error_that_says_what_to_install(
    absent: set[str], call: Callable[[lacis.Fabric], Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in absent:
        monkeypatch.setitem(sys.modules, package, None)
    for kind in (ImportError, lacis.LacisError, lacis.MissingPackageError):
        with pytest.raises(kind, match=said):
            call(lacis.read("fat-tree:4,2"))


def test_arrow_needs_polars_or_pyarrow_and_not_both(monkeypatch: pytest.MonkeyPatch) -> None:
    table = lacis.tables.nodes(lacis.read("fat-tree:4,2"))
    monkeypatch.setitem(sys.modules, "polars", None)
    assert pa.table(table)["description"].to_pylist() == table["description"]
