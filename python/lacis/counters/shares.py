"""What growth says of a port: its share of the link's payload rate, how much of it waited, and which errors accuse what.

Rates of payload are those of the link's width, speed and coding, as the fabric says. How long a tick of XmitWait lasts is not read from
any device: what is made of it is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..fabric.ports import ports_of
from .fields import FIELDS, TICK, Sort
from .lost import Lost
from .stretch import FASTEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
    from ..fabric.ports import Ports
    from .growth import Growth
    from .readings import Readings

_TOLERANCE = 1.05
"""Readings of a port are not made at the very time at which they are dated."""


def payload_rates(fabric: Fabric, of: Growth | Readings) -> NDArray[np.float64]:
    """Bytes of payload per second that each port's link carries in one direction; NaN where the fabric does not say.

    Args:
        fabric: with the rates of cables.
        of: ports, a row each.
    """
    ports = ports_of(fabric)
    rows = ports.rows(of.guids, of.ports)
    return np.where(rows >= 0, np.append(ports.rates, np.nan)[rows], np.nan)


def used(growth: Growth, name: str, rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the link's payload rate that `XmitData` or `RcvData` took; NaN where either is not known."""
    if name not in growth.values:
        return np.full(len(growth), np.nan)
    return growth.per_second(name) / rates


def waited(growth: Growth, rates: NDArray[np.float64], tick: float = TICK) -> NDArray[np.float64]:
    """The share of time in which data waited, if `tick` bytes could have been sent in a tick; NaN where it is not known."""
    if "XmitWait" not in growth.values:
        return np.full(len(growth), np.nan)
    return growth.per_second("XmitWait") * tick / rates


@dataclass(frozen=True)
class Accused:
    """Errors that accuse one thing.

    Attributes:
        count: how many have surely come, a port each.
        is_all: whether these are all; no where a counter was cleared, is full or could not be read.
        is_known: whether any counter of them is known.
    """

    count: NDArray[np.uint64]
    is_all: NDArray[np.bool_]
    is_known: NDArray[np.bool_]


def accused(growth: Growth, sort: Sort) -> Accused:
    """Errors of a sort: `Sort.LINK` accuses the cable, `RECEIVER` and `SENDER` this port's sides, `SETTING` a rule.

    A counter that its source does not have is left out: it makes no port unknown.
    """
    count = np.zeros(len(growth), np.uint64)
    is_all, is_known = np.ones(len(growth), np.bool_), np.zeros(len(growth), np.bool_)
    for name, lost in growth.lost.items():
        if FIELDS[name].sort is not sort:
            continue
        count += growth.at_least[name] if name in growth.at_least else growth.values[name]
        is_known |= lost != Lost.ABSENT
        is_all &= (lost == Lost.NOTHING) | (lost == Lost.ABSENT)
    return Accused(count, is_all & is_known, is_known)


def plausible(growth: Growth, rates: NDArray[np.float64]) -> Growth:
    """The growth without what no link of these rates carries: data and packets of such a port are `Lost.BEYOND`.

    Args:
        growth: of the ports.
        rates: bytes per second, as `payload_rates` gives them; NaN where it is not known.
    """
    beyond = np.zeros(len(growth), np.bool_)
    for name in growth.values:
        if FIELDS[name].sort is Sort.DATA:
            beyond |= growth.per_second(name) > rates * _TOLERANCE
    return _without(growth, beyond, Lost.BEYOND)


_DIFFERENT = 0.02
"""The share by which two ends of a link may differ: packets that were lost on it."""
_OWN_WORDS = 10_000
"""Words that the sweeps themselves send, of which one end may have counted more than the other."""


def agreed(growth: Growth, ports: Ports) -> Growth:
    """The growth without what the other end of a link contradicts: data and packets of such a port are `Lost.CLEARED`.

    A port that was cleared and has counted past all of its old values since shows nothing of that. But what it sends the port at the other
    end receives: where that has counted more than could be lost or was read too early or too late, this one was cleared.

    Args:
        growth: of the ports.
        ports: of the fabric, with its cables and rates.
    """
    if not {"XmitData", "RcvData"} <= growth.values.keys() or not len(growth):
        return growth
    rows = ports.rows(growth.guids, growth.ports)
    row_of = np.full(len(ports), -1)
    here = np.flatnonzero(rows >= 0)
    row_of[rows[here]] = here
    # Planes of one port have a row each, and are left out.
    single = np.bincount(rows[here], minlength=len(ports)) == 1
    pair = np.where((ports.far >= 0) & single, ports.far, -1)
    near = np.flatnonzero((pair >= 0) & (row_of >= 0))
    near = near[single[pair[near]] & (row_of[pair[near]] >= 0)]
    mine, other = row_of[near], row_of[pair[near]]
    apart = np.abs(growth.begins[mine] - growth.begins[other]) + np.abs(
        growth.ends[mine] - growth.ends[other]
    )
    rates = np.where(np.isfinite(ports.rates[near]), ports.rates[near], FASTEST)
    slack = apart / 1e9 * rates / growth.unit + _OWN_WORDS
    cleared = np.zeros(len(growth), np.bool_)
    for name, of_other in (("XmitData", "RcvData"), ("RcvData", "XmitData")):
        known = (growth.lost[name][mine] == Lost.NOTHING) & (growth.lost[of_other][other] == Lost.NOTHING)
        less, more = (
            growth.values[name][mine].astype(np.float64),
            growth.values[of_other][other].astype(np.float64),
        )
        # What was sent and never came says nothing of the receiver unless it is far more than links lose.
        cleared[mine] |= known & (more - less > slack + _DIFFERENT * more)
    return _without(growth, cleared, Lost.CLEARED)


def _without(growth: Growth, rows: NDArray[np.bool_], reason: Lost) -> Growth:
    """The growth without data and packets of some rows."""
    if not rows.any():
        return growth
    values, lost = dict(growth.values), dict(growth.lost)
    for name in growth.values:
        if FIELDS[name].sort in (Sort.DATA, Sort.PACKETS):
            mine = rows & (lost[name] == Lost.NOTHING)
            lost[name] = np.where(mine, reason, lost[name]).astype(np.uint8)
            values[name] = np.where(mine, 0, values[name])
    return replace(growth, values=values, lost=lost)
