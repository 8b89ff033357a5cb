"""What is different between two states of a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core

if TYPE_CHECKING:
    from .._core import Fabric


@dataclass(frozen=True)
class Node:
    """A node of one of two fabrics.

    Attributes:
        name: as it is printed.
        kind: `switch`, `adapter`, `router` or `aggregation`.
        host: the host that an adapter's description names; otherwise None.
        guid: its node GUID, `0x…`.
        ports: how many it has.
        cables: how many of them have a cable.
        at: the port at the other end of its first cable; none without a cable.
    """

    name: str
    kind: str
    host: str | None
    guid: str
    ports: int
    cables: int
    at: str | None


@dataclass(frozen=True)
class NodeChange:
    """A node that is not as it was.

    Attributes:
        change: `gone`, `new`, `replaced` (another GUID in the same position), `renamed`, or `ports` (another number).
        old: the node before; none where it is new.
        new: the node now; none where it is gone.
        by: of a replaced node, how it was found: by `name` or `place`.
        cables: of a replaced node, how many cables lead where they did.
    """

    change: str
    old: Node | None
    new: Node | None
    by: str | None = None
    cables: int | None = None


@dataclass(frozen=True)
class CableChange:
    """A cable that is not as it was.

    Attributes:
        change: `gone`, `new`, `moved` (one end is where it was) or `rate` (width or speed).
        at: the switch that it is listed under.
        old: its ends before; of a moved one the end that stayed comes first.
        new: its ends now, in the same order.
        rates: what the first end reported and reports, where that is the change.
        with_node: whether a node at an end is gone or new.
    """

    change: str
    at: str
    old: tuple[str, str] | None
    new: tuple[str, str] | None
    rates: tuple[str | None, str | None] | None
    with_node: bool


@dataclass(frozen=True)
class Cabling:
    """Two states of a fabric, compared.

    Attributes:
        nodes: those that are not as they were.
        cables: the same of cables, switch by switch.
        lids: ports with their LIDs before and now, where both are known and differ in base or LMC.
        same: how many cables both have.
        no_guid: whether no node GUID is in common, so that nodes are recognised by names and cables.
    """

    nodes: tuple[NodeChange, ...]
    cables: tuple[CableChange, ...]
    lids: tuple[tuple[str, int, int], ...]
    same: int
    no_guid: bool

    @property
    def equal(self) -> bool:
        """Whether nothing is different."""
        return not (self.nodes or self.cables or self.lids)

    def __repr__(self) -> str:
        return f"<{len(self.nodes)} nodes, {len(self.cables)} cables and {len(self.lids)} LIDs differ>"


def fabrics(old: Fabric, new: Fabric, *, by_name: bool = False) -> Cabling:
    """Compare two states of a fabric: nodes by GUID, then by name, then by position.

    Args:
        old: the state before.
        new: the state now.
        by_name: ignore GUIDs, as of two generated fabrics, whose GUIDs are consecutive numbers.

    Raises:
        LacisError: when they have neither a node GUID nor a node name in common.
    """
    found = _core.cabling_difference(old, new, by_name=by_name)

    def node(facts: Any) -> Node | None:
        return None if facts is None else Node(**facts)

    nodes = tuple(
        NodeChange(row["change"], node(row["old"]), node(row["new"]), row.get("by"), row.get("cables"))
        for row in found["nodes"]
    )
    cables = tuple(CableChange(**row) for row in found["cables"])
    return Cabling(nodes, cables, tuple(found["lids"]), found["same"], found["no_guid"])
