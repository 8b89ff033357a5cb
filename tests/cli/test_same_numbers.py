"""The same question asked of several commands has one answer, on three fabrics."""

from __future__ import annotations

import contextlib
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from lacis.cli import run

from tests.conftest import one_quick

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FABRICS = {
    "a tree that lacks two cables": ("fat-tree:8,2", "--without", "random-cables=2,seed=1"),
    "a torus, whose tables leave a credit loop": ("torus:4x4:h=2",),
    "two rails": ("fat-tree:4,2:rails=2",),
}
ENGINE = "minhop"


class Answers(dict[str, Any]):
    """What commands print of a fabric, by the question."""

    @property
    def engine(self) -> Any:
        """The row of the engine in the report."""
        rows = self["report"]["engines"]
        return next(row for row in rows if row["engine_requested"] == ENGINE and row["own_order"] is None)


@pytest.fixture(scope="module", params=one_quick(FABRICS))
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    fabric = FABRICS[request.param]
    page: Path = tmp_path_factory.mktemp("page") / "page.html"

    def ask(command: str, *args: str) -> Any:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert run([command, *fabric, *args, "--json"]) in (0, 1)
        return json.loads(out.getvalue())

    tables = ("-R", ENGINE)
    return Answers(
        {
            "report": ask("report", "-o", str(page)),
            "fabric": ask("fabric"),
            "verify": ask("verify", *tables, "--pairs", "hosts"),
            "verify all": ask("verify", *tables),
            "bisections": ask("predict", *tables),
            "shifts": ask("predict", *tables, "--traffic", "shift"),
            "simulate": ask("simulate", *tables, "--bytes", "4KiB"),
            "tune": ask("tune", "--steps", "3", "--failures", "0"),
            "survive": ask("survive", *tables),
            "rails": ask("rails"),
            "order": ask("order"),
            "advise": ask("advise"),
        }
    )


def one(answers: dict[str, Any]) -> None:
    """Fails where answers differ, and says which command gives which."""
    assert len({json.dumps(answer, sort_keys=True) for answer in answers.values()}) == 1, answers


def test_hosts(said: Answers) -> None:
    one(
        {
            "fabric": said["fabric"]["hosts"],
            "report": said["report"]["fabric"]["hosts"],
            "predict": said["bisections"]["hosts"],
            "simulate": said["simulate"]["hosts"],
            "tune": said["tune"]["hosts"],
            "survive": sum(said["survive"]["hosts_by_group"].values()),
            "rails": len(said["rails"]["hosts"]),
            "order": len(said["order"]["hosts"]),
        }
    )


def test_what_the_fabric_is_and_what_is_wrong_with_it(said: Answers) -> None:
    for key in ("switches", "end_nodes", "links", "trunks", "levels", "planes", "groups", "bisection"):
        one({"fabric": said["fabric"][key], "report": said["report"]["fabric"][key]})
    one(
        {
            "fabric": sorted(found["code"] for found in said["fabric"]["findings"]),
            "report": sorted(found["code"] for found in said["report"]["fabric"]["findings"]),
        }
    )


def test_pairs_and_loops(said: Answers) -> None:
    verify, report = said["verify all"], said.engine["verify"]["all"]
    one({"verify": verify["verdicts"], "report": report["verdicts"]})
    one({"verify": verify["credit_loops"], "report": report["credit_loops"]})
    one(
        {
            "verify": verify["verdicts"]["delivered"],
            "survive": said["survive"]["baseline"]["delivered"],
            "report": report["verdicts"]["delivered"],
        }
    )
    one({"verify": len(verify["credit_loops"]), "tune": said["tune"]["baseline"]["credit_loops"]})
    one({"verify": said["verify"]["verdicts"], "report": said.engine["verify"]["hosts"]["verdicts"]})


def test_the_fullest_link(said: Answers) -> None:
    balance = said["verify"]["balance"]
    one({"verify": balance, "report": said.engine["verify"]["hosts"]["balance"]})
    one({"all": said["verify all"]["balance"], "report": said.engine["verify"]["all"]["balance"]})
    assert said["tune"]["baseline"]["fullest_over_forced"] == pytest.approx(
        balance["max"] / balance["forced"]["flows"]
    )


SHARES: dict[str, Callable[[Answers], tuple[Any, Any, str, str]]] = {
    "bisections": lambda said: (said["bisections"], said.engine["bisection"], "bisection", "patterns"),
    "shifts": lambda said: (said["shifts"], said.engine["shift"], "shift", "distances"),
}


@pytest.mark.parametrize("of", SHARES)
def test_bandwidths(said: Answers, of: str) -> None:
    predicted, reported, key, count = SHARES[of](said)
    tuned = said["tune"]["baseline"]
    for name in (
        "relative_bandwidth",
        "max_contention",
        "mean_max_contention",
        "flows",
        "unrouted",
        "skipped",
    ):
        one({"predict": predicted[name], "report": reported[name]})
    one({"report": reported["patterns"], "tune": tuned[count]})
    one({"predict": predicted["relative_bandwidth"]["mean"], "tune": tuned[key]})
    one({"report": reported["worst"], "tune": tuned[f"{key}_worst"]})


def test_the_worst_shift(said: Answers) -> None:
    survive, tuned, reported = (
        said["survive"]["baseline"]["shifts"],
        said["tune"]["baseline"],
        said.engine["shift"],
    )
    one({"survive": survive["worst"], "tune": tuned["shift_worst"], "report": reported["worst"]})
    one(
        {"survive": survive["mean"], "tune": tuned["shift"], "report": reported["relative_bandwidth"]["mean"]}
    )
    one({"survive": survive["distances"], "tune": tuned["distances"], "report": reported["patterns"]})
    one(
        {
            "survive": survive["max_contention"],
            "tune": tuned["most_flows"],
            "report": reported["max_contention"],
            "predict": said["shifts"]["max_contention"],
        }
    )
    # The distance is the one whose shift alone gets least.
    phases = said["shifts"]["phases"]
    least = min(phases["mean"])
    assert least == pytest.approx(survive["worst"])
    at = phases["label"].index(survive["worst_distance"])
    assert phases["mean"][at] == pytest.approx(least)


def test_what_runs_and_what_it_gets(said: Answers) -> None:
    # Where nothing is better there is no bundle, and no figure of what runs.
    figures = {
        (figure["name"], figure["unit"]): figure["now"]
        for bundle in said["advise"]["bundles"]
        for figure in bundle["figures"]
    }
    tuned = said["tune"]["baseline"]
    same = {
        ("credit loops among end nodes", "loops"): len(said["verify all"]["credit_loops"]),
        ("credit loops among hosts", "loops"): len(said["verify"]["credit_loops"]),
        ("random bisections, mean", "of the link rate"): said["bisections"]["relative_bandwidth"]["mean"],
        ("random bisections, worst", "of the link rate"): tuned["bisection_worst"],
        ("shifts, mean", "of the link rate"): said["shifts"]["relative_bandwidth"]["mean"],
        ("worst shift", "of the link rate"): tuned["shift_worst"],
        ("worst shift", "flows"): said["shifts"]["max_contention"],
        ("fullest link, all hosts to all", "of what some link must carry"): tuned["fullest_over_forced"],
    }
    if figures:
        assert {key: figures[key] for key in same} == pytest.approx(same)
    else:
        assert said["fabric"]["bisection"]["fraction"] == 1.0
