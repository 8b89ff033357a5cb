"""Readings of counters, made by hand, and a source that gives one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lacis.counters import FIELDS, LinkState, Readings, Unread
from lacis.counters.readings import empty
from lacis.fabric.ports import ports_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lacis import Fabric

WIDE = {"XmitData", "RcvData", "XmitPkts", "RcvPkts"}
SECOND = 1_000_000_000
NAMES = (
    *sorted(WIDE),
    "SymbolErrors",
    "LinkDowned",
    "RcvErrors",
    "RcvRemotePhysicalErrors",
    "XmitWait",
    "XmitDiscards",
)


def read(
    fabric: Fabric,
    at: float,
    values: Mapping[str, Mapping[str, int]] | None = None,
    *,
    down: Sequence[str] = (),
    names: Sequence[str] = NAMES,
    silent: Sequence[str] = (),
) -> Readings:
    """What a sweep reads of the cabled ports of a fabric: 0 but for what is given, by `leaf-01[3]` and counter.

    Args:
        fabric: the fabric.
        at: when, seconds since 1970.
        values: by port, then by counter.
        down: ports whose link is down.
        names: the counters that the source has.
        silent: ports that are not read.
    """
    ports = ports_of(fabric)
    row_of = {ports.name(row): row for row in range(len(ports)) if ports.far[row] >= 0}
    rows = np.array([row for name, row in row_of.items() if name not in silent], np.intp)
    assert all(FIELDS[name] for name in names)
    made = empty(len(rows), names)
    time = round(at * SECOND)
    states = [LinkState.DOWN if ports.name(row) in down else LinkState.ACTIVE for row in rows]
    made = replace(
        made,
        guids=ports.guids[rows],
        ports=ports.numbers[rows],
        times=np.full(len(rows), time),
        states=np.array(states, np.uint8),
        known={name: np.ones(len(rows), np.bool_) for name in names},
        wide={name: np.full(len(rows), name in WIDE) for name in names},
        started=time - SECOND // 4,
        ended=time,
        source="by hand",
    )
    at_row = {ports.name(row): index for index, row in enumerate(rows)}
    for port, counters in (values or {}).items():
        for name, value in counters.items():
            made.values[name][at_row[port]] = value
    return made


def unread(readings: Readings, *ports: tuple[int, int, str]) -> Readings:
    """Readings with ports that gave no answer: GUID, number and reason."""
    return replace(readings, unread=tuple(Unread(*port) for port in ports))


class Given:
    """A source that gives readings in turn, and the last one for ever; an error among them is raised."""

    def __init__(self, *readings: Readings | Exception) -> None:
        self.left = list(readings)

    def sweep(self) -> Readings:
        first = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(first, Exception):
            raise first
        return first
