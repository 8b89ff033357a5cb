"""What a fabric is and what is wrong with it, before anyone routes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from .. import _core, notebook
from ..documents.fabric import FabricSummary, PlaneLevels
from ..errors import LacisError
from ..facts.fact import Severity
from ..facts.found.cabling import CableWork
from ..facts.found.findings import Finding
from ..facts.verdicts import CablesUnlisted, CablingUnchecked
from ..facts.words import count
from ..io.files import reading

if TYPE_CHECKING:
    import os

    from .._core import Fabric, Note

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")

PATTERNS = {
    "tree": "tree",
    "dragonfly+": "Dragonfly+",
    "dragonfly": "dragonfly",
    "several": "several, by plane",
}
"""What a pattern of cables between switches is called."""


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """A fabric in numbers, what is wrong with it, and what that asks of the machine room.

    Attributes:
        summary: the fabric in numbers.
        findings: worst first.
        cable_work: by rack, switch and port; findings that no cable mends ask for none.
    """

    summary: FabricSummary
    findings: list[Finding]
    cable_work: list[CableWork]

    def count(self, severity: str) -> int:
        """Count the findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def _repr_html_(self) -> str:
        """The worst findings, as notebooks show them."""
        shown = self.findings[: notebook.SHOWN]
        rows = [(one.severity, one.code, one.where, one.text, one.advice) for one in shown]
        counts = ", ".join(count(self.count(severity), severity) for severity in SEVERITIES)
        caption = counts + f"; the first {len(shown)}" * (len(shown) < len(self.findings))
        return notebook.table(caption, rows, ("severity", "code", "where", "what", "advice"))


def examine(fabric: Fabric) -> Health:
    """Summarise a fabric and list what is wrong with it."""
    return msgspec.json.decode(_core.health_json(fabric), type=Health)


def cabling_unchecked(summary: FabricSummary) -> CablingUnchecked | CablesUnlisted | None:
    """The verdict on cables that no known pattern covers, or that the source does not name; None where some were compared."""
    cabling = summary.cabling
    nodes = summary.switches + summary.end_nodes
    if nodes > 1 and not summary.links:
        return CablesUnlisted(nodes)
    return CablingUnchecked(cabling.cables) if cabling.checked == "none" else None


def hosts_cut_off(fabric: Fabric, found: Health) -> int:
    """How many hosts have adapters on islands alone; one on a plane beside is enough to reach the others."""
    nodes = {end.guid for finding in found.findings if finding.code == "ISLAND" for end in finding.ends}
    if not nodes:
        return 0
    guids, hosts = fabric.guids(), _core.hosts(fabric)
    adapters = [hosts.adapters(host).tolist() for host in range(len(hosts.names))]
    adapters += [[node] for node in hosts.unknown().tolist()]
    return sum(all(f"0x{guids[node]:016x}" in nodes for node in own) for own in adapters)


def why_levels(fabric: Fabric) -> list[PlaneLevels]:
    """How leaves, spines and cores were recognised, plane by plane."""
    return msgspec.json.decode(_core.why_levels_json(fabric), type=list[PlaneLevels])


def likely_names(fabric: Fabric) -> tuple[str, int, int]:
    """The probable names of adapters without one, or with one that installers give, by cards, cabling and numbers.

    Returns:
        A node name map, as `rename` and infiniband-diags read it; how many names it has; and for how many unnamed
        adapters none can be inferred.
    """
    return _core.likely_name_map(fabric)


def rename(fabric: Fabric, name_map: str | os.PathLike[str]) -> tuple[Fabric, list[Note]]:
    """Give nodes the names of a node name map; the fabric, and remarks on the map.

    Raises:
        LacisError: when the map cannot be read, or names no node of this fabric.

    """
    with reading(name_map) as data:
        renamed, count, notes = _core.rename_nodes(fabric, data)
        if count == 0:
            raise LacisError("none of its GUIDs is a node of this fabric")
    return renamed, notes
