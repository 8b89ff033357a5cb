"""A point for every node, for a drawing that is zoomed: levels above each other, hosts below their leaf; grids; circles."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..facts.words import natural
from .grid import coordinates
from .tree import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric
    from .shapes import Topology

ROW = 40.0
"""From one level to the next, where a host takes a width of 1."""
_ROWS_OF_HOSTS = 3
"""Hosts of a leaf stand in so many rows below it."""


@dataclass(frozen=True)
class Positions:
    """Where nodes are drawn, switches first; a host takes about 1 of width.

    Attributes:
        x: to the right.
        y: downward.
        groups: a number that nodes of a pod, a chassis or a leaf's hosts share.
        names: of the groups.
        levels: of switches, -1 for hosts and where there are no levels.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    groups: NDArray[np.int32]
    names: list[str]
    levels: NDArray[np.int8]


def positions(fabric: Fabric, topology: Topology, systems: Sequence[int] = ()) -> Positions:
    """Where the nodes of a fabric are drawn."""
    count = fabric.num_switches
    total = len(fabric.guids())
    x, y = np.zeros(total, np.float32), np.zeros(total, np.float32)
    groups = np.zeros(total, np.int32)
    levels = np.full(total, -1, np.int8)
    hosts = _hosts(fabric)
    of_switch = list(range(count))
    if topology.levels:
        of_switch = groups_of(topology, systems)
        levels[:count] = topology.levels
        _by_level(topology, of_switch, hosts, x, y)
    elif (points := coordinates(topology)) is not None:
        _as_grid(points, x, y)
    else:
        angles = 2 * math.pi * np.arange(count) / max(1, count)
        radius = max(6.0, 3.0 * count / (2 * math.pi) * max(1, max(map(len, hosts.values()), default=1) / 3))
        x[:count], y[:count] = radius * np.cos(angles), radius * np.sin(angles)
    number: dict[int, int] = {}
    named: dict[int, list[str]] = defaultdict(list)
    for switch in range(count):
        groups[switch] = number.setdefault(of_switch[switch], len(number))
        named[int(groups[switch])].append(topology.names[switch])
    names = [_span(sorted(named[group], key=natural)) for group in range(len(number))]
    for switch, ends in hosts.items():
        columns = max(1, math.ceil(len(ends) / _ROWS_OF_HOSTS))
        for at, end in enumerate(ends):
            row, column = divmod(at, columns)
            x[end] = x[switch] + column - (columns - 1) / 2
            y[end] = y[switch] + 3 + 1.5 * row
            groups[end] = len(names)
        names.append(f"hosts of {topology.names[switch]}")
    return Positions(x, y, groups, names, levels)


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


def _by_level(
    topology: Topology,
    groups: list[int],
    hosts: dict[int, list[int]],
    x: NDArray[np.float32],
    y: NDArray[np.float32],
) -> None:
    """A row a level, groups side by side; the lowest switches are as wide as their hosts, and others share the width."""
    top = max(topology.levels)
    by_level: dict[int, list[int]] = defaultdict(list)
    for switch, level in enumerate(topology.levels):
        by_level[level].append(switch)
    wide = {
        switch: max(2.0, math.ceil(len(hosts.get(switch, ())) / _ROWS_OF_HOSTS) + 1.0)
        for switch in range(len(topology.levels))
    }
    whole = max(sum(wide[switch] for switch in row) for row in by_level.values())
    for level, row in by_level.items():
        first: dict[int, list[tuple[int, int, str]]] = {}
        for switch in sorted(row, key=lambda switch: natural(topology.names[switch])):
            first.setdefault(groups[switch], natural(topology.names[switch]))
        row.sort(key=lambda s: (first[groups[s]], groups[s], natural(topology.names[s])))
        stretch = whole / sum(wide[switch] for switch in row)
        at = 0.0
        for switch in row:
            width = wide[switch] * stretch
            x[switch], y[switch] = at + width / 2, ROW * (top - level)
            at += width


def _as_grid(points: list[tuple[int, ...]], x: NDArray[np.float32], y: NDArray[np.float32]) -> None:
    """The last two coordinates make a layer; layers stand side by side."""
    across = max(point[-1] for point in points) + 1
    layers = {layer: number for number, layer in enumerate(sorted({point[:-2] for point in points}))}
    abreast = max(1, round(math.sqrt(len(layers))))
    down = max(point[-2] if len(point) > 1 else 0 for point in points) + 1
    for switch, point in enumerate(points):
        row, column = divmod(layers[point[:-2]], abreast)
        x[switch] = 10 * (point[-1] + column * (across + 1))
        y[switch] = 10 * ((point[-2] if len(point) > 1 else 0) + row * (down + 1))


def _span(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
