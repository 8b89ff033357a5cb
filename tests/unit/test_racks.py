"""Racks in the names of switches and hosts, and the drawing of a fabric by rack."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.map.racks import ELSEWHERE, by_racks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lacis._core import Fabric


def named(fabric: Fabric, name: Callable[[str], str]) -> Fabric:
    """A fabric with other names."""
    made = json.loads(fabric.to_json())
    for node in made["nodes"]:
        node["description"] = name(node["description"])
    return _core.read_fabric(json.dumps(made).encode())


def racks_of(fabric: Fabric) -> list[str] | None:
    """The rack of each node."""
    racks = _core.hosts(fabric).racks()
    return None if racks is None else [rack for rack, _ in racks]


def in_racks(name: str) -> str:
    """Leaf 1 and 2 and their hosts in A01, leaf 3 and 4 and theirs in A02, spines in B01."""
    if name.startswith("spine"):
        return f"B01-{name}"
    kind, number = name.rstrip("0123456789"), int("".join(filter(str.isdigit, name.split()[0])))
    first = number <= (2 if kind.startswith("leaf") else 4)
    return f"A0{1 if first else 2}-{name}"


@pytest.fixture(scope="module")
def tree() -> Fabric:
    """Four leaves with two hosts each below two spines, in three racks; node0008 stands in B01."""
    fabric = _core.generate_fabric("fat-tree:4,2")
    return named(
        fabric, lambda name: in_racks(name) if not name.startswith("node0008") else "B01-node0008 HCA-1"
    )


def test_names_are_believed_where_hosts_and_switches_have_racks(tree: Fabric) -> None:
    racks = racks_of(tree)
    assert racks is not None
    found = dict(zip(tree.descriptions(), racks, strict=True))
    assert found["A01-leaf-02"] == found["A01-node0004 HCA-1"] == "A01"
    assert found["A02-leaf-03"] == found["A02-node0005 HCA-1"] == "A02"
    assert found["B01-spine-01"] == found["B01-node0008 HCA-1"] == "B01"

    def believed(change: Callable[[str], str]) -> bool:
        return racks_of(named(tree, change)) is not None

    # Two of eight hosts without a rack are few enough, three are too many.
    assert believed(lambda name: name[4:] if "node0001" in name or "node0002" in name else name)
    assert not believed(lambda name: name[4:] if "node000" in name and name[11] in "123" else name)
    # One switch without a rack; spines in a row in which no host stands.
    assert not believed(lambda name: name[4:] if "spine-01" in name else name)
    assert not believed(lambda name: name.replace("B01-node", "A02-node"))
    assert racks_of(_core.generate_fabric("fat-tree:4,2")) is None


def work_has_these_racks(fabric: Fabric) -> int:
    """How many rows of the work list have racks, which must be those of their ends."""
    racks = racks_of(fabric)
    of = dict(zip(fabric.guids().tolist(), racks or itertools.repeat("")))  # noqa: B905 - one may be endless
    rows = 0
    for work in json.loads(_core.health_json(fabric))["cable_work"]:
        ends = [work["here"], work["there"]]
        guids = [end["guid"] for end in ends if end and end.get("guid")]
        if len(guids) < sum(end is not None for end in ends):
            continue  # an end that is absent has no node
        numbers = [int(guid, 16) if isinstance(guid, str) else guid for guid in guids]
        both = dict.fromkeys(of[number] for number in numbers)
        assert work["rack"] == " – ".join(filter(None, both)), work
        rows += bool(work["rack"])
    return rows


def test_racks_are_those_of_the_work_list(tree: Fabric, dgx: Path) -> None:
    cut = [f"{leaf}--B01-spine-01" for leaf in ("A01-leaf-01", "A02-leaf-03")]
    assert work_has_these_racks(tree.without(cut)) == 2
    assert work_has_these_racks(lacis.read(dgx)) >= 30
    assert work_has_these_racks(_core.generate_fabric("fat-tree:4,2").without(["leaf-01--spine-01"])) == 0


def test_a_rack_is_a_block_with_what_is_in_it(tree: Fabric) -> None:
    drawn = by_racks(tree)
    assert drawn is not None
    assert drawn.names == ["A01", "A02", "B01"]
    assert drawn.contents == ["2 switches, 4 hosts", "2 switches, 3 hosts", "2 switches, 1 host"]
    left, top, right, bottom = drawn.corners.T
    for node, block in enumerate(drawn.groups.tolist()):
        assert left[block] < drawn.x[node] < right[block]
        assert top[block] < drawn.y[node] < bottom[block]
    # No two nodes at one point, and no two blocks over each other; row B is below row A.
    assert len({(x, y) for x, y in zip(drawn.x.tolist(), drawn.y.tolist(), strict=True)}) == len(drawn.x)
    for one, other in itertools.combinations(range(3), 2):
        beside = right[one] < left[other] or right[other] < left[one]
        assert beside or bottom[one] < top[other] or bottom[other] < top[one]
    assert top[0] == top[1] < top[2]
    # Switches above hosts.
    nodes = np.arange(len(drawn.x))
    for block in range(3):
        own = drawn.groups == block
        switches = drawn.y[own & (nodes < tree.num_switches)]
        assert switches.max() < drawn.y[own & (nodes >= tree.num_switches)].min()


def test_what_says_no_rack_has_a_block_of_its_own(tree: Fabric) -> None:
    drawn = by_racks(named(tree, lambda name: name[4:] if "node0001" in name else name))
    assert drawn is not None
    assert drawn.names == ["A01", "A02", "B01", ELSEWHERE]
    assert drawn.contents[0] == "2 switches, 3 hosts"
    assert drawn.contents[-1] == "1 host"
    assert drawn.corners[-1, 1] > drawn.corners[:-1, 3].max()


def test_names_without_racks_are_drawn_by_no_guess() -> None:
    assert by_racks(_core.generate_fabric("fat-tree:4,2")) is None


def test_racks_of_a_real_fabric(dgx: Path) -> None:
    drawn = by_racks(lacis.read(dgx))
    assert drawn is not None
    contents = dict(zip(drawn.names, drawn.contents, strict=True))
    # The file has 15 leaves named A09-…, 16 named B09-…, 4 spines A10-… and 5 B10-….
    assert [contents[rack] for rack in ("A09", "B09", "A10", "B10")] == [
        "15 switches",
        "16 switches",
        "4 switches",
        "5 switches",
    ]
