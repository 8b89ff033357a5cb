"""Cabling plans, and whether a fabric is cabled as planned, and has the nodes and managers of the plan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import asdict

from .. import _core
from ..documents.topology import (
    CableKinds,
    CableRow,
    CableVerdicts,
    NodeLists,
    NodeRow,
    RepairJob,
    UnknownName,
    UnplannedKinds,
)
from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric, Plan

VERDICTS = ("as_planned", "missing", "unexpected", "misconnected", "duplicate", "different")
"""Verdicts on a cable, as in `opareport -o verifylinks`."""


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
    work: list[RepairJob]
    unknown_names: list[UnknownName]
    not_planned_kinds: UnplannedKinds
    mtu_not_compared: int
    rate_not_compared: int
    no_guid: bool

    def __repr__(self) -> str:
        counted = ", ".join(f"{verdict}: {number}" for verdict, number in asdict(self.counts).items())
        return f"<lacis.difference.planned.Comparison: {counted}>"


def read(source: str | os.PathLike[str]) -> Plan:
    """Read a plan: topology XML, `opaxlattopology`'s CSV, an NDT, a fabric in any format, or a synthetic spec.

    Raises:
        LacisError: when it cannot be read or is none of these.
    """
    name = os.fspath(source)
    if name != "-" and not Path(name).exists() and _core.is_spec(name):
        # GUIDs of generated fabrics are consecutive numbers, which identify no node.
        return _core.plan_of(_core.generate_fabric(name), guids=False)
    with reading(name) as data:
        if name != "-" and Path(name).is_dir():
            raise LacisError("is a directory")
        return _core.read_plan(data)


def compare(plans: Sequence[Plan], fabric: Fabric) -> Comparison:
    """Compare plans, taken together, with a fabric.

    Raises:
        LacisError: when no name of the plans is in the fabric.
    """
    return msgspec.convert(_core.planned_difference(list(plans), fabric), Comparison)
