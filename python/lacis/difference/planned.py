"""Cabling plans, and whether a fabric is cabled as planned, and has the nodes and managers of the plan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from .. import _core
from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric, Plan

VERDICTS = ("as_planned", "missing", "unexpected", "misconnected", "duplicate", "different")
"""Verdicts on a cable, as in `opareport -o verifylinks`."""


class PlannedCable(TypedDict):
    """A cable of a plan."""

    plan: int
    """Index of the plan."""
    line: int | None
    """1-based, where the plan has lines."""
    ends: list[str]
    """Both, as `NODE[PORT]`."""
    rate: str | None
    label: str


class FoundCable(TypedDict):
    """A cable of the fabric."""

    ends: list[str]
    rate: str | None


class CableReason(TypedDict):
    """Why a cable is not as planned."""

    reason: str
    """`no_node`, `no_port`, `no_cable`, `leads_to`, `inactive`, `repeats`, or the attribute that differs."""
    end: str | None
    planned: str | None
    found: str | None
    repeats: PlannedCable | None


class CableRow(TypedDict):
    """A cable that is not as planned; `planned` or `found` is None where there is none."""

    verdict: str
    planned: PlannedCable | None
    found: FoundCable | None
    why: list[CableReason]


class PlannedNode(TypedDict):
    """A node or manager of a plan."""

    plan: int
    line: int | None
    name: str


class NodeReason(TypedDict):
    """Why a node or manager is not as planned."""

    reason: str
    """`no_node`, `no_manager`, `repeats`, or the attribute that differs."""
    planned: str | None
    found: str | None
    repeats: PlannedNode | None


class NodeRow(TypedDict):
    """A node or manager that is not as planned."""

    list: str
    """`adapters`, `switches` or `managers`."""
    verdict: str
    planned: PlannedNode | None
    found: str | None
    why: list[NodeReason]


Move = TypedDict("Move", {"stays": str, "from": str, "to": str, "label": str})
"""A plug to move between two ports; `stays` is the other end of its cable."""


class Repair(TypedDict):
    """What to do at the racks."""

    kind: str
    """`swap`, `rotation`, `move`, `shift`, `connect` or `take_out`."""
    moves: list[Move]
    connect: list[str] | None
    """Two ports to cable."""
    take_out: list[str] | None
    """The ends of a cable to remove."""


class UnknownName(TypedDict):
    """A name of the plan that no node has."""

    name: str
    plan: int
    line: int | None
    cables: int
    near: list[str]


class ListCounts(TypedDict):
    """A list of the plan against the fabric."""

    listed: int
    compared: bool
    counts: dict[str, int]
    """Verdict → how many have it."""
    not_judged: int
    """Found ones of a kind that is not listed."""


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
    counts: dict[str, int]
    counts_by_kind: dict[str, dict[str, int]]
    lists: dict[str, ListCounts]
    nodes: tuple[NodeRow, ...]
    cables: tuple[CableRow, ...]
    work: tuple[Repair, ...]
    unknown_names: tuple[UnknownName, ...]
    not_planned_kinds: dict[str, int]
    mtu_not_compared: int
    rate_not_compared: int
    no_guid: bool

    def __repr__(self) -> str:
        counted = ", ".join(f"{verdict}: {number}" for verdict, number in self.counts.items())
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
    found = _core.planned_difference(list(plans), fabric)
    rows = {key: tuple(found[key]) for key in ("cables", "nodes", "work", "unknown_names")}
    return Comparison(**{**found, **rows})
