"""The attributes that are asked for: how a request for each is written, and where an answer has what.

InfiniBand Architecture Specification, volume 1, release 1.4: NodeInfo 14.2.5.3, SwitchInfo 14.2.5.4, PortInfo 14.2.5.6,
ClassPortInfo 13.4.8.1 with the capabilities of 16.1.3.1, PortCounters 16.1.3.5, PortCountersExtended 16.1.4.11. The bits of
PortInfo that say XDR are newer: they are where libibmad of rdma-core has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SUBNET, PERFORMANCE, DIRECTED = 0x01, 0x04, 0x81
"""Management classes: of switches and adapters as the manager sees them, by LID, of their counters, and the first by the path to a node."""
MOST_HOPS = 23
"""Links of a path that a request has room for."""
GET, SET = 0x01, 0x02


@dataclass(frozen=True)
class Attribute:
    """An attribute: its class and its number there."""

    management_class: int
    number: int


NODE_INFO = Attribute(SUBNET, 0x0011)
SWITCH_INFO = Attribute(SUBNET, 0x0012)
PORT_INFO = Attribute(SUBNET, 0x0015)
CLASS_PORT_INFO = Attribute(PERFORMANCE, 0x0001)
PORT_COUNTERS = Attribute(PERFORMANCE, 0x0012)
PORT_COUNTERS_EXTENDED = Attribute(PERFORMANCE, 0x001D)

PORT_SELECT = 1
"""Byte of the data of both attributes of counters that has the port's number."""

EXTENDED, EXTENDED_WITHOUT_CAST, XMIT_WAIT = 1 << 9, 1 << 10, 1 << 12
"""Bits of ClassPortInfo's CapabilityMask: counters of 64 bits with or without those of unicast and multicast, PortXmitWait."""
MORE_EXTENDED = 1 << 1
"""A bit of its CapabilityMask2: errors in 64 bits, too."""


@dataclass(frozen=True)
class Slot:
    """Where an answer has a value: its first byte, its bits, and how far it is shifted within its bytes."""

    byte: int
    bits: int
    shift: int = 0


NARROW: dict[str, Slot] = {
    "SymbolErrors": Slot(4, 16),
    "LinkErrorRecovery": Slot(6, 8),
    "LinkDowned": Slot(7, 8),
    "RcvErrors": Slot(8, 16),
    "RcvRemotePhysicalErrors": Slot(10, 16),
    "RcvSwitchRelayErrors": Slot(12, 16),
    "XmitDiscards": Slot(14, 16),
    "XmitConstraintErrors": Slot(16, 8),
    "RcvConstraintErrors": Slot(17, 8),
    "LocalLinkIntegrityErrors": Slot(19, 4, 4),
    "ExcessiveBufferOverruns": Slot(19, 4),
    "VL15Dropped": Slot(22, 16),
    "XmitData": Slot(24, 32),
    "RcvData": Slot(28, 32),
    "XmitPkts": Slot(32, 32),
    "RcvPkts": Slot(36, 32),
    "XmitWait": Slot(40, 32),
}
"""PortCounters."""
WIDE: dict[str, Slot] = {
    name: Slot(8 + 8 * number, 64)
    for number, name in enumerate(("XmitData", "RcvData", "XmitPkts", "RcvPkts"))
}
"""PortCountersExtended, as every node has it that has it at all."""
CAST: dict[str, Slot] = {
    name: Slot(40 + 8 * number, 64)
    for number, name in enumerate(
        ("UnicastXmitPkts", "UnicastRcvPkts", "MulticastXmitPkts", "MulticastRcvPkts")
    )
}
"""What it has beside, but for nodes that count without them."""
MORE: dict[str, Slot] = {
    name: Slot(72 + 8 * number, 64)
    for number, name in enumerate(
        (
            "SymbolErrors",
            "LinkErrorRecovery",
            "LinkDowned",
            "RcvErrors",
            "RcvRemotePhysicalErrors",
            "RcvSwitchRelayErrors",
            "XmitDiscards",
            "XmitConstraintErrors",
            "RcvConstraintErrors",
            "LocalLinkIntegrityErrors",
            "ExcessiveBufferOverruns",
            "VL15Dropped",
            "XmitWait",
        )
    )
}
"""What it has where the node says so."""


def values(data: NDArray[np.uint8], slots: Mapping[str, Slot]) -> dict[str, NDArray[np.uint64]]:
    """The values of answers, a row each, by name."""
    return {name: value(data, slot) for name, slot in slots.items()}


def value(data: NDArray[np.uint8], slot: Slot) -> NDArray[np.uint64]:
    """One value of each answer."""
    size = (slot.bits + 7) // 8
    whole = np.ascontiguousarray(data[:, slot.byte : slot.byte + size]).view(f">u{size}")[:, 0]
    return (whole.astype(np.uint64) >> np.uint64(slot.shift)) & np.uint64((1 << slot.bits) - 1)


NODE_GUID, PORT_GUID = Slot(12, 64), Slot(20, 64)
"""Of NodeInfo."""
TABLE_TOP, CHANGED = Slot(6, 16), Slot(11, 1, 2)
"""Of SwitchInfo: the greatest LID of its table, and whether a port has changed since the manager looked."""
CAPABILITIES, CAPABILITIES_2 = Slot(2, 16), Slot(4, 27, 5)
"""Of ClassPortInfo."""
LOCAL_PORT = Slot(36, 8)
"""Of NodeInfo: the port by which the request came."""
PORT_STATE, PHYSICAL_STATE = Slot(32, 4), Slot(33, 4, 4)
"""Of PortInfo, as `LinkState` and `PhysicalState` number them."""
WIDTH, SPEED, SPEED_EXTENDED, SPEED_EXTENDED_2 = Slot(31, 8), Slot(35, 4, 4), Slot(62, 4, 4), Slot(56, 2, 5)
"""Of PortInfo: the active width as a bit, and the active speed: where one of the last two is not 0, it is that one."""
CAPABILITY_MASK = Slot(20, 32)
"""Of PortInfo."""
EXTENDED_SPEEDS = 1 << 14
"""A bit of it: the last two speeds mean something. Of a switch its port 0 says so."""
LANES = {1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
"""Lanes by the bit of a width."""
SPEEDS = {1: "SDR", 2: "DDR", 4: "QDR"}
SPEEDS_EXTENDED = {1: "FDR", 2: "EDR", 4: "HDR", 8: "NDR"}
SPEEDS_EXTENDED_2 = {1: "XDR"}
"""Names of the three."""
