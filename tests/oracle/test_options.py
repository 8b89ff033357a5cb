"""The options for the choice among equal ports, one by one and together, against the real OpenSM."""

from __future__ import annotations

import random

import pytest

from .choices import NAMES, drawn
from .compare import Run
from .fabrics import FABRICS
from .scores import Scores
from .test_tables import compare_all

pytestmark = pytest.mark.oracle

CHOSEN = sorted(FABRICS)[::5]
"""Every fifth fabric, among them some of every kind."""


@pytest.mark.parametrize("engine", ["minhop", "updn", "dor"])
@pytest.mark.parametrize("name", CHOSEN)
def test_ports_are_chosen_as_by_opensm(name: str, engine: str, scores: Scores) -> None:
    subject = FABRICS[name]()
    rng = random.Random(f"{name} {engine}")
    cases = []
    for number in range(len(NAMES) + 4):
        options = drawn(subject, rng, names=NAMES[number : number + 1] or NAMES)
        if engine == "updn":
            options["roots"] = list(subject.roots) or rng.sample(subject.switch_guids, 1)
        cases.append(Run(engine, rng.choice(subject.idents), options, seed=number))
    compare_all(f"{name}, choice of ports", subject, engine, cases, scores)
