"""Links that carry almost all that they can, and ports that are down, silent, or count no further."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..counters import FIELDS, LinkState, Lost
from ..counters.links import active_rates, is_slower, rates
from ..facts.watch import CounterFull, JobFlows, LinkHot, LinkIsDown, LinkSlow, PortsSilent
from ..live.usage import usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..counters import Growth, Readings
    from ..fabric.ports import Ports
    from .conditions import Key

COOL = 0.8
"""A link that was hot is no longer when it carries less than this share of what made it so."""


def hot(
    growth: Growth,
    ports: Ports,
    share: float,
    is_open: Callable[[Key], bool],
    jobs: Callable[[int], tuple[JobFlows, ...]],
) -> tuple[dict[Key, LinkHot], set[Key]]:
    """Links that carry at least a share of their rate, by either of their ports, and ports of which that is not known.

    Args:
        growth: from the last sweep but one to the last.
        ports: of the fabric.
        share: from which on a link is hot.
        is_open: whether a link was hot before, so that less is enough.
        jobs: those whose flows leave by a port, by its row.
    """
    now = usage(ports, growth)
    shares = now.share
    found: dict[Key, LinkHot] = {}
    for row in np.flatnonzero((shares >= share * COOL) & ports.is_cabled).tolist():
        key = _key(ports, row)
        if shares[row] >= share or is_open(key):
            ends = ports.ends(row)
            found[key] = LinkHot(*ends, float(shares[row]), float(now.sent[row]), jobs(row))
    return found, {_key(ports, row) for row in np.flatnonzero(np.isnan(shares) & ports.is_cabled).tolist()}


def down(readings: Readings, ports: Ports) -> tuple[dict[Key, LinkIsDown], set[Key]]:
    """Cables of which an end is down, and those of which no end's state is known."""
    rows = ports.rows(readings.guids, readings.ports)
    states = np.zeros(len(ports), np.uint8)
    here = rows >= 0
    states[rows[here]] = readings.states[here]
    found: dict[Key, LinkIsDown] = {}
    for row in np.flatnonzero((states == LinkState.DOWN) & ports.is_cabled).tolist():
        found.setdefault(ports.cable(row), LinkIsDown(*ports.ends(row)))
    far = ports.of_far(states, 0)
    silent = np.flatnonzero((states == LinkState.UNKNOWN) & (far == LinkState.UNKNOWN) & ports.is_cabled)
    return found, {ports.cable(row) for row in silent.tolist()}


def slow(readings: Readings, ports: Ports) -> tuple[dict[Key, LinkSlow], set[Key]]:
    """Cables whose link carries less than the fabric says, and those of which no end says what it carries."""
    rows = ports.rows(readings.guids, readings.ports)
    here = np.flatnonzero(rows >= 0)
    # Planes of one port share its cable, and carry what they do together.
    carried, said = np.zeros(len(ports)), np.zeros(len(ports), np.bool_)
    active = active_rates(readings)
    np.add.at(carried, rows[here], active[here])
    said[rows[here]] = True
    carried = np.where(said, carried, np.nan)
    reading_of = np.zeros(len(ports), np.intp)
    reading_of[rows[here]] = here
    found: dict[Key, LinkSlow] = {}
    for row in np.flatnonzero(is_slower(carried, ports.rates) & ports.is_cabled).tolist():
        share = float(carried[row] / ports.rates[row])
        (rate,) = rates(readings.taken(reading_of[row : row + 1]))
        found.setdefault(ports.cable(row), LinkSlow(*ports.ends(row), rate or "", share))
    far = ports.of_far(carried, np.nan)
    unsaid = np.flatnonzero(np.isnan(carried) & np.isnan(far) & ports.is_cabled)
    return found, {ports.cable(row) for row in unsaid.tolist()}


def silent(readings: Readings, ports: Ports) -> dict[Key, PortsSilent]:
    """Ports that give no answer, by node."""
    names: dict[int, list[str]] = {}
    ends = np.array([(one.guid, one.port) for one in readings.unread], np.uint64).reshape(-1, 2)
    rows = ports.rows(ends[:, 0], ends[:, 1].astype(np.uint16))
    for one, row in zip(readings.unread, rows.tolist(), strict=True):
        names.setdefault(one.guid, []).append(
            ports.name(row) if row >= 0 else f"0x{one.guid:016x}[{one.port}]"
        )
    return {(guid,): PortsSilent(len(some), some[0]) for guid, some in names.items()}


def full(growth: Growth, ports: Ports) -> dict[Key, CounterFull]:
    """Counters that stand at their greatest value on some ports; those of data and packets are nothing but large."""
    found: dict[Key, CounterFull] = {}
    for name, lost in growth.lost.items():
        rows = np.flatnonzero(lost == Lost.FULL)
        if len(rows) and FIELDS[name].bits:
            row = int(ports.rows(growth.guids[rows[:1]], growth.ports[rows[:1]])[0])
            at = rows[0]
            first = ports.name(row) if row >= 0 else f"0x{growth.guids[at]:016x}[{growth.ports[at]}]"
            found[name,] = CounterFull(name, len(rows), first)
    return found


def _key(ports: Ports, row: int) -> Key:
    return int(ports.guids[row]), int(ports.numbers[row])
