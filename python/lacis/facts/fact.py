"""What every fact is: fields of a closed kind, which faces, exit codes and exporters read; words come last."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .row import Row, kind_of

Severity: TypeAlias = Literal["error", "warning", "notice"]
Rank: TypeAlias = Literal["error", "warning", "notice", "good"]
"""A severity, or that something is as it should be."""
Population: TypeAlias = Literal["hosts", "end nodes"]
"""Whose pairs a fact is about: those of hosts alone, or of all end nodes."""


class Fact(Row, frozen=True, tag_field="kind", tag=kind_of):
    """One thing that is the case. Its kind is the name of its class, `pairs_lost` for `PairsLost`."""


class FoundFact(Row, frozen=True, tag_field="kind", tag=kind_of):
    """A fact that the engine finds, and words: the core's `health/facts` has the same kinds with the same fields."""
