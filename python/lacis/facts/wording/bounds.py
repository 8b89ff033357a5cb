"""The words of what cables alone decide."""

from __future__ import annotations

import math

from .. import bounds
from ..words import count
from .dispatch import text


@text.register
def _(fact: bounds.ShiftsBounded) -> str:
    mean, worst = _at_most(fact.mean), _at_most(fact.worst)
    if not (reasons := _reasons(fact)):
        # Sets of other kinds may hold them back all the same, as in a torus.
        return "no bound of shifts below the link rate is known"
    return f"shifts have {mean} of the link rate at most (the worst {worst}), whatever the tables: {'; '.join(reasons)}"


def _at_most(share: float) -> str:
    """A bound with three decimals, rounded up: a bound that is rounded down is none."""
    return f"{math.ceil(share * 1000 - 1e-6) / 1000:.3f}"


def _reasons(fact: bounds.ShiftsBounded) -> list[str]:
    """Why, each with what it costs."""
    parts = list(fact.parts[:2])
    if len(fact.parts) > len(parts):
        parts.append(f"{len(fact.parts) - len(parts):,} more")
    reasons = {
        f"{count(fact.narrow, 'edge switch', 'edge switches')} with fewer cables than hosts": fact.lost_at_edge_switches,
        "subtrees with fewer cables up than hosts": fact.lost_above,
        f"{', '.join(parts)} {'reaches' if len(fact.parts) == 1 else 'reach'} only a part of what others of their level reach": fact.lost_to_parts,
    }
    return [f"{why} ({cost:.3f})" for why, cost in reasons.items() if cost > 0]
