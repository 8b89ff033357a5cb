"""What each port of a fabric did in an interval, from the growth of its counters and of those at the other end of its cable.

The rate of a port is that of opatop: the greater of what it says that it sent and what the far end says that it received; so
that one end alone is enough. Categories of errors are opatop's, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..counters import Lost
from ..counters.fields import TICK
from ..counters.shares import agreed, plausible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..counters import Growth
    from ..fabric.ports import Ports

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "integrity": (
        *("SymbolErrors", "LinkErrorRecovery", "LinkDowned", "LocalLinkIntegrityErrors", "RcvErrors"),
        *("RcvRemotePhysicalErrors", "ExcessiveBufferOverruns", "UncorrectableErrors", "FMConfigErrors"),
        *("FecUncorrectable", "EffectiveErrors"),
    ),
    "congestion": ("XmitDiscards", "CongDiscards", "RcvFECN", "RcvBECN", "XmitTimeCong", "MarkFECN"),
    "sma congestion": ("VL15Dropped",),
    "bubble": ("XmitWastedBW", "XmitWaitData", "RcvBubble"),
    "security": ("XmitConstraintErrors", "RcvConstraintErrors"),
    "routing": ("RcvSwitchRelayErrors",),
}
"""A category of errors, and the counters that make it up."""


@dataclass(frozen=True)
class Usage:
    """What ports did, a row for each of `ports`; NaN where it is not known.

    Attributes:
        ports: the ports.
        begin: when the interval began, nanoseconds since 1970; 0 where nothing was read.
        end: when it ended.
        seconds: how long it was for each port.
        sent: bytes per second that each port sent.
        packets: packets per second that it sent.
        waited: share of the time in which data waited to be sent; the length of a tick is assumed.
        counts: by counter: growth in the interval, as numbers.
        read: whether the port was read at both ends of the interval.
    """

    ports: Ports
    begin: int
    end: int
    seconds: NDArray[np.float64]
    sent: NDArray[np.float64]
    packets: NDArray[np.float64]
    waited: NDArray[np.float64]
    counts: Mapping[str, NDArray[np.float64]]
    read: NDArray[np.bool_]

    @cached_property
    def share(self) -> NDArray[np.float64]:
        """What each port sent as a share of what its cable carries; NaN where either is not known."""
        return self.sent / self.ports.rates

    @cached_property
    def received(self) -> NDArray[np.float64]:
        """Bytes per second that each port received: what the far end sent."""
        return self.ports.of_far(self.sent, np.nan)

    def errors(self, category: str) -> NDArray[np.float64]:
        """Errors of a category in the interval, NaN where none of its counters is known."""
        known = [self.counts[name] for name in CATEGORIES[category] if name in self.counts]
        if not known:
            return np.full(len(self.ports), np.nan)
        stacked = np.stack(known)
        return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def usage(ports: Ports, growth: Growth | None) -> Usage:
    """What ports did while counters grew; nothing is known where no growth is given.

    Planes of one port are added up.
    """
    count = len(ports)
    if growth is None or not len(growth):
        unknown = np.full(count, np.nan)
        return Usage(ports, 0, 0, unknown, unknown, unknown, unknown, {}, np.zeros(count, np.bool_))
    rows = ports.rows(growth.guids, growth.ports)
    growth = agreed(plausible(growth, np.where(rows >= 0, ports.rates[rows], np.nan)), ports)
    there = np.flatnonzero(rows >= 0)
    rows = rows[there]
    counts = {name: _of_ports(count, rows, _grown(growth, name)[there]) for name in growth.values}
    seconds = np.full(count, np.nan)
    seconds[rows] = growth.seconds[there]
    read = np.zeros(count, np.bool_)
    known = [growth.lost[name][there] != Lost.ABSENT for name in growth.lost]
    if known:
        read[rows] = np.any(known, axis=0)
    nothing = np.full(count, np.nan)
    data = np.fmax(counts.get("XmitData", nothing), ports.of_far(counts.get("RcvData", nothing), np.nan))
    packets = np.fmax(counts.get("XmitPkts", nothing), ports.of_far(counts.get("RcvPkts", nothing), np.nan))
    time = np.fmax(seconds, ports.of_far(seconds, np.nan))
    begins, ends = growth.begins[growth.begins > 0], growth.ends[growth.ends > 0]
    return Usage(
        ports=ports,
        begin=int(begins.min()) if len(begins) else 0,
        end=int(ends.max()) if len(ends) else 0,
        seconds=seconds,
        sent=data * growth.unit / time,
        packets=packets / time,
        waited=np.minimum(counts.get("XmitWait", nothing) * TICK / (ports.rates * seconds), 1.0),
        counts=counts,
        read=read,
    )


def _grown(growth: Growth, name: str) -> NDArray[np.float64]:
    """Growth of a counter as numbers; NaN where it is not known."""
    return np.where(growth.lost[name] == Lost.NOTHING, growth.values[name].astype(np.float64), np.nan)


def _of_ports(count: int, rows: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values by port, those of its planes added up; a plane that is not known makes the sum so."""
    sums = np.bincount(rows, weights=np.nan_to_num(values), minlength=count)
    unknown = np.bincount(rows, weights=np.isnan(values), minlength=count) > 0
    present = np.bincount(rows, minlength=count) > 0
    return np.where(present & ~unknown, sums, np.nan)
