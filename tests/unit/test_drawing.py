"""The drawing of a fabric: by level, as a grid, in a circle."""

from __future__ import annotations

import itertools
import re

import pytest
from lacis.facts.words import natural
from lacis.map.grid import MOST_IN_CIRCLE, coordinates
from lacis.map.layout import draw
from lacis.map.shapes import LINE, LONGEST, Topology, short
from lacis.map.tree import MAX_SWITCHES_A_LEVEL


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


def torus(*lengths: int, name: str = "sw") -> Topology:
    """A torus whose switches are named by coordinates, each with its two neighbours per dimension."""
    points = list(itertools.product(*map(range, lengths)))
    cables = set()
    for index, point in enumerate(points):
        for dimension, length in enumerate(lengths):
            following = list(point)
            following[dimension] = (point[dimension] + 1) % length
            other = points.index(tuple(following))
            cables.add((min(index, other), max(index, other)))
    names = ["-".join([name, *map(str, point)]) for point in points]
    return Topology(names, [], [], [1] * len(names), [(a, b, 1) for a, b in sorted(cables)], [])


def test_a_small_fabric_is_drawn_switch_by_switch() -> None:
    drawing = draw(two_levels(6, 3))
    assert drawing
    assert (len(drawing.boxes), len(drawing.lines), drawing.is_folded) == (9, 18, False)
    assert {len(box.members) for box in drawing.boxes} == {1}


def test_a_large_level_is_folded_into_its_pods() -> None:
    topology = two_levels(MAX_SWITCHES_A_LEVEL + 1, 3)
    topology.pods[: len(topology.pods) - 3] = [leaf // 27 for leaf in range(MAX_SWITCHES_A_LEVEL + 1)]
    drawing = draw(topology)
    # 81 leaves in 3 pods of 27, and 3 spines in one box.
    assert drawing
    assert [len(box.members) for box in drawing.boxes] == [3, 27, 27, 27]
    assert drawing.boxes[1].title == "leaf-1…27: 27 switches, 108 adapters"
    # 27 leaves × 3 spines × 2.
    assert drawing.lines[0].title == "spine-1…3 – leaf-1…27: 162 cables"


def test_many_leaves_fold_into_the_pod_above_them() -> None:
    # Two pods of 50 leaves and one mid switch, and one core: 103 switches in 5 boxes.
    leaves = [f"leaf-{i + 1}" for i in range(100)]
    topology = Topology(
        names=[*leaves, "mid-1", "mid-2", "core"],
        levels=[0] * 100 + [1, 1, 2],
        pods=[*range(100), 100, 101, 102],
        hosts=[2] * 100 + [0] * 3,
        cables=[(leaf, 100 + leaf // 50, 1) for leaf in range(100)] + [(100, 102, 1), (101, 102, 1)],
        deviations=[],
    )
    drawing = draw(topology)
    assert drawing
    titles = [box.title for box in drawing.boxes]
    assert len(titles) == 5
    assert "leaf-51…100: 50 switches, 100 adapters" in titles


def test_chips_of_a_director_stand_together() -> None:
    # The chips of two directors, whose names do not sort by director.
    # The last is an aggregation node inside a leaf, which makes no director of it.
    systems = [1, 0, 0, 0, 7, 9, 7, 9, 1]
    drawing = draw(two_levels(4, 4), systems=systems)
    assert drawing
    highest = min(box.y for box in drawing.boxes)
    spines = [box.members[0] for box in drawing.boxes if box.y == highest]
    assert spines == [4, 6, 5, 7]
    assert [band.title for band in drawing.bands] == ["2 together: spine-1…3", "2 together: spine-2…4"]


@pytest.mark.parametrize(("leaves", "named"), [(30, 30), (80, 80), (120, 0)])
def test_labels_side_by_side_keep_their_distance_or_are_left_to_the_pointer(leaves: int, named: int) -> None:
    drawing = draw(two_levels(leaves, 3))
    assert drawing
    lowest = max(box.y for box in drawing.boxes)
    labels = [label for box in drawing.boxes if box.y == lowest for label in box.labels if label.turn]
    assert len(labels) == named
    points = sorted(label.x for label in labels)
    assert all(b - a >= LINE for a, b in itertools.pairwise(points))


def test_a_switch_that_is_absent_stands_where_its_name_belongs() -> None:
    topology = two_levels(4, 2)
    topology.names[2:4] = ["leaf-4", "leaf-5"]
    drawing = draw(topology, absent=["leaf-3"])
    assert drawing
    [gone] = [box for box in drawing.boxes if not box.members]
    row = sorted((box.x, box.title) for box in drawing.boxes if box.y == gone.y)
    assert [title.partition(":")[0] for _, title in row] == ["leaf-1", "leaf-2", "leaf-3", "leaf-4", "leaf-5"]


def test_a_torus_is_a_grid_of_layers() -> None:
    drawing = draw(torus(3, 4, 5))
    assert drawing
    assert drawing.words == "The fabric as a grid of 3 layers"
    # In the first layer 4 rows of 5 switches at equal distances.
    layer = drawing.boxes[:20]
    assert [len({round(box.x, 3) for box in layer}), len({round(box.y, 3) for box in layer})] == [5, 4]
    # A neighbour within the layer is one line; one around the edge or in another layer two stubs.
    pieces = [line.path.count("M") for line in drawing.lines]
    # Per layer 4 × 4 + 5 × 3 lines inside; 4 + 5 around; and 3 × 20 between layers.
    assert (pieces.count(1), pieces.count(2)) == (3 * 31, 3 * 9 + 60)


@pytest.mark.parametrize("name", ["sw", "rack-7", "n0"])
def test_coordinates_in_a_grid_are_read_from_names(name: str) -> None:
    points = coordinates(torus(3, 4, name=name))
    assert points is not None
    assert points[5] == (1, 1)


def test_no_grid_is_seen_where_cables_lead_elsewhere() -> None:
    topology = torus(4, 4)
    topology.cables.extend((a, (a + 6) % 16, 1) for a in range(4))
    assert coordinates(topology) is None
    drawing = draw(topology)
    assert drawing
    assert "circle" in drawing.words


def test_what_cannot_be_followed_is_not_drawn() -> None:
    assert draw(Topology(["a"], [], [], [0], [], [])) is None
    many = MOST_IN_CIRCLE + 1
    assert draw(Topology([f"s{'x' * i}" for i in range(many)], [], [], [0] * many, [], [])) is None


def test_an_absent_cable_is_drawn_unlike_a_missing_one_of_several() -> None:
    topology = two_levels(2, 2)
    topology.cables.remove((0, 2, 2))
    topology.deviations.extend([(0, 2, "none"), (1, 3, "one of two")])
    drawing = draw(topology)
    assert drawing
    assert [(deviation.title, deviation.is_absent) for deviation in drawing.deviations] == [
        ("none", True),
        ("one of two", False),
    ]


def test_long_names_keep_both_ends() -> None:
    assert short("a" * LONGEST) == "a" * LONGEST
    assert re.fullmatch(r"rack…?a*…a*-17", short("rack" + "a" * 60 + "-17"))


def test_names_sort_as_people_count() -> None:
    names = ["leaf-10", "leaf-9", "leaf-09b", "a", "10", "9"]
    assert sorted(names, key=natural) == ["9", "10", "a", "leaf-9", "leaf-09b", "leaf-10"]


def test_leaves_and_spines_of_a_group_are_drawn_together() -> None:
    # Two groups of two leaves and two spines, which share the numbers of their groups as pods.
    topology = Topology(
        names=[
            "a-leaf-1",
            "a-leaf-2",
            "a-spine-1",
            "a-spine-2",
            "b-leaf-1",
            "b-leaf-2",
            "b-spine-1",
            "b-spine-2",
        ],
        levels=[0, 0, 1, 1] * 2,
        pods=[0] * 4 + [4] * 4,
        hosts=[4, 4, 0, 0] * 2,
        cables=[
            *((leaf + first, spine + first, 1) for first in (0, 4) for leaf in (0, 1) for spine in (2, 3)),
            (2, 6, 1),
            (3, 7, 1),
        ],
        deviations=[],
    )
    drawing = draw(topology)
    assert drawing
    assert drawing.words == "The fabric by group: leaves below, global cables between spines"
    x = {box.title.split(":")[0]: box.x for box in drawing.boxes}
    assert max(x["a-leaf-2"], x["a-spine-2"]) < min(x["b-leaf-1"], x["b-spine-1"])
    # Four bands: leaves and spines of each group.
    assert len(drawing.bands) == 4
