"""The ports that stand out: by utilisation, packets, waiting, or errors of a category, each with the port at the other end."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .groups import PortGroup
    from .usage import Usage


class Criterion(Enum):
    """What ports are sorted by; opatop's criteria, and waiting."""

    HIGH = "utilisation, high"
    LOW = "utilisation, low"
    PACKETS = "packets"
    WAITING = "waiting"
    INTEGRITY = "integrity"
    CONGESTION = "congestion"
    SMA_CONGESTION = "sma congestion"
    BUBBLE = "bubble"
    SECURITY = "security"
    ROUTING = "routing"


class Row(NamedTuple):
    """A port in a list."""

    port: int
    """Its row."""
    value: float
    """What it is sorted by: a share, a rate, or a number of errors."""


def values(now: Usage, criterion: Criterion) -> NDArray[np.float64]:
    """What ports are sorted by, a row each; NaN where it is not known."""
    match criterion:
        case Criterion.HIGH | Criterion.LOW:
            return now.share
        case Criterion.PACKETS:
            return now.packets
        case Criterion.WAITING:
            return now.waited
    return now.errors(criterion.value)


def focus(
    now: Usage, group: PortGroup, criterion: Criterion, count: int, text: str = "", *, nonzero: bool = False
) -> list[Row]:
    """The first ports of a group by a criterion.

    Args:
        now: what ports did.
        group: its ports are listed.
        criterion: what they are sorted by; ports of which that is not known are left out.
        count: how many at most.
        text: only ports whose name, or that of the far end, has this text, in any case.
        nonzero: leave out ports with nothing.
    """
    column = values(now, criterion)
    chosen = group.members & ~np.isnan(column)
    if nonzero:
        chosen &= column > 0
    if text:
        chosen &= named(now, text)
    rows = np.flatnonzero(chosen)
    keys = column[rows] if criterion is Criterion.LOW else -column[rows]
    if count < len(rows):
        # Only the first ones are sorted; of equals the one of the lower row comes first, whatever the partition does.
        limit = np.partition(keys, count - 1)[count - 1] if count else -np.inf
        at = np.flatnonzero(keys <= limit)
        rows, keys = rows[at], keys[at]
    order = np.argsort(keys, kind="stable")[:count]
    return [Row(int(row), float(column[row])) for row in rows[order]]


def named(now: Usage, text: str) -> NDArray[np.bool_]:
    """Whether a port's name, or that of the port at the other end, has a text; `edge1[2` has port 26 of edge1, `edge1[2]` has not."""
    ports = now.ports
    if not len(ports):
        return np.zeros(0, np.bool_)
    wanted = text.casefold()
    names = [name.casefold() for name in ports.names]
    own = np.fromiter((wanted in name for name in names), np.bool_, len(names))[ports.nodes]
    node, bracket, number = wanted.rpartition("[")
    if bracket and number.rstrip("]").isdecimal():
        ends = np.fromiter((name.endswith(node) for name in names), np.bool_, len(names))[ports.nodes]
        numbered = np.strings.startswith(np.strings.add(ports.numbers.astype(np.str_), "]"), number)
        own |= ends & numbered
    either: NDArray[np.bool_] = own | ports.of_far(own, 0)
    return either
