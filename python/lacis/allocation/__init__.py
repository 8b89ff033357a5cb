"""Where jobs are put: the best free nodes under given tables, what is wrong with running allocations, and traces replayed."""

from __future__ import annotations

from .fitting import Choice, Fit, fit
from .machine import PATTERNS, Machine, machine_of, matched
from .queue import Queue, QueuedJob, read_queue
from .score import Score
from .waiting import Waiting, how_long

__all__ = [
    "PATTERNS",
    "Choice",
    "Fit",
    "Machine",
    "Queue",
    "QueuedJob",
    "Score",
    "Waiting",
    "fit",
    "how_long",
    "machine_of",
    "matched",
    "read_queue",
]
