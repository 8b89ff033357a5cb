"""The words of facts, once for all faces."""

from __future__ import annotations

from . import (
    allocation,
    bounds,
    counters,
    doubts,
    guilt,
    host,
    job,
    launch,
    mapping,
    refusals,
    scheduler,
    traffic,
    verdicts,
    watch,
)
from .advice import applications, as_a_test, credit_loops, mending, purpose, way_back
from .dispatch import text
from .gains import clauses, sentence
from .sources import part_words
from .steps import cable_list, why
from .suspects import evidence, negotiated, of_others, severity

__all__ = [
    "allocation",
    "applications",
    "as_a_test",
    "bounds",
    "cable_list",
    "clauses",
    "counters",
    "credit_loops",
    "doubts",
    "evidence",
    "guilt",
    "host",
    "job",
    "launch",
    "mapping",
    "mending",
    "negotiated",
    "of_others",
    "part_words",
    "purpose",
    "refusals",
    "scheduler",
    "sentence",
    "severity",
    "text",
    "traffic",
    "verdicts",
    "watch",
    "way_back",
    "why",
]
