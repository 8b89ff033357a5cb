"""Racks that the names of switches and hosts begin with: `A09-P1-IBLEAF-02-03` is in rack `A09`, `rack12-leaf1` in `RACK12`.

The rule is the core's (`health/racks.rs`), by which the work list names racks; `tests/unit/test_racks.py` compares the two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .._core import Fabric

_NUMBERED = re.compile(r"(?:rack|r)[-_]?[0-9]+(?=[-_.])", re.ASCII | re.IGNORECASE)
"""`rack` or `r` and a number, and what ends it."""
_IN_ROW = re.compile(r"([A-Z]{1,2})[0-9]{2,3}(?=[-_.])", re.ASCII | re.IGNORECASE)
"""A row of one or two letters, a number of two or three digits, and what ends it."""


def rack_of(name: str) -> tuple[str, str]:
    """The rack that a name begins with, and the rack's row, in capitals; racks with numbers alone are in row `RACK`. Empty where it begins with none."""
    if found := _NUMBERED.match(name):
        return found[0].upper(), "RACK"
    if found := _IN_ROW.match(name):
        return found[0].upper(), found[1].upper()
    return "", ""


def racks_of(fabric: Fabric) -> list[str] | None:
    """The rack of each node, switches first, by the names of switches and hosts; empty for nodes whose name says none.

    Returns:
        None where names are not believed: some switch's begins with no rack, fewer than two thirds of the hosts' do, or
        a switch's row is none of hosts.
    """
    hosts = _core.hosts(fabric)
    found = [rack_of(name) for name in hosts.names]
    rows = {row for _, row in found if row}
    switches = [rack_of(name) for name, _ in fabric.switches()]
    named = sum(bool(rack) for rack, _ in found)
    if not switches or 3 * named < 2 * len(found) or not all(row in rows for _, row in switches):
        return None
    descriptions = fabric.descriptions()[fabric.num_switches :]
    racks = [rack for rack, _ in switches] + [rack_of(name)[0] for name in descriptions]
    for host, (rack, _) in enumerate(found):
        for node in hosts.adapters(host).tolist():
            racks[node] = rack
    return racks
