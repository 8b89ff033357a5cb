"""Documents of `lacis diff`: two fabrics, two tables, or the engines that may have made tables."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from .base import Amount, Count, FabricReading, Fraction, Guid, NodeKind, Positive, Row, one_of
from .common import OpensmConf, Refusal

EntryReason = Annotated[
    str,
    one_of(
        "destination_unknown", "destination_unexpected", "no_entry", "additional_entry", "port_down",
        "wrong_end_node", "parallel_cable", "tie", "shorter", "not_shortest",
    ),
]  # fmt: skip


class Node(Row, frozen=True):
    """A node of one of two fabrics."""

    name: str
    """As it is printed."""
    kind: NodeKind
    """Switch, adapter, router or aggregation node."""
    host: str | None
    """The host that an adapter's description names."""
    guid: Guid
    """Its node GUID."""
    ports: Count
    """How many it has."""
    cables: Count
    """How many of them have a cable."""
    at: str | None
    """The port at the other end of its first cable."""


class NodeChange(Row, frozen=True):
    """A node that is not as it was."""

    change: Annotated[str, one_of("gone", "new", "replaced", "renamed", "ports")]
    """`replaced`: another GUID in the same position; `ports`: another number of them."""
    old: Node | None
    """The node before; null where it is new."""
    new: Node | None
    """The node now; null where it is gone."""
    by: Literal["name", "place", None] = None
    """How a replaced node was found."""
    cables: Count | None = None
    """Of a replaced node, how many cables lead where they did."""


class CableChange(Row, frozen=True):
    """A cable that is not as it was."""

    change: Annotated[str, one_of("gone", "new", "moved", "rate")]
    """`moved`: one end is where it was; `rate`: width or speed."""
    at: str
    """The switch that it is listed under."""
    old: tuple[str, str] | None
    """Its two ports before; of a moved one the end that stayed comes first."""
    new: tuple[str, str] | None
    """Its two ports now, in the same order."""
    rates: tuple[str | None, str | None] | None
    """Before and now at the first end, where that is the change: `4xNDR`."""
    with_node: bool
    """Whether a node at an end is gone or new."""


class LidChange(Row, frozen=True):
    """A port that answers to another LID."""

    port: str
    """The port."""
    old: Positive
    """Its LID before."""
    new: Positive
    """Its LID now."""


class FabricsDiff(FabricReading, frozen=True, tag="lacis.diff/1", kw_only=True):
    """`lacis diff OLD NEW --json`: what is different between two states of a fabric."""

    kind: Literal["fabrics"]
    """What was compared."""
    a: str
    """As typed: before."""
    b: str
    """As typed: now."""
    equal: bool
    """Whether nothing differs."""
    no_guid: bool
    """No node GUID is in common, or both fabrics are generated: nodes are matched by name and cables only."""
    same_cables: Count
    """Cables that both have."""
    nodes: list[NodeChange]
    """Nodes that are not as they were."""
    cables: list[CableChange]
    """Cables that are not as they were, switch by switch."""
    lids: list[LidChange]
    """Ports that answer to other LIDs."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class EntriesForReason(Row, frozen=True):
    """Entries that differ for one reason."""

    why: EntryReason
    """Its code: [the reasons](../howto/find-what-changed.md)."""
    text: str
    """The reason, in words."""
    entries: Positive
    """How many differ for it."""


class EntriesOfSwitch(Row, frozen=True):
    """Entries of one switch that differ."""

    switch: str
    """The switch."""
    entries: Positive
    """How many differ."""


class EntriesToPort(Row, frozen=True):
    """Entries for one destination that differ."""

    port: str
    """The destination."""
    lid: Count
    """Its LID."""
    entries: Positive
    """How many differ."""


class DifferingEntry(Row, frozen=True):
    """An entry that two tables have differently."""

    switch: str
    """The switch."""
    to: str
    """The destination's port."""
    lid: Count
    """The destination's LID."""
    expected: Count | None
    """The expected port of the switch; null for no entry."""
    expected_to: str | None
    """Where that port leads; null without a cable."""
    found: Count | None
    """The port that was found; null for no entry."""
    found_to: str | None
    """Where that port leads; null without a cable."""
    why: EntryReason
    """The code of the reason."""


class TablesDiff(FabricReading, frozen=True, tag="lacis.diff/1", kw_only=True):
    """`lacis diff FABRIC TABLES -R ENGINE --json`, or with two tables: the entries that differ, and why."""

    kind: Literal["tables"]
    """What was compared."""
    fabric: str
    """The fabric."""
    expected: str
    """The tables' file, or the engine."""
    found: str
    """The tables' file."""
    refusals: list[Refusal]
    """Engines that refused before the one that made the expected tables."""
    equal: bool
    """Whether nothing differs."""
    compared: Count
    """Entries: switches × LIDs that are in either."""
    differing: Count
    """Entries that differ."""
    reasons: list[EntriesForReason]
    """Most first."""
    switches: list[EntriesOfSwitch]
    """Most first."""
    destinations: list[EntriesToPort]
    """Most first."""
    entries: list[DifferingEntry]
    """At most 20 for each reason without `--all`."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class RankedEngine(Row, frozen=True):
    """An engine, with options, and how much of the tables it makes."""

    engine: str
    """The engine."""
    options: list[str]
    """Its options, in words."""
    equal_entries: Count
    """Entries that it makes as they are."""
    compared: Count
    """Entries."""
    share: Fraction
    """The part of the entries that is equal."""


class EnginesDiff(FabricReading, frozen=True, tag="lacis.diff/1", kw_only=True):
    """`lacis diff FABRIC TABLES --which-engine --json`: the engines and options whose tables are nearest."""

    kind: Literal["engines"]
    """What was compared."""
    fabric: str
    """As typed."""
    found: str
    """The tables' file, as typed."""
    equal: bool
    """Whether one makes exactly these tables."""
    candidates: list[RankedEngine]
    """Best first."""
    refused: list[Refusal]
    """Engines that refuse the fabric."""
    untried: list[str]
    """Engines for which the time was too short."""
    seconds: Amount
    """How long it took."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
