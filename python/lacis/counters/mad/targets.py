"""Which ports are read, and by which LID: the cabled ports of a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ...errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..._core import Fabric


@dataclass(frozen=True)
class Targets:
    """The ports to read, sorted by GUID and number, and the nodes that answer for them.

    An end of the fabric that answers is called an agent: a switch answers by one LID for all of its ports, an adapter by
    that of each port.

    Attributes:
        guids: GUID of the node, a row each.
        numbers: the port's number.
        agents: which agent answers, a number from 0.
        agent_lids: LID of each agent.
        agent_guids: GUID of its node.
        agent_switch: whether it is a switch.
        agent_nodes: its node, as the fabric numbers them.
        planes: the plane of each row, from 1; 0 where there are none.
        far: the row at the other end of its cable; -1 where that is not read.
        without_lid: GUID and number of cabled ports whose LID the fabric does not say.
    """

    guids: NDArray[np.uint64]
    numbers: NDArray[np.uint16]
    agents: NDArray[np.uint32]
    agent_lids: NDArray[np.uint16]
    agent_guids: NDArray[np.uint64]
    agent_switch: NDArray[np.bool_]
    agent_nodes: NDArray[np.int64]
    planes: NDArray[np.uint8]
    far: NDArray[np.intp]
    without_lid: tuple[tuple[int, int], ...] = ()

    def __len__(self) -> int:
        return len(self.guids)


class _Port(msgspec.Struct):
    number: int
    lid: int = 0
    guid: str = ""


class _Node(msgspec.Struct):
    ports: list[_Port] = []


class _File(msgspec.Struct):
    """What is read here of a fabric as JSON."""

    nodes: list[_Node]


_GREATEST_LID = 0xBFFF
"""Of a unicast LID of InfiniBand."""


def targets_of(fabric: Fabric, before: Targets | None = None) -> Targets:
    """The cabled ports of a fabric.

    Args:
        fabric: with LIDs.
        before: ports that were read so far: those of switches are read on, as one that has lost its link has no cable any more.

    Raises:
        LacisError: when it says no LIDs, has no cables, or is one of Omni-Path.
    """
    if fabric.technology == "Omni-Path":
        raise LacisError(
            "an Omni-Path fabric, whose counters are not read through libibumad: read a snapshot that opareport "
            "wrote with its counters"
        )
    if not fabric.has_lids:
        raise LacisError(
            "the fabric says no LIDs, by which counters are read: what ibnetdiscover prints of the running fabric has them"
        )
    cables = fabric.cables().reshape(-1, 2).astype(np.int64)
    if not len(cables):
        raise LacisError("the fabric has no cables, so that there is no port to read")
    guids, is_switch = fabric.guids(), np.array([kind == "switch" for kind in fabric.kinds()])
    nodes, numbers = cables[:, 0], cables[:, 1]
    if before is not None:
        nodes, numbers = _with_lost(guids[: fabric.num_switches], nodes, numbers, before)
    asked = np.where(is_switch[nodes], 0, numbers)
    agents, which = np.unique(nodes << 8 | asked, return_inverse=True)
    # The engine has LIDs in this form alone; to read it takes a hundredth of a second for 5,000 nodes.
    read = msgspec.json.decode(fabric.to_json(), type=_File).nodes
    lids = _lids(read, agents >> 8, agents & 0xFF)
    absent = lids[which] == 0
    without = zip(guids[nodes[absent]].tolist(), numbers[absent].tolist(), strict=True)
    order = np.lexsort((numbers, guids[nodes]))
    order = order[~absent[order]]
    kept = lids != 0
    renumbered = np.cumsum(kept) - 1
    owners = agents[kept] >> 8
    row_of = np.full(len(nodes) + 1, -1)
    row_of[order] = np.arange(len(order))
    other_end = np.where(order < len(cables), order ^ 1, len(nodes))
    return Targets(
        guids=guids[nodes[order]],
        numbers=numbers[order].astype(np.uint16),
        agents=renumbered[which[order]].astype(np.uint32),
        agent_lids=lids[kept],
        agent_guids=guids[owners],
        agent_switch=is_switch[owners],
        agent_nodes=owners,
        planes=_planes(read, is_switch, nodes, numbers)[order],
        far=row_of[other_end],
        without_lid=tuple(sorted(without)),
    )


def _with_lost(
    switches: NDArray[np.uint64], nodes: NDArray[np.int64], numbers: NDArray[np.int64], before: Targets
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes and numbers of ports, and after them those of switches that had a cable before and have none now."""
    if not len(switches):
        return nodes, numbers
    order = np.argsort(switches)
    at = np.minimum(np.searchsorted(switches[order], before.guids), len(order) - 1)
    here = switches[order][at] == before.guids
    old = order[at[here]].astype(np.int64) << 8 | before.numbers[here].astype(np.int64)
    lost = old[~np.isin(old, nodes << 8 | numbers)]
    return np.concatenate([nodes, lost >> 8]), np.concatenate([numbers, lost & 0xFF])


def _lids(read: Sequence[_Node], nodes: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.uint16]:
    """The LIDs of ports; 0 where the fabric does not say one, or says one that is none of InfiniBand."""
    pairs = zip(nodes.tolist(), numbers.tolist(), strict=True)
    found = [
        next((port.lid for port in read[node].ports if port.number == number), 0) for node, number in pairs
    ]
    lids = np.array(found, np.int64)
    return np.where(lids <= _GREATEST_LID, lids, 0).astype(np.uint16)


def _planes(
    read: Sequence[_Node], is_switch: NDArray[np.bool_], nodes: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """The plane of each cabled port, in the order of its numbers: those of an adapter that name one and the same port GUID.

    A planarised adapter offers several ports as one, and each of them says the GUID of that one. Other adapters have a GUID
    for each port.
    """
    planes = np.zeros(len(nodes), np.uint8)
    adapters = np.flatnonzero(~is_switch[nodes])
    several, counts = np.unique(nodes[adapters], return_counts=True)
    at = adapters[np.isin(nodes[adapters], several[counts > 1])]
    at = at[np.lexsort((numbers[at], nodes[at]))]
    seen: dict[tuple[int, str], list[int]] = {}
    for row, node, number in zip(at.tolist(), nodes[at].tolist(), numbers[at].tolist(), strict=True):
        guid = next((port.guid for port in read[node].ports if port.number == number), "")
        if guid:
            seen.setdefault((node, guid), []).append(row)
    for rows in seen.values():
        if len(rows) > 1:
            planes[rows] = np.arange(1, len(rows) + 1)
    return planes
