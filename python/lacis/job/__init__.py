"""A job on its fabric: where it sits, which of its flows share a link, what it gets alone and beside other jobs."""

from __future__ import annotations

from ..documents.job import JobBandwidth, JobLeaf, JobLink, JobRail
from .examination import ADAPTIVE, SHIFTS, Job, Meeting, examine, hosts_of

__all__ = [
    "ADAPTIVE",
    "SHIFTS",
    "Job",
    "JobBandwidth",
    "JobLeaf",
    "JobLink",
    "JobRail",
    "Meeting",
    "examine",
    "hosts_of",
]
