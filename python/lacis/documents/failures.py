"""Documents about failures: `lacis whatif`, `lacis survive`, and the file that the latter keeps."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from .base import Count, Document, FabricReading, Fraction, HostGroup, Modelled, Population, Row, one_of
from .common import Entries, Intact, OpensmConf, Refusal, Shifts

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""A SHA-256."""
RoutingOption = bool | int | float | str | None


class LostDestination(Row, frozen=True, rename={"from_": "from"}):
    """A destination that senders have lost."""

    to: str
    """The destination."""
    lid: Count
    """Its LID."""
    why: Annotated[str, one_of("apart", "unrouted")]
    """`apart` where cables no longer join them, `unrouted` where tables leave them out."""
    sources: Count
    """How many senders lost it."""
    from_: list[str]
    """The switches that those senders are on."""


class PairsLost(Row, frozen=True):
    """Ordered pairs of end ports, cabled to a switch before and after, per destination LID, that a later state has lost; and end ports that come and go."""

    pairs_lost: Count
    """Delivered before and not now: the sum of the next two."""
    apart: Count
    """Pairs that cables no longer join."""
    unrouted: Count
    """Pairs that cables join and tables leave out."""
    regained: Count
    """Pairs that are delivered now and were not before."""
    cut_off: list[str]
    """End ports that lost their only switch, though their nodes were not dropped."""
    gone: list[str]
    """End ports of nodes that were dropped."""
    back: list[str]
    """End ports that returned."""
    lost: list[LostDestination]
    """The first destinations with lost pairs."""


class Losses(PairsLost, frozen=True):
    """Pairs that a later state has lost, the first destinations of these, and how many destinations there are."""

    destinations: Count
    """LIDs with lost pairs (`--listed` of them are in `lost`); one with pairs that cables join and with others counts twice."""


class BisectionsLeft(Row, frozen=True):
    """Random bisections of the hosts that are left."""

    mean: Fraction | None
    """Mean relative bandwidth; null where no flow is left."""
    max_contention: Count
    """The most flows on a link."""
    unrouted: Count
    """Flows without a route."""


class FabricStage(Row, frozen=True):
    """A fabric between two changes."""

    engine_used: str
    """The engine that made the tables; where planes have several managers that use different engines, all of these with commas between."""
    refusals: list[Refusal]
    """Engines that refused before, in order."""
    blind: list[str]
    """Ports of managers that see only their own node, so that tables stay as they are."""
    credit_loops: Count
    """Credit loops."""
    hosts: Count
    """Hosts that are left."""
    bisection: BisectionsLeft | None
    """Random bisections of these hosts; null where fewer than two are left."""
    shifts: Shifts | None
    """Shifts of these hosts; null where fewer than two are left."""


class AskedChange(Row, frozen=True):
    """A change, as asked for and as it happened."""

    asked: Annotated[str, one_of("cut", "drop", "restore")]
    """The option."""
    selector: str
    """As typed."""
    happened: Annotated[str, one_of("cut", "drop", "plug", "return")]
    """What it did."""
    parts: list[str]
    """The names of the cables or nodes, which are selectors too."""


class Resweep(Row, frozen=True):
    """What a manager that noticed a change did."""

    manager: str
    """Its port."""
    mode: Annotated[str, one_of("kept", "recomputed", "cached")]
    """`kept` (as much of the tables as possible) after losses only; `cached` where no engine ran, as the unicast cache explains
    the change."""
    engine_before: str
    """The engine whose tables it had."""
    engine_used: str | None
    """The engine that made the new ones; null where all refused and tables stay."""
    fell_back: bool
    """More engines refused than before."""
    refusals: list[Refusal]
    """The engines that refused, in order."""


class SweepStep(Row, frozen=True):
    """Some changes, and the sweep that follows them."""

    changes: list[AskedChange]
    """What changed."""
    sweeps: list[Resweep]
    """What each manager that noticed it did."""
    entries: Entries
    """Entries of the tables that changed."""
    losses: Losses
    """What was lost and what came back."""
    after: FabricStage
    """The fabric after it."""


class ChangeTotal(Row, frozen=True):
    """From before the first change to after the last."""

    entries: Entries
    """Entries of the tables that changed."""
    losses: Losses
    """What was lost and what came back."""


class WhatifDocument(FabricReading, frozen=True, tag="lacis.whatif/1", kw_only=True):
    """`lacis whatif FABRIC --cut … --drop … --restore … --json`: what changes of the fabric do to tables and hosts."""

    provenance: Modelled
    """OpenSM's rules and counted flows."""
    engine_requested: str
    """As typed after `-R`."""
    population: Population
    """The end nodes whose pairs are counted."""
    groups: str
    """The groups of hosts of the shifts, as typed."""
    hosts_by_group: dict[HostGroup, Count]
    """The number of these hosts in each group."""
    unknown: Count
    """Adapters in the traffic whose host nothing shows: each takes part by itself, and counts as no host."""
    host_order: str
    """Their order, as typed."""
    rail: str
    """Their rail, as typed."""
    patterns: Count
    """Random bisections."""
    seed: Count
    """Their seed."""
    together: bool
    """Whether one sweep follows all changes."""
    before: FabricStage
    """The fabric before the first change."""
    steps: Annotated[list[SweepStep], Meta(min_length=1)]
    """Sweep by sweep."""
    total: ChangeTotal
    """From before the first change to after the last."""
    file: str | None
    """The file with the last tables."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class FailureRow(Row, frozen=True):
    """A cable or a switch that fails alone, and what it costs after the manager's next sweep."""

    id: Count
    """Its index before ranking."""
    kind: Annotated[str, one_of("cable", "switch")]
    """What fails."""
    name: str
    """A selector for `lacis whatif`."""
    pairs_lost: Count
    """Delivered before and not now: the sum of the next two."""
    apart: Count
    """Pairs that cables no longer join."""
    unrouted: Count
    """Pairs that cables join and tables leave out."""
    regained: Count
    """Pairs that are delivered now and were not before."""
    cut_off: list[str]
    """End ports that lost their only switch, though their nodes are there."""
    gone: list[str]
    """End ports of the failed switch."""
    back: list[str]
    """Empty here."""
    lost: list[LostDestination]
    """Empty here."""
    engine_used: str
    """The engine that made the tables."""
    refusals: list[Refusal]
    """Engines that refused before, in order."""
    fell_back: bool
    """More engines refuse than in `baseline`."""
    no_engine: bool
    """All refuse and fall-back is off, so that tables stay."""
    blinded: bool
    """A manager is cut off, so that tables stay."""
    entries: Entries
    """Entries of the tables that changed."""
    shifts: Shifts | None
    """Shifts of the hosts that are left; null where fewer than two are."""


class SurviveDocument(FabricReading, frozen=True, tag="lacis.survive/1", kw_only=True):
    """`lacis survive FABRIC --json`: every cable and every switch failing alone.

    The order, worst first: most pairs lost; most end ports cut off; no engine; a fall-back; the least `shifts.worst`;
    most entries changed.
    """

    provenance: Modelled
    """OpenSM's rules and counted flows."""
    fabric: Digest
    """A digest of the fabric."""
    engine_requested: str
    """As typed after `-R`."""
    options: dict[str, RoutingOption]
    """Routing options; lists as digests."""
    population: Population
    """The end nodes whose pairs are counted."""
    shift_step: Count
    """*n*: every *n*-th distance is tried."""
    host_cables: bool
    """Whether cables of hosts fail too."""
    groups: str
    """The groups of hosts of the shifts, as typed."""
    hosts_by_group: dict[HostGroup, Count]
    """The number of these hosts in each group."""
    unknown: Count
    """Adapters in the traffic whose host nothing shows: each takes part by itself, and counts as no host."""
    host_order: str
    """Their order, as typed."""
    rail: str
    """Their rail, as typed."""
    file: str | None
    """The file that keeps the failures."""
    baseline: Intact
    """While nothing fails."""
    failures: list[FailureRow]
    """Worst first."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class SurviveHeader(Document, frozen=True, tag="lacis.survive.lines/1", kw_only=True):
    """The file of `lacis survive FABRIC -o FILE`: this header, then each failure as a line once it is computed, in no defined order."""

    line_rows: ClassVar[tuple[type[Row], ...]] = (FailureRow,)
    """What the lines after the header hold."""

    version: str
    """The version of Lacis."""
    fabric: Digest
    """A digest of the fabric."""
    engine_requested: str
    """As typed after `-R`."""
    options: dict[str, RoutingOption]
    """Routing options; lists as digests."""
    population: Population
    """The end nodes whose pairs are counted."""
    hosts: str
    """A digest of the rail and of the hosts' GUIDs in their order."""
    shift_step: Count
    """*n*: every *n*-th distance is tried."""
    host_cables: bool
    """Whether cables of hosts fail too."""
    failures: Count
    """How many there are in all."""
    baseline: Intact
    """While nothing fails."""
