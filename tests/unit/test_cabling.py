"""The work list for the machine room, against cables that were taken, moved or slowed on purpose."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from lacis import _core, health
from lacis.fabric import read
from lacis.facts.found import cabling

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.facts.found.cabling import CableWork


def work(fabric: Fabric) -> list[CableWork]:
    return health.examine(fabric).cable_work


def ends(line: CableWork) -> tuple[tuple[str, int | None], ...]:
    return tuple((end.node, end.port) for end in (line.here, line.there) if end is not None)


def test_a_cable_that_was_taken_is_to_be_plugged_in_where_it_was() -> None:
    # fat-tree:8,2: a leaf has 4 hosts at ports 1 to 4 and uplinks to spines 1 to 4 at 5 to 8; a spine's port n is leaf n's.
    fabric = read("fat-tree:8,2").without(["leaf-03--spine-02"])
    [line] = work(fabric)
    assert (line.action, line.code, line.rack) == ("plug in", "UPLINK_MISSING", "")
    assert ends(line) == (("leaf-03", 6), ("spine-02", 3))
    assert (line.reason, line.why) == (cabling.Missing(have=0, expected=1), "no cable where its peers have 1")


def test_cables_of_one_switch_come_one_a_line_sorted_by_port() -> None:
    fabric = read("fat-tree:8,2").without(["leaf-02--spine-04", "leaf-02--spine-01"])
    found = work(fabric)
    assert [ends(line)[0] for line in found if line.action == "plug in"] == [("leaf-02", 5), ("leaf-02", 8)]


def test_each_of_six_rotated_uplinks_is_to_be_moved_to_its_own_spine() -> None:
    # fat-tree:16,2: port 8 + k of a leaf leads to spine k. Here ports 9 to 13 lead one spine further, and 14 to the first.
    cut = read("fat-tree:16,2").without([f"leaf-03[{port}]" for port in range(9, 15)])
    leads_to = [2, 3, 4, 5, 6, 1]
    fabric = cut.edit([f"+leaf-03[{port}]--spine-0{spine}[3]" for port, spine in enumerate(leads_to, 9)])
    found = work(fabric)
    assert [(line.action, line.code, ends(line), line.why) for line in found] == [
        (
            "move",
            "CABLE_UNEXPECTED",
            (("leaf-03", port), (f"spine-0{spine}", 3)),
            f"port {port} leads to spine-0{spine} where its peers' leads to spine-0{port - 8}",
        )
        for port, spine in enumerate(leads_to, 9)
    ]
    for line in found:
        assert isinstance(line.reason, cabling.Misplaced)
        assert line.reason.expected.node == f"spine-0{(line.here.port or 0) - 8}"


def test_a_cable_that_joins_the_wrong_switches_is_to_be_checked() -> None:
    [line] = work(read("fat-tree:8,2:radix=10").edit(["+leaf-01[9]--leaf-02[9]"]))
    assert (line.action, line.code, ends(line)) == (
        "check",
        "CABLE_UNEXPECTED",
        (("leaf-01", 9), ("leaf-02", 9)),
    )
    assert line.reason == cabling.Stray("same_level")


def test_hosts_without_a_rail_whose_leaf_is_absent_ask_for_no_work() -> None:
    # Hosts 5 to 8 are on leaf 2 of each rail. Their leaf of rail 3 is gone, with their adapters there; and host 13 has lost
    # its adapter on rail 1, whose leaf is there.
    gone = [f"node{host:04} HCA-3" for host in range(5, 9)]
    found = work(read("fat-tree:8,2:rails=4").without(["rail3-leaf-02", *gone, "node0013 HCA-1"]))
    # Errors come first. The leaf is the second of its rail: on port 2 of each of its spines.
    assert [(line.severity, line.code, ends(line)) for line in found] == [
        ("error", "SWITCH_ABSENT", (("rail3-leaf-02", None), ("rail3-spine-01", 2))),
        ("warning", "RAIL_MISSING", (("node0013", None),)),
    ]
    assert found[1].reason == cabling.RailLacking(rail=1)


def test_every_trouble_of_the_demo_is_on_its_list() -> None:
    demo = runpy.run_path(str(ROOT / "scripts" / "demo-fabric"))
    found = work(_core.read_fabric(demo["content"]().encode()))
    assert Counter((line.action, line.code) for line in found) == {
        ("plug in", "UPLINK_FEWER"): 4,  # random-cables=4: each of another pair, which has two
        ("replace", "LINK_SPEED_LOW"): 1,
        ("move", "CABLE_UNEXPECTED"): 2,
        ("check", "SWITCH_ABSENT"): 1,
        ("check", "HOST_ABSENT"): 1,
    }
    by_code = {line.code: line for line in found}
    # Leaf 4 is rack 4's; port 25 is the first of the fifth spine, the first of rack 7.
    assert ends(by_code["LINK_SPEED_LOW"])[0] == ("A04-IBLEAF-01", 25)
    assert by_code["LINK_SPEED_LOW"].rack == "A04 – A07"
    # Two ports a spine: the third one's first is 21 on every leaf.
    assert ends(by_code["SWITCH_ABSENT"]) == (("A06-IBSPINE-03", None), ("A01-IBLEAF-01", 21))
    # Node 90 is the tenth of rack 6.
    assert ends(by_code["HOST_ABSENT"]) == (("A06-IBLEAF-01", 10), ("a06-n10", None))


def test_the_real_cluster_lacks_the_cables_that_were_counted_by_hand(dgx: Path) -> None:
    # See the table in the health tests: 6 single cables and 10 pairs of switches without their two.
    found = work(read(dgx))
    plugs = [line for line in found if line.action == "plug in"]
    assert Counter(line.code for line in plugs) == {"UPLINK_FEWER": 6, "UPLINK_MISSING": 20}
    assert all(port is not None for line in plugs for _, port in ends(line))
    assert len({end for line in plugs for end in ends(line)}) == 52
    crossed = [line for line in found if line.code == "RAIL_CROSSED"]
    assert [(line.action, ends(line)[0]) for line in crossed] == [
        ("move", ("B09-P1-IBLEAF-03-08", 1)),
        ("move", ("B09-P1-IBLEAF-04-08", 1)),
    ]
    # The worst first, and of these rack after rack.
    order = ["error", "warning", "notice"]
    rows = [(order.index(line.severity), line.rack.partition(" ")[0]) for line in found]
    assert rows == sorted(rows)
    assert {"", "A09"} & {rack for _, rack in rows} == {"A09"}


@pytest.mark.parametrize("spec", ["torus:4x4", "fat-tree:4,2", "chain:2"])
def test_a_fabric_without_findings_asks_for_nothing(spec: str) -> None:
    assert work(read(spec)) == []


def test_a_switch_of_unknown_model_has_ports_that_a_list_of_cables_does_not_show(tmp_path: Path) -> None:
    # A leaf has four hosts and six uplinks, a spine fifteen cables. The last uplink of a leaf is gone.
    def missing(radix: int, *changes: str, models: bool = False) -> list[tuple[str, str]]:
        fabric = read(f"dragonfly+:6,5,3,4:parallel=2,radix={radix}").without(["leaf-02-02[10]"])
        text = fabric.edit(list(changes)).to_net()
        # And with it the port from the list.
        text = text.replace('Switch\t10 "S-0002c90200400048"', 'Switch\t9 "S-0002c90200400048"')
        file = tmp_path / "fabric.net"
        file.write_text(text if models else re.sub(r"^devid=.*\n", "", text, flags=re.M))
        return [(line.here.node, line.there.node) for line in work(read(str(file))) if line.there]

    # Without the number of its model nothing says that it has no more than nine.
    assert missing(1) == [("leaf-02-02", "spine-02-03")]
    assert missing(1, models=True) == []
    # One with as many ports as any is full: hosts are on the last six.
    assert missing(15, "+host@leaf-02-02:5") == [("leaf-02-02", "spine-02-03")]
    assert missing(15, "+host@leaf-02-02:6") == []
