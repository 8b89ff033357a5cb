"""Which node a LID or a port's GUID belongs to, as a fabric says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..readings import LinkState

if TYPE_CHECKING:
    from ..._core import Fabric

_STATES = {
    "down": LinkState.DOWN,
    "init": LinkState.INIT,
    "initialize": LinkState.INIT,
    "armed": LinkState.ARMED,
    "active": LinkState.ACTIVE,
}


class Nodes:
    """LIDs and GUIDs of a fabric's nodes; without a fabric it knows none."""

    def __init__(self, fabric: Fabric | None) -> None:
        self.is_known = fabric is not None
        self._of_lid: dict[int, int] = {}
        self._of_port_guid: dict[int, int] = {}
        self._nodes: set[int] = set()
        self._lids: dict[tuple[int, int], int] = {}
        for node in json.loads(fabric.to_json())["nodes"] if fabric is not None else ():
            self._add(node)

    def _add(self, node: dict[str, Any]) -> None:
        own = int(node.get("guid", "0"), 16)
        if not own:
            return
        self._nodes.add(own)
        for port in node.get("ports", ()):
            if port_guid := int(port.get("guid", "0"), 16):
                self._of_port_guid.setdefault(port_guid, own)
            if lid := port.get("lid", 0):
                for each in range(lid, lid + (1 << port.get("lmc", 0))):
                    self._of_lid.setdefault(each, own)
                self._lids[own, port["number"]] = lid

    def has(self, guid: int) -> bool:
        """Whether the fabric has a node."""
        return guid in self._nodes

    def of_lid(self, lid: int) -> int | None:
        """The GUID of the node that has a LID."""
        return self._of_lid.get(lid)

    def of_guid(self, guid: int) -> int:
        """The GUID of a node, given its own or one of its ports'; as it is where the fabric does not know it."""
        return guid if guid in self._nodes else self._of_port_guid.get(guid, guid)

    def lid(self, guid: int, number: int) -> int:
        """The LID by which a port is read: its own, or that of its switch; 0 where that is not known."""
        return self._lids.get((guid, number)) or self._lids.get((guid, 0), 0)


def state(text: str) -> int:
    """The state of a link in words, such as `4: ACTIVE`."""
    word = text.rpartition(":")[2].strip().lower()
    return int(_STATES.get(word, LinkState.UNKNOWN))
