"""Ports in groups, and what a group does in figures, as opatop shows them: within it, out of it, and into it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fabric.ports import Ports
    from .usage import Usage

BUCKETS = 10
"""Buckets of utilisation, a tenth of what a cable carries each."""


class Direction(Enum):
    """Where traffic of a group goes."""

    WITHIN = "within"
    """Between two ports of the group."""
    OUT = "out"
    """From a port of the group to one outside."""
    IN = "in"
    """From outside to a port of the group."""


@dataclass(frozen=True)
class PortGroup:
    """Some ports of a fabric.

    Attributes:
        name: what it is called.
        members: whether each port belongs to it.
    """

    name: str
    members: NDArray[np.bool_]


class PortGroupFigures(NamedTuple):
    """What a group does in one direction; rates are NaN where none is known."""

    ports: int
    """Ports that send in this direction."""
    unknown: int
    """Those of which no rate is known."""
    total: float
    """Bytes per second of all together."""
    mean: float
    least: float
    most: float
    packets: float
    """Packets per second of all together."""
    mean_packets: float
    most_packets: float


def groups(ports: Ports) -> list[PortGroup]:
    """All ports with a cable, those of adapters, those of switches, and those between switches."""
    return [
        PortGroup("all", ports.is_cabled),
        PortGroup("adapters", ports.is_cabled & ~ports.of_switch),
        PortGroup("switches", ports.is_cabled & ports.of_switch),
        PortGroup("between switches", ports.between_switches),
    ]


def senders(ports: Ports, group: PortGroup, direction: Direction) -> NDArray[np.intp]:
    """The ports that send a group's traffic of one direction."""
    far = ports.of_far(group.members, 0)
    chosen = {
        Direction.WITHIN: group.members & far,
        Direction.OUT: group.members & ~far,
        Direction.IN: ~group.members & far,
    }[direction]
    return np.flatnonzero(chosen & ports.is_cabled)


def figures(now: Usage, group: PortGroup, direction: Direction) -> PortGroupFigures:
    """What a group does in one direction."""
    rows = senders(now.ports, group, direction)
    sent, packets = now.sent[rows], now.packets[rows]
    known, known_packets = sent[~np.isnan(sent)], packets[~np.isnan(packets)]
    if not len(known):
        return PortGroupFigures(len(rows), len(rows), *[float("nan")] * 7)
    return PortGroupFigures(
        ports=len(rows),
        unknown=len(rows) - len(known),
        total=float(known.sum()),
        mean=float(known.mean()),
        least=float(known.min()),
        most=float(known.max()),
        packets=float(known_packets.sum()) if len(known_packets) else float("nan"),
        mean_packets=float(known_packets.mean()) if len(known_packets) else float("nan"),
        most_packets=float(known_packets.max()) if len(known_packets) else float("nan"),
    )


def buckets(now: Usage, group: PortGroup, direction: Direction) -> NDArray[np.int64]:
    """How many ports use a tenth of what their cables carry, two tenths and so on; all that is more is in the last."""
    share = now.share[senders(now.ports, group, direction)]
    share = share[~np.isnan(share)]
    return np.bincount(np.minimum((BUCKETS * share).astype(np.intp), BUCKETS - 1), minlength=BUCKETS)
