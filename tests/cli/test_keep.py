"""What models say is kept beside what was measured, and compared with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from lacis import measured, read
from lacis.measured.alike import alike

from tests.schemas import check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Lacis

FABRIC = "fat-tree:8,2"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LACIS_RESULTS", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(lacis: Lacis, name: str, path: Path) -> Any:
    assert lacis("results", "export", name, "-o", path / "rows.parquet").status == 0
    return pl.read_parquet(path / "rows.parquet")


def test_what_every_flow_gets_is_kept(lacis: Lacis, store: Path) -> None:
    # Two send to one, which halves its link; a third pair has its links to itself.
    (store / "pairs").write_text("node0001 node0003\nnode0002 node0003\nnode0005 node0004\n")
    asked = ("predict", FABRIC, "--model", "fluid", "--traffic", f"file:{store / 'pairs'}")
    done = lacis(*asked, "--save", "two", "--save-test", "incast")
    assert done.status == 0, done.err
    assert "kept as " in done.err
    frame = rows(lacis, "two", store)
    rate = frame["value"].max()
    assert frame.select("test", "what", "source", "destination", "value", "provenance").rows() == [
        ("incast", "bandwidth", "node0001", "node0003", rate / 2, "modelled"),
        ("incast", "bandwidth", "node0002", "node0003", rate / 2, "modelled"),
        ("incast", "bandwidth", "node0005", "node0004", rate, "modelled"),
    ]
    assert frame["class"].to_list() == ["same leaf", "same leaf", "different leaves"]
    [run] = measured.Store(store / "store").find("two")
    check(json.loads((run.path / "run.json").read_text()))
    assert run.manifest.provenance == ["modelled"]
    answer = run.manifest.facts
    assert (answer["model"], answer["engine used"]) == ("fluid", "minhop")
    assert run.manifest.fabric is not None
    assert run.manifest.fabric.hosts == 32
    assert "modelled" in lacis("results", "show", "two").out


def test_rounds_and_repeats_are_phases(lacis: Lacis, store: Path) -> None:
    asked = ("predict", FABRIC, "--model", "fluid", "--traffic", "permutation", "--patterns", "40", "--json")
    said = json.loads(lacis(*asked, "--save", "many").out)
    frame = rows(lacis, "many", store)
    assert frame.height == said["flows"]
    assert frame["value"].mean() == pytest.approx(said["bandwidth"]["mean"])
    assert sorted(frame["round"].unique()) == list(range(40))
    # Of one pair the repeats are numbered from 0, in the order of the rounds.
    counts = frame.group_by("source", "destination").agg(pl.col("repeat").sort(), pl.len())
    assert all(repeat == list(range(n)) for repeat, n in counts.select("repeat", "len").rows())


def test_what_is_simulated_is_kept(lacis: Lacis, store: Path) -> None:
    asked = ("simulate", FABRIC, "--patterns", "2", "--bytes", "64kB", "--count", "3", "--json")
    said = json.loads(lacis(*asked, "--save", "packets", "-o", store / "m.csv").out)
    frame = rows(lacis, "packets", store)
    messages = pl.read_csv(store / "m.csv")
    times = frame.filter(pl.col("what") == "time")
    seconds = (messages["arrived_ps"] - messages["posted_ps"]) / 1e12
    assert np.allclose(times["value"].sort(), seconds.sort(), rtol=1e-12)
    flows = frame.filter(pl.col("what") == "bandwidth")
    assert np.allclose(sorted(flows["value"]), sorted(said["bandwidth"]["flows"]), rtol=1e-9)
    assert set(frame["provenance"]) == {"modelled"}
    windows = ("simulate", FABRIC, "--test", "windows", "--window", "4", "--count", "2", "--bytes", "64kB")
    said = json.loads(lacis(*windows, "--save", "windows", "--json").out)
    frame = rows(lacis, "windows", store)
    # 32 flows of two windows of four messages; their answers are no messages that were asked for.
    assert frame.filter(pl.col("what") == "time").height == 32 * 2 * 4
    flows = frame.filter(pl.col("what") == "bandwidth")["value"]
    assert np.allclose(sorted(flows), sorted(said["bandwidth"]["flows"]), rtol=1e-9)
    job = ("simulate", FABRIC, "--traffic", "allreduce:ring", "--ranks-per-host", "2", "--save", "job")
    assert lacis(*job, "--bytes", "64kB").status == 0
    ranks = rows(lacis, "job", store)
    assert ranks["ranks"].unique().to_list() == [64]
    # Ranks are side by side: 0 and 1 on the first host.
    first = ranks.filter(pl.col("source_rank") < 2)["source"].unique()
    assert len(first) == 1


def test_times_of_a_job_are_kept(lacis: Lacis, store: Path) -> None:
    asked = ("predict", FABRIC, "--model", "fluid", "--traffic", "allreduce:ring", "--bytes", "1MB", "--json")
    said = json.loads(lacis(*asked, "--save", "job").out)
    frame = rows(lacis, "job", store)
    [total] = frame.filter(pl.col("what") == "time")["value"]
    [bus] = frame.filter(pl.col("what") == "bus bandwidth")["value"]
    assert (total, bus) == (said["seconds"], said["bandwidth"]["bus"])
    # A ring of 32 takes 31 steps of reducing and 31 of gathering.
    assert frame.filter(pl.col("what") == "time of a phase").height == 62


@pytest.mark.slow
def test_measured_and_modelled_are_compared(lacis: Lacis, store: Path) -> None:
    fabric = read(FABRIC)
    names = sorted(
        {
            name.split()[0]
            for name, kind in zip(fabric.descriptions(), fabric.kinds(), strict=True)
            if kind != "switch"
        }
    )
    predicted = ("predict", FABRIC, "--model", "fluid", "--traffic", "shift", "-R", "ftree")
    assert lacis(*predicted, "--save", "model", "--save-test", "nxn").status == 0
    rate = rows(lacis, "model", store)["value"].max()
    # Every pair at 90 % of what the links carry: shifts under ftree are free of contention.
    cells = [["0" if a == b else f"{0.9 * rate:.1f}" for b in names] for a in names]
    lines = [",".join(["", *names]), *(",".join([a, *row]) for a, row in zip(names, cells, strict=True))]
    (store / "m.csv").write_text("\n".join(lines) + "\n")
    matrix = ("--test", "nxn", "--what", "bandwidth", "--unit", "B/s", "--bytes", "4MiB", "--name", "real")
    assert lacis("results", "import", store / "m.csv", *matrix).status == 0
    [one] = json.loads(lacis("results", "diff", "real", "model", "--json").out)["tests"]
    assert one["ratio"] == pytest.approx(1 / 0.9, rel=1e-6)
    assert (one["pairs"], one["bytes"], one["verdict"]) == (32 * 31, 4 << 20, "better")
    back = lacis("results", "diff", "model", "real")
    assert (back.status, "-10.00%" in back.out) == (1, True)
    listed = json.loads(lacis("results", "list", "--json").out)["runs"]
    assert [run["provenance"] for run in listed] == [["modelled"], ["measured"]]
    assert "modelled" in lacis("results", "list").out
    over = lacis("results", "history", "nxn", "--what", "bandwidth", "--bytes", "4MiB", "-o", store / "h.svg")
    assert "measured" in over.out
    # What the tables make expected of each measured flow: one after the other each has its links to itself.
    answer = lacis("explain", FABRIC, "-R", "ftree", "--measured", "real", "--save", "expected")
    assert answer.status == 0, answer.err
    assert "values are" not in answer.err
    modelled = lacis("explain", FABRIC, "-R", "ftree", "--measured", "model")
    assert "values are modelled, though called measured here" in modelled.err
    for run, kind in (("real", "measured"), ("model", "modelled")):
        as_json = lacis("explain", FABRIC, "-R", "ftree", "--measured", run, "--json").out
        assert json.loads(as_json)["provenance"] == kind
    expected = rows(lacis, "expected", store)
    assert (expected.height, set(expected["value"])) == (32 * 31, {rate})
    assert set(expected["test"]) == {"nxn"}
    [again] = json.loads(lacis("results", "diff", "real", "expected", "--json").out)["tests"]
    assert again["ratio"] == pytest.approx(1 / 0.9, rel=1e-6)


def halved(store: Path, is_slow: Callable[[str, str], bool]) -> tuple[str, ...]:
    """Two matrices of eight hosts, in the second of which some pairs are half as fast, and how they are read."""
    names = [f"node{i:02d}" for i in range(1, 9)]
    for file, slow in (("before", 100), ("after", 50)):
        rates = [[0 if a == b else slow if is_slow(a, b) else 100 for b in names] for a in names]
        lines = [",".join([a, *map(str, row)]) for a, row in zip(names, rates, strict=True)]
        (store / f"{file}.csv").write_text("\n".join([",".join(["", *names]), *lines]) + "\n")
    return ("--matrix-what", "bandwidth", "--matrix-bytes", "1MiB", "--unit", "MB/s")


def test_pairs_that_changed_by_chance_are_counted_and_listed_where_that_is_asked_for(
    lacis: Lacis, store: Path
) -> None:
    asked = halved(store, lambda a, b: (a, b) in (("node01", "node02"), ("node03", "node04")))
    done = lacis("results", "diff", store / "before.csv", store / "after.csv", *asked)
    assert (done.status, " ".join(done.out.split())) == (
        0,
        "matrix, bandwidth, 1,048,576 bytes: of 56 pairs 2 became worse and 0 better apart from the rest: chance may do that "
        "they are listed by --all 1 test in common: 1 no difference shown",
    )
    every = lacis("results", "diff", store / "before.csv", store / "after.csv", *asked, "--all").out
    assert "  node01 to node02: 100 MB/s, then 50 MB/s (-50.00%)\n" in every
    assert "  node03 to node04: 100 MB/s, then 50 MB/s (-50.00%)\n1 test in common" in every


def test_a_slow_host_is_named_by_diff_though_the_median_stays(lacis: Lacis, store: Path) -> None:
    asked = halved(store, lambda a, b: "node03" in (a, b))
    done = lacis("results", "diff", store / "before.csv", store / "after.csv", *asked)
    # Seven pairs with node03 as source, and seven as destination, of 8 × 7.
    assert done.status == 1
    assert "of 56 pairs 14 became worse and 0 better apart from the rest: worse\n" in done.out
    assert "  14 of the 14 pairs of node03\n" in done.out
    assert done.out.count(" to ") == 5
    assert "100 MB/s, then 50 MB/s (-50.00%)\n  and 9 more: --all\n" in done.out
    assert done.out.endswith("1 test in common: 1 no difference shown\n")
    every = lacis("results", "diff", store / "before.csv", store / "after.csv", *asked, "--all")
    assert every.out.count(" to node03: ") == 7
    back = lacis("results", "diff", store / "after.csv", store / "before.csv", *asked)
    assert (back.status, "apart from the rest: better\n" in back.out) == (0, True)


def test_a_model_that_tells_no_size_stands_for_every_size() -> None:
    def frame(provenance: str, rows: list[tuple[Any, ...]]) -> Any:
        columns = ("test", "what", "bytes", "statistic", "value")
        content = [
            dict(zip(columns, row, strict=True)) | {"unit": "bytes/s", "provenance": provenance}
            for row in rows
        ]
        return measured.results.checked(pl.DataFrame(content, infer_schema_length=None))

    real = frame(
        "measured",
        [
            ("nxn", "send", 8, "median", 1.0),
            ("nxn", "bandwidth", 16, "max", 2.0),
            ("nxn", "bandwidth", 32, "mean", 3.0),
        ],
    )
    model = frame(
        "modelled", [("nxn", "bandwidth", None, "sample", 5.0), ("other", "bandwidth", 8, "sample", 6.0)]
    )
    before, after = alike(real, model)
    assert before.equals(real)
    # Not the greatest of repeats, which is no usual value; and what has no match stays what it is.
    assert after.select("test", "what", "bytes", "statistic", "value").rows() == [
        ("nxn", "send", 8, "median", 5.0),
        ("nxn", "bandwidth", 32, "mean", 5.0),
        ("other", "bandwidth", 8, "sample", 6.0),
    ]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("predict", FABRIC, "--save", "x"), "--save needs --model fluid; the model load knows no rates"),
        (("predict", FABRIC, "--save-test", "x"), "--save-test names the test of --save, which is not given"),
        (("simulate", FABRIC, "--save", ""), "--save: a name is not empty"),
        (("explain", "--measured", "x", "--save", "y"), "it needs a FABRIC"),
        (
            ("predict", FABRIC, "--model", "fluid", "--patterns", "1000000", "--save", "x"),
            "32000000 flows over all phases are too many to keep each of them (at most 10000000)",
        ),
    ],
)
def test_what_cannot_be_kept_is_one_line(
    lacis: Lacis, store: Path, args: tuple[str, ...], reason: str
) -> None:
    done = lacis(*args)
    assert done.status == 2
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert not (store / "store").exists()
