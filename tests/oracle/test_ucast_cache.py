"""`use_ucast_cache`: which sweeps of the real OpenSM run no engine, and every entry then, as after any other change.

A switch that is dropped loses its LID too, as one that is switched off does; one that is only cut off keeps it, and
OpenSM may then not take it back (see `crates/lacis-core/src/failures/ucast_cache.rs`).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .fabrics import FABRICS
from .failure_scenarios import Scenario, differences, random_scenario
from .scores import Count, Scores

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.oracle

CHOSEN = (
    "two-tier-24",
    "two-cables-each",
    "shuffled-ports",
    "uneven-leaves",
    "hosts-on-spines",
    "dual-port-two-leaves",
    "one-spine",
    "three-tier-18",
    "three-tier-hosts-above",
    "two-directors",
    "mesh-4x4",
    "fat-tree:6,2",
    "random:16,4,2",
)
RARELY_CABLES = (6, 22, 26, 20, 40, 6)
"""Weights of changes: few cuts between switches, which no cache survives."""
SWEEPS = 6


def drawn(name: str, engine: str, seed: int) -> Scenario:
    """A story on a fabric, drawn."""
    subject = FABRICS[name]()
    rng = random.Random(f"cache {name} {engine} {seed}")
    manager = rng.choice(subject.idents)
    story = random_scenario(subject.text, manager, SWEEPS, rng.getrandbits(32), RARELY_CABLES)
    steps = tuple(tuple(step) for step in story)
    return Scenario(subject.text, engine, manager, steps, {"ucast_cache": True})


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
@pytest.mark.parametrize("name", CHOSEN)
def test_the_cache_serves_where_it_does_in_opensm_and_tables_agree(
    name: str, engine: str, scores: Scores
) -> None:
    count = Count()
    scenario = drawn(name, engine, 0)
    found = differences(scenario, count)
    scores.add(f"{name}, with its cache", engine, count)
    assert not found, "\n".join(found)
    assert count.entries > 0
