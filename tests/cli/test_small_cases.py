"""Small files that people have, and what each says, taken from it by eye: tables and links of Omni-Path, lists of fabrics, roles of hosts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lacis.fabric import read
from lacis.routing.tables import read_tables

from tests.conftest import shared_data

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def case(name: str) -> Path:
    """A file of the cases."""
    data = shared_data()
    if data is None or not (data / "cases" / name).exists():
        pytest.skip(f"no shared/data/cases/{name} at or above the checkout")
    return data / "cases" / name


def found(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    result = lacis(*args, "--json")
    assert result.status == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    return document


def predicted(lacis: Lacis, snapshot: str) -> dict[str, Any]:
    """Both pairs of the article's figure at once, NodeA to NodeC and NodeB to NodeD, over the tables of a snapshot."""
    path, pairs = case(f"omnipath/{snapshot}.xml"), case("omnipath/fig1.pairs")
    return found(lacis, "predict", path, "--lfts", path, "--traffic", f"file:{pairs}", "--model", "fluid")


def test_both_pairs_of_the_articles_figure_share_one_core(lacis: Lacis) -> None:
    """Edge 1 sends LIDs 7 and 8 to its port 26, where core 2 is: 12.5 GB/s for both, and core 1 idle."""
    document = predicted(lacis, "collide")
    assert (document["flows"], document["max_contention"]) == (2, 2)
    assert document["bandwidth"]["total"] == pytest.approx(12.5e9)
    links = {link["link"]: link for link in document["hottest"]}
    assert not [name for name in links if "core1" in name]
    for name in ("edge1[26] → core2[1]", "core2[2] → edge2[26]"):
        assert (links[name]["contention"], links[name]["utilisation"]) == (2, pytest.approx(1.0))
        pairs = [(flow["from"], flow["to"]) for flow in links[name]["flows"]]
        assert sorted(pairs) == [("NodeA", "NodeC"), ("NodeB", "NodeD")]
    snapshot = case("omnipath/collide.xml")
    proof = found(lacis, "verify", snapshot, "--lfts", snapshot, "--pairs", "hosts")
    assert (proof["pairs"], proof["verdicts"]["delivered"]) == (12, 12)
    # Of both directions of four cables those of core 1 carry nothing; two hosts on each edge send to two on the other.
    assert [proof["balance"][key] for key in ("links", "used", "max")] == [8, 4, 4]


@pytest.mark.parametrize("snapshot", ["lost", "slow"])
def test_a_pair_over_two_of_four_lanes_gets_half(lacis: Lacis, snapshot: str) -> None:
    """NodeA's link has two lanes; the tables keep the pairs apart, so NodeB has a link to itself."""
    bandwidth = predicted(lacis, snapshot)["bandwidth"]
    assert (bandwidth["min"], bandwidth["max"]) == (pytest.approx(6.25e9), pytest.approx(12.5e9))


def test_counters_and_link_quality_of_a_snapshot_are_findings(lacis: Lacis) -> None:
    """Every port that is up says LinkDowned 7 and LinkQualityIndicator 1: 4 hosts and 4 cables between switches."""
    findings = {
        one["code"]: one["facts"] for one in found(lacis, "fabric", case("omnipath/s1.xml"))["findings"]
    }
    assert set(findings) == {"PORT_ERRORS", "LINK_QUALITY_LOW"}
    for code, counter, value in (
        ("PORT_ERRORS", "LinkDowned", 7),
        ("LINK_QUALITY_LOW", "LinkQualityIndicator", 1),
    ):
        links = findings[code]["links"]
        counts = [count for link in links for count in link["counts"]]
        assert len(links) == 8
        assert {(count["counter"], count["value"]) for count in counts} == {(counter, value)}
        assert len({(count["port"]["node"], count["port"]["port"]) for count in counts}) == 16


def test_ibdiagnets_database_is_a_leaf_with_two_hosts(lacis: Lacis) -> None:
    """Speed code 128 is 4xNDR; of the 65 ports the last is the aggregation node's."""
    document = found(lacis, "fabric", case("fabrics/ibdiagnet2.db_csv"))
    assert (document["switches"], document["hosts"], document["links"]) == (1, 2, 2)
    assert [(row["rate"], row["links"]) for row in document["links_by_rate"]] == [("4xNDR", 2)]
    assert document["findings"] == []
    fabric = read(case("fabrics/ibdiagnet2.db_csv"))
    assert fabric.descriptions() == ["MF0;leaf-1:MQM9700/U1", "node-1 mlx5_0", "node-2 mlx5_0"]


def test_a_net_dump_of_one_switch_has_its_links_and_the_slow_one(lacis: Lacis) -> None:
    document = found(lacis, "fabric", case("fabrics/ibdiagnet2.net_dump"))
    assert (document["switches"], document["hosts"], document["links"]) == (4, 1, 4)
    assert {(row["rate"], row["links"]) for row in document["links_by_rate"]} == {("4xHDR", 3), ("4xEDR", 1)}
    [finding] = document["findings"]
    assert finding["code"] == "LINK_SPEED_LOW"
    assert [(end["node"], end["port"]) for end in finding["ends"]] == [("leaf-40", 3), ("spine-03", 40)]


def test_opensms_list_of_a_hypercube_has_each_cable_once(lacis: Lacis) -> None:
    """112 lines, one for each end of 32 hosts and 24 cables between switches: 56 cables, at 2.5 Gb/s a lane."""
    path = case("fabrics/opensm-subnet.lst")
    assert len([line for line in path.read_text().splitlines() if line.startswith("{")]) == 2 * (32 + 24)
    document = found(lacis, "fabric", path)
    assert (document["switches"], document["hosts"]) == (8, 32)
    assert (document["links"], document["trunks"]) == (56, 24)
    assert [row["rate"] for row in document["links_by_rate"]] == ["4xSDR"]
    assert document["cabling"]["checked"] == "none"
    lids = {port["guid"]: port["lid"] for port in _end_ports(lacis, path)}
    assert (lids["0x0000000000100001"], lids["0x0000000000100007"]) == (1, 10)  # LID:0001, LID:000A


def _end_ports(lacis: Lacis, path: Path) -> list[dict[str, Any]]:
    result = lacis("route", path, "-R", "minhop", "--guid2lid", "-")
    rows = [line.split() for line in result.out.splitlines() if line.startswith("0x")]
    return [{"guid": guid, "lid": int(lid, 16)} for guid, lid, _ in rows]


def test_a_list_of_routes_is_a_table(tmp_path: Path) -> None:
    """LIDs 1 to 7 of the switch 0x200002 by ports 30, 33, 34, 0, 1, 34 and none."""
    fabric = tmp_path / "fabric"
    lines = [
        "switchguid=0x200002(200002)",
        'Switch 36 "S-0000000000200002" # "leaf" base port 0 lid 4 lmc 0',
    ]
    hosts = {1: (5,), 30: (1,), 33: (2,), 34: (3,), 35: (6,), 36: (7,)}
    lines += [
        f'[{port}] "H-{0x100 + port:016x}"[1] # "n{port} HCA-1" lid {lids[0]} 4xHDR'
        for port, lids in hosts.items()
    ]
    for port, lids in hosts.items():
        lines += ["", f"caguid={0x100 + port:#x}", f'Ca 1 "H-{0x100 + port:016x}" # "n{port} HCA-1"']
        lines.append(
            f'[1]({0x100 + port:x}) "S-0000000000200002"[{port}] # lid {lids[0]} lmc 0 "leaf" lid 4 4xHDR'
        )
    fabric.write_text("\n".join([*lines, ""]))
    routes, _ = read_tables(read(fabric), case("fabrics/ibdiagnet2.fdbs"))
    row = np.asarray(routes.table())[0, 1:8]
    assert row.tolist() == [30, 33, 34, 0, 1, 34, 255]


@pytest.mark.parametrize("name", ["glued-roles", "plain-roles"])
def test_roles_are_the_same_apart_from_the_clusters_name_and_glued_to_it(lacis: Lacis, name: str) -> None:
    groups = found(lacis, "fabric", case(f"machines/{name}.fabric"))["groups"]
    assert {row["group"]: row["hosts"] for row in groups} == {"compute": 22, "management": 2, "storage": 6}
