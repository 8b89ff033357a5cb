"""Where jobs are put: the best free nodes under given tables, what is wrong with running allocations, and traces replayed."""

from __future__ import annotations

from .fitting import Choice, Fit, fit
from .fragments import Fragment, Fragmentation, Shared, Swap, fragmentation
from .machine import PATTERNS, Machine, machine_of, matched
from .replaying import POLICIES, Interval, PolicyResult, Replay, replay
from .score import Score
from .swf import Trace, TraceJob, generate_trace, read_trace, shipped_trace, write_trace
from .waiting import JobsToEnd, how_long

__all__ = [
    "PATTERNS",
    "POLICIES",
    "Choice",
    "Fit",
    "Fragment",
    "Fragmentation",
    "Interval",
    "JobsToEnd",
    "Machine",
    "PolicyResult",
    "Replay",
    "Score",
    "Shared",
    "Swap",
    "Trace",
    "TraceJob",
    "fit",
    "fragmentation",
    "generate_trace",
    "how_long",
    "machine_of",
    "matched",
    "read_trace",
    "replay",
    "shipped_trace",
    "write_trace",
]
