"""Every port of a fabric as columns: its node's GUID, its number, the port at the other end, and the rate of the cable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .. import _core
from .rates import bytes_per_second

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric


Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True)
class Ports:
    """The ports of a fabric, a row each, by GUID and number; port 0 of a switch is not among them.

    A row is also the link that leaves the port; that of the other direction is the row of `far`.

    Attributes:
        guids: GUID of the node; rows are sorted by it, and by number.
        numbers: the number of each port.
        nodes: the node of each port, an index of `names` and `kinds`.
        far: the row at the other end of its cable; -1 where there is none.
        rates: bytes per second that the cable carries in each direction; NaN where that is not known.
        names: of the nodes, as Lacis prints them.
        kinds: of the nodes: `switch`, `adapter`, `router`, `aggregation`.
    """

    guids: NDArray[np.uint64]
    numbers: NDArray[np.uint16]
    nodes: NDArray[np.intp]
    far: NDArray[np.intp]
    rates: NDArray[np.float64]
    names: Sequence[str]
    kinds: Sequence[str]

    def __len__(self) -> int:
        return len(self.guids)

    @cached_property
    def is_cabled(self) -> NDArray[np.bool_]:
        """Whether a port has a cable."""
        return self.far >= 0

    @cached_property
    def of_switch(self) -> NDArray[np.bool_]:
        """Whether a port's node is a switch."""
        is_switch = np.fromiter((kind == "switch" for kind in self.kinds), np.bool_, len(self.kinds))
        return is_switch[self.nodes]

    @cached_property
    def to_switch(self) -> NDArray[np.bool_]:
        """Whether the node at the other end of its cable is a switch."""
        return self.of_far(self.of_switch, 0)

    @cached_property
    def between_switches(self) -> NDArray[np.bool_]:
        """Whether both ends of its cable are switches."""
        return self.of_switch & self.to_switch

    @cached_property
    def far_nodes(self) -> NDArray[np.intp]:
        """The node at the other end; -1 where there is none."""
        return self.of_far(self.nodes, -1)

    def of_far(self, values: NDArray[Value], none: float) -> NDArray[Value]:
        """Values of ports, a row each, by the port at the other end; `none` where there is none."""
        if not len(self):
            return values
        return np.where(self.is_cabled, values[self.far], none).astype(values.dtype)

    def rows(self, guids: NDArray[np.uint64], numbers: NDArray[np.integer]) -> NDArray[np.intp]:
        """The row of each of these ports; -1 where the fabric does not have it."""
        if not len(self):
            return np.full(len(guids), -1, np.intp)
        known, keys = self._keys
        at = np.minimum(np.searchsorted(known, guids), len(known) - 1)
        wanted = at << 16 | numbers.astype(np.int64)
        row = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((known[at] == guids) & (keys[row] == wanted), row, -1)

    @cached_property
    def _keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """All GUIDs; and each port by which of them it has and its number, which grow with the rows."""
        known, which = np.unique(self.guids, return_inverse=True)
        return known, which.astype(np.int64) << 16 | self.numbers

    def rows_of_nodes(self, nodes: NDArray[np.integer], numbers: NDArray[np.integer]) -> NDArray[np.intp]:
        """The row of each of these ports, which are of this fabric, by the numbers of their nodes."""
        return self._first[nodes.astype(np.intp)] + numbers.astype(np.intp) - 1

    @cached_property
    def _first(self) -> NDArray[np.intp]:
        """The row of each node's port 1."""
        first = np.full(len(self.names), len(self), np.intp)
        np.minimum.at(first, self.nodes, np.arange(len(self)))
        return first

    def name(self, row: int) -> str:
        """A port as Lacis prints it: `leaf-01[17]`."""
        return f"{self.names[self.nodes[row]]}[{self.numbers[row]}]"

    def ends(self, row: int) -> tuple[str, str]:
        """The ports that a link leaves and enters."""
        return self.name(row), self.name(int(self.far[row]))

    def cable(self, row: int) -> tuple[tuple[int, int], ...]:
        """What identifies the cable of a port, the same at both of its ends: GUID and number of each end."""
        ends = sorted({row, int(self.far[row])} - {-1})
        return tuple((int(self.guids[end]), int(self.numbers[end])) for end in ends)


def ports_of(fabric: Fabric) -> Ports:
    """The ports of a fabric as columns."""
    guids = fabric.guids()
    count = len(guids)
    radixes = np.fromiter((fabric.radix(node) for node in range(count)), np.intp, count)
    first = np.concatenate([np.zeros(1, np.intp), np.cumsum(radixes)])
    nodes = np.repeat(np.arange(count), radixes)
    numbers = (np.arange(first[-1]) - first[nodes] + 1).astype(np.uint16)
    far = np.full(len(nodes), -1, np.intp)
    rates = np.full(len(nodes), np.nan)
    cables = fabric.cables().reshape(-1, 4).astype(np.intp)
    one, other = (first[cables[:, at]] + cables[:, at + 1] - 1 for at in (0, 2))
    far[one], far[other] = other, one
    rates[one] = rates[other] = bytes_per_second(fabric)
    order = np.lexsort((numbers, guids[nodes]))
    row_of = np.empty(len(order) + 1, np.intp)
    row_of[order], row_of[-1] = np.arange(len(order)), -1
    named = [*(name for name, _ in fabric.switches()), *fabric.descriptions()[fabric.num_switches :]]
    nodes = nodes[order]
    return Ports(guids[nodes], numbers[order], nodes, row_of[far[order]], rates[order], named, fabric.kinds())


def with_owners(ports: Ports, fabric: Fabric) -> Ports:
    """Ports whose adapters say their hosts: `node0001? MT4129` is of a host that cabling and numbers imply."""
    hosts, names = _core.hosts(fabric), list(ports.names)
    for number, host in enumerate(hosts.names):
        for node in hosts.adapters(number).tolist():
            if not names[node].lower().startswith(host.lower()):
                names[node] = f"{host}? {names[node]}"
    return replace(ports, names=names)
