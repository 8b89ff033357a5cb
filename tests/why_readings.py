"""Readings of all ports of a fabric, made by hand: every counter is 0 but for those that a test names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lacis.counters import LinkState, Readings
from lacis.counters.readings import empty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lacis._core import Fabric

COUNTERS = (
    *("XmitData", "RcvData", "XmitWait", "SymbolErrors", "LinkErrorRecovery", "LinkDowned", "RcvErrors"),
    *("XmitDiscards", "LocalLinkIntegrityErrors", "ExcessiveBufferOverruns", "UncorrectableErrors"),
)
WIDE = ("XmitData", "RcvData", "XmitWait")
AT = 1_760_000_000
"""Seconds since 1970 of the first reading."""


def readings(
    fabric: Fabric,
    seconds: int,
    values: Mapping[tuple[str, str], int] | None = None,
    unit: int = 4,
    more: tuple[str, ...] = (),
    counters: tuple[str, ...] = COUNTERS,
) -> Readings:
    """What a sweep reads so many seconds after the first.

    Args:
        fabric: whose ports.
        seconds: after `AT`.
        values: by a port such as `edge1[25]` and a counter.
        unit: bytes of one of XmitData.
        more: counters beside these, of which none is wide.
        counters: those that the source has.
    """
    cables = fabric.cables().reshape(-1, 2).astype(np.int64)
    guids, names = fabric.guids(), fabric.descriptions()
    found = empty(len(cables), (*counters, *more))
    for counter in (*counters, *more):
        found.known[counter][:] = True
        found.wide[counter][:] = counter in WIDE
    row_of = {f"{names[node]}[{port}]": row for row, (node, port) in enumerate(cables.tolist())}
    for (port, counter), value in (values or {}).items():
        found.values[counter][row_of[port]] = value
    time = (AT + seconds) * 10**9
    return replace(
        found,
        guids=guids[cables[:, 0]],
        ports=cables[:, 1].astype(np.uint16),
        times=np.full(len(cables), time),
        states=np.full(len(cables), LinkState.ACTIVE, np.uint8),
        unit=unit,
        started=time,
        ended=time,
    ).sorted()


def rows_of(fabric: Fabric, found: Readings, *ports: str) -> np.ndarray:
    """Which rows are these ports."""
    names = dict(zip(fabric.guids().tolist(), fabric.descriptions(), strict=True))
    labels = [
        f"{names[guid]}[{port}]"
        for guid, port in zip(found.guids.tolist(), found.ports.tolist(), strict=True)
    ]
    return np.isin(labels, ports)
