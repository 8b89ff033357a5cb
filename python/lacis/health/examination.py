"""What a fabric is and what is wrong with it, before anyone routes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import msgspec
from msgspec import Struct

from .. import _core
from ..documents.found.cabling import CableWork
from ..documents.found.findings import Finding
from ..documents.found.levels import Oddity
from ..errors import LacisError
from ..facts.fact import Severity
from ..io.files import reading

if TYPE_CHECKING:
    import os

    from .._core import Fabric

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")


class Group(TypedDict):
    """Hosts for one purpose."""

    group: str
    """`compute`, `management`, `storage` or `gateway`."""
    hosts: int
    adapters: int


class LinkRate(TypedDict):
    """Cables of one rate."""

    rate: str
    bytes_per_second: float | None
    links: int


class Level(TypedDict):
    """Switches of one level of a tree."""

    level: int
    role: str
    switches: int
    down_links: int
    up_links: int
    down_bytes_per_second: float
    up_bytes_per_second: float
    taper: float | None


class Rail(TypedDict):
    """Adapters of one rail."""

    rail: int
    labels: list[str]
    adapters: int
    leaves: int


class FabricBisection(TypedDict):
    """The bisection of a fabric (modelled)."""

    bytes_per_second: float
    at_least_bytes_per_second: float | None
    exact: bool
    fraction: float
    """Fraction of what the adapters can send."""
    provenance: str


class Summary(TypedDict):
    """A fabric in numbers, as `lacis fabric --json` has it."""

    switches: int
    end_nodes: int
    kinds: dict[str, int]
    """`adapters`, `routers` and `aggregation`."""
    hosts: int
    """Those that descriptions name; an adapter without a name, or with one that installers give, is one by itself."""
    unnamed: int
    """Adapters without a host's name."""
    groups: list[Group]
    planes: int
    levels: int | None
    links: int
    trunks: int
    """Cables between switches."""
    links_by_rate: list[LinkRate]
    by_level: list[Level]
    rails: list[Rail]
    ports: dict[str, int]
    """Ports of switches: `total` and `used`."""
    bisection: FabricBisection | None


LevelTrial = TypedDict(
    "LevelTrial",
    {
        "least_adapters": int,
        "except": str,
        "leaves": int,
        "levels": int | None,
        "odd_cables": int,
        "high_adapters": int,
        "appended": int,
        "meeting": float | None,
        "tree_like": bool,
        "taken": bool,
    },
)
"""Which switches might be the leaves, and what tree that makes; `docs/reference/json.md` has the keys."""


class ExplainedSwitch(TypedDict):
    """A switch whose level is not obvious, and why it has it."""

    switch: str
    guid: str
    level: int | None
    role: str
    adapters: int
    why: str
    reasons: list[Oddity]
    """What `why` is made of."""


class WhyLevels(TypedDict):
    """How leaves, spines and cores of a plane were recognised."""

    switches: int
    from_roots: bool
    """Whether levels are counted from declared roots."""
    trials: list[LevelTrial]
    standing_out: list[ExplainedSwitch]


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """A fabric in numbers, what is wrong with it, and what that asks of the machine room.

    Attributes:
        summary: the fabric in numbers.
        findings: worst first.
        cable_work: by rack, switch and port; findings that no cable mends ask for none.
    """

    summary: Summary
    findings: list[Finding]
    cable_work: list[CableWork]

    def count(self, severity: str) -> int:
        """Count the findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


def examine(fabric: Fabric) -> Health:
    """Summarise a fabric and list what is wrong with it."""
    return msgspec.json.decode(_core.health_json(fabric), type=Health)


def hosts_cut_off(fabric: Fabric, found: Health) -> int:
    """How many hosts have adapters on islands alone; one on a plane beside is enough to reach the others."""
    nodes = {end.guid for finding in found.findings if finding.code == "ISLAND" for end in finding.ends}
    if not nodes:
        return 0
    guids, hosts = fabric.guids(), _core.hosts(fabric)
    adapters = [hosts.adapters(host).tolist() for host in range(len(hosts.names))]
    adapters += [[node] for node in hosts.unnamed().tolist()]
    return sum(all(f"0x{guids[node]:016x}" in nodes for node in own) for own in adapters)


def why_levels(fabric: Fabric) -> list[WhyLevels]:
    """How leaves, spines and cores were recognised, plane by plane."""
    return msgspec.json.decode(_core.why_levels_json(fabric), type=list[WhyLevels])


def likely_names(fabric: Fabric) -> tuple[str, int, int]:
    """The probable names of unnamed adapters, by the ports of their leaves.

    Returns:
        A node name map, as `rename` and infiniband-diags read it; how many names it has; and for how many unnamed
        adapters none can be inferred.
    """
    return _core.likely_name_map(fabric)


def rename(fabric: Fabric, name_map: str | os.PathLike[str]) -> tuple[Fabric, list[str]]:
    """Give nodes the names of a node name map; the fabric, and remarks on the map.

    Raises:
        LacisError: when the map cannot be read, or names no node of this fabric.

    """
    with reading(name_map) as data:
        renamed, count, notes = _core.rename_nodes(fabric, data)
        if count == 0:
            raise LacisError("none of its GUIDs is a node of this fabric")
    return renamed, notes
