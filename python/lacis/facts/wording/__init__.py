"""The words of facts, once for all faces."""

from __future__ import annotations

from . import doubts, job, verdicts
from .advice import applications, credit_loops, mending, purpose, way_back
from .dispatch import text
from .gains import clauses, sentence
from .steps import cable_list, why
from .suspects import evidence, negotiated, of_others, severity

__all__ = [
    "applications",
    "cable_list",
    "clauses",
    "credit_loops",
    "doubts",
    "evidence",
    "job",
    "mending",
    "negotiated",
    "of_others",
    "purpose",
    "sentence",
    "severity",
    "text",
    "verdicts",
    "way_back",
    "why",
]
