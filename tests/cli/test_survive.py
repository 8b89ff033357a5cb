"""`lacis survive`: the ranking, that it is `lacis whatif` for each failure, and runs that are stopped and go on."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:4,2"


def rows_of(lacis: Lacis, *args: str | Path) -> list[dict[str, Any]]:
    done = lacis("survive", *args, "--json")
    assert done.status in (0, 1), done.err
    rows: list[dict[str, Any]] = json.loads(done.out)["failures"]
    return rows


@pytest.mark.parametrize(
    ("fabric", "options"),
    [
        ((TREE,), ("-R", "ftree")),
        (("ring:5",), ("-R", "dor", "--host-cables")),
        (("torus:3x3",), ("-R", "updn,minhop", "--sm", "switch-1-1")),
        # Two leaves with one uplink each, and rails with a manager each.
        (
            ("fat-tree:4,2", "--without", "leaf-02--spine-01", "--without", "leaf-04--spine-02"),
            ("--host-cables",),
        ),
        (("fat-tree:4,2:rails=2",), ("-R", "eventree", "--rail", "each")),
    ],
    ids=lambda value: " ".join(value),
)
def test_each_failure_is_what_whatif_says_of_it_alone(
    lacis: Lacis, fabric: tuple[str, ...], options: tuple[str, ...]
) -> None:
    rows = rows_of(lacis, *fabric, *options)
    given = [option for option in options if option != "--host-cables"]
    for row in rows:
        change = "--cut" if row["kind"] == "cable" else "--drop"
        done = lacis(
            "whatif", *fabric, *given, change, row["name"], "--patterns", "1", "--listed", "0", "--json"
        )
        content = json.loads(done.out)
        (step,) = content["steps"]
        assert [c["parts"] for c in step["changes"]] == [[row["name"]]]
        assert row["entries"] == step["entries"]
        destinations = step["losses"].pop("destinations")
        assert {key: row[key] for key in step["losses"]} == step["losses"]
        assert (destinations > 0) == (row["pairs_lost"] > 0)
        assert row["engine_used"] == step["after"]["engine_used"]
        assert row["refusals"] == step["after"]["refusals"]
        assert row["blinded"] == bool(step["after"]["blind"])
        assert row["fell_back"] == any(sweep["fell_back"] for sweep in step["sweeps"])
        assert row["shifts"] == step["after"]["shifts"]


def test_every_cable_and_every_switch_fails_once(lacis: Lacis) -> None:
    rows = rows_of(lacis, TREE)
    # 4 leaves with a cable to each of 2 spines; with --host-cables those of the 8 hosts too.
    assert sorted(row["kind"] for row in rows) == ["cable"] * 8 + ["switch"] * 6
    assert len({row["name"] for row in rows}) == 14
    assert len(rows_of(lacis, TREE, "--host-cables")) == 14 + 8


def test_the_worst_comes_first(lacis: Lacis) -> None:
    rows = rows_of(lacis, TREE, "-R", "ftree", "--without", "leaf-02--spine-01")
    # The last uplink of leaf-02, and the spine at its other end, cost 24 pairs; then leaves, that take their
    # hosts along; then what makes flows share a link.
    assert {row["name"] for row in rows[:2]} == {"leaf-02[4]--spine-02[2]", "spine-02"}
    assert [row["pairs_lost"] for row in rows] == [24, 24] + [0] * 11
    assert sorted(row["name"] for row in rows[2:6]) == ["leaf-01", "leaf-02", "leaf-03", "leaf-04"]
    rest = rows[6:]
    assert [row["shifts"]["worst"] for row in rest] == sorted(row["shifts"]["worst"] for row in rest)
    # ftree refuses while nothing fails; where it accepts what a failure leaves, that is no fall-back.
    assert "ftree" in {row["engine_used"] for row in rows}
    assert not any(row["fell_back"] for row in rows)


def test_where_no_engine_may_fall_back_tables_stay(lacis: Lacis) -> None:
    done = lacis("survive", TREE, "-R", "ftree", "--no-fallback")
    # Each of the 8 cables makes ftree refuse; its old tables lead into the cable that is gone.
    assert done.status == 1
    assert "lose pairs            8\n" in done.out
    assert "are refused by all    8; leaf-" in done.out
    rows = rows_of(lacis, TREE, "-R", "ftree", "--no-fallback")
    assert [(row["kind"], row["no_engine"], row["entries"]["changed"]) for row in rows[:8]] == [
        ("cable", True, 0)
    ] * 8


def test_a_failure_that_loses_a_pair_is_exit_1(lacis: Lacis) -> None:
    assert lacis("survive", TREE).status == 0
    done = lacis("survive", TREE, "--without", "leaf-02--spine-01")
    assert done.status == 1
    assert "lose pairs            2\n" in done.out


def test_the_text_names_what_it_counts(lacis: Lacis) -> None:
    done = lacis("survive", TREE, "-R", "ftree", "--top", "3")
    assert (done.status, done.err) == (0, "")
    assert "8 cables and 6 switches fail, each alone" in done.out
    assert "cut end ports off     4\n" in done.out
    assert "cut the manager off   1, so that tables stay until another takes over: leaf-01\n" in done.out
    assert "fall back             8 to minhop; leaf-" in done.out
    assert "Different number of upward port groups" in done.out
    table = done.out[done.out.index("what fails") :]
    assert table.count("leaf-0") == 3
    assert "modelled" in table


def test_a_stopped_run_goes_on_where_it_was(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    whole = rows_of(lacis, "fat-tree:8,2", "-R", "ftree", "-o", file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + len(whole) == 1 + 32 + 12
    # Stopped after 20 results and in the middle of a line; one result is marked to see that it stays.
    marked = lines[3].replace(b'"pairs_lost": 0', b'"pairs_lost": 99')
    assert marked != lines[3]
    file.write_bytes(b"".join([*lines[:3], marked, *lines[4:21], lines[21][:40]]))
    again = rows_of(lacis, "fat-tree:8,2", "-R", "ftree", "-o", file)
    assert [row["pairs_lost"] for row in again] == [99] + [0] * 43
    by_id = {row["id"]: row for row in again}
    assert [by_id[row["id"]] for row in whole if by_id[row["id"]]["pairs_lost"] == 0] == [
        row for row in whole if by_id[row["id"]]["pairs_lost"] == 0
    ]
    assert len(file.read_bytes().splitlines()) == 45


def test_files_of_engines_are_part_of_what_results_are_of(lacis: Lacis, tmp_path: Path) -> None:
    tables, file = tmp_path / "tables", tmp_path / "found"
    assert lacis("route", TREE, "-R", "ftree", "-o", tables).status == 0
    args = ("survive", TREE, "-R", "file", "-U", tables, "-o", file)
    assert lacis(*args).status == 1
    kept = file.read_bytes()
    assert lacis(*args).status == 1
    assert file.read_bytes() == kept
    assert lacis("route", TREE, "-R", "minhop", "-o", tables).status == 0
    done = lacis(*args)
    assert (done.status, file.read_bytes()) == (2, kept)
    assert "has the results of other routing options" in done.err


def test_a_torus_configuration_is_part_of_it_too(lacis: Lacis, tmp_path: Path) -> None:
    fabric, conf, file = tmp_path / "fabric.json", tmp_path / "conf", tmp_path / "found"
    assert lacis("fabric", "torus:5x5", "-o", fabric).status == 0
    guid = {node["description"]: node["guid"] for node in json.loads(fabric.read_text())["nodes"]}
    at = {name: guid[f"switch-{name}"] for name in ("0-0", "1-0", "0-1")}
    seed = f"xp_link {at['0-0']} {at['1-0']}\nyp_link {at['0-0']} {at['0-1']}\n"
    conf.write_text(f"torus 5 5 1\n{seed}")
    args = ("survive", fabric, "-R", "torus-2QoS", "--torus-config", conf, "-o", file)
    done = lacis(*args, "--json")
    assert done.status in (0, 1), done.err
    assert json.loads(done.out)["baseline"]["engine_used"] == "torus-2QoS"
    conf.write_text(f"torus 5 5 1\n# another\n{seed}")
    assert "has the results of other routing options" in lacis(*args).err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((TREE, "-R", "updn"), "has the results of another engine list"),
        ((TREE, "-l", "1"), "has the results of other routing options"),
        (("fat-tree:4,2:rails=2",), "has the results of another fabric"),
        ((TREE, "--host-cables"), "has the results of failures with or without the cables of hosts"),
        ((TREE, "--rail", "1"), "has the results of another host order or rail"),
        ((TREE, "--shifts", "3"), "has the results of other shifts"),
    ],
)
def test_results_of_something_else_are_not_gone_on_from(
    lacis: Lacis, tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    file = tmp_path / "found"
    assert lacis("survive", TREE, "-o", file).status == 0
    kept = file.read_bytes()
    done = lacis("survive", *args, "-o", file)
    assert (done.status, done.out, file.read_bytes()) == (2, "", kept)
    assert words in done.err
    assert done.err.count("\n") == 1


def test_no_file_but_its_own_is_written_over(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "thesis.tex"
    for text in (b"precious\n", b"precious", b'{"schema": "another/1"}\n'):
        file.write_bytes(text)
        done = lacis("survive", TREE, "-o", file)
        assert (done.status, done.out, file.read_bytes()) == (2, "", text)
        assert str(file) in done.err


@pytest.mark.parametrize(
    ("number", "damaged"),
    [
        (2, '{"id": 0}'),
        (3, '{"id": 99}'),
        (3, "[]"),
        (1, None),
    ],
)
def test_a_damaged_line_is_named(lacis: Lacis, tmp_path: Path, number: int, damaged: str | None) -> None:
    kept = tmp_path / "kept"
    assert lacis("survive", "ring:5", "-o", kept).status != 2
    lines = kept.read_text().splitlines()
    # The header's state without failures, or a row that lacks what a failure costs.
    lines[number - 1] = damaged or lines[0].replace('"delivered"', '"renamed"')
    kept.write_text("\n".join(lines) + "\n")
    done = lacis("survive", "ring:5", "-o", kept)
    assert done.status == 2
    assert done.err.startswith(f"lacis: {kept}:{number}: is no ")
    assert len(done.err.splitlines()) == 1


def test_two_runs_do_not_write_to_one_file(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "found"
    with file.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = lacis("survive", TREE, "-o", file)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"lacis: {file}: another lacis is writing to it\n"
    assert file.read_bytes() == b""


def test_control_c_keeps_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "found"
    args = ["fat-tree:16,3", "--shifts", "40", "-o", str(file)]
    # A shell starts what it runs in the background with this signal ignored.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    running = subprocess.Popen(
        [sys.executable, "-c", f"{heed}; from lacis.cli import main; main()", "survive", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while not file.exists() or file.read_bytes().count(b"\n") < 3:
        assert running.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    remark, interrupted = err.splitlines()
    assert remark.endswith(f" failures are in {file}; the same command resumes there")
    assert interrupted == "lacis: interrupted"
    lines = file.read_bytes().splitlines()
    assert int(remark.split()[1].replace(",", "")) == len(lines) - 1
    assert [json.loads(line)["id"] for line in lines[1:]] == list(range(len(lines) - 1))
