"""The drawing of a fabric by level."""

from __future__ import annotations

import re

from lacis.report.drawing import MAX_SWITCHES_A_LEVEL, Topology, draw, natural


def two_levels(leaves: int, spines: int) -> Topology:
    names = [f"leaf-{i + 1}" for i in range(leaves)] + [f"spine-{i + 1}" for i in range(spines)]
    return Topology(
        names=names,
        levels=[0] * leaves + [1] * spines,
        pods=[*range(leaves), *[leaves] * spines],
        hosts=[4] * leaves + [0] * spines,
        cables=[(leaf, leaves + spine, 2) for leaf in range(leaves) for spine in range(spines)],
        deviations=[],
    )


def test_a_small_fabric_is_drawn_switch_by_switch() -> None:
    svg = draw(two_levels(6, 3))
    assert svg.count('class="switch"') == 9
    assert len(re.findall(r"<path ", svg)) == 18


def test_a_large_level_is_folded_into_its_pods() -> None:
    topology = two_levels(MAX_SWITCHES_A_LEVEL + 1, 3)
    topology.pods[: len(topology.pods) - 3] = [leaf // 27 for leaf in range(MAX_SWITCHES_A_LEVEL + 1)]
    svg = draw(topology)
    # 81 leaves in 3 pods of 27, and 3 spines in one block.
    assert svg.count('class="switch"') == 4
    assert "27 × leaf-1…" in svg


def test_many_leaves_fold_into_the_pod_above_them() -> None:
    # Two pods of 50 leaves and one mid switch, and one core: 103 switches in 5 blocks.
    leaves = [f"leaf-{i + 1}" for i in range(100)]
    topology = Topology(
        names=[*leaves, "mid-1", "mid-2", "core"],
        levels=[0] * 100 + [1, 1, 2],
        pods=[*range(100), 100, 101, 102],
        hosts=[2] * 100 + [0] * 3,
        cables=[(leaf, 100 + leaf // 50, 1) for leaf in range(100)] + [(100, 102, 1), (101, 102, 1)],
        deviations=[],
    )
    svg = draw(topology)
    assert svg.count('class="switch"') == 5
    assert "50 × leaf-51…" in svg
    assert "100 adapters" in svg


def test_a_fabric_without_levels_has_no_drawing() -> None:
    assert draw(Topology(["a"], [], [], [0], [], [])) == ""


def test_an_absent_cable_is_drawn_unlike_a_missing_one_of_several() -> None:
    topology = two_levels(2, 2)
    topology.cables.remove((0, 2, 2))
    topology.deviations.extend([(0, 2, "none"), (1, 3, "one of two")])
    svg = draw(topology)
    assert re.search(r'<path class="absent" [^>]*><title>none<', svg)
    assert re.search(r"<path d=[^>]*><title>one of two<", svg)


def test_names_sort_as_people_count() -> None:
    names = ["leaf-10", "leaf-9", "leaf-09b", "a", "10", "9"]
    assert sorted(names, key=natural) == ["9", "10", "a", "leaf-9", "leaf-09b", "leaf-10"]
