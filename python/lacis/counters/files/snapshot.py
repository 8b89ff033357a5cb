"""The counters of `opareport -o snapshot` with statistics: Omni-Path, which counts data in flits of 8 bytes. The core reads the XML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ... import _core
from ...errors import LacisError
from ..fields import FIELDS
from .rows import Port

if TYPE_CHECKING:
    from .rows import Rows

_FLIT = 8


def recognises(text: str) -> bool:
    """Whether a text is a report of opareport's."""
    head = text[:4096]
    return "<Report" in head or "<Snapshot" in head


def read(data: bytes, rows: Rows) -> None:
    """Reads all ports.

    Raises:
        LacisError: when it is no snapshot, or one without counters.
    """
    fabric = json.loads(_core.read_fabric(data).to_json())
    rows.unit = _FLIT
    if made := fabric.get("counters_read_at"):
        rows.time = made * 10**9
    for node in fabric["nodes"]:
        own = int(node.get("guid", "0"), 16)
        lids = {port["number"]: port.get("lid", 0) for port in node.get("ports", ())}
        for port in node.get("ports", ()):
            counters = port.get("counters")
            if not counters or not own:
                continue
            row = rows.port(Port(own, port["number"], lid=port.get("lid", 0) or lids.get(0, 0)))
            for name, value in counters.items():
                if name in FIELDS:
                    # PortStatus has 64 bits for most; LinkErrorRecovery and LinkDowned have 32, which they do not reach.
                    rows.count(row, name, value, is_wide=True)
    if not len(rows):
        raise LacisError("the snapshot has no counters: opareport makes one with them by -o snapshot -s")
