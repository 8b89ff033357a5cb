"""What `lacis counters --json` prints, and a line of a recording: one sweep of counters."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.counters import CountersRemark
from .base import Amount, Count, FabricReading, Guid, KeptRow, Positive, one_of

PortPhysical = Annotated[str, one_of("sleep", "polling", "disabled", "training", "up", "recovery", "test")]
LinkChange = Annotated[str, one_of("went_down", "came_up", "was_down", "slower", "faster")]
PortState = Annotated[str, one_of("unknown", "down", "init", "armed", "active")]
WhyLost = Annotated[str, one_of("absent", "cleared", "full", "gone", "clock", "damaged", "beyond")]
WhyUnread = Annotated[str, one_of("timeout", "status", "unsupported", "unreadable", "moved")]
Nanoseconds = Annotated[int, Meta(ge=0)]


class CounterRow(KeptRow, frozen=True, kw_only=True):
    """The counters of a port."""

    node: str
    """The description of its node; its GUID where no fabric says one."""
    guid: Guid
    """Of its node."""
    port: Count
    """Its number."""
    plane: Count = 0
    """The plane of a planarised adapter, from 1; 0 where there are none, or where it is not known."""
    peer: str | None
    """The port at the other end of its cable; null where that is not known."""
    lid: Count
    """The LID by which it was read; 0 where that is not known."""
    time: Nanoseconds
    """When the answer came [ns since 1970]; 0 where that is not known."""
    state: PortState
    """The state of its link, as far as the source says."""
    physical: PortPhysical | UnsetType = UNSET
    """What its transceivers do; absent where that is not known."""
    rate: str | UnsetType = UNSET
    """Lanes and speed of its link as they are now, `4xHDR`; absent where that is not known, or the link is down."""
    counters: dict[str, Count]
    """Every counter that the source has, by its name. XmitData and RcvData are multiples of `unit` bytes."""
    wide: list[str] | UnsetType = UNSET
    """Those of them with 64 bits; absent where they are those of `wide` outside."""
    seconds: Amount | UnsetType = UNSET
    """How long ago it was read before; absent in a first sweep."""
    sends: Amount | UnsetType | None = UNSET
    """Data sent since then [bytes/s]; null where that is not known."""
    receives: Amount | UnsetType | None = UNSET
    """Data received since then [bytes/s]; null where that is not known."""
    grown: dict[str, Positive] | UnsetType = UNSET
    """Counters that have grown since then, and by how much."""
    link: list[LinkChange] | UnsetType = UNSET
    """What has happened to its link since then; absent where nothing is known to have. `was_down`: down and back."""
    lost: dict[str, WhyLost] | UnsetType = UNSET
    """Counters whose growth is not known, and why: cleared, full, …"""


class UnreadRow(KeptRow, frozen=True, kw_only=True):
    """A port that was to be read and gave no answer, or not all of it."""

    node: str
    """The description of its node; its GUID where no fabric says one."""
    guid: Guid
    """Of its node."""
    port: Count
    """Its number."""
    reason: WhyUnread
    """No answer came, an answer with a status, an attribute that the node does not have, another defect, another node's LID."""
    detail: str
    """Such as the status; empty where there is nothing to say."""


class CountersDocument(FabricReading, frozen=True, tag="lacis.counters/1", kw_only=True):
    """`lacis counters FABRIC --json`: the counters of every port, in one sweep. With `--every` each sweep is a line; so is a recording, which `--from` reads."""

    source: str
    """Where the readings are from: a device, or files."""
    started: Nanoseconds
    """When the sweep began [ns since 1970]; 0 where that is not known."""
    ended: Nanoseconds
    """When it ended."""
    unit: Positive
    """Bytes that one of XmitData and RcvData stands for: 4 on InfiniBand, 8 on Omni-Path."""
    wide: list[str]
    """Counters with 64 bits, of ports that do not say otherwise; all others stop at their greatest value."""
    only_faulty: bool
    """Whether the source leaves out ports without errors."""
    ports: list[CounterRow]
    """By GUID and number."""
    unread: list[UnreadRow]
    """Ports without an answer."""
    uncleared: list[UnreadRow] | UnsetType = UNSET
    """With `--clear`: ports of which some counters were not set to zero."""
    remarks: list[CountersRemark]
    """What the sweep found out about the fabric."""
