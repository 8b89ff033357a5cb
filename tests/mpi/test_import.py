"""The import of lacis-mpi's files is complete; the oracle is Python's JSON reader."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lacis import measured

from .launch import launch

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_a_run_of_lacis_mpi_is_imported_value_by_value(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    args = ("nxn,alltoall", "--bytes", "64", "--min", "4", "--max", "4", "-o", file)
    done = launch("openmpi", 3, *args)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in file.read_text().splitlines()]
    hosts = {one["rank"]: one["host"] for one in records if one["record"] == "rank"}
    expected = []
    for one in records:
        if one["record"] != "sample":
            continue
        in_time = [value for at, value in enumerate(one["values"]) if at not in one["late"]]
        kept = in_time if 2 * len(in_time) >= len(one["values"]) else one["values"]
        ends = (one.get("from"), one.get("to"))
        names = tuple(hosts.get(end) for end in ends)
        expected += [(one["test"], one["what"], one["bytes"], *ends, *names, value) for value in kept]
    read = measured.read([file])
    columns = ("test", "what", "bytes", "source_rank", "destination_rank", "source", "destination", "value")
    assert read.frame.select(columns).rows() == expected
    assert len(expected) > 20
    assert read.frame["ranks"].unique().to_list() == [3]
    run = measured.Store(tmp_path / "store").add(read)
    assert run.time == next(one["started"] for one in records if one["record"] == "run")


def test_a_run_that_stopped_is_read_as_far_as_it_came(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    launch("openmpi", 2, "nxn", "--bytes", "64", "--min", "4", "--max", "4", "-o", file)
    whole = measured.read([file])
    lines = file.read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:-2])[:-20])
    cut = measured.read([tmp_path / "cut.jsonl"])
    assert 0 < cut.frame.height <= whole.frame.height
    assert any("stopped early" in note.text for note in cut.notes)
    assert cut.facts["complete"] == "false"
