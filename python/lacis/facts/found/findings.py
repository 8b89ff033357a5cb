"""Findings: what is wrong or odd with a fabric, as the engine found and worded it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from ..fact import Severity
from ..row import FindingCode, Row
from . import cables, groups, hosts, nodes, ports
from .ends import FindingEnd

FindingFact: TypeAlias = (
    nodes.NodeGuidShared
    | nodes.PortGuidShared
    | nodes.LidShared
    | nodes.LidsMissing
    | nodes.Island
    | nodes.EndNodesUncabled
    | nodes.SwitchAbsent
    | cables.RatesDiffer
    | cables.LinksOneSided
    | cables.LinksSlow
    | cables.LinksNarrow
    | cables.LinksSlowAlike
    | ports.PortsInactive
    | ports.SubnetInactive
    | ports.Loopbacks
    | ports.PortErrors
    | ports.LinkQualityLow
    | ports.CablesHot
    | ports.PacketsDropped
    | cables.UplinksMissing
    | cables.UplinksFewer
    | cables.UplinksUnsure
    | cables.CablesMisplaced
    | cables.CablesAstray
    | cables.CableStray
    | groups.GroupCablesMissing
    | groups.GroupsThin
    | groups.CablesExchanged
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


class Finding(Row, frozen=True):
    """What is wrong or odd in one respect."""

    code: FindingCode
    """Its stable name: [the list](findings.md)."""
    severity: Severity
    """How bad it is."""
    where: str
    """The node, port or cable."""
    text: str
    """What is the case."""
    advice: str
    """What to do about it."""
    ends: list[FindingEnd]
    """The nodes or ports concerned; of a cable its two ends."""
    facts: FindingFact
    """What the words are made of: its `kind` says which keys it has."""

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Finding:
        """The finding, from what `--json` has."""
        return msgspec.convert(found, cls)

    def to_json(self) -> dict[str, Any]:
        """As `--json` has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found
