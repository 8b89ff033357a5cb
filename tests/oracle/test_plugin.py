"""Lacis' engines inside the real OpenSM: ``-R lacis-X`` leaves what ``-R X`` leaves, byte for byte."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .conftest import ENGINES, Count, Scores
from .fabrics import FABRICS, UNDETERMINED, dgx_subject
from .plugin import differences
from .questions import Run
from .stories import Story, random_story
from .stories import differences as story_differences
from .test_changes import CHOSEN, SWEEPS
from .test_tables import runs

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]


def sample(questions: list[Run], name: str, engine: str) -> list[Run]:
    """The first question and another one of them: which, depends on the fabric, so that all kinds come up. The others are
    asked by ``make soak``."""
    others = questions[1:]
    return questions[:1] + (random.Random(f"{name} {engine}").sample(others, 1) if others else [])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FABRICS)
def test_dumps_are_those_of_opensms_own_engine(name: str, engine: str, soak: bool) -> None:
    if engine == "ftree" and name in UNDETERMINED:
        pytest.skip(f"{name}: {UNDETERMINED[name]}")
    subject = FABRICS[name]()
    questions = list(runs(subject, engine, seed=len(subject.text)))
    asked = questions if soak else sample(questions, name, engine)
    assert not [line for question in asked for line in differences(subject.text, question)]


@pytest.mark.parametrize("engine", ENGINES)
def test_dumps_of_a_real_cluster_are_those_of_opensms_own_engine(dgx: Path, engine: str) -> None:
    subject = dgx_subject(dgx, keep_lids=False)
    assert not differences(subject.text, Run(engine, subject.idents[0]))


STORIES = [(name, engine) for name in CHOSEN for engine in ("minhop", "updn", "ftree", "dor")] + [
    (name, "eventree") for name in CHOSEN if "tier" in name or "tree" in name or "lea" in name
]


@pytest.mark.parametrize(("name", "engine"), STORIES)
def test_what_fails_and_returns_leaves_the_tables_that_lacis_foretells(
    name: str, engine: str, scores: Scores
) -> None:
    subject = FABRICS[name]()
    rng = random.Random(f"inside {name} {engine}")
    manager = rng.choice(subject.idents)
    steps = tuple(tuple(step) for step in random_story(subject.text, manager, SWEEPS, rng.getrandbits(32)))
    count = Count()
    found = story_differences(Story(subject.text, engine, manager, steps, {}, inside=True), count)
    scores.add(f"{name}, changing, inside OpenSM", engine, count)
    assert not found, "\n".join(found)
    assert count.entries > 0
