"""Names of hosts where commands take them: rails of `trace`, orders, sets, and a map of inferred names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
RAILS = "fat-tree:4,2:rails=2"
"""The same twice; hosts node0001 to node0008 have HCA-1 on the switches of rail 1 and HCA-2 on those of rail 2."""


def output(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    done = lacis(*args, "--json")
    assert done.status == 0, done.err
    content: dict[str, Any] = json.loads(done.out)
    return content


def test_a_trace_of_two_hosts_follows_every_rail(lacis: Lacis) -> None:
    routes = output(lacis, "trace", RAILS, "node0001", "node0005")["routes"]
    assert [(r["rail"], r["from"], r["to"]) for r in routes] == [
        (1, "node0001 HCA-1[1]", "node0005 HCA-1[1]"),
        (1, "node0005 HCA-1[1]", "node0001 HCA-1[1]"),
        (2, "node0001 HCA-2[1]", "node0005 HCA-2[1]"),
        (2, "node0005 HCA-2[1]", "node0001 HCA-2[1]"),
    ]
    for route in routes:
        switches = [hop["node"] for hop in route["hops"] if hop["kind"] == "switch"]
        assert len(switches) == 3
        assert all(name.startswith(f"rail{route['rail']}-") for name in switches)


def test_a_trace_of_one_adapter_stays_on_its_rail(lacis: Lacis) -> None:
    routes = output(lacis, "trace", RAILS, "node0001 HCA-2", "node0005")["routes"]
    assert [(r["from"], r["to"]) for r in routes][:1] == [("node0001 HCA-2[1]", "node0005 HCA-2[1]")]
    assert len(routes) == 2


def test_a_trace_takes_lids_and_sets_of_hosts(lacis: Lacis) -> None:
    [there, _] = output(lacis, "trace", TREE, "1", "lid:0x3")["routes"]
    assert there["lid"] == 3
    routes = output(lacis, "trace", TREE, "node[0001-0002]", "node[0002-0003]")["routes"]
    pairs = {tuple(sorted((r["from"], r["to"]))) for r in routes}
    assert pairs == {
        ("node0001 HCA-1[1]", "node0002 HCA-1[1]"),
        ("node0001 HCA-1[1]", "node0003 HCA-1[1]"),
        ("node0002 HCA-1[1]", "node0003 HCA-1[1]"),
    }


def test_a_trace_names_whose_tables_it_walks(lacis: Lacis, tmp_path: Path) -> None:
    dump = tmp_path / "t"
    assert lacis("route", TREE, "-R", "updn", "-o", dump).status == 0
    ends = ("node0001", "node0008")
    first = lacis("trace", TREE, *ends).out.splitlines()[0]
    assert first == "tables: minhop's (assumed: neither -R nor --lfts is given)"
    assert lacis("trace", TREE, *ends, "-R", "updn").out.splitlines()[0] == "tables: updn's"
    assert lacis("trace", TREE, *ends, "--lfts", dump).out.splitlines()[0] == f"tables: read from {dump}"


def test_two_hosts_without_a_common_rail_are_said(lacis: Lacis) -> None:
    cut = [f"--without=node000{host} HCA-{rail}" for host, rail in ((1, 3), (1, 4), (5, 1), (5, 2))]
    done = lacis("trace", "fat-tree:4,2:rails=4", "node0001", "node0005", *cut)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        'lacis: "node0001" and "node0005" have no rail in common: rails 1, 2 and rails 3, 4\n'
    )
    done = lacis("trace", TREE, "node000[1-2]", "node0009")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("fabric", [TREE, RAILS])
@pytest.mark.parametrize("by", ["slurm", "topology"])
def test_the_output_of_order_is_accepted_as_a_host_order(
    lacis: Lacis, tmp_path: Path, fabric: str, by: str
) -> None:
    guids, names = tmp_path / "guids", tmp_path / "names"
    nodes = ["--nodes", "node[0006-0008],node[0001-0003]"] if by == "slurm" else []
    hosts = output(lacis, "order", fabric, "--by", by, *nodes)["hosts"]
    assert lacis("order", fabric, "--by", by, *nodes, "-o", guids).status == 0
    assert guids.read_text().startswith("0x")
    names.write_text("\n".join(hosts) + "\n")
    answers = [
        output(lacis, "predict", fabric, "--traffic", "shift", "--host-order", f"file:{file}", "-R", "minhop")
        for file in (guids, names)
    ]
    for answer in answers:
        del answer["host_order"]
    assert answers[0] == answers[1]
    assert answers[0]["hosts"] == len(hosts)


def test_a_guid_of_a_host_order_counts_once_and_must_be_known(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "guids"
    assert lacis("order", RAILS, "--by", "name", "-o", file).status == 0
    lines = file.read_text().splitlines()
    # On rail 2 alone the ports of rail 1 are passed over.
    found = output(
        lacis, "predict", RAILS, "--rail", "2", "--host-order", f"file:{file}", "--traffic", "shift:1"
    )
    assert found["hosts"] == 8
    file.write_text("\n".join([*lines, lines[0]]) + "\n")
    done = lacis("predict", RAILS, "--host-order", f"file:{file}")
    assert (done.status, done.err) == (2, f"lacis: {file}:17: host already on line 1: node0001\n")
    file.write_text("0x0000000000000bad\n")
    done = lacis("predict", RAILS, "--host-order", f"file:{file}")
    assert (done.status, done.err) == (2, f"lacis: {file}:1: no such host: 0x0000000000000bad\n")


def test_sets_stand_where_hosts_do(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("node[0003-0004]\nnode0001\n")
    found = output(lacis, "predict", TREE, "--traffic", "shift", "--host-order", f"file:{file}")
    assert found["hosts"] == 3
    found = output(lacis, "predict", TREE, "--traffic", "shift", "--hosts", "node[0003-0006]")
    assert found["hosts"] == 4
    assert output(lacis, "order", TREE, "--by", "host", "--list", file)["hosts"] == [
        "node0003",
        "node0004",
        "node0001",
    ]
    for args in (["--hosts", "node[0007-0010]"], ["--hosts", "comptue"]):
        done = lacis("predict", TREE, *args)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert "did you mean" in done.err


def test_inferred_names_are_written_as_a_map_that_is_read_back(
    lacis: Lacis, dgx: Path, tmp_path: Path
) -> None:
    file = tmp_path / "map"
    before = output(lacis, "fabric", dgx)
    done = lacis("fabric", dgx, "--write-name-map", file)
    assert done.status == 0
    lines = file.read_text().splitlines()
    assert 0 < len(lines) <= before["inferred"]
    after = output(lacis, "fabric", dgx, "--node-name-map", file)
    assert after["unnamed"] == 0
    assert after["inferred"] == before["inferred"] - len(lines)
    assert after["hosts"] == before["hosts"]
    likely = {
        end["guid"]: end["likely"] for f in before["findings"] for end in f["ends"] if end.get("likely")
    }
    assert {line.split()[0]: line.split(" ", 1)[1].strip('"') for line in lines} == likely
