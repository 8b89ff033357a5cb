"""`lacis results`: import, list, show, diff, history, export, and what they say of bad input."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def nxn(n: int, factor: float = 1.0) -> str:
    return "".join(
        f"{a},{b},{(1 + a + 10 * b) * factor:.2f},{12000.5} \n" for a in range(n) for b in range(n) if a != b
    )


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LACIS_RESULTS", str(tmp_path / "store"))
    return tmp_path


def keep(lacis: Lacis, folder: Path, text: str, *args: str | Path) -> dict[str, Any]:
    (folder / "r.out").write_text(text)
    result = lacis("results", "import", folder / "r.out", "--json", *args)
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out)
    return content


def test_what_is_imported_is_listed_and_shown(lacis: Lacis, store: Path) -> None:
    run = keep(
        lacis, store, nxn(3), "--name", "before", "--tag", "compiler=gcc", "--time", "2026-01-02T03:04:05Z"
    )["run"]
    assert (run["values"], run["hosts"], run["time"]) == (12, 0, "2026-01-02T03:04:05Z")
    listed = json.loads(lacis("results", "list", "--json").out)
    assert [one["id"] for one in listed["runs"]] == [run["id"]]
    assert run["id"] in lacis("results", "list").out
    shown = json.loads(lacis("results", "show", "before", "--by-class", "--json").out)
    # By hand: latencies 1 + a + 10 b of 3 ranks are 2, 3, 11, 13, 21, 22 µs.
    latency = shown["tests"][0]
    assert (latency["values"], latency["pairs"], latency["class"]) == (6, 6, None)
    assert [latency[key] for key in ("min", "median", "max")] == pytest.approx([2e-6, 12e-6, 22e-6])
    answer = lacis("results", "show", "tag:compiler=gcc").out
    assert "measured 2026-01-02T03:04:05Z" in answer
    assert "12 µs" in answer


def test_a_difference_is_reported_and_worse_is_a_no(lacis: Lacis, store: Path) -> None:
    keep(lacis, store, nxn(4), "--name", "before")
    keep(lacis, store, nxn(4, 2.0), "--name", "after")
    result = lacis("results", "diff", "before", "after")
    assert result.status == 1
    assert "+100.00%" in result.out
    assert "12 pairs" in result.out
    assert lacis("results", "diff", "after", "before").status == 0
    same = lacis("results", "diff", "before", "before")
    assert (same.status, "2 tests in common: 2 no difference shown" in same.out) == (0, True)
    found = json.loads(lacis("results", "diff", "before", "after", "--json").out)
    assert [one["verdict"] for one in found["tests"]] == ["worse", "no difference shown"]
    assert json.loads(lacis("results", "diff", "before", "after", "--least", "1", "--json").out)["tests"][0][
        "verdict"
    ] == (
        "worse"  # exactly twice as long is not less than twice
    )


def test_a_difference_has_its_change_its_interval_and_how_many_values_it_is_from(
    lacis: Lacis, store: Path
) -> None:
    def shown(before: str, after: str, *more: str) -> tuple[list[str], str]:
        (store / "before.out").write_text(before)
        (store / "after.out").write_text(after)
        done = lacis("results", "diff", store / "before.out", store / "after.out", *more)
        *table, last = done.out.splitlines()
        return [re.sub(" {2,}", "|", line) for line in table[2:]], last

    assert shown(nxn(4), nxn(4, 2.0)) == (
        # The median of latencies from 2 to 33 µs by hand, and each of the 12 twice as long.
        ["mpi_nxnlatbw|latency|0|17.5 µs|35 µs|+100.00%|+100.00% … +100.00%|12 pairs|worse"],
        "2 tests in common: 1 worse, 1 no difference shown",
    )
    head = "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
    rows = [f"8  {mean}  {least}  4.0  100\n" * 3 for mean, least in ((1.5, 1.0), (1.8, 1.2))]
    few = "3 tests in common: 3 too few repeats"
    assert shown(head + rows[0], head + rows[1]) == ([], few)
    assert shown(head + rows[0], head + rows[1], "--all") == (
        [
            f"osu_allreduce|{what}|8|{before} µs|{after} µs|{change}%|–|3, 3|too few repeats"
            for what, before, after, change in (
                ("latency", "1.5", "1.8", "+20.00"),
                ("latency, min", "1", "1.2", "+20.00"),
                ("latency, max", "4", "4", "+0.00"),
            )
        ],
        few,
    )


@pytest.mark.slow
def test_a_history_is_printed_and_drawn(lacis: Lacis, store: Path) -> None:
    keep(lacis, store, nxn(4), "--time", "2026-02-01T00:00:00Z")
    keep(lacis, store, nxn(4, 1.1), "--time", "2026-01-01T00:00:00Z")
    args = ("results", "history", "mpi_nxnlatbw", "--what", "bandwidth")
    assert lacis(*args, "-o", store / "h.svg").status == 0
    assert "mpi_nxnlatbw: bandwidth, 4,194,304 B" in (store / "h.svg").read_text()
    times = [point["time"][:7] for point in json.loads(lacis(*args, "--json").out)["points"]]
    assert times == ["2026-01", "2026-02"]
    assert "a plot is written as" in lacis(*args, "-o", store / "h.txt").err


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_has_the_same_values(lacis: Lacis, store: Path, kind: str) -> None:
    keep(lacis, store, nxn(3))
    assert lacis("results", "export", "latest", "-o", store / f"x.{kind}").status == 0
    read: Any = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[kind]
    frame = read(store / f"x.{kind}")
    assert (frame.height, frame["value"].max()) == (12, 12000.5e6)


def test_the_latest_of_several_runs_of_one_second_is_the_one_kept_last(lacis: Lacis, store: Path) -> None:
    names = ["c", "b", "a"]  # not in the order of their ids
    for name in names:
        keep(lacis, store, nxn(3), "--name", name, "--time", "2026-01-02T03:04:05Z")
    shown = json.loads(lacis("results", "list", "--json").out)["runs"]
    assert [run["name"] for run in shown] == names


def test_a_matrix_that_is_exported_is_imported_again(lacis: Lacis, store: Path) -> None:
    keep(lacis, store, nxn(3), "--hosts", "n[1-3]", "--name", "first")
    args = ("--what", "latency", "--matrix", "median")
    assert lacis("results", "export", "first", "-o", store / "m.csv", *args).status == 0
    text = (store / "m.csv").read_text()
    assert text.splitlines()[0] == "source,n1,n2,n3"
    assert text.splitlines()[1] == "n1,,0.000011,0.000021"
    keep(lacis, store, text, "--test", "mpi_nxnlatbw", "--what", "latency", "--unit", "s", "--name", "again")
    lacis("results", "export", "again", "-o", store / "again.csv", "--matrix", "median")
    assert (store / "again.csv").read_text() == text
    error = lacis("results", "export", "first,again", "-o", store / "m.csv", "--matrix", "median")
    assert (error.status, "a matrix has one test and size" in error.err) == (2, True)


def test_bytes_that_ranks_sent_are_a_communication_matrix(lacis: Lacis, store: Path) -> None:
    def record(rank: int, kind: str, peer: int, size: int) -> str:
        header = {"id": "0x7", "rank": rank, "n_ranks": 2, "nnodes": 2}
        perf = {
            "p2p": kind,
            "p2p_peer": peer,
            "p2p_msg_size_bytes": size,
            "p2p_exec_time_us": 5,
            "p2p_busbw_gbs": 1,
        }
        return json.dumps({"header": header, "metadata": {"hostname": f"g{rank}"}, "p2p_perf": perf}) + "\n"

    keep(lacis, store, record(0, "Send", 1, 100) + record(0, "Send", 1, 28) + record(1, "Send", 0, 7))
    assert lacis("results", "export", "latest", "-o", store / "m.csv", "--matrix", "sum-of-bytes").status == 0
    assert (store / "m.csv").read_text() == "source,g0,g1\ng0,,128.0\ng1,7.0,\n"


def test_names_of_a_fabric_are_proposed_taken_and_written(lacis: Lacis, store: Path) -> None:
    names = json.loads(lacis("fabric", "fat-tree:4,2", "--json").out)
    assert names["hosts"] == 8
    known = [f"n{i}" for i in range(8)]
    (store / "r.out").write_text(nxn(8))
    refused = lacis(
        "results", "import", store / "r.out", "--hosts", ",".join(known), "--fabric", "fat-tree:4,2"
    )
    assert (refused.status, "results of another fabric?" in refused.err) == (2, True)
    import lacis as api

    hosts = api._core.hosts(api.read("fat-tree:4,2")).names
    given = [f"{hosts[0].upper()}.site", "stranger", *hosts[2:]]
    args = ("--hosts", ",".join(given), "--fabric", "fat-tree:4,2")
    result = lacis("results", "import", store / "r.out", *args, "--write-names", store / "names")
    assert result.status == 0
    assert "1 host may have another name there" in result.err
    assert "lacks 1 host that were measured: stranger" in result.err
    assert (store / "names").read_text() == f"{given[0]} {hosts[0]}\n"
    for names_of in ("auto", store / "names"):
        content = json.loads(
            lacis("results", "import", store / "r.out", *args, "--names", names_of, "--json").out
        )
        assert content["run"]["hosts"] == 8
        assert content["naming"]["absent"] == ["stranger"]
    shown = json.loads(lacis("results", "show", "latest", "--by-class", "--json").out)["tests"]
    assert {one["class"] for one in shown} == {"same leaf", "different leaves", None}


@pytest.mark.parametrize(
    ("text", "args", "words"),
    [
        ("hello\n", (), "r.out: no result of a known format"),
        ("", (), "r.out: the input is empty"),
        ("0 1\n1 0\n", (), "neither its test nor its unit; --test and --unit say it"),
        ("0 1\n1 0\n", ("--test", "t", "--unit", "furlong"), "'furlong' is no unit"),
        (nxn(3), ("--hosts", "n[1-4]"), "4 hosts, but the results have 3 ranks"),
        (
            nxn(4),
            ("--hosts", "n[1-3]", "--ranks-per-host", "2"),
            "3 hosts of 2 ranks, but the results have 4 ranks",
        ),
        (nxn(3), ("--hosts", "n[1-"), "--hosts: "),
        (nxn(3), ("--time", "yesterday"), "'yesterday' is no time"),
        (nxn(3), ("--tag", "x"), "a tag is KEY=VALUE"),
        ("0,0,1.0,2.0\n0,1,nan,0.0\n", (), "no usable result (line 1: "),
        ("\x1f\x8b\x08", (), "r.out: "),
    ],
)
def test_bad_input_is_one_clear_line_and_nothing_is_kept(
    lacis: Lacis, store: Path, text: str, args: tuple[str, ...], words: str
) -> None:
    (store / "r.out").write_text(text, encoding="latin-1")
    result = lacis("results", "import", store / "r.out", *args)
    assert (result.status, result.out) == (2, "")
    assert words.replace("'", '"') in result.err.replace("'", '"'), result.err
    assert len(result.err.splitlines()) == 1
    assert "no run" in lacis("results", "list").out


def test_what_can_be_used_is_used_and_the_rest_is_counted(lacis: Lacis, store: Path) -> None:
    (store / "r.out").write_text(
        "slurmstepd: error\n" + nxn(3).replace("1,2,", "1,2", 1) + "0,1,inf,0.0\n2,2,1.0,1.0\n0,2,3."
    )
    result = lacis("results", "import", store / "r.out")
    assert result.status == 0
    assert result.out.startswith("10 values of mpi_nxnlatbw, measured")
    for words in (
        "cut short or mixed",
        "(and 1 more)",
        "no finite number",
        "rank with itself",
        "1 of 6 pairs of 3 ranks",
        "0 or less",
    ):
        assert words in result.err, (words, result.err)


def test_a_half_written_run_is_reported_and_the_others_stay(lacis: Lacis, store: Path) -> None:
    kept = keep(lacis, store, nxn(3))["run"]["id"]
    lost = keep(lacis, store, nxn(3))["run"]["id"]
    (store / "store" / lost / "run.json").unlink()
    result = lacis("results", "list")
    assert (result.status, kept in result.out) == (1, True)
    assert f"{lost}: not finished, or still being written" in result.err
    assert "not finished" in lacis("results", "show", lost).err


@pytest.mark.parametrize("selector", ["nope", "tag:a=b", ""])
def test_a_run_that_is_not_there(lacis: Lacis, store: Path, selector: str) -> None:
    assert "there is no run" in lacis("results", "show", selector).err
    keep(lacis, store, nxn(3))
    result = lacis("results", "show", selector)
    assert (result.status, f"no run '{selector}'" in result.err) == (2, True)


def test_files_are_shown_and_compared_without_keeping_them(lacis: Lacis, store: Path) -> None:
    for name, factor in (("before.out", 1.0), ("after.out", 2.0)):
        (store / name).write_text(nxn(4, factor))
    shown = lacis("results", "show", store / "before.out", "--json")
    content = json.loads(shown.out)
    assert (shown.status, content["runs"], [file["name"] for file in content["files"]]) == (
        0,
        [],
        [str(store / "before.out")],
    )
    # By hand: latencies 1 + a + 10 b of 4 ranks go from 2 to 33 µs.
    assert [content["tests"][0][key] for key in ("min", "max")] == pytest.approx([2e-6, 33e-6])
    # Lines are wrapped, wherever the path ends.
    assert "not kept" in " ".join(lacis("results", "show", store / "before.out").out.split())
    assert lacis("results", "diff", store / "before.out", store / "after.out").status == 1
    assert lacis("results", "diff", store / "after.out", store / "before.out").status == 0
    assert "no run" in lacis("results", "list").out
    # A run beside a file, several files together, and a matrix.
    keep(lacis, store, nxn(4), "--name", "kept")
    assert lacis("results", "diff", "kept", store / "after.out").status == 1
    both = f"{store / 'before.out'},{store / 'after.out'}"
    tests = json.loads(lacis("results", "show", both, "--json").out)["tests"]
    assert tests[0]["values"] == 24
    (store / "m.csv").write_text("0 1 2\n1 0 2\n1 2 0\n")
    args = ("--unit", "us", "--matrix-what", "latency")
    assert (
        json.loads(lacis("results", "show", store / "m.csv", *args, "--json").out)["tests"][0]["values"] == 6
    )


def test_what_is_neither_a_file_nor_a_run_is_said(lacis: Lacis, store: Path) -> None:
    keep(lacis, store, nxn(3))
    result = lacis("results", "show", store / "absent.out")
    assert (result.status, "is neither a file nor a run" in result.err) == (2, True)
    (store / "empty.out").write_text("hello\n")
    result = lacis("results", "diff", store / "empty.out", "latest")
    assert (result.status, "empty.out: no result of a known format" in result.err) == (2, True)
    assert len(result.err.splitlines()) == 1


def test_a_damaged_run_is_refused_with_a_line(lacis: Lacis, store: Path) -> None:
    run = keep(lacis, store, nxn(4))["run"]["id"]
    table = store / "store" / run / "results.parquet"
    data = bytearray(table.read_bytes())
    data[len(data) // 3] ^= 1
    table.write_bytes(data)
    for command in (("show", run), ("diff", run, run), ("export", run, "-o", "-")):
        result = lacis("results", *command)
        assert (result.status, len(result.err.splitlines())) == (2, 1)
        assert "is not the file that was kept" in result.err
