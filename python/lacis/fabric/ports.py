"""Every port of a fabric as columns: its node's GUID, its number, the port at the other end, and the rate of the cable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .rates import speeds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric

_KEY = np.dtype([("guid", "<u8"), ("port", "<u2")])


@dataclass(frozen=True)
class Ports:
    """The ports of a fabric, a row each, by GUID and number; port 0 of a switch is not among them.

    Attributes:
        keys: GUID of the node and number of the port, sorted.
        nodes: the node of each port, an index of `names` and `kinds`.
        far: the row at the other end of its cable; -1 where there is none.
        rates: bytes per second that the cable carries in each direction; NaN where that is not known.
        names: of the nodes, as Lacis prints them.
        kinds: of the nodes: `switch`, `adapter`, `router`, `aggregation`.
    """

    keys: NDArray[np.void]
    nodes: NDArray[np.intp]
    far: NDArray[np.intp]
    rates: NDArray[np.float64]
    names: Sequence[str]
    kinds: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def guids(self) -> NDArray[np.uint64]:
        """GUID of each port's node."""
        return np.asarray(self.keys["guid"], np.uint64)

    @property
    def numbers(self) -> NDArray[np.uint16]:
        """The number of each port."""
        return np.asarray(self.keys["port"], np.uint16)

    def rows(self, guids: NDArray[np.uint64], numbers: NDArray[np.uint16]) -> NDArray[np.intp]:
        """The row of each of these ports; -1 where the fabric does not have it."""
        wanted = _keys(guids, numbers)
        if not len(self.keys):
            return np.full(len(wanted), -1, np.intp)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, at, -1)

    def rows_of_nodes(self, nodes: NDArray[np.integer], numbers: NDArray[np.integer]) -> NDArray[np.intp]:
        """The row of each of these ports, which are of this fabric, by the numbers of their nodes."""
        first = np.full(len(self.names) + 1, len(self), np.intp)
        np.minimum.at(first, self.nodes, np.arange(len(self)))
        return first[nodes.astype(np.intp)] + numbers.astype(np.intp) - 1

    def name(self, row: int) -> str:
        """A port as Lacis prints it: `leaf-01[17]`."""
        return f"{self.names[self.nodes[row]]}[{self.keys['port'][row]}]"

    def cable(self, row: int) -> tuple[tuple[int, int], ...]:
        """What identifies the cable of a port, the same at both of its ends: GUID and number of each end."""
        ends = sorted({row, int(self.far[row])} - {-1})
        return tuple((int(self.keys["guid"][end]), int(self.keys["port"][end])) for end in ends)


def ports_of(fabric: Fabric) -> Ports:
    """The ports of a fabric as columns."""
    guids = fabric.guids()
    count = len(guids)
    radixes = np.fromiter((fabric.radix(node) for node in range(count)), np.intp, count)
    first = np.concatenate([np.zeros(1, np.intp), np.cumsum(radixes)])
    nodes = np.repeat(np.arange(count), radixes)
    numbers = np.arange(first[-1]) - first[nodes] + 1
    far = np.full(len(nodes), -1, np.intp)
    rates = np.full(len(nodes), np.nan)
    cables = fabric.cables().reshape(-1, 4).astype(np.intp)
    one, other = (first[cables[:, at]] + cables[:, at + 1] - 1 for at in (0, 2))
    far[one], far[other] = other, one
    names, which = fabric.cable_rates()
    speeds = [speed * 1e9 if speed else np.nan for speed in speeds_of(_known(name) for name in names)]
    rates[one] = rates[other] = np.array(speeds, np.float64)[which] if len(which) else np.nan
    keys = _keys(guids[nodes], numbers)
    order = np.argsort(keys, kind="stable")
    row_of = np.empty(len(order) + 1, np.intp)
    row_of[order], row_of[-1] = np.arange(len(order)), -1
    named = [*(name for name, _ in fabric.switches()), *fabric.descriptions()[fabric.num_switches :]]
    return Ports(keys[order], nodes[order], row_of[far[order]], rates[order], named, fabric.kinds())


def _known(rate: str) -> str | None:
    return None if rate == "unknown" else rate


def _keys(guids: NDArray[np.uint64], numbers: NDArray[np.integer]) -> NDArray[np.void]:
    keys = np.empty(len(guids), _KEY)
    keys["guid"], keys["port"] = guids, numbers
    return keys
