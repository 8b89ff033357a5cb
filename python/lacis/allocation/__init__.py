"""Where jobs are put: the best free nodes under given tables, what is wrong with running allocations, and traces replayed."""

from __future__ import annotations

from .fitting import Choice, Fit, fit
from .fragments import Fragment, Fragmentation, Shared, Swap, fragmentation
from .machine import PATTERNS, Machine, machine_of, matched
from .queue import Queue, QueuedJob, read_queue
from .score import Score
from .waiting import Waiting, how_long

__all__ = [
    "PATTERNS",
    "Choice",
    "Fit",
    "Fragment",
    "Fragmentation",
    "Machine",
    "Queue",
    "QueuedJob",
    "Score",
    "Shared",
    "Swap",
    "Waiting",
    "fit",
    "fragmentation",
    "how_long",
    "machine_of",
    "matched",
    "read_queue",
]
