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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
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
    if not beyond.any():
        return growth
    values, lost = dict(growth.values), dict(growth.lost)
    for name in growth.values:
        if FIELDS[name].sort in (Sort.DATA, Sort.PACKETS):
            mine = beyond & (lost[name] == Lost.NOTHING)
            lost[name] = np.where(mine, Lost.BEYOND, lost[name]).astype(np.uint8)
            values[name] = np.where(mine, 0, values[name])
    return replace(growth, values=values, lost=lost)
