"""The words of facts, once for all faces."""

from __future__ import annotations

from . import doubts, job, mapping, refusals, verdicts
from .advice import applications, as_a_test, credit_loops, mending, purpose, way_back
from .dispatch import text
from .gains import clauses, sentence
from .sources import part_words
from .steps import cable_list, why
from .suspects import evidence, negotiated, of_others, severity

__all__ = [
    "applications",
    "as_a_test",
    "cable_list",
    "clauses",
    "credit_loops",
    "doubts",
    "evidence",
    "job",
    "mapping",
    "mending",
    "negotiated",
    "of_others",
    "part_words",
    "purpose",
    "refusals",
    "sentence",
    "severity",
    "text",
    "verdicts",
    "way_back",
    "why",
]
