"""Lacis' engines inside the real OpenSM: the dumps of ``-R lacis-X`` are those of ``-R X``, byte for byte."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .choices import NAMES, drawn
from .compare import Run, conf_of
from .fabrics import FABRICS, UNDETERMINED, dgx_subject
from .failure_scenarios import Scenario, random_scenario
from .failure_scenarios import differences as scenario_differences
from .path_records import service_levels
from .plugin import AS_IT_IS, differences, inside
from .scores import ENGINES, Count, Scores
from .test_changes import CHOSEN, SWEEPS
from .test_options import CHOSEN as OPTIONED
from .test_tables import SOAK, runs
from .test_torus import ROUTED, run_of

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]


EVERY = 4
"""Each engine runs on every fourth fabric, each on different ones; on all by ``make soak``."""


def is_asked(name: str, engine: str) -> bool:
    return list(FABRICS).index(name) % EVERY == ENGINES.index(engine) % EVERY


def sample(cases: list[Run], name: str, engine: str) -> list[Run]:
    """The first run and another, which depends on the fabric, so that all kinds occur. All runs are made by ``make soak``."""
    others = cases[1:]
    return cases[:1] + (random.Random(f"{name} {engine}").sample(others, 1) if others else [])


CASES = [
    (name, engine)
    for name in FABRICS
    for engine in ENGINES
    if (SOAK or is_asked(name, engine)) and not (engine == "ftree" and name in UNDETERMINED)
]


@pytest.mark.parametrize(("name", "engine"), CASES)
def test_dumps_are_those_of_opensms_own_engine(name: str, engine: str) -> None:
    subject = FABRICS[name]()
    cases = list(runs(subject, engine, seed=len(subject.text)))
    asked = cases if SOAK else sample(cases, name, engine)
    assert not [line for case in asked for line in differences(subject.text, case)]


@pytest.mark.parametrize("engine", ENGINES)
def test_dumps_of_a_real_cluster_are_those_of_opensms_own_engine(dgx: Path, engine: str) -> None:
    subject = dgx_subject(dgx, keep_lids=False)
    assert not differences(subject.text, Run(engine, subject.idents[0]))


@pytest.mark.parametrize("name", ROUTED)
def test_tables_and_lanes_of_tori_are_those_of_opensms_torus_2qos(name: str) -> None:
    net, conf = ROUTED[name].net()
    run = run_of(net, conf, seed=1)
    assert "qos TRUE" in conf_of(run.options, run.seed)[0]
    assert not differences(net.text(), run)


@pytest.mark.parametrize("engine", ["minhop", "updn", "dor"])
@pytest.mark.parametrize("name", OPTIONED[:: 1 if SOAK else 3])
def test_ports_are_chosen_as_by_opensm(name: str, engine: str) -> None:
    subject = FABRICS[name]()
    rng = random.Random(f"inside {name} {engine}")
    options = drawn(subject, rng, names=NAMES)
    if engine == "updn":
        options["roots"] = list(subject.roots) or rng.sample(subject.switch_guids, 1)
    assert not differences(subject.text, Run(engine, rng.choice(subject.idents), options, seed=1))


@pytest.mark.parametrize(("engine", "name"), [("lash", "ring-8"), ("nue", "torus-4x4"), ("dfsssp", "ring-8")])
def test_clients_get_the_service_levels_that_opensm_would_answer(engine: str, name: str) -> None:
    subject = FABRICS[name]()
    manager = subject.idents[0]
    qos = "qos TRUE\nnue_max_num_vls 4\n"
    theirs, _ = service_levels(subject.text, engine, qos, sm=manager)
    ours, log = service_levels(subject.text, inside(engine), AS_IT_IS + qos, sm=manager)
    assert f"{inside(engine)} tables configured" in log
    # OpenSM's dfsssp answers with any lane of a range; Lacis' with the first.
    assert all(sl <= theirs[pair] if engine == "dfsssp" else sl == theirs[pair] for pair, sl in ours.items())
    assert len(set(ours.values())) > 1


SCENARIOS = [(name, engine) for name in CHOSEN for engine in ("minhop", "updn", "ftree", "dor")] + [
    (name, "eventree") for name in CHOSEN if "tier" in name or "tree" in name or "lea" in name
]


@pytest.mark.parametrize(("name", "engine"), SCENARIOS)
def test_what_fails_and_returns_leaves_the_tables_that_lacis_predicts(
    name: str, engine: str, scores: Scores
) -> None:
    subject = FABRICS[name]()
    rng = random.Random(f"inside {name} {engine}")
    manager = rng.choice(subject.idents)
    steps = tuple(tuple(step) for step in random_scenario(subject.text, manager, SWEEPS, rng.getrandbits(32)))
    count = Count()
    found = scenario_differences(Scenario(subject.text, engine, manager, steps, {}, inside=True), count)
    scores.add(f"{name}, changing, inside OpenSM", engine, count)
    assert not found, "\n".join(found)
    assert count.entries > 0
