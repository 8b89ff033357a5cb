"""A point for every node in the drawing of its fabric: switches in their box, what hangs on them in rows beside it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..facts.words import natural
from .grid import MOST_IN_CIRCLE
from .shapes import WIDTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
    from .shapes import Box, Drawing

_ROWS = 3
"""Hosts of a leaf stand in so many rows,"""
_NAMED = 90.0
"""or in one where each has room for its name [px]."""


class Positions(NamedTuple):
    """Where nodes are drawn, switches first, in the lengths of the drawing [px].

    Attributes:
        x: to the right.
        y: downward.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]


def positions(fabric: Fabric, drawing: Drawing | None) -> Positions:
    """Where the nodes of a fabric are drawn; without a drawing its switches are on a circle, what hangs on them inside."""
    total, count = len(fabric.guids()), fabric.num_switches
    points = Positions(np.zeros(total, np.float32), np.zeros(total, np.float32))
    hosts = _hosts(fabric)
    if drawing is None:
        _circle(points, count, hosts)
        return points
    for box in drawing.boxes:
        for number, switch in enumerate(box.members):
            # Several switches share the width of their box, and of the rows beside it.
            aside = (number + 0.5) / len(box.members) - 0.5
            points.x[switch], points.y[switch] = box.x + aside * box.hosts.width, box.y
            _beside(points, box, aside, hosts.get(switch, []))
    return points


def _beside(points: Positions, box: Box, aside: float, ends: list[int]) -> None:
    """Rows of what hangs on a switch, which has its share of the width."""
    rows, share = box.hosts, box.hosts.width / max(1, len(box.members))
    columns = max(1, math.ceil(len(ends) / _ROWS), min(len(ends), int(share / _NAMED)))
    step = min(rows.step, 2 * share / columns)
    along, across = math.radians(rows.turn), math.radians(rows.turn - 90)
    for at, end in enumerate(ends):
        row, column = divmod(at, columns)
        to_side = aside * rows.width + ((column + 0.5) / columns - 0.5) * share
        points.x[end] = rows.x + step * row * math.cos(along) + to_side * math.cos(across)
        points.y[end] = rows.y + step * row * math.sin(along) + to_side * math.sin(across)


def _circle(points: Positions, switches: int, hosts: dict[int, list[int]]) -> None:
    """More switches than a drawing shows: they stand as close as its most."""
    radius = WIDTH / 2 * max(1.0, switches / MOST_IN_CIRCLE)
    angles = 2 * math.pi * np.arange(switches) / max(1, switches)
    points.x[:switches], points.y[:switches] = radius * np.cos(angles), radius * np.sin(angles)
    for switch, ends in hosts.items():
        inner = 1 - 0.02 * (1 + np.arange(len(ends)) % _ROWS)
        across = ((np.arange(len(ends)) // _ROWS + 0.5) / math.ceil(len(ends) / _ROWS) - 0.5) * 0.8
        turned = angles[switch] + across * 2 * math.pi / switches
        points.x[ends], points.y[ends] = radius * inner * np.cos(turned), radius * inner * np.sin(turned)


def _hosts(fabric: Fabric) -> dict[int, list[int]]:
    """By switch the end nodes whose first cable leads there, in the order of names; what has no cable is left at 0, 0."""
    count = fabric.num_switches
    descriptions = fabric.descriptions()
    first: dict[int, int] = {}
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        if a >= count > b:
            first.setdefault(a, b)
        elif b >= count > a:
            first.setdefault(b, a)
    hosts: dict[int, list[int]] = defaultdict(list)
    for end, switch in sorted(first.items(), key=lambda pair: (pair[1], natural(descriptions[pair[0]]))):
        hosts[switch].append(end)
    return hosts
