"""What comparisons find: two states of a fabric, a plan and a fabric, a file of tables and a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from ..facts.words import count

if TYPE_CHECKING:
    from ..documents.difference import CableChange, NodeChange
    from ..documents.topology import (
        CableKinds,
        CableRow,
        CableVerdicts,
        NodeLists,
        NodeRow,
        PlannedWork,
        UnknownName,
        UnplannedKinds,
    )


@dataclass(frozen=True)
class Cabling:
    """Two states of a fabric, compared.

    Attributes:
        nodes: those that are not as they were.
        cables: the same of cables, switch by switch.
        lids: ports with their LIDs before and now, where both are known and differ in base or LMC.
        same: how many cables both have.
        no_guid: whether no node GUID is in common, so that nodes are recognised by names and cables.
    """

    nodes: list[NodeChange]
    cables: list[CableChange]
    lids: list[tuple[str, int, int]]
    same: int
    no_guid: bool

    @property
    def equal(self) -> bool:
        """Whether nothing is different."""
        return not (self.nodes or self.cables or self.lids)

    def __repr__(self) -> str:
        return f"<{count(len(self.nodes), 'node')}, {count(len(self.cables), 'cable')} and {count(len(self.lids), 'LID')} differ>"


@dataclass(frozen=True)
class Comparison:
    """Cables as planned against cables as found.

    Attributes:
        good: whether every cable, node and manager is as planned.
        counts: cables by verdict.
        counts_by_kind: the same of cables by kind: external, to hosts, between switches, external between switches.
        lists: `adapters`, `switches` and `managers` of the plan.
        nodes: adapters, switches and managers that are not as planned.
        cables: those that are not as planned.
        work: what repairs the fabric.
        unknown_names: names of the plan that no node has, with the nearest.
        not_planned_kinds: found cables of kinds that lists do not have, by kind: inside of directors and others.
        mtu_not_compared: planned cables whose MTU the fabric does not report.
        rate_not_compared: planned cables whose rate the fabric does not report.
        no_guid: whether GUIDs of the plan were ignored, as the fabric has none of them.
    """

    good: bool
    counts: CableVerdicts
    counts_by_kind: CableKinds
    lists: NodeLists
    nodes: list[NodeRow]
    cables: list[CableRow]
    work: list[PlannedWork]
    unknown_names: list[UnknownName]
    not_planned_kinds: UnplannedKinds
    mtu_not_compared: int
    rate_not_compared: int
    no_guid: bool

    def __repr__(self) -> str:
        counted = ", ".join(f"{verdict}: {number}" for verdict, number in asdict(self.counts).items())
        return f"<lacis.Comparison: {counted}>"


@dataclass(frozen=True)
class TableFit:
    """How tables from a file fit a fabric and its LIDs.

    Attributes:
        unknown_switches: node GUIDs of switches that the fabric lacks.
        without_table: names of switches that the file lacks.
        unknown_ports: entries that name ports which the fabric lacks.
        moved: entries that were moved to another LID.
        beyond: entries beyond the highest LID.
        repeated: repeated headings of a switch.
    """

    unknown_switches: list[int]
    without_table: list[str]
    unknown_ports: int
    moved: int
    beyond: int
    repeated: int
