"""Runs as they are kept: whole or not at all, by many at once, for other programs to read."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import lacis
import polars as pl
import pytest
from lacis import measured
from lacis.measured.store import MANIFEST, TABLE

from tests import schemas
from tests.measured_runs import nxn, results


def test_a_run_is_kept_and_read_by_polars_and_duckdb_as_it_is(tmp_path: Path) -> None:
    store = measured.Store(tmp_path / "store")
    read = results(tmp_path, nxn(4))
    run = store.add(read, name="before", tags={"compiler": "gcc"}, time="2026-05-01T12:00:00+02:00")
    assert run.time == "2026-05-01T10:00:00Z"
    schemas.check(json.loads((run.path / MANIFEST).read_text()))
    direct = pl.read_parquet(f"{tmp_path}/store/*/{TABLE}")
    assert direct.equals(read.frame)
    assert direct.columns == list(measured.COLUMNS)
    query = f"SELECT count(*), median(value) FROM '{tmp_path}/store/*/{TABLE}' WHERE unit = 's'"  # noqa: S608
    assert duckdb.connect().execute(query).fetchall() == [(12, 1.5e-6)]


def test_a_second_run_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    store = measured.Store(tmp_path)
    first = store.add(results(tmp_path, nxn(3)), name="x")
    before = {path.name: path.read_bytes() for path in first.path.iterdir()}
    store.add(results(tmp_path, nxn(3, 2.0)), name="x")
    assert {path.name: path.read_bytes() for path in first.path.iterdir()} == before
    assert len(store.find("x")) == 2
    assert store.values("x").height == 24


@pytest.mark.slow
def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.out").write_text(nxn(4))
    code = (
        "import sys; from lacis import measured\n"
        "read = measured.read([sys.argv[1]])\n"
        "for _ in range(5): measured.Store(sys.argv[2]).add(read, name='same', time='2026-01-01T00:00:00Z')\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store")]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    runs, broken = measured.Store(tmp_path / "store").runs()
    assert (len(runs), broken) == (15, [])
    assert all(run.values().height == 24 for run in runs)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda run: (run / MANIFEST).unlink(), "not finished"),
        (lambda run: (run / MANIFEST).write_text("{"), "cannot be read"),
        (lambda run: (run / MANIFEST).write_text('{"schema": "x"}'), "not of schema"),
        (lambda run: (run / TABLE).unlink(), f"no {TABLE}"),
        (lambda run: (run / TABLE).write_bytes(b"PAR1"), "4 bytes"),
    ],
)
def test_a_half_written_run_is_recognised_and_the_others_stay(
    tmp_path: Path, damage: Any, reason: str
) -> None:
    store = measured.Store(tmp_path / "store")
    whole = store.add(results(tmp_path, nxn(3)), name="whole")
    other = store.add(results(tmp_path, nxn(3)), name="other")
    damage(other.path)
    runs, broken = store.runs()
    assert [run.id for run in runs] == [whole.id]
    assert [(one.id, reason in one.reason) for one in broken] == [(other.id, True)]
    with pytest.raises(lacis.LacisError, match=re.escape(reason)):
        store.find(other.id)


def test_values_that_a_table_lies_about_are_refused(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"test": ["t"], "value": [1.0]}, "need a column 'unit'"),
        ({"test": ["t"], "value": [1.0], "unit": ["furlong"]}, "'furlong' is no unit"),
        ({"test": ["t"], "value": [math.nan], "unit": ["s"]}, "1 value is no finite"),
        ({"test": ["t"], "value": ["x"], "unit": ["s"]}, "other types"),
        ({"test": ["t"], "value": [1.0], "unit": ["s"], "colour": ["red"]}, "no column 'colour'"),
    ]
    for columns, reason in cases:
        with pytest.raises(lacis.LacisError, match=re.escape(reason)):
            measured.modelled(columns)
    made = measured.modelled(
        {"test": ["t"], "value": [2.0], "unit": ["s"], "source": ["a"], "destination": ["b"]}
    )
    assert measured.Store(tmp_path).add(made).manifest.provenance == ["modelled"]


def test_a_damaged_file_of_values_is_refused(tmp_path: Path) -> None:
    run = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(4)), name="x")
    data = bytearray(run.table.read_bytes())
    data[len(data) // 3] ^= 1
    run.table.write_bytes(data)
    with pytest.raises(lacis.LacisError, match="is not the file that was kept"):
        measured.Store(tmp_path / "store").values("x")


def test_runs_without_a_hash_are_read_as_before(tmp_path: Path) -> None:
    run = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(4)), name="x")
    manifest = json.loads((run.path / MANIFEST).read_text())
    del manifest["table"]["sha256"]
    for file in manifest["files"]:
        del file["facts"]
    (run.path / MANIFEST).write_text(json.dumps(manifest))
    assert measured.Store(tmp_path / "store").values("x").height == 24


@pytest.mark.slow
def test_a_full_disk_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "r.out").write_text(nxn(30))
    code = (
        "import resource, signal, sys; from lacis import LacisError, measured\n"
        "read = measured.read([sys.argv[1]])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))\n"
        "try: measured.Store(sys.argv[2]).add(read)\n"
        "except LacisError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store"), "1000"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert len(said.splitlines()) == 1, said
    assert "cannot be written" in said
    assert not (tmp_path / "store").exists()
    # Other runs of the store stay.
    kept = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(3)))
    (tmp_path / "r.out").write_text(nxn(30))
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store"), "1000"],
        stdout=subprocess.PIPE,
        check=True,
    )
    assert [path.name for path in (tmp_path / "store").iterdir()] == [kept.id]
