"""Dragonfly+ and dragonfly: recognised, compared with their own pattern, drawn; and fabrics without a pattern."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import lacis as lacis_package
import pytest

from tests.conftest import shared_data

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def machine(name: str) -> Path:
    """A machine of invented names: 8 groups of 6 leaves and 4 spines, three cables between each two of a group, two between
    spines of one number; the small ones have 4 groups of 3 leaves and 2 spines, single cables."""
    folder = shared_data()
    if folder is None or not (folder / "cases" / "machines").is_dir():
        pytest.skip("no shared/data/cases at or above the checkout (LACIS_SHARED names its parent)")
    return folder / "cases" / "machines" / f"{name}.fabric"


def fabric(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    result = lacis("fabric", *args, "--json")
    assert result.status == 0
    found: dict[str, Any] = json.loads(result.out)
    return found


@pytest.mark.parametrize(
    ("name", "groups", "leaves", "spines", "cables"),
    [
        # 8 (6 × 4 × 3) + 8 × 7 / 2 × 4 × 2.
        ("dfp-even", 8, 6, 4, 576 + 224),
        ("dfp-uneven", 8, 6, 4, 576 + 224),
        # 4 (3 × 2) + 4 × 3 / 2 × 2.
        ("dfp-small-even", 4, 3, 2, 24 + 12),
        ("dfp-small-uneven", 4, 3, 2, 24 + 12),
    ],
)
def test_a_flawless_dragonfly_plus_has_two_levels_in_each_group_and_no_finding(
    lacis: Lacis, name: str, groups: int, leaves: int, spines: int, cables: int
) -> None:
    found = fabric(lacis, machine(name))
    assert found["findings"] == []
    roles = [(level["level"], level["role"], level["switches"]) for level in found["by_level"]]
    assert roles == [(0, "leaf", groups * leaves), (1, "spine", groups * spines)]
    sizes = {(group["pattern"], group["leaves"], group["spines"]) for group in found["switch_groups"]}
    assert (len(found["switch_groups"]), sizes) == (groups, {("dragonfly+", leaves, spines)})
    assert found["cabling"] == {
        "pattern": "dragonfly+",
        "checked": "all",
        "cables": cables,
        "compared": cables,
    }
    text = lacis("fabric", machine(name)).out
    assert f"Dragonfly+ of {groups} groups, two levels in each" in text
    assert "Nothing is wrong with it." in text


@pytest.mark.parametrize(
    ("name", "code", "work"),
    [
        ("dfp-even-miss", "UPLINK_FEWER", [("plug in", "c0l0", None, "c0s1", None)]),
        ("dfp-even-missglobal", "GROUP_CABLE_MISSING", [("plug in", "c0s0", None, "c5s0", None)]),
        # Port 4 of the other spines leads to leaf 1 of the group.
        ("dfp-even-moved", "CABLE_UNEXPECTED", [("move", "c0l0", 13, "c0s2", 4)]),
        (
            "dfp-even-crossed",
            "CABLE_UNEXPECTED",
            [("swap", "c2s0", 22, "c1s1", 21), ("swap", "c2s1", 21, "c1s0", 21)],
        ),
    ],
)
def test_each_damage_of_a_dragonfly_plus_is_one_finding_with_its_work(
    lacis: Lacis, name: str, code: str, work: list[tuple[Any, ...]]
) -> None:
    found = fabric(lacis, machine(name))
    assert [finding["code"] for finding in found["findings"]] == [code]
    lines = [
        (line.action, line.here.node, line.here.port, line.there.node, line.there.port)
        for line in lacis_package.examine(lacis_package.read(machine(name))).cable_work
        if line.there is not None
    ]
    # Crossed cables are alike at both ends: which of the two switches is "here" is a matter of order.
    if code == "CABLE_UNEXPECTED" and len(work) == 2:
        ends = [{(line[1], line[2]), (line[3], line[4])} for line in lines]
        assert all(line[0] == "swap" for line in lines)
        assert sorted(map(sorted, ends)) == sorted(
            [[("c1s0", 21), ("c2s1", 21)], [("c1s1", 21), ("c2s0", 22)]]
        )
    else:
        assert lines == work


def test_the_wrong_end_says_where_it_belongs(lacis: Lacis) -> None:
    [finding] = fabric(lacis, machine("dfp-even-moved"))["findings"]
    facts = finding["facts"]
    assert (facts["kind"], facts["to"]["node"]) == ("cables_astray", "c0l1")
    assert (facts["have"], facts["expected"]) == ([4, 2], [3, 3])
    [finding] = fabric(lacis, machine("dfp-even-crossed"))["findings"]
    # 8 × 7 / 2 pairs of groups × 4 columns, two of which have a cable less.
    assert finding["facts"]["peers"] == {"agreeing": 110, "of": 112}


def test_the_site_can_say_that_it_is_a_dragonfly_plus_or_a_tree(lacis: Lacis, tmp_path: Path) -> None:
    roles = tmp_path / "roles"
    # One leaf to a group: nothing shows that spines are none of a torus, say.
    spec = "dragonfly+:4,1,3,4"
    assert fabric(lacis, spec)["switch_groups"] == []
    roles.write_text("leaf leaf-*\nspine spine-*\n")
    found = fabric(lacis, spec, "--roles", roles)
    assert len(found["switch_groups"]) == 4
    assert found["findings"] == []
    roles.write_text("core spine-01-*\n")
    assert fabric(lacis, "dragonfly+:4,3,2,4", "--roles", roles)["switch_groups"] == []


def test_why_levels_names_the_groups(lacis: Lacis) -> None:
    [plane] = fabric(lacis, "dragonfly+:4,3,2,4", "--why-levels")["why_levels"]
    assert (plane["switches"], plane["groups"], plane["trials"], plane["standing_out"]) == (20, 4, [], [])
    text = lacis("fabric", "dragonfly+:4,3,2,4", "--why-levels").out
    assert "4 groups of leaves and spines among 20 switches: a Dragonfly+" in text


@pytest.mark.parametrize("spec", ["torus:4x4", "random:20,4,2", "hypercube:4"])
def test_where_no_pattern_is_known_cabling_is_not_checked(lacis: Lacis, spec: str) -> None:
    found = fabric(lacis, spec)
    assert (found["cabling"]["pattern"], found["cabling"]["checked"]) == (None, "none")
    result = lacis("fabric", spec, "--strict")
    assert result.status == 0
    assert "Cabling not checked: no pattern found" in result.out
    assert "Nothing is wrong with it." not in result.out


@pytest.mark.parametrize("spec", ["torus:4x4x4", "torus:4x2", "hypercube:3", "hypercube:5"])
def test_a_torus_or_hypercube_that_lacks_a_cable_is_not_checked_either(lacis: Lacis, spec: str) -> None:
    cut = ("--without", "random-cables=1,seed=1")
    found = fabric(lacis, spec, *cut)
    assert (found["cabling"]["pattern"], found["cabling"]["checked"], found["findings"]) == (None, "none", [])
    assert "Cabling not checked: no pattern found" in lacis("fabric", spec, *cut).out


def test_the_report_says_so_too(lacis: Lacis, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = lacis("report", "torus:3x3", "-o", page)
    assert result.status == 0
    assert "Cabling not checked: no pattern found" in " ".join(result.out.split())
    assert "its cabling was not checked" in page.read_text()
    assert "follows its own pattern" not in result.out


@pytest.mark.parametrize("engine", ["eventree", "updn", "minhop", "numbered"])
def test_engines_deliver_between_groups_without_credit_loops(
    lacis: Lacis, tmp_path: Path, engine: str
) -> None:
    # Spines are the roots: a path goes up to a spine, over one global cable, and down.
    spec = "dragonfly+:5,3,2,3:global=4,least=0"
    guids = [
        node["guid"] for node in _nodes(lacis, tmp_path, spec) if node["description"].startswith("spine")
    ]
    roots = tmp_path / "roots"
    roots.write_text("".join(f"{guid}\n" for guid in guids))
    given = ("-a", roots) if engine == "updn" else ()
    result = lacis("verify", spec, "-R", engine, *given)
    assert result.status == 0, result.out


def _nodes(lacis: Lacis, folder: Path, spec: str) -> list[dict[str, Any]]:
    file = folder / "fabric.json"
    assert lacis("fabric", spec, "-o", file).status == 0
    nodes: list[dict[str, Any]] = json.loads(file.read_text())["nodes"]
    return nodes


def test_a_misspelt_dragonfly_plus_is_one_line(lacis: Lacis) -> None:
    result = lacis("fabric", "dragonfly+:6,4,3,4:global=3")
    assert result.status == 2
    assert "3 × 3 is no multiple of 5" in result.err
