"""The words of why an engine is not used, where that is not for the engine to say."""

from __future__ import annotations

from .. import refusals as of
from .advice import credit_loops
from .dispatch import text

_SHOWN = 6
"""Ports of a circle that are named before the rest are left out."""


@text.register
def _(fact: of.ProofLosesPairs) -> str:
    example = ""
    if fact.example is not None:
        one = fact.example
        what = one.verdict.replace("_", " ")
        example = f", for example from {one.source} to {one.target} (LID {one.lid}): {what}"
    return f"loses {fact.lost} of {fact.of} pairs{example}"


@text.register
def _(fact: of.ProofFindsLoops) -> str:
    more = ", …" if len(fact.ports) > _SHOWN else ""
    return f"leaves {credit_loops(fact.loops)}, for example over {', '.join(fact.ports[:_SHOWN])}{more}"


@text.register
def _(fact: of.EngineLong) -> str:
    return f"takes long on {fact.end_nodes:,} end nodes: name it to have it tried"
