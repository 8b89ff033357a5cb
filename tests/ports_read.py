"""Readings of a fabric's ports made by hand: what live views show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lacis.counters.readings import empty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lacis.counters import Readings
    from lacis.fabric.ports import Ports

SECOND = 1_000_000_000
NAMES = (
    "XmitData",
    "RcvData",
    "XmitPkts",
    "RcvPkts",
    "XmitWait",
    "SymbolErrors",
    "LinkDowned",
    "VL15Dropped",
)
_WIDE = ("XmitData", "RcvData", "XmitPkts", "RcvPkts")


def read(ports: Ports, at: int, values: Mapping[str, Mapping[int, int]]) -> Readings:
    """All ports read at a second; values by counter and row, 0 for others."""
    made = empty(len(ports), NAMES)
    made.guids[:], made.ports[:] = ports.guids, ports.numbers
    made.times[:] = at * SECOND
    for name in NAMES:
        made.known[name][:] = True
        made.wide[name][:] = name in _WIDE
        for row, value in values.get(name, {}).items():
            made.values[name][row] = value
    return replace(made, started=at * SECOND, ended=at * SECOND, source="by hand")


def row_of(ports: Ports, name: str) -> int:
    """The row of a port by its name."""
    return next(at for at in range(len(ports)) if ports.name(at) == name)


def cable(ports: Ports) -> tuple[int, int, float]:
    """The two ends of the first cable between a leaf and a spine, and its rate."""
    at = next(
        at
        for at in range(len(ports))
        if ports.names[ports.nodes[at]].startswith("leaf") and ports.far[at] >= 0
        if ports.names[ports.nodes[ports.far[at]]].startswith("spine")
    )
    return at, int(ports.far[at]), float(ports.rates[at])
