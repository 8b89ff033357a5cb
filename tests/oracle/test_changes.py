"""Cables and nodes that fail and return under a running OpenSM: every entry, sweep after sweep.

OpenSM runs as a daemon on a subnet whose cables ibsim unlinks and relinks; after each change it sweeps, and
Lacis applies the same change. This compares which entries are kept and when tables are recomputed,
besides the engines' choices.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .fabrics import FABRICS
from .failure_scenarios import Scenario, differences, random_scenario
from .scores import Count, Scores

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle

ENGINES = ("minhop", "updn", "ftree", "dor")
CHOSEN = (
    "two-tier-24",
    "two-cables-each",
    "shuffled-ports",
    "uneven-leaves",
    "hosts-on-spines",
    "dual-port-two-leaves",
    "one-spine",
    "three-tier-18",
    "three-tier-parallel",
    "three-tier-hosts-above",
    "two-directors",
    "ring-8",
    "mesh-4x4",
    "torus-4x4",
    "torus-3x3x3",
    "fat-tree:6,2",
    "hypercube:3",
    "random:16,4,2",
)
SWEEPS = 4
"""Sweeps after the first, before all that is missing comes back."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CHOSEN)
def test_what_fails_and_returns_leaves_the_tables_that_opensm_has(
    name: str, engine: str, scores: Scores
) -> None:
    subject = FABRICS[name]()
    rng = random.Random(f"changes {name} {engine}")
    manager = rng.choice(subject.idents)
    options: RouteOptions = {}
    if subject.roots and engine in ("updn", "ftree") and rng.random() < 0.5:
        options["roots"] = list(subject.roots)
    if engine != "ftree" and rng.random() < 0.25:
        options["lmc"] = 1
    steps = tuple(tuple(step) for step in random_scenario(subject.text, manager, SWEEPS, rng.getrandbits(32)))
    count = Count()
    found = differences(Scenario(subject.text, engine, manager, steps, options), count)
    scores.add(f"{name}, changing", engine, count)
    assert not found, "\n".join(found)
    assert count.runs == 1 + len(steps)
    assert count.entries > 0
