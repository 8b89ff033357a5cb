"""The work list for the machine room, against cables that were taken, moved or slowed on purpose."""

from __future__ import annotations

import runpy
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from lacis import _core, health
from lacis.fabric.reading import read
from lacis.report import cabling
from lacis.report.sections import CableEnd

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.report.sections import CableJob


def jobs(fabric: Fabric) -> list[CableJob]:
    return cabling.jobs(fabric, health.examine(fabric), {})


def ends(job: CableJob) -> tuple[tuple[str, int | None], ...]:
    return tuple((end.node, end.port) for end in (job.here, job.there) if end is not None)


def test_a_cable_that_was_taken_is_to_be_plugged_in_where_it_was() -> None:
    # fat-tree:8,2: a leaf has 4 hosts at ports 1 to 4 and uplinks to spines 1 to 4 at 5 to 8; a spine's port n is leaf n's.
    fabric = read("fat-tree:8,2").without(["leaf-03--spine-02"])
    [job] = jobs(fabric)
    assert (job.action, job.code, job.rack) == ("plug in", "UPLINK_MISSING", "")
    assert ends(job) == (("leaf-03", 6), ("spine-02", 3))
    assert job.why == "no cable where its peers have 1"


def test_cables_of_one_switch_come_one_a_line_sorted_by_port() -> None:
    fabric = read("fat-tree:8,2").without(["leaf-02--spine-04", "leaf-02--spine-01"])
    found = jobs(fabric)
    assert [ends(job)[0] for job in found if job.action == "plug in"] == [("leaf-02", 5), ("leaf-02", 8)]


def test_a_cable_at_another_switch_than_its_peers_is_to_be_moved() -> None:
    # Ports 5 and 6 of leaf 3 are swapped: 5 leads to spine 2, 6 to spine 1.
    cut = read("fat-tree:16,2").without(["leaf-03[9]", "leaf-03[10]"])
    fabric = cut.edit(["+leaf-03[9]--spine-02[3]", "+leaf-03[10]--spine-01[3]"])
    found = [job for job in jobs(fabric) if job.code == "CABLE_UNEXPECTED"]
    assert [(job.action, ends(job), job.why) for job in found] == [
        (
            "move",
            (("leaf-03", 9), ("spine-02", 3)),
            "port 9 leads to spine-02 where its peers' leads to spine-01",
        ),
        (
            "move",
            (("leaf-03", 10), ("spine-01", 3)),
            "port 10 leads to spine-01 where its peers' leads to spine-02",
        ),
    ]


def test_a_port_that_two_missing_cables_would_need_is_named_once() -> None:
    ends = [CableEnd("leaf", "0x1", 5), CableEnd("leaf", "0x1", 5), CableEnd("leaf", "0x1", None)]
    taken: set[tuple[str, int]] = set()
    assert [end.port for given in ends if (end := cabling._free(given, taken))] == [5, None, None]


def test_every_trouble_of_the_demo_is_on_its_list() -> None:
    demo = runpy.run_path(str(ROOT / "scripts" / "demo-fabric"))
    found = jobs(_core.read_fabric(demo["content"]().encode()))
    assert Counter((job.action, job.code) for job in found) == {
        ("plug in", "UPLINK_FEWER"): 4,  # random-cables=4: each of another pair, which has two
        ("replace", "LINK_SPEED_LOW"): 1,
        ("move", "CABLE_UNEXPECTED"): 2,
        ("check", "SWITCH_ABSENT"): 1,
        ("check", "HOST_ABSENT"): 1,
    }
    by_code = {job.code: job for job in found}
    # Leaf 4 is rack 4's; port 25 is the first of the fifth spine, the first of rack 7.
    assert ends(by_code["LINK_SPEED_LOW"])[0] == ("A04-IBLEAF-01", 25)
    assert by_code["LINK_SPEED_LOW"].rack == "A04 – A07"
    assert ends(by_code["SWITCH_ABSENT"]) == (("A06-IBSPINE-03", None),)
    # Node 90 is the tenth of rack 6.
    assert ends(by_code["HOST_ABSENT"]) == (("A06-IBLEAF-01", 10), ("a06-n10", None))


def test_racks_are_read_from_names_only_where_all_have_them(dgx: Path) -> None:
    leaf, spine = (CableEnd(name, "", None) for name in ("A09-P1-IBLEAF-02-03", "B10-P1-IBSPINE-06"))
    assert cabling.rack_of_name(read(dgx))(leaf, spine) == "A09 – B10"
    assert cabling.rack_of_name(read(dgx))(leaf, leaf) == "A09"
    # leaf-01 and node0001 stand nowhere, and what is called like a rack among them is none.
    assert cabling.rack_of_name(read("fat-tree:4,2"))(leaf, spine) == ""


def test_the_real_cluster_lacks_the_cables_that_were_counted_by_hand(dgx: Path) -> None:
    # See the table in the health tests: 6 single cables and 10 pairs of switches without their two.
    found = jobs(read(dgx))
    plugs = [job for job in found if job.action == "plug in"]
    assert Counter(job.code for job in plugs) == {"UPLINK_FEWER": 6, "UPLINK_MISSING": 20}
    assert all(port is not None for job in plugs for _, port in ends(job))
    assert len({end for job in plugs for end in ends(job)}) == 52
    crossed = [job for job in found if job.code == "RAIL_CROSSED"]
    assert [(job.action, ends(job)[0]) for job in crossed] == [
        ("move", ("B09-P1-IBLEAF-03-08", 1)),
        ("move", ("B09-P1-IBLEAF-04-08", 1)),
    ]
    racks = [job.rack.partition(" ")[0] for job in found]
    assert racks == sorted(racks)


@pytest.mark.parametrize("spec", ["torus:4x4", "fat-tree:4,2", "chain:2"])
def test_a_fabric_without_findings_asks_for_nothing(spec: str) -> None:
    assert jobs(read(spec)) == []
