"""Findings: what is wrong or odd with a fabric, as the engine found and worded it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from . import cables, hosts, nodes
from .fact import Severity
from .places import FindingEnd

FindingFact: TypeAlias = (
    nodes.NodeGuidShared
    | nodes.PortGuidShared
    | nodes.LidShared
    | nodes.Island
    | nodes.EndNodesUncabled
    | nodes.SwitchAbsent
    | cables.RatesDiffer
    | cables.LinksOneSided
    | cables.LinksSlow
    | cables.LinksNarrow
    | cables.UplinksMissing
    | cables.UplinksFewer
    | cables.UplinksUnsure
    | cables.CablesMisplaced
    | cables.CableStray
    | cables.SectionThin
    | cables.HostsCrowded
    | hosts.RailMissing
    | hosts.RailsCrossed
    | hosts.LeafShared
    | hosts.CardShared
    | nodes.PrefixShared
    | nodes.NameShared
    | hosts.PortUnexpected
    | hosts.HostsAbsent
    | hosts.HostNameGeneric
    | hosts.AdaptersUnnamed
    | nodes.DescriptionShared
)


class Finding(Struct, frozen=True, forbid_unknown_fields=True):
    """What is wrong or odd in one respect.

    Attributes:
        code: its stable name, such as `UPLINK_MISSING`; `docs/reference/findings.md` lists them.
        severity: `error`, `warning` or `notice`.
        where: the node, port or cable, in one line.
        text: what is the case.
        advice: what to do about it.
        ends: every node or port concerned, for a cable its two ends.
        facts: what the words are made of; its class, `kind` in JSON, says which fields it has.
    """

    code: str
    severity: Severity
    where: str
    text: str
    advice: str
    ends: list[FindingEnd]
    facts: FindingFact

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Finding:
        """The finding, from what `--json` has."""
        return msgspec.convert(found, cls)

    def to_json(self) -> dict[str, Any]:
        """As `--json` has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found
