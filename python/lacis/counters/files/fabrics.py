"""Counters that a fabric has: those of `opareport -o snapshot` with statistics, of a fabric file, and of files that the core reads for findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ... import _core
from ...errors import LacisError
from ..fields import FIELDS
from .rows import Port, Rows

if TYPE_CHECKING:
    from ..readings import Readings

_FLIT = 8
"""Bytes that Omni-Path counts as one."""


def of_fabric(fabric: _core.Fabric) -> Readings:
    """The counters that a fabric was read with: from its own file, or by `lacis.with_counters`.

    Raises:
        LacisError: when it has none.
    """
    rows = Rows("", 0)
    add_counters(fabric, rows)
    return rows.readings()


def is_snapshot(text: str) -> bool:
    """Whether a text is a report of opareport's."""
    head = text[:4096]
    return "<Report" in head or "<Snapshot" in head


def read_snapshot(data: bytes, rows: Rows) -> None:
    """Reads a snapshot.

    Raises:
        LacisError: when it is none, or one without counters.
    """
    add_counters(_core.read_fabric(data), rows)


def add_counters(fabric: _core.Fabric, rows: Rows) -> None:
    """Adds the counters of a fabric to rows.

    Raises:
        LacisError: when it has none.
    """
    is_omni_path = fabric.technology == "Omni-Path"
    whole = json.loads(fabric.to_json())
    rows.unit = _FLIT if is_omni_path else 4
    if made := whole.get("counters_read_at"):
        rows.time = made * 10**9
    for node in whole["nodes"]:
        own = int(node.get("guid", "0"), 16)
        ports = node.get("ports", ())
        of_switch = next((port.get("lid", 0) for port in ports if port["number"] == 0), 0)
        for port in ports:
            counters = port.get("counters")
            if not counters or not own:
                continue
            row = rows.port(Port(own, port["number"], lid=port.get("lid", 0) or of_switch))
            for name, value in counters.items():
                if name in FIELDS:
                    # PortStatus has 64 bits for most; LinkErrorRecovery and LinkDowned have 32, which they do not reach.
                    # Of InfiniBand's the fabric does not know the width: data have 64 bits wherever an adapter has them.
                    is_data = name.endswith(("Data", "Pkts")) and value != 0xFFFF_FFFF
                    rows.count(row, name, value, is_wide=is_omni_path or is_data)
    if not len(rows):
        more = ": opareport makes a snapshot with them by -o snapshot -s" if is_omni_path else ""
        raise LacisError(f"has no counters{more}")
