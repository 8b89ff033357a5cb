"""Errors of a store or a recording where `--counters` names one: findings, work lists, whatever command reads the fabric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import lacis as api
import pytest
from lacis.counters import recording
from lacis.counters.counted import with_errors
from lacis.counters.names import PortNames
from lacis.counters.store import CounterStore

from tests.why_readings import AT, readings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
PORT, PEER = "spine-01[1]", "leaf-01[3]"
DAY = 86_400


def kept(path: Path, kind: str, *sweeps: tuple[int, int]) -> Path:
    """Sweeps, seconds after the first, with the symbol errors of a port: a store or a recording."""
    fabric = api.read(TREE)
    read = [readings(fabric, seconds, {(PORT, "SymbolErrors"): errors}) for seconds, errors in sweeps]
    if kind == "store":
        with CounterStore(path) as store:
            for one in read:
                store.append(one)
    else:
        path.write_bytes(b"".join(recording.line(recording.document(one, PortNames(fabric))) for one in read))
    return path


def errors(lacis: Lacis, counters: Path) -> list[dict[str, Any]]:
    done = lacis("fabric", TREE, "--counters", counters, "--json")
    assert (done.status, done.err) == (0, "")
    findings = json.loads(done.out)["findings"]
    return [one["facts"] for one in findings if one["code"] == "PORT_ERRORS"]


@pytest.mark.parametrize("kind", ["store", "recording"])
def test_what_has_grown_in_the_last_day_counts(lacis: Lacis, tmp_path: Path, kind: str) -> None:
    grown = kept(tmp_path / "grown", kind, (0, 5000), (600, 5007), (1200, 5030))
    [fact] = errors(lacis, grown)
    [count] = fact["links"][0]["counts"]
    assert (count["counter"], count["value"], count["threshold"]) == ("SymbolErrors", 30, 10)
    # What was counted before, and two days ago, does not count.
    old = kept(tmp_path / "old", kind, (0, 0), (600, 5000), (2 * DAY, 5000), (2 * DAY + 600, 5004))
    assert errors(lacis, old) == []
    # Of a single sweep all is known that it says.
    [fact] = errors(lacis, kept(tmp_path / "one", kind, (0, 5000)))
    assert fact["links"][0]["counts"][0]["value"] == 5000


@pytest.mark.parametrize("kind", ["store", "recording"])
def test_the_fabric_is_as_old_as_the_last_sweep(tmp_path: Path, kind: str) -> None:
    path = kept(tmp_path / "grown", kind, (0, 5), (600, 5))
    fabric = with_errors(api.read(TREE), path)
    assert json.loads(fabric.to_json())["counters_read_at"] == AT + 600


def test_a_folder_without_readings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(api.LacisError, match="holds no readings of counters"):
        with_errors(api.read(TREE), tmp_path)


def test_the_report_has_them_in_its_work_list(lacis: Lacis, tmp_path: Path) -> None:
    counters = kept(tmp_path / "store", "store", (0, 0), (600, 500))
    done = lacis("report", TREE, "--counters", counters, "-o", tmp_path / "page.html", "--json")
    [work] = json.loads(done.out)["cabling"]
    assert (work["action"], {work["here"]["node"], work["there"]["node"]}) == (
        "check",
        {"spine-01", "leaf-01"},
    )


def test_a_comparison_with_a_plan_lists_them_and_judges_cables_alone(lacis: Lacis, tmp_path: Path) -> None:
    counters = kept(tmp_path / "store", "store", (0, 0), (600, 500))
    done = lacis("verify", TREE, "--topology", TREE, "--counters", counters)
    assert done.status == 0  # every cable is as planned
    assert f"  {PORT} has counted 500 SymbolErrors (tolerated: 10)" in done.out.splitlines()
    found = json.loads(lacis("verify", TREE, "--topology", TREE, "--counters", counters, "--json").out)
    assert found["errors"] == [{"port": PORT, "counter": "SymbolErrors", "value": 500, "threshold": 10}]
    assert "errors" not in json.loads(lacis("verify", TREE, "--topology", TREE, "--json").out)


@pytest.mark.parametrize("kind", ["store", "recording"])
def test_counters_of_another_fabric_are_refused(lacis: Lacis, tmp_path: Path, kind: str) -> None:
    counters = kept(tmp_path / "counters", kind, (0, 0), (600, 500))
    other = tmp_path / "other.net"
    assert lacis("fabric", TREE, "--shuffle-guids", "3", "-o", other).status == 0
    done = lacis("fabric", other, "--counters", counters)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"{counters}:" in done.err
    assert "another fabric" in done.err
