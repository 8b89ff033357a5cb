"""`lacis tune`: what it finds, what it writes, and that it says no."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core, tuning
from lacis.opensm.plugin import judged

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = ("fat-tree:8,2", "--without", "leaf-02--spine-03")
QUICK = ("--steps", "40", "--failures", "12")


def found(lacis: Lacis, *args: str | Path, status: int = 0) -> dict[str, Any]:
    done = lacis("tune", *args, "--json")
    assert done.status == status, done.err
    content: dict[str, Any] = json.loads(done.out)
    return content


@pytest.fixture(scope="module")
def damaged() -> _core.Fabric:
    """Leaf 2 has two cables left, and leaf 3 one: a spine's failure cuts its hosts off, whatever the tables."""
    cut = [f"leaf-0{leaf}--spine-0{spine}" for leaf, spine in ((2, 3), (2, 4), (3, 1), (3, 2), (3, 3))]
    return _core.generate_fabric("fat-tree:8,2").without(cut)


@pytest.fixture(scope="module")
def tuned(damaged: _core.Fabric) -> list[tuning.Tuned]:
    return tuning.tune(damaged, limits=tuning.Limits(steps=40, failures=-1))


def test_what_is_accepted_loses_nothing_and_leaves_no_loop(
    damaged: _core.Fabric, tuned: list[tuning.Tuned]
) -> None:
    accepted = [one for one in tuned if one.accepted]
    assert accepted
    for one in accepted:
        routes = _core.route(damaged, one.engine, **one.options)
        proof = _core.verify(routes, "all")
        assert (routes.engine_used, judged(proof)[1], proof.credit_loops) == (one.engine, 0, [])


def test_failures_are_those_that_survive_counts(damaged: _core.Fabric, tuned: list[tuning.Tuned]) -> None:
    """Counted by the rows of `lacis survive`, each failure on its own."""
    for one in tuned:
        managed = _core.manage(damaged, one.engine, **one.options)
        traffic = _core.participants(managed.routes, groups="all", rail="all", order="topology")
        survey = _core.survey(managed, traffic, pairs="all")
        rows = survey.run(list(range(len(survey.parts))))
        assert one.failures is not None
        blinded = [row for row in rows if row.blinded and row.unrouted]
        seeing = [row for row in rows if row not in blinded]
        lose = sum(row.unrouted > 0 for row in seeing)
        fell_back = sum(row.fell_back or row.no_engine for row in seeing)
        failed = one.failures
        assert failed.blinded == len(blinded)
        assert failed.apart == sum(row.apart > 0 for row in seeing)
        assert (failed.tried, failed.of, failed.lose, failed.fell_back) == (
            len(rows),
            len(rows),
            lose,
            fell_back,
        )


def test_the_figures_are_those_of_predict(damaged: _core.Fabric, tuned: list[tuning.Tuned]) -> None:
    best = tuned[0]
    routes = _core.route(damaged, best.engine, **best.options)
    hosts = _core.participants(routes, groups="all", rail="all", order="topology")
    bisection = _core.predict(routes, hosts, "bisection", patterns=best.figures.patterns, seed=1)
    shift = _core.predict(routes, hosts, "shift")
    assert best.figures.bisection == bisection.relative_bandwidth["mean"]
    assert best.figures.shift_worst == shift.phases()["mean"].min()
    assert best.figures.most_flows == shift.max_contention
    assert best.confirmed is not None
    assert abs(best.confirmed.mean - bisection.relative_bandwidth["mean"]) < 0.02


def test_the_same_seed_and_steps_have_the_same_result(lacis: Lacis) -> None:
    first, second = (found(lacis, *TREE, *QUICK) for _ in range(2))
    for content in (first, second):
        content.pop("seconds")
    assert first == second


def test_what_is_written_makes_the_tables_promised(lacis: Lacis, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    content = found(lacis, *TREE, *QUICK, "-o", folder)
    best = content["found"][content["best"]]
    assert sorted(content["written"]) == sorted(path.name for path in folder.iterdir())
    assert content["conf"] == (folder / "opensm.conf.lines").read_text().splitlines()
    tables = tmp_path / "tables"
    done = lacis("route", *TREE, "--opensm-conf", folder / "opensm.conf.lines", "-o", tables)
    assert done.status == 0, done.err
    done = lacis("verify", *TREE, "--lfts", tables, "--pairs", "all", "--json")
    proof = json.loads(done.out)
    assert (proof["credit_loops"], best["pairs_lost"], best["credit_loops"]) == ([], 0, 0)
    done = lacis("predict", *TREE, "--lfts", tables, "--json", "--patterns", str(best["patterns"]))
    assert json.loads(done.out)["relative_bandwidth"]["mean"] == pytest.approx(best["bisection"], abs=1e-9)


def test_two_hosts_on_one_cable_leave_nothing_to_tune(lacis: Lacis, tmp_path: Path) -> None:
    hosts = "".join(
        f'caguid=0x{mine}0\nCa 1 "H-000000000000000{mine}" # "node{mine} HCA-1"\n'
        f'[1](0x{mine}1) "H-000000000000000{other}"[1](0x{other}1) # lid {mine} lmc 0 "node{other} HCA-1" lid {other} 4xHDR\n\n'
        for mine, other in ((1, 2), (2, 1))
    )
    (tmp_path / "pair").write_text(hosts)
    done = lacis("tune", tmp_path / "pair")
    assert (done.status, done.out) == (2, "")
    assert done.err == "lacis: there is no switch, so that there is nothing to tune\n"


def test_a_folder_with_something_in_it_is_refused_before_the_search(lacis: Lacis, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = lacis("tune", *TREE, "--seconds", "5", "-o", tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"lacis: {tmp_path}: the folder has files in it; name one that is new or empty\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("fat-tree:8,2", "--failures", "some"), "'some' is neither a number nor all"),
        (("fat-tree:4,1", "--without", "random-hosts=3,seed=1"), "there are not two hosts"),
        (("fat-tree:8,2", "-o", "no/such/folder"), "its parent folder does not exist"),
        (("fat-tree:8,2", "-o", 'a"b'), "ends the name of a file in opensm.conf"),
    ],
)
def test_what_makes_no_sense_is_one_line(lacis: Lacis, args: tuple[str, ...], reason: str) -> None:
    done = lacis("tune", *args)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert reason in done.err


@pytest.mark.parametrize("spec", ["fat-tree:4,1", "ring:3", "fat-tree:4,2:rails=2"])
def test_fabrics_that_leave_little_to_tune_have_an_answer(lacis: Lacis, spec: str) -> None:
    """Fewer failures than asked for, and nothing to choose; nothing is in another's way in a shift."""
    content = found(lacis, spec, "--steps", "12", "--failures", "1000")
    best = content["found"][content["best"]]
    assert best["failures"]["tried"] == best["failures"]["of"] > 0
    assert (best["shift_worst"], best["pairs_lost"], best["credit_loops"]) == (1.0, 0, 0)


def test_among_equals_the_inputs_are_fewest(lacis: Lacis) -> None:
    # Two hosts on a cable: every engine has the same tables, and no file makes them better.
    done = lacis("tune", "chain:2:h=1", "--steps", "1")
    assert (done.status, "opensm.conf\n    routing_engine " in done.out) == (0, True)
    assert "_file" not in done.out
