"""Where nodes are on a map, and its scripts as one."""

from __future__ import annotations

import math
import re
from importlib.resources import files

import numpy as np
import pytest
from lacis import _core, health
from lacis.map import layout
from lacis.map.grid import MOST_IN_CIRCLE
from lacis.map.positions import positions
from lacis.map.scripts import script
from lacis.map.shapes import Drawing
from lacis.map.topology import topology

FABRICS = ["fat-tree:8,3", "fat-tree:24,3", "torus:4x4x3", "mesh:3x5", "random:30,5,4"]


def drawn(spec: str) -> tuple[_core.Fabric, Drawing | None]:
    fabric = _core.generate_fabric(spec)
    return fabric, layout.draw(topology(fabric, health.examine(fabric)), (), fabric.systems().tolist())


@pytest.mark.parametrize("spec", FABRICS)
def test_a_switch_is_in_its_box_and_no_two_nodes_are_in_one_point(spec: str) -> None:
    fabric, drawing = drawn(spec)
    assert drawing is not None
    x, y = positions(fabric, drawing)
    for switch, number in drawing.box_of.items():
        box = drawing.boxes[number]
        alone = len(box.members) == 1
        assert abs(x[switch] - box.x) <= (0.001 if alone else box.hosts.width / 2)
        assert y[switch] == pytest.approx(box.y, abs=1e-3)
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == len(x)


@pytest.mark.parametrize("spec", FABRICS)
def test_hosts_are_nearer_to_their_switch_than_to_any_other(spec: str) -> None:
    fabric, drawing = drawn(spec)
    x, y = positions(fabric, drawing)
    count = fabric.num_switches
    nearest = 0
    hosts = 0
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        switch, host = min(a, b), max(a, b)
        if switch < count <= host:
            far = np.hypot(x[:count] - x[host], y[:count] - y[host])
            nearest += int(far.argmin()) == switch
            hosts += 1
    assert hosts == len(fabric.guids()) - count
    assert nearest == hosts


def test_more_switches_than_a_drawing_shows_are_on_a_circle() -> None:
    fabric, drawing = drawn(f"random:{MOST_IN_CIRCLE + 8},5,2")
    assert drawing is None
    x, y = positions(fabric, None)
    radii = np.hypot(x, y)
    count = fabric.num_switches
    assert np.ptp(radii[:count]) < 0.01
    assert (radii[count:] < radii[0]).all()
    # Neighbours are as far apart as all of them share the circle.
    assert math.hypot(x[1] - x[0], y[1] - y[0]) == pytest.approx(
        2 * radii[0] * math.sin(math.pi / count), rel=1e-3
    )
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == len(x)


def test_a_script_has_what_it_imports_once_and_asks_for_nothing() -> None:
    text = script("report/fabric.js")
    assert not re.search(r"^\s*(import|export)\b", text, re.MULTILINE)
    assert "fetch(" not in text
    assert all(
        text.count(one) == 1
        for one in ("class FabricMap", "class Painting", "class SvgPen", "const shapesOf")
    )
    assert script("report/tables.js").count("import") == 0


def test_modules_that_share_a_script_share_no_name() -> None:
    texts = [
        file.read_text("utf-8")
        for file in (files("lacis") / "map/assets").iterdir()
        if file.name.endswith(".js")
    ]
    names = [
        name
        for text in texts
        for name in re.findall(r"^(?:export )?(?:const|class) (\w+)", text, re.MULTILINE)
    ]
    assert {"FabricMap", "shapesOf", "numbers"} <= set(names)
    assert len(set(names)) == len(names)
