"""The counters of a port: names as the core and Omni-Path's snapshots spell them, widths, and what each counts.

Widths are those of PortCounters and PortCountersExtended (InfiniBand Architecture Specification, volume 1, release 1.4,
16.1.3.5 and 16.1.4.11). A counter of PortCounters stays at its greatest value once that is reached; one of 64 bits does not get there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Sort(Enum):
    """What a counter counts."""

    DATA = "data"
    """Words of 4 bytes on InfiniBand, flits of 8 bytes on Omni-Path: `Readings.unit` says which."""
    PACKETS = "packets"
    WAITING = "waiting"
    """Ticks in which data waited to be sent; how long a tick lasts is the device's own matter, and assumed."""
    LINK = "link"
    """Errors that accuse the cable or a transceiver at one of its ends."""
    RECEIVER = "receiver"
    """Packets that the port could not take in: the far end or the cable sent them damaged, or this port had no buffer."""
    SENDER = "sender"
    """Packets that the port could not send: dropped for congestion, for time or for a link that was down."""
    SETTING = "setting"
    """Packets refused by a rule: partition keys, tables that lead nowhere, management packets without a buffer."""
    CONGESTION = "congestion"
    """Marks and discards of congestion: nothing is broken."""


@dataclass(frozen=True)
class Field:
    """A counter.

    Attributes:
        name: as the core spells it, and the column of the store: `XmitData`.
        sort: what it counts.
        bits: how wide it is in PortCounters; 0 where it is not there.
        wide: whether PortCountersExtended or Omni-Path's PortStatus has it with 64 bits.
    """

    name: str
    sort: Sort
    bits: int
    wide: bool


FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("XmitData", Sort.DATA, 32, wide=True),
        Field("RcvData", Sort.DATA, 32, wide=True),
        Field("XmitPkts", Sort.PACKETS, 32, wide=True),
        Field("RcvPkts", Sort.PACKETS, 32, wide=True),
        Field("UnicastXmitPkts", Sort.PACKETS, 0, wide=True),
        Field("UnicastRcvPkts", Sort.PACKETS, 0, wide=True),
        Field("MulticastXmitPkts", Sort.PACKETS, 0, wide=True),
        Field("MulticastRcvPkts", Sort.PACKETS, 0, wide=True),
        Field("XmitWait", Sort.WAITING, 32, wide=False),
        Field("SymbolErrors", Sort.LINK, 16, wide=False),
        Field("LinkErrorRecovery", Sort.LINK, 8, wide=False),
        Field("LinkDowned", Sort.LINK, 8, wide=False),
        Field("LocalLinkIntegrityErrors", Sort.LINK, 4, wide=False),
        Field("FecUncorrectable", Sort.LINK, 0, wide=True),
        Field("EffectiveErrors", Sort.LINK, 0, wide=True),
        Field("UncorrectableErrors", Sort.LINK, 0, wide=True),
        Field("RcvErrors", Sort.RECEIVER, 16, wide=False),
        Field("RcvRemotePhysicalErrors", Sort.RECEIVER, 16, wide=False),
        Field("ExcessiveBufferOverruns", Sort.RECEIVER, 4, wide=False),
        Field("XmitDiscards", Sort.SENDER, 16, wide=False),
        Field("RcvSwitchRelayErrors", Sort.SETTING, 16, wide=False),
        Field("XmitConstraintErrors", Sort.SETTING, 8, wide=False),
        Field("RcvConstraintErrors", Sort.SETTING, 8, wide=False),
        Field("VL15Dropped", Sort.SETTING, 16, wide=False),
        Field("FMConfigErrors", Sort.SETTING, 0, wide=True),
        Field("CongDiscards", Sort.CONGESTION, 0, wide=True),
        Field("RcvFECN", Sort.CONGESTION, 0, wide=True),
        Field("RcvBECN", Sort.CONGESTION, 0, wide=True),
        Field("XmitTimeCong", Sort.CONGESTION, 0, wide=True),
        Field("XmitWastedBW", Sort.CONGESTION, 0, wide=True),
        Field("XmitWaitData", Sort.CONGESTION, 0, wide=True),
        Field("RcvBubble", Sort.CONGESTION, 0, wide=True),
        Field("MarkFECN", Sort.CONGESTION, 0, wide=True),
    )
}
"""By name, in the order in which they are shown."""

TICK = 8
"""Bytes that could have been sent in a tick of XmitWait: assumed, as devices differ (UFM's rules take 8, or 32)."""
