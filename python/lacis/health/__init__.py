"""What a fabric is and what is wrong with it, before it is routed."""

from __future__ import annotations

from ..facts.found.ends import FindingEnd
from ..facts.found.findings import Finding
from .examination import (
    PATTERNS,
    SEVERITIES,
    Health,
    cabling_unchecked,
    examine,
    hosts_cut_off,
    likely_names,
    rename,
    why_levels,
)

__all__ = [
    "PATTERNS",
    "SEVERITIES",
    "Finding",
    "FindingEnd",
    "Health",
    "cabling_unchecked",
    "examine",
    "hosts_cut_off",
    "likely_names",
    "rename",
    "why_levels",
]
