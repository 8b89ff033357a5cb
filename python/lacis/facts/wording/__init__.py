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
from .suspects import certainty, evidence, negotiated, numbered, of_others, partly, partly_evidence, severity
from .traffic import on_link, others

__all__ = [
    "allocation",
    "applications",
    "as_a_test",
    "bounds",
    "cable_list",
    "certainty",
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
    "numbered",
    "of_others",
    "on_link",
    "others",
    "part_words",
    "partly",
    "partly_evidence",
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
