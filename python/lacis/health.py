"""What a fabric is and what is wrong with it, before anyone routes it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import LacisError
from .files import reading

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from ._core import Fabric

SEVERITIES = ("error", "warning", "notice")


@dataclass(frozen=True, slots=True)
class FindingEnd:
    """A node or a port that a finding concerns.

    Attributes:
        node: its name.
        guid: of the node, as `0x…`; empty of a host that is not there.
        port: its number; none where the node is meant, or any free port.
        likely: what an unnamed node is probably called; empty where nothing tells.
    """

    node: str
    guid: str = ""
    port: int | None = None
    likely: str = ""

    def __str__(self) -> str:
        """`leaf-03[17]`, or the node alone."""
        return self.node if self.port is None else f"{self.node}[{self.port}]"

    def to_json(self) -> dict[str, Any]:
        """What is known of it."""
        known = {key: value for key, value in asdict(self).items() if value not in (None, "")}
        return {"node": self.node, **known}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or odd.

    Attributes:
        code: its stable name, such as `UPLINK_MISSING`; `docs/reference/findings.md` lists them.
        severity: `error`, `warning` or `notice`.
        where: the node, port or cable, in one line.
        text: what is the case.
        advice: what to do about it.
        ends: every node or port concerned, for a cable its two ends.
    """

    code: str
    severity: str
    where: str
    text: str
    advice: str
    ends: list[FindingEnd]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Finding:
        """The finding that the core writes."""
        return cls(**{**found, "ends": [FindingEnd(**end) for end in found["ends"]]})

    def to_json(self) -> dict[str, Any]:
        """As `--json` has it."""
        return {**vars(self), "ends": [end.to_json() for end in self.ends]}


@dataclass(frozen=True)
class Health:
    """A fabric in numbers, and its findings, worst first."""

    summary: dict[str, Any]
    findings: list[Finding]

    def count(self, severity: str) -> int:
        """Count the findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


def examine(fabric: Fabric) -> Health:
    """Summarise a fabric and list what is wrong with it."""
    found = json.loads(_core.health_json(fabric))
    return Health(found["summary"], [Finding.from_json(finding) for finding in found["findings"]])


def why_levels(fabric: Fabric) -> list[dict[str, Any]]:
    """How leaves, spines and cores were told apart, plane by plane; `docs/reference/json.md` has the keys."""
    found: list[dict[str, Any]] = json.loads(_core.why_levels_json(fabric))
    return found


def likely_names(fabric: Fabric) -> tuple[str, int, int]:
    """What unnamed adapters are probably called, by the ports of their leaves.

    Returns:
        A node name map, as `rename` and infiniband-diags read it; how many names it has; and of how many unnamed
        adapters nothing tells.
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
