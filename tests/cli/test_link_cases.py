"""Links of the cases that people met: what is a fault, what was built so, and what a list cannot show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from lacis import health
from lacis.fabric import read

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


def examined(lacis: Lacis, path: Path) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Findings by code, and the work list."""
    document = json.loads(lacis("fabric", path, "--json").out)
    by_code: dict[str, list[dict[str, Any]]] = {}
    for finding in document["findings"]:
        by_code.setdefault(finding["code"], []).append(finding)
    work = health.examine(read(path)).cable_work
    return by_code, [msgspec.to_builtins(line) for line in work]


@pytest.mark.parametrize("name", ["fabrics/iblinkinfo-could-be.txt", "fabrics/spine-slow.ibnetdiscover"])
def test_four_cables_of_one_spine_at_half_speed_are_that_spines_fault(lacis: Lacis, name: str) -> None:
    """The first says that they could be faster; in the second the same models run faster elsewhere."""
    found, work = examined(lacis, case(name))
    [slow] = found["LINK_SPEED_LOW"]
    assert slow["where"] == "spine02"
    assert (len(slow["facts"]["links"]), slow["facts"]["links"][0]["rate"]["rate"]) == (4, "4xHDR")
    assert slow["facts"]["usual"]["rate"] == "4xNDR"
    assert slow["facts"]["basis"] == ("could_be" if name.endswith("txt") else "peers")
    [line] = [line for line in work if line["code"] == "LINK_SPEED_LOW"]
    assert (line["action"], line["here"]["node"], line["there"]) == ("check", "spine02", None)


def test_hosts_on_split_ports_are_one_notice(lacis: Lacis) -> None:
    found, work = examined(lacis, case("fabrics/split-ports.ibnetdiscover"))
    assert not {"LINK_SPEED_LOW", "LINK_WIDTH_LOW"} & set(found)
    [notice] = found["LINKS_SLOW_ALIKE"]
    [group] = notice["facts"]["groups"]
    assert (group["name"], group["links"], group["rate"]["rate"]) == ("nas*", 48, "2xNDR")
    assert not [line for line in work if line["code"].startswith("LINK")]


def test_old_storage_was_built_so(lacis: Lacis) -> None:
    """Five storage hosts, all of them at SDR."""
    found, work = examined(lacis, case("machines/old-storage.fabric"))
    assert not {"LINK_SPEED_LOW", "LINK_WIDTH_LOW"} & set(found)
    [notice] = found["LINKS_SLOW_ALIKE"]
    [group] = notice["facts"]["groups"]
    assert (group["like"], group["links"], group["rate"]["rate"]) == ("series", 5, "4xSDR")
    assert not [line for line in work if line["code"].startswith("LINK")]


def test_one_of_the_old_storage_hosts_differs_from_its_like(lacis: Lacis, tmp_path: Path) -> None:
    text = case("machines/old-storage.fabric").read_text()
    # oss03 on one lane where its like have four.
    lines = [
        line.replace("4xSDR", "1xSDR") if "oss03" in line or "b000000000011f1" in line else line
        for line in text.splitlines()
    ]
    path = tmp_path / "one.fabric"
    path.write_text("\n".join(lines) + "\n")
    found, _ = examined(lacis, path)
    [narrow] = found["LINK_WIDTH_LOW"]
    assert "oss03" in narrow["where"]


def test_a_port_in_initialize_is_named(lacis: Lacis) -> None:
    found, work = examined(lacis, case("fabrics/iblinkinfo-initialize.txt"))
    [inactive] = found["PORT_INACTIVE"]
    assert inactive["severity"] == "error"
    [link] = inactive["facts"]["links"]
    assert (link["states"][0], link["physical"][0], link["unreachable"]["node"]) == (
        "Initialize",
        "LinkUp",
        "gpu04 mlx5_1",
    )
    assert [line["code"] for line in work if line["code"] == "PORT_INACTIVE"] == ["PORT_INACTIVE"]


def test_no_active_port_means_no_manager(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(case("fabrics/iblinkinfo-initialize.txt").read_text().replace("Active/", "Initialize/"))
    found, work = examined(lacis, path)
    assert "PORT_INACTIVE" not in found
    [none] = found["SUBNET_INACTIVE"]
    assert none["facts"]["states"][0]["state"] == "Initialize"
    assert not [line for line in work if line["code"] == "SUBNET_INACTIVE"]


def test_cables_back_to_their_switch_are_found_and_join_no_switches(lacis: Lacis) -> None:
    found, _ = examined(lacis, case("fabrics/loopback.net"))
    [loopback] = found["LOOPBACK"]
    assert "sw1[1] – sw1[2]" in loopback["where"]
    assert health.examine(read(case("fabrics/loopback.net"))).summary.trunks == 0


def test_a_list_of_switches_is_not_judged_by_what_it_cannot_show(lacis: Lacis, tmp_path: Path) -> None:
    """`iblinkinfo --switches-only --line` has no line of a host, `ibswitches` no cable."""

    def line(near: str, lid: int, port: int, far: str, far_lid: int, far_port: int, rest: str) -> str:
        state = "4X        53.125 Gbps Active/  LinkUp"
        name, far_name = rest.split(" - ")
        return f'{near} "{name}" {lid} {port}[  ] ==( {state})==>  {far} {far_lid} {far_port}[  ] "{far_name}" ( )\n'

    leaf, spine = "0x0000000000000010", "0x0000000000000020"
    hosts = [(f"0x000000000000a00{n}", n) for n in range(1, 9)]
    lines = [line(leaf, 4, n, guid, 10 + n, 1, f"leaf - n{n} HCA-1") for guid, n in hosts]
    trunks = [line(leaf, 4, 20, spine, 5, 3, "leaf - spine"), line(spine, 5, 3, leaf, 4, 20, "spine - leaf")]
    others = [line(leaf, 4, 21, spine, 5, 4, "leaf - spine"), line(spine, 5, 4, leaf, 4, 21, "spine - leaf")]
    path = tmp_path / "switches-only.txt"
    path.write_text("".join(lines + trunks + others))
    found, _ = examined(lacis, path)
    assert not found
    nodes = tmp_path / "ibswitches.txt"
    nodes.write_text(
        "".join(
            f'Switch\t: 0x000000000020000{n} ports 36 "leaf-{n}" enhanced port 0 lid {n + 1} lmc 0\n'
            for n in range(7)
        )
    )
    found, _ = examined(lacis, nodes)
    assert not found
    printed = lacis("fabric", nodes).out
    assert "Nothing is wrong" not in printed
    assert "the source names 7 nodes and no cable" in " ".join(printed.split())


def test_lanes_that_are_lost_are_what_bandwidth_follows(lacis: Lacis) -> None:
    """Two of four lanes of NodeA's link: 6.25 GB/s of 12.5."""
    for name in ("omnipath/lost.xml", "omnipath/slow.xml"):
        found, _ = examined(lacis, case(name))
        [narrow] = found["LINK_WIDTH_LOW"]
        assert narrow["facts"]["basis"] == ("lanes_lost" if "lost" in name else "enabled")
        assert narrow["facts"]["links"][0]["rate"] == {"rate": "2xOPA100", "bytes_per_second": 6.25e9}


def test_port_groups_at_the_wrong_device_fail_the_proof(lacis: Lacis) -> None:
    path = case("omnipath/pg_hostport.xml")
    done = lacis("verify", path, "--lfts", path, "--json")
    assert done.status == 1
    document = json.loads(done.out)
    assert {
        (it["switch"], it["lid"], it["port"], it["fault"]) for it in document["port_groups"]["errors"]
    } == {("edge1", lid, 1, "wrong_device") for lid in (6, 7, 8)}
    good = lacis("verify", case("omnipath/lost.xml"), "--lfts", case("omnipath/lost.xml"), "--json")
    assert (good.status, json.loads(good.out)["port_groups"]["errors"]) == (0, [])
