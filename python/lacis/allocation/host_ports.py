"""The ports of hosts, rail by rail: the LID of each and the switch on which it hangs, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..ranks.participants import by_rail, participants_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Routes


@dataclass(frozen=True)
class HostPorts:
    """Where hosts hang. A row is a rail, or one plane of a rail; a column is a host.

    Attributes:
        hosts: their names, in natural order, in which a scheduler numbers nodes and a job its ranks.
        leaf: index of the switch; -1 where a host lacks the rail. `int32`, shape `(rows, hosts)`.
        lid: the port's lowest LID; 0 where there is none. `int64`, the same shape.
    """

    hosts: tuple[str, ...]
    leaf: NDArray[np.int32]
    lid: NDArray[np.int64]

    @property
    def number(self) -> dict[str, int]:
        """Name → column."""
        return {name: column for column, name in enumerate(self.hosts)}


def host_ports(routes: Routes, hosts: Sequence[str]) -> HostPorts:
    """The ports of hosts under tables.

    Raises:
        LacisError: when a host is not in the fabric.
    """
    fabric = routes.fabric
    lids, guids = routes.lids()
    # The lowest LID of a port comes first, as LIDs ascend.
    unique, first = np.unique(guids, return_index=True)
    lowest = lids[first].astype(np.int64)
    edge = routes.edge_switches()
    column = {name: at for at, name in enumerate(hosts)}
    rows_of_leaves, rows_of_lids = [], []
    for rail, names in by_rail(fabric, hosts).items():
        columns = np.array([column[name] for name in names])
        for its in _planes(fabric, names, rail):
            at = np.clip(np.searchsorted(unique, its), 0, len(unique) - 1)
            found = np.where(unique[at] == its, lowest[at], 0)
            lid = np.zeros(len(hosts), np.int64)
            leaf = np.full(len(hosts), -1, np.int32)
            lid[columns] = found
            leaf[columns] = np.where(found > 0, edge[found], -1)
            rows_of_lids.append(lid)
            rows_of_leaves.append(leaf)
    empty = (0, len(hosts))
    return HostPorts(
        tuple(hosts),
        np.array(rows_of_leaves, np.int32) if rows_of_leaves else np.zeros(empty, np.int32),
        np.array(rows_of_lids, np.int64) if rows_of_lids else np.zeros(empty, np.int64),
    )


def _planes(fabric: Fabric, names: Sequence[str], rail: int) -> NDArray[np.uint64]:
    """GUIDs of the hosts' ports on a rail, a row for each plane; 0 where a host lacks one."""
    found = participants_of(fabric, names, str(rail))
    guids = found.guids()
    if len(guids) == found.planes * len(names):
        return guids.reshape(len(names), found.planes).T
    out = np.zeros((found.planes, len(names)), np.uint64)
    for column, name in enumerate(names):
        own = participants_of(fabric, [name], str(rail)).guids()
        out[: len(own), column] = own
    return out
