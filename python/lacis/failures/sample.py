"""The single failures to try where all would take too long: as many as time allows, drawn with a fixed seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 1
COST = {"lash": 25, "eventree": 160, "numbered": 15_000}
"""Processor time of a failure by engine [ns for each entry of all tables], measured on 40 and 666 switches."""
GROWING_COST = {"sssp": 55, "dfsssp": 92, "nue": 140}
"""The same where it grows with the fabric, too: by 1 + switches / 200."""
OTHER_COST = 22


def seconds(engine: str, entries: int, switches: int) -> float:
    """About the processor time of one failure [s], the same on every machine so that reports are the same."""
    growing = GROWING_COST.get(engine, 0) * (1 + switches / 200)
    return entries * 1e-9 * (growing or COST.get(engine, OTHER_COST))


def sample(failing: Sequence[tuple[str, str]], most: int) -> list[int]:
    """Indices of the failures that are tried: all of them, or `most` drawn at random, half of them switches."""
    if most >= len(failing):
        return list(range(len(failing)))
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    switches = [index for index, (kind, _) in enumerate(failing) if kind == "switch"]
    cables = [index for index, (kind, _) in enumerate(failing) if kind != "switch"]
    of_switches = max(min(len(switches), most // 2), most - len(cables))
    return sorted(draw.sample(switches, of_switches) + draw.sample(cables, most - of_switches))
