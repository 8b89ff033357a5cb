"""One definition of whose traffic is counted: every command gives the same answer to the same question."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

# Two planes with cables missing, so that rails, orders of hosts and random draws that differ show.
FABRIC = ["fat-tree:8,2:rails=2,shuffle=3", "--without", "random-cables=15%,seed=2", "-R", "minhop"]


@pytest.mark.slow
def test_report_predict_whatif_survive_and_verify_give_one_answer(lacis: Lacis, tmp_path: Path) -> None:
    def output(*arguments: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(lacis(*arguments, "--json").out)
        return content

    page = str(tmp_path / "page.html")
    report = output("report", *FABRIC[:3], "-o", page)
    minhop = next(engine for engine in report["engines"] if engine["label"] == "minhop")
    bisection = output("predict", *FABRIC)
    shift = output("predict", *FABRIC, "--traffic", "shift")
    before = output("whatif", *FABRIC, "--cut", "rail1-leaf-01[1]")["before"]
    baseline = output("survive", *FABRIC)["baseline"]

    mean = bisection["relative_bandwidth"]["mean"]
    assert minhop["bisection"]["relative_bandwidth"]["mean"] == mean
    assert before["bisection"]["mean"] == mean
    assert minhop["bisection"]["max_contention"] == before["bisection"]["max_contention"]
    assert minhop["shift"]["max_contention"] == shift["max_contention"]
    assert minhop["shift"]["relative_bandwidth"] == shift["relative_bandwidth"]
    assert before["shifts"] == baseline["shifts"]
    assert abs(before["shifts"]["mean"] - shift["relative_bandwidth"]["mean"]) < 1e-9
    assert {bisection["host_order"], bisection["rail"]} == {"topology", "all"}

    verify = output("verify", *FABRIC, "--pairs", "hosts")
    assert minhop["verify"]["hosts"]["balance"] == verify["balance"]
    assert minhop["verify"]["hosts"]["pairs"] == verify["pairs"]
