"""The fabric by rack: a block for each rack that names say, with its switches above its hosts; rows of racks below each other."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..facts.words import count, natural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric

ELSEWHERE = "no rack in the name"
"""What the block of nodes is called whose names say no rack."""
_PITCH = 1.5
"""Between nodes of a rack, where a host takes a width of 1."""
_MARGIN = 2.0
"""Around the nodes of a block."""
_GAP = 2.0
"""Between blocks, and above them for their names."""


@dataclass(frozen=True)
class Racks:
    """Where nodes are drawn by rack, switches first, and the blocks of the racks.

    Attributes:
        x: of nodes, to the right.
        y: of nodes, downward.
        groups: the number of each node's block.
        names: of the blocks.
        contents: of the blocks, in words: `2 switches, 16 hosts`.
        corners: of the blocks: left, top, right, bottom.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    groups: NDArray[np.int32]
    names: list[str]
    contents: list[str]
    corners: NDArray[np.float32]


def by_racks(fabric: Fabric) -> Racks | None:
    """The fabric by rack; none where its names say no racks."""
    racks = _core.hosts(fabric).racks()
    if racks is None:
        return None
    members: dict[str, list[int]] = defaultdict(list)
    for node, (rack, _) in enumerate(racks):
        members[rack].append(node)
    names = sorted((rack for rack in members if rack), key=natural)
    keys, switches = _keys(fabric), fabric.num_switches
    largest = max(len(members[name]) for name in names)
    columns = max(3, math.ceil(math.sqrt(largest)))
    rows = dict(racks)
    corners = _corners(
        [(name, rows[name]) for name in names],
        columns,
        max(_lines(members[name], columns, switches) for name in names),
    )
    if "" in members:
        # Below all racks, as wide as they are.
        left, right, bottom = corners[:, 0].min(), corners[:, 2].max(), corners[:, 3].max()
        names.append("")
        corners = np.vstack([corners, [left, bottom + _GAP, right, bottom + _GAP + 2 * _MARGIN]])
    x, y = np.zeros(len(racks), np.float32), np.zeros(len(racks), np.float32)
    groups = np.zeros(len(racks), np.int32)
    for number, name in enumerate(names):
        left, top, right, _ = corners[number].tolist()
        across = max(1, int((right - left - 2 * _MARGIN) / _PITCH) + 1)
        own = np.array(sorted(members[name], key=keys.__getitem__))
        above = int((own < switches).sum())
        # Hosts begin in a line of their own below the switches.
        at = np.arange(len(own)) + np.where(own < switches, 0, -above % across)
        x[own], y[own] = left + _MARGIN + _PITCH * (at % across), top + _MARGIN + _PITCH * (at // across)
        groups[own] = number
        corners[number, 3] = max(corners[number, 3], float(y[own].max()) + _MARGIN)
    return Racks(
        x, y, groups, [name or ELSEWHERE for name in names], _contents(fabric, groups, len(names)), corners
    )


def _corners(racks: Sequence[tuple[str, str]], columns: int, lines: int) -> NDArray[np.float32]:
    """Blocks of equal size, by name and row of the racks: a row of racks is a row of blocks; racks without rows, and rows that are long, are broken."""
    wide = (columns - 1) * _PITCH + 2 * _MARGIN
    high = (lines - 1) * _PITCH + 2 * _MARGIN
    rows: dict[str, list[int]] = defaultdict(list)
    for number, (_, row) in enumerate(racks):
        rows[row].append(number)
    abreast = max(4, math.ceil(math.sqrt(len(racks) * 1.5 * high / wide)))
    longest = max(map(len, rows.values()))
    if longest <= 2 * abreast:
        abreast = longest
    corners = np.zeros((len(racks), 4), np.float32)
    line = 0
    for own in rows.values():
        for at, number in enumerate(own):
            down, across = divmod(at, abreast)
            left, top = across * (wide + _GAP), (line + down) * (high + _GAP)
            corners[number] = left, top, left + wide, top + high
        line += -(-len(own) // abreast)
    return corners


def _lines(nodes: Sequence[int], columns: int, switches: int) -> int:
    above = sum(node < switches for node in nodes)
    return max(1, -(-above // columns) + -(-(len(nodes) - above) // columns))


def _keys(fabric: Fabric) -> list[tuple[bool, list[tuple[int, int, str]], int]]:
    """What nodes are sorted by: switches first, then by the name of the host, or their own."""
    names, hosts = fabric.descriptions(), _core.hosts(fabric)
    for host, name in enumerate(hosts.names):
        for node in hosts.adapters(host).tolist():
            names[node] = name
    return [(node >= fabric.num_switches, natural(name), node) for node, name in enumerate(names)]


def _contents(fabric: Fabric, groups: NDArray[np.int32], blocks: int) -> list[str]:
    """What is in each block: switches and hosts, a host with several adapters once; and nodes of no host."""
    switches = np.bincount(groups[: fabric.num_switches], minlength=blocks).tolist()
    hosts = [0] * blocks
    others = np.bincount(groups[fabric.num_switches :], minlength=blocks)
    known = _core.hosts(fabric)
    for host in range(len(known.names)):
        there = groups[known.adapters(host)]
        others -= np.bincount(there, minlength=blocks)
        for group in set(there.tolist()):
            hosts[group] += 1
    kinds = (("switch", "switches"), ("host", "hosts"), ("other node", "other nodes"))
    return [
        ", ".join(count(number, *kind) for number, kind in zip(numbers, kinds, strict=True) if number)
        for numbers in zip(switches, hosts, others.tolist(), strict=True)
    ]
