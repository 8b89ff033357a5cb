"""Fabrics without levels: tori and meshes as grids, layer beside layer; anything else in a circle."""

from __future__ import annotations

import math
import re

from ..facts.words import natural, noun
from .shapes import LINE, WIDTH, Box, Drawing, Label, Rows, Topology, connect, short, width

MOST_IN_CIRCLE = 400
"""Switches: more are unreadable."""
STUB = 0.45
"""How far a line that goes around the edge, or to another layer, leaves its switch, over the distance of two switches."""
SLANT = STUB * math.sin(math.radians(45))
"""How far down the steepest slanted one goes, likewise."""
GAP = 34.0
"""Between two layers of a grid [px]."""


def draw(topology: Topology) -> Drawing | None:
    """A grid where the names of the switches are coordinates, otherwise a circle; None where that is unreadable."""
    points = coordinates(topology)
    if points is not None:
        return _grid(topology, points)
    return _circle(topology) if 1 < len(topology.names) <= MOST_IN_CIRCLE else None


def coordinates(topology: Topology) -> list[tuple[int, ...]] | None:
    """For each switch its coordinates in a grid, read from the names, from 0 in each dimension.

    The numbers that differ between the names are coordinates where nearly every cable leads to a neighbour along one
    dimension; otherwise None.
    """
    numbers = [tuple(map(int, re.findall(r"[0-9]{1,9}", name))) for name in topology.names]
    if len(numbers) < 4 or len({len(found) for found in numbers}) != 1:
        return None
    columns = [column for column in zip(*numbers, strict=True) if len(set(column)) > 1]
    ranks = [{value: rank for rank, value in enumerate(sorted(set(column)))} for column in columns]
    points = list(
        zip(*([rank[v] for v in column] for rank, column in zip(ranks, columns, strict=True)), strict=True)
    )
    lengths = [len(rank) for rank in ranks]
    if not points or len(set(points)) != len(numbers) or 2 * len(numbers) < math.prod(lengths):
        return None
    fitting = 0
    for a, b, _ in topology.cables:
        steps = [(abs(x - y), n) for x, y, n in zip(points[a], points[b], lengths, strict=True) if x != y]
        fitting += len(steps) == 1 and steps[0][0] in (1, steps[0][1] - 1)
    return points if 20 * fitting >= 19 * max(1, len(topology.cables)) else None


def _grid(topology: Topology, points: list[tuple[int, ...]]) -> Drawing:
    """The last two dimensions make a layer, the others number the layers."""
    lengths = [max(column) + 1 for column in zip(*points, strict=True)]
    across, down = lengths[-1], lengths[-2] if len(lengths) > 1 else 1
    layers = sorted({point[:-2] for point in points})
    abreast = min(len(layers), max(1, round(math.sqrt(len(layers) * down / across * 1.6))))
    pitch = min(90.0, (WIDTH - GAP * abreast) / (abreast * across))
    longest = max(width(short(name)) for name in topology.names)
    named = longest <= pitch - 8 and pitch * (1 - 2 * SLANT) >= LINE
    size = min(pitch * 0.42, 24.0)
    drawing = Drawing("The fabric as a grid" + (f" of {len(layers)} layers" if len(layers) > 1 else ""))
    corner = {
        layer: (
            (number % abreast) * (across * pitch + GAP) + GAP / 2,
            (number // abreast) * (down * pitch + GAP + 18) + 24,
        )
        for number, layer in enumerate(layers)
    }
    rows = math.ceil(len(layers) / abreast)
    drawing.height = rows * (down * pitch + GAP + 18) + 24
    drawing.width = abreast * (across * pitch + GAP)
    if named:  # the labels of the last column reach beyond it
        drawing.width += max(0.0, longest + 6 - pitch / 2 - GAP / 2)
    for layer in layers if len(lengths) > 2 else []:
        x, y = corner[layer]
        drawing.labels.append(Label(f"layer {', '.join(map(str, layer))}", x, y - 8, "start", kind="level"))
    for switch, point in enumerate(points):
        x0, y0 = corner[point[:-2]]
        x = x0 + (point[-1] + 0.5) * pitch
        y = y0 + ((point[-2] if len(point) > 1 else 0) + 0.5) * pitch
        name, hosts = topology.names[switch], topology.hosts[switch]
        # Right of the line down, and below where slanted lines end: no line crosses it.
        label = (Label(short(name), x + 4, y + SLANT * pitch + 10, "start"),) if named else ()
        # Above to the left, where neither lines nor labels are.
        near = Rows(x - 0.5 * size - 0.15 * pitch, y - 0.5 * size - 3, 0.26 * pitch, -90, 0.05 * pitch)
        detail = f"{hosts} {noun(hosts, 'adapter')}"
        drawing.add(Box(x, y, size, size, name, detail, label, (switch,), near))

    def path(a: Box, b: Box) -> str:
        """A line between neighbours; two stubs where it goes around the edge or to another layer."""
        here, there = points[a.members[0]], points[b.members[0]]
        if here[:-2] == there[:-2] and abs(a.x - b.x) + abs(a.y - b.y) < 1.5 * pitch:
            return f"M{a.x:.1f},{a.y:.1f} L{b.x:.1f},{b.y:.1f}"
        return _stub(a, here, there, pitch) + _stub(b, there, here, pitch)

    connect(drawing, topology, path)
    if any(line.path.count("M") > 1 for line in drawing.lines):
        drawing.note = "Lines that end at the edge go around it."
    if len(layers) > 1:
        drawing.note += " Slanted ones lead to the next layer (up to the right) and the one before."
    return drawing


def _stub(box: Box, here: tuple[int, ...], there: tuple[int, ...], pitch: float) -> str:
    """A short line from a switch into the direction that its cable leaves."""
    dimension = next(d for d, (x, y) in enumerate(zip(here, there, strict=True)) if x != y)
    step = there[dimension] - here[dimension]
    up = step > 0 if abs(step) == 1 else step < 0
    from_last = len(here) - 1 - dimension
    if from_last < 2:  # around the edge of a layer
        dx, dy = ((1.0, 0.0), (0.0, 1.0))[from_last]
    else:  # to the next layer: up to the right, or down to the left; further dimensions flatter
        angle = math.radians(45 - 18 * (from_last - 2))
        dx, dy = math.cos(angle), -math.sin(angle)
    reach = pitch * (STUB if up else -STUB)
    return f"M{box.x:.1f},{box.y:.1f} L{box.x + dx * reach:.1f},{box.y + dy * reach:.1f}"


def _circle(topology: Topology) -> Drawing:
    order = sorted(range(len(topology.names)), key=lambda s: natural(topology.names[s]))
    longest = max(width(short(name)) for name in topology.names)
    side = min(WIDTH, max(420.0, 2 * longest + 14 * len(order) / math.pi + 80))
    center = side / 2
    radius = center - 30
    named = 2 * math.pi * (center - longest - 30) / len(order) >= LINE and longest < center - 90
    if named:
        radius = center - longest - 30
    size = max(4.0, min(16.0, 2 * math.pi * radius / len(order) * 0.7))
    drawing = Drawing(
        "The switches in a circle, as the fabric is neither a tree nor a grid", width=side, height=side
    )
    for number, switch in enumerate(order):
        angle = 2 * math.pi * number / len(order) - math.pi / 2
        x, y = center + radius * math.cos(angle), center + radius * math.sin(angle)
        degrees = round(math.degrees(angle))
        is_left = 90 < degrees % 360 < 270
        far = radius + size / 2 + 6
        label = Label(
            short(topology.names[switch]),
            center + far * math.cos(angle) - 3.5 * math.sin(angle) * (-1 if is_left else 1),
            center + far * math.sin(angle) + 3.5 * math.cos(angle) * (-1 if is_left else 1),
            "end" if is_left else "start",
            degrees + 180 if is_left else degrees,
        )
        name, hosts = topology.names[switch], topology.hosts[switch]
        detail = f"{hosts} {noun(hosts, 'adapter')}"
        inner = radius - size / 2 - 5
        near = Rows(
            center + inner * math.cos(angle),
            center + inner * math.sin(angle),
            0.8 * 2 * math.pi * inner / len(order),
            degrees + 180,
            size / 2,
        )
        drawing.add(Box(x, y, size, size, name, detail, (label,) if named else (), (switch,), near))
    connect(
        drawing,
        topology,
        lambda a, b: (
            f"M{a.x:.1f},{a.y:.1f} Q{(a.x + b.x + 2 * center) / 4:.1f},{(a.y + b.y + 2 * center) / 4:.1f} {b.x:.1f},{b.y:.1f}"
        ),
    )
    return drawing
