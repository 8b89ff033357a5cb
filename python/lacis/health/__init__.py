"""What a fabric is and what is wrong with it, before it is routed."""

from __future__ import annotations

from ..documents.found.ends import FindingEnd
from ..documents.found.findings import Finding
from .examination import (
    SEVERITIES,
    ExplainedSwitch,
    FabricBisection,
    Group,
    Health,
    Level,
    LinkRate,
    Rail,
    Summary,
    WhyLevels,
    examine,
    hosts_cut_off,
    likely_names,
    rename,
    why_levels,
)

__all__ = [
    "SEVERITIES",
    "ExplainedSwitch",
    "FabricBisection",
    "Finding",
    "FindingEnd",
    "Group",
    "Health",
    "Level",
    "LinkRate",
    "Rail",
    "Summary",
    "WhyLevels",
    "examine",
    "hosts_cut_off",
    "likely_names",
    "rename",
    "why_levels",
]
