"""The single failures to try where all would take too long: as many as time allows, drawn with a fixed seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ..sm.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 1


def seconds(engine: str, entries: int, switches: int) -> float:
    """About the processor time of one failure [s], the same on every machine so that reports are the same."""
    row = ENGINES[engine]
    growth = switches / row.failure_doubles_by if row.failure_doubles_by else 0.0
    return entries * 1e-9 * row.failure_cost * (1 + growth)


def sample(failing: Sequence[tuple[str, str]], most: int) -> list[int]:
    """Indices of the failures that are tried: all of them, or `most` drawn at random, half of them switches."""
    if most >= len(failing):
        return list(range(len(failing)))
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    switches = [index for index, (kind, _) in enumerate(failing) if kind == "switch"]
    cables = [index for index, (kind, _) in enumerate(failing) if kind != "switch"]
    of_switches = max(min(len(switches), most // 2), most - len(cables))
    return sorted(draw.sample(switches, of_switches) + draw.sample(cables, most - of_switches))
