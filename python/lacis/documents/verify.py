"""The document of `lacis verify`: what tables do with every pair of end ports."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.bounds import ShiftsBounded
from .base import Count, FabricReading, Guid, Population, Positive, Row, one_of
from .common import LinkBalance, OpensmConf, Verdicts

Switches = Annotated[str, Meta(pattern="^[0-9]+$")]
"""A number of switches, as a key."""


class UnreachedPort(Row, frozen=True):
    """A destination that some senders do not reach."""

    port: str
    """The port."""
    lid: Count
    """Its LID."""
    sources: Count
    """How many senders do not reach it."""


class FailedPair(Row, frozen=True, rename={"source": "from", "target": "to"}):
    """A pair that is not delivered."""

    verdict: Annotated[str, one_of("no_entry", "dead_port", "loop", "wrong_port", "unknown_lid")]
    """What becomes of its packet."""
    source: str
    """The sending port."""
    target: str
    """The receiving port."""
    lid: Count
    """The destination LID."""


class GroupError(Row, frozen=True):
    """A port group that does not lead where it should."""

    switch: str
    """The switch."""
    guid: Guid
    """Its GUID."""
    lid: Count
    """The LID that it may move."""
    owner: str
    """The port that owns the LID."""
    port: Positive | None
    """The port of the group; null where the switch lacks the group itself."""
    fault: Annotated[str, one_of("wrong_device", "no_cable", "loop", "no_group")]
    """What is wrong."""


class GroupProof(Row, frozen=True):
    """What the port groups of Omni-Path's switches do."""

    entries: Count
    """LIDs with a group, each switch counted."""
    alternatives: Count
    """Ports among which these may be moved."""
    errors: list[GroupError]
    """What does not lead where it should."""


class Verification(Row, frozen=True):
    """What tables do with the pairs of one population."""

    pairs: Count
    """Ordered pairs."""
    verdicts: Verdicts
    """Pairs by verdict."""
    apart: Count
    """Undelivered pairs that no cables join."""
    hops: dict[Switches, Count]
    """Delivered pairs by the number of switches traversed: `{"1": 8, "3": 48}`."""
    credit_loops: list[list[str]]
    """Each a shortest circle: ports (with their lane, `VL 1`, where there are several), each of which waits for the next, and the last for the first."""
    credit_loop_channels: list[Count]
    """For each circle, the number of links in its strongly connected component."""
    lanes: Positive
    """Virtual lanes that packets use between switches; 1 where the engine assigns none."""
    balance: LinkBalance
    """All-to-all flows per direction of a link between switches."""
    unreached: list[UnreachedPort]
    """Destinations that some senders do not reach."""
    failures: list[FailedPair]
    """One example for each verdict that is not `delivered`."""
    hosts_cut_off: Count
    """Hosts that no cables join with the rest, on any plane; those without any cable are in no pair."""
    good: bool
    """All pairs that cables join are delivered, cables join every host with the rest (on some plane), and there is no credit loop."""


class VerifyDocument(FabricReading, frozen=True, tag="lacis.verify/1", kw_only=True):
    """`lacis verify FABRIC [-R ENGINE | --lfts FILE] --json`: what tables do with every pair of end ports."""

    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    population: Population
    """Which end nodes count."""
    switch_lids: bool
    """Whether switches' LIDs count (`--switches`)."""
    pairs: Count
    """Ordered pairs."""
    verdicts: Verdicts
    """Pairs by verdict."""
    apart: Count
    """Undelivered pairs that no cables join."""
    hops: dict[Switches, Count]
    """Delivered pairs by the number of switches traversed: `{"1": 8, "3": 48}`."""
    credit_loops: list[list[str]]
    """Each a shortest circle: ports (with their lane, `VL 1`, where there are several), each of which waits for the next, and the last for the first."""
    credit_loop_channels: list[Count]
    """For each circle, the number of links in its strongly connected component."""
    lanes: Positive
    """Virtual lanes that packets use between switches; 1 where the engine assigns none."""
    balance: LinkBalance
    """All-to-all flows per direction of a link between switches."""
    unreached: list[UnreachedPort]
    """Destinations that some senders do not reach."""
    failures: list[FailedPair]
    """One example for each verdict that is not `delivered`."""
    hosts_cut_off: Count
    """Hosts that no cables join with the rest, on any plane; those without any cable are in no pair."""
    good: bool
    """All pairs that cables join are delivered, cables join every host with the rest (on some plane), and there is no credit loop."""
    hosts_only: Verification | UnsetType = UNSET
    """The same for host adapters alone, where the fabric has other end nodes too."""
    shifts: ShiftsBounded | UnsetType = UNSET
    """What all shifts of hosts, leaf by leaf, can have at most, whatever the tables; left out where there are no two hosts, or adapters have several planes."""
    port_groups: GroupProof | UnsetType = UNSET
    """With tables of a snapshot that has port groups: what these do. An error there is exit status 1, too."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
