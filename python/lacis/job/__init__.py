"""A job on its fabric: where it sits, which of its flows share a link, what it gets alone and beside other jobs."""

from __future__ import annotations

from .examination import ADAPTIVE, SHIFTS, Bandwidth, Job, Leaf, Meeting, Rail, SharedLink, examine, hosts_of

__all__ = [
    "ADAPTIVE",
    "SHIFTS",
    "Bandwidth",
    "Job",
    "Leaf",
    "Meeting",
    "Rail",
    "SharedLink",
    "examine",
    "hosts_of",
]
