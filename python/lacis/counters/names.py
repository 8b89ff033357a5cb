"""What ports are called: by a fabric, or by their GUIDs where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..fabric.ports import ports_of
from .shares import agreed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric
    from .growth import Growth


class PortNames:
    """Names of nodes and ports.

    Args:
        fabric: that has them; without one a node is called by its GUID.
        nodes: names by GUID, of nodes that no fabric has.
        peers: ports at other ends, by GUID and number, the same.
    """

    def __init__(
        self,
        fabric: Fabric | None = None,
        nodes: Mapping[int, str] | None = None,
        peers: Mapping[tuple[int, int], str] | None = None,
    ) -> None:
        self._ports = ports_of(fabric) if fabric is not None else None
        self._nodes = dict(nodes or {})
        self._peers = dict(peers or {})
        if fabric is None or self._ports is None:
            return
        self._nodes |= dict(zip(fabric.guids().tolist(), self._ports.names, strict=True))
        far = self._ports.far.tolist()
        ends = zip(self._ports.guids.tolist(), self._ports.numbers.tolist(), far, strict=True)
        self._peers |= {(guid, port): self._ports.name(row) for guid, port, row in ends if row >= 0}

    def agreed(self, growth: Growth) -> Growth:
        """A growth without what the other ends of cables contradict, as far as a fabric says where they are."""
        return growth if self._ports is None else agreed(growth, self._ports)

    def node(self, guid: int) -> str:
        """A node's description."""
        return self._nodes.get(guid) or f"0x{guid:016x}"

    def port(self, guid: int, port: int) -> str:
        """A port: `leaf-01[17]`."""
        return f"{self.node(guid)}[{port}]"

    def peer(self, guid: int, port: int) -> str | None:
        """The port at the other end of a port's cable; none where that is not known."""
        return self._peers.get((guid, port))
