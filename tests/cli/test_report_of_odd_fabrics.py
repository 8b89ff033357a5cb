"""`lacis report` on fabrics that are in pieces, without hosts, with names and GUIDs that repeat: a report, and what is wrong first."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.pages import SECTIONS, Page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


@pytest.mark.parametrize(
    ("fabric", "said"),
    [
        (["chain:3,h=0"], "Without hosts there is no traffic"),
        (["chain:1"], "With one host there is no traffic"),
        (["fat-tree:4,2", "--without", "node*"], "Without hosts there is no traffic"),
    ],
)
def test_a_fabric_without_two_hosts_has_a_report_without_traffic(
    lacis: Lacis, tmp_path: Path, fabric: list[str], said: str
) -> None:
    done = lacis("report", *fabric, "-o", tmp_path / "page.html")
    assert done.err == ""
    assert f"notice: {said}: tables are not compared" in " ".join(done.out.split())
    assert "engine" not in done.out
    assert "0.000" not in done.out
    text = (tmp_path / "page.html").read_text("utf-8")
    assert said in text
    page = Page(text)
    assert page.open == []
    shown = [name for name in page.ids if name in SECTIONS]
    assert [name for name in shown if name not in ("changes", "findings")] == ["fabric", "method"]


TWO_HOSTS = """caguid=0x1
Ca 1 "H-1" # "a HCA-1"
[1](2) "H-2"[1] # lid 1 lmc 0 "b HCA-1" lid 2 4xHDR
caguid=0x2
Ca 1 "H-2" # "b HCA-1"
[1](3) "H-1"[1] # lid 2 lmc 0 "a HCA-1" lid 1 4xHDR
"""


def test_too_large_for_a_drawing_is_said_of_large_fabrics_alone(lacis: Lacis, tmp_path: Path) -> None:
    hosts, page = tmp_path / "hosts.net", tmp_path / "page.html"
    hosts.write_text(TWO_HOSTS)
    for fabric, is_large in ((hosts, False), ("random:402,3,0", True)):
        assert lacis("report", fabric, "-o", page).status == 0
        text = page.read_text("utf-8")
        assert '<svg class="drawing"' not in text
        assert ("too large for a drawing" in text) == is_large


def test_a_list_of_nodes_is_no_fabric_to_route(lacis: Lacis, tmp_path: Path) -> None:
    for kind, text in (
        ("Ca", 'Ca : 0x1{} ports 1 devid 0x1017 vendid 0x2c9 "n{} HCA-1"'),
        ("Switch", 'Switch : 0x2{} ports 36 devid 0xcb20 vendid 0x2c9 "sw{}"'),
    ):
        listed = tmp_path / f"{kind}.list"
        listed.write_text("".join(text.format(n, n) + "\n" for n in range(3)))
        commands: list[list[str | Path]] = [
            ["report", listed, "-o", tmp_path / "page.html"],
            ["verify", listed],
            ["advise", listed],
        ]
        for command in commands:
            done = lacis(*command)
            assert done.status == 2
            assert done.err.splitlines()[-1].startswith(
                f"lacis: {listed}: has 3 nodes and no cables, so that nothing can be routed; `ibnetdiscover -H`"
            )


def test_what_cuts_hosts_off_whatever_the_tables_is_reported(lacis: Lacis, tmp_path: Path) -> None:
    # A leaf with two hosts keeps one cable: its spine and that cable cut them off. A whole tree has no such part.
    cut = ["fat-tree:4,2", "--without", "leaf-01--spine-01"]
    done = lacis("report", *cut, "--full", "-o", tmp_path / "page.html")
    said = (
        "Whatever the tables, 1 switch cuts host adapters off when it fails: spine-02 (2); 1 cable between switches cuts host "
        "adapters off when it fails: leaf-01[4]--spine-02[1] (2)."
    )
    assert said in " ".join(done.out.split())
    assert said in (tmp_path / "page.html").read_text("utf-8")
    whole = lacis("report", "fat-tree:4,2", "--full", "-o", tmp_path / "page.html")
    assert "Whatever the tables, no switch cuts off host adapters" in " ".join(whole.out.split())


def test_pairs_on_different_planes_are_not_lost(lacis: Lacis, tmp_path: Path) -> None:
    # 8 hosts with an adapter on each of 2 planes: 2 · 8 · 8 pairs of ports that no cables join, and all hosts meet.
    done = lacis("report", "fat-tree:4,2:rails=2", "-o", tmp_path / "page.html", "--json")
    [minhop, *_] = json.loads(done.out)["engines"]
    proof = minhop["verify"]["hosts"]
    assert (proof["lost"], proof["avoidable"]) == (128, 0)
    shown = " ".join(lacis("report", "fat-tree:4,2:rails=2", "-o", tmp_path / "page.html").out.split())
    assert "no route" not in shown
    assert "128" not in shown
    assert "no cables join" not in shown
    assert lacis("verify", "fat-tree:4,2:rails=2").status == 0


def test_hosts_on_an_island_are_reported_and_not_laid_to_the_tables(lacis: Lacis, tmp_path: Path) -> None:
    # A leaf with two hosts loses its cables to both spines.
    cut = ["fat-tree:4,2", "--without", "leaf-01--spine-*"]
    shown = " ".join(lacis("report", *cut, "-o", tmp_path / "page.html").out.split())
    assert "error: 2 hosts on islands: no cables join them with the rest" in shown
    assert "no route" not in shown
    verified = lacis("verify", *cut)
    assert verified.status == 1
    # 2 · 2 · 6 ordered pairs between inside and outside.
    assert "apart 24 of these: no cables join the two ports" in " ".join(verified.out.split())


@pytest.mark.slow
def test_switches_that_opensm_does_not_find_are_reported_first(lacis: Lacis, tmp_path: Path) -> None:
    # The manager is at one end of 70 switches in a row: the 63rd lies 63 hops from its host.
    done = lacis("report", "chain:70", "-o", tmp_path / "page.html")
    said = "7 switches are more than 63 hops from the manager: OpenSM would not find what is there, and not route it"
    assert said in " ".join(done.out.split())
    assert said in (tmp_path / "page.html").read_text("utf-8")
    assert "no levels" in done.out


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["torus:4x4", "diamond", "article", "chain:2"])
def test_any_fabric_has_a_report(lacis: Lacis, tmp_path: Path, spec: str) -> None:
    result = lacis("report", spec, "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    assert "Generated. Lacis" in (tmp_path / "page.html").read_text("utf-8")
    assert Page((tmp_path / "page.html").read_text("utf-8")).open == []


def test_a_name_in_the_file_cannot_become_markup(lacis: Lacis, tmp_path: Path) -> None:
    # Two hosts on a switch, one described by markup.
    net = tmp_path / "evil.net"
    net.write_text(
        'switchguid=0x10\nSwitch 4 "S-10" # "leaf" base port 0 lid 0 lmc 0\n[1] "H-20"[1]\n[2] "H-30"[1]\n\n'
        'caguid=0x20\nCa 1 "H-20" # "</script><script>alert(1)</script> HCA-1"\n[1] "S-10"[1] # lid 0 lmc 0 "leaf" lid 0 4xHDR\n\n'
        'caguid=0x30\nCa 1 "H-30" # "node2 HCA-1"\n[1] "S-10"[2] # lid 0 lmc 0 "leaf" lid 0 4xHDR\n'
    )
    result = lacis("report", net, "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<script>alert" not in html
    assert "Read from the file, which does not say when it was taken. Lacis" in html


@pytest.mark.slow
def test_switches_that_share_a_description_are_distinguished(lacis: Lacis, tmp_path: Path) -> None:
    # One cable is missing, and no switch has a name of its own.
    page = tmp_path / "page.html"
    done = lacis(
        "report", "fat-tree:8,2:unmanaged=1", "--without", "S-0002c90200400000[5]", "-o", page, "--json"
    )
    assert done.status == 0, done.err
    plug = [change for change in json.loads(done.out)["changes"] if change["title"].startswith("Plug in")]
    # The first switch is a leaf: its port 5 is the first uplink, to port 1 of the first spine, the ninth switch.
    guids = "0x0002c90200400000", "0x0002c90200400040"
    name = "Quantum Mellanox Technologies"
    assert [change["command"] for change in plug] == [
        f"{name} {guids[0]} port 5  –  {name} {guids[1]} port 1"
    ]


def _damaged(lacis: Lacis, tmp_path: Path, *replaced: tuple[str, str]) -> Path:
    """A tree without one cable, its dump changed: regular expressions and what stands there instead."""
    path = tmp_path / "fabric.net"
    assert lacis("fabric", "fat-tree:8,2", "--without", "leaf-01--spine-01", "-o", path).status == 0
    text = path.read_text()
    for old, new in replaced:
        text, count = re.subn(old, new, text)
        assert count
    path.write_text(text)
    return path


@pytest.mark.slow
def test_a_name_is_no_markup(lacis: Lacis, tmp_path: Path) -> None:
    path = _damaged(lacis, tmp_path, ('"leaf-01"', '"[/bold] [red]leaf-01"'))
    done = lacis("report", path, "-o", tmp_path / "page.html")
    assert done.status == 0, done.err
    assert "plug in  [/bold] [red]leaf-01[5] – spine-01[1]" in done.out


@pytest.mark.slow
def test_switches_that_share_a_guid_are_a_finding_and_stop_nothing(lacis: Lacis, tmp_path: Path) -> None:
    # The second leaf has the GUID of the first, to which a cable is missing: which of them it is cannot be said.
    second = r"switchguid=0x2c90200400008\(2c90200400008\)\nSwitch\t8"
    path = _damaged(lacis, tmp_path, (second, "switchguid=0x2c90200400000(2c90200400000)\nSwitch\t8"))
    done = lacis("report", path, "-o", tmp_path / "page.html", "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert "GUID_DUPLICATE" in {finding["code"] for finding in report["fabric"]["findings"]}
    assert not [change for change in report["changes"] if change["title"].startswith("Plug in")]


@pytest.mark.slow
def test_a_rail_without_adapters_stops_nothing(lacis: Lacis, tmp_path: Path) -> None:
    # All adapters have one name: one host of 32, and no leaf or label shows which rail is which.
    path = _damaged(lacis, tmp_path, (r'"node\d+ HCA-1"', '"same"'))
    done = lacis("report", path, "-o", tmp_path / "page.html")
    assert (done.status, done.err) == (0, "")
