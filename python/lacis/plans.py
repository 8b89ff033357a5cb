"""Cabling plans, and whether a fabric is cabled as planned, and has the nodes and managers that it is to have."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import LacisError
from .files import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._core import Fabric, Plan

VERDICTS = ("as_planned", "missing", "unexpected", "misconnected", "duplicate", "different")
"""What may be said of a cable: the verdicts of `opareport -o verifylinks`."""


@dataclass(frozen=True)
class Comparison:
    """Cables as planned against cables as found.

    Attributes:
        good: whether every cable, node and manager is as planned.
        counts: cables by verdict.
        counts_by_kind: the same of cables by kind: external, to hosts, between switches, external between switches.
        lists: of the plan's lists of adapters, switches and managers: how many it has, whether they were compared, how
            many have each verdict, and how many found ones are not judged.
        nodes: adapters, switches and managers that are not as planned: list, verdict, what was planned and found, and why.
        cables: those that are not as planned: verdict, what was planned, what was found, and why.
        work: what repairs the fabric: swaps, rotations, moves, cables to connect and to take out.
        unknown_names: names of the plan that no node has, with the nearest.
        not_planned_kinds: found cables of kinds that lists do not have, by kind: inside of directors and others.
        mtu_not_compared: planned cables whose MTU the fabric does not tell.
        rate_not_compared: planned cables whose rate the fabric does not tell.
        no_guid: whether GUIDs of the plan were left aside, as the fabric has none of them.
    """

    good: bool
    counts: dict[str, int]
    counts_by_kind: dict[str, dict[str, int]]
    lists: dict[str, dict[str, Any]]
    nodes: tuple[dict[str, Any], ...]
    cables: tuple[dict[str, Any], ...]
    work: tuple[dict[str, Any], ...]
    unknown_names: tuple[dict[str, Any], ...]
    not_planned_kinds: dict[str, int]
    mtu_not_compared: int
    rate_not_compared: int
    no_guid: bool

    def __repr__(self) -> str:
        counted = ", ".join(f"{verdict}: {number}" for verdict, number in self.counts.items())
        return f"<lacis.plans.Comparison: {counted}>"


def read(source: str | os.PathLike[str]) -> Plan:
    """Read a plan: topology XML, `opaxlattopology`'s CSV, an NDT, a fabric in any format, or a synthetic spec.

    Raises:
        LacisError: when it cannot be read or is neither.
    """
    name = os.fspath(source)
    if name != "-" and not Path(name).exists() and _core.is_spec(name):
        # GUIDs of generated fabrics are numbers in a row, and say nothing about which node is which.
        return _core.plan_of(_core.generate_fabric(name), guids=False)
    with reading(name) as data:
        if name != "-" and Path(name).is_dir():
            raise LacisError("is a directory")
        return _core.read_plan(data)


def compare(plans: Sequence[Plan], fabric: Fabric) -> Comparison:
    """Compare plans, which together are one, with a fabric.

    Raises:
        LacisError: when no name of the plans is in the fabric.
    """
    found = _core.planned_difference(list(plans), fabric)
    rows = {key: tuple(found[key]) for key in ("cables", "nodes", "work", "unknown_names")}
    return Comparison(**{**found, **rows})
