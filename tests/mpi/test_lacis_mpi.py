"""lacis-mpi under Open MPI and MPICH, with AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from . import launch as mpi

pytestmark = pytest.mark.slow

QUICK = ("--min", "1", "--max", "2", "--warm-up", "0", "--rounds", "2", "--bytes", "8K")
EVERY = "pingpong,random,rounds,nxn,shift,multi,bidirectional,alltoall,stencil,tcp"
LEAVES = "node000 leaf one # the first\nnode001 leaf one\n\nnode002.site.org\tleaf two\nnode003 leaf two\n"


@pytest.fixture
def leaves(tmp_path: Path) -> Path:
    path = tmp_path / "leaves"
    path.write_text(LEAVES)
    return path


@pytest.mark.parametrize(
    ("library", "ranks", "tests"),
    [
        ("openmpi", 2, EVERY),
        ("mpich", 2, EVERY),
        ("openmpi", 4, EVERY + ",congestion"),
        ("mpich", 4, "nxn,shift,congestion"),  # which never yields a core
        ("openmpi", 6, "nxn,shift,alltoall"),
        ("mpich", 3, "alltoall"),  # of an odd number one waits in each step
    ],
)
def test_every_test_runs_to_its_end(
    library: str, ranks: int, tests: str, tmp_path: Path, leaves: Path
) -> None:
    out = tmp_path / "out.jsonl"
    done = mpi.launch(
        library, ranks, tests, *QUICK, "--leaves", leaves, "-o", out, LACIS_TEST_RANKS_PER_NODE="1"
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = mpi.records(out)
    assert found[0]["schema"] == "lacis.mpi/1"
    assert found[-1]["record"] == "end"
    assert found[-1]["complete"]
    assert [r["test"] for r in mpi.of_kind(found, "test_end", complete=True)] == tests.split(",")
    assert {(r["rank"], r["host"]) for r in mpi.of_kind(found, "rank")} == {
        (rank, f"node{rank:03}") for rank in range(ranks)
    }
    for sample in mpi.of_kind(found, "sample"):
        assert len(sample["values"]) == 2, "raw samples are kept"
        assert all(value > 0 for value in sample["values"])
    if ranks == 4:
        # By the file: 0 and 1 are on one leaf, 2 and 3 on the other.
        for sample in mpi.of_kind(found, "sample", test="nxn"):
            same = sample["from"] // 2 == sample["to"] // 2
            assert sample["class"] == ("same leaf" if same else "different leaves")
        assert len(mpi.of_kind(found, "congestion")) == 3 * (1 + 4)


@pytest.mark.parametrize("library", mpi.LIBRARIES)
def test_mpi_knows_of_threads_only_where_a_test_has_some(library: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for tests, level in (("pingpong", "single"), ("pingpong,tcp", "funneled")):
        done = mpi.launch(library, 2, tests, *QUICK, "-o", out)
        assert (done.returncode, done.stderr) == (0, "")
        found = mpi.records(out)
        [environment] = mpi.of_kind(found, "environment")
        assert environment["threads"] == level
        assert any("has threads" in r["text"] for r in mpi.of_kind(found, "remark")) == (level == "funneled")


def test_congestion_says_how_many_repeats_began_late(tmp_path: Path) -> None:
    # Of the library that yields cores: what is late is counted, whichever library sends it.
    out = tmp_path / "out.jsonl"
    args = ("--min", "2", "--max", "4", "--warm-up", "0", "-o", out)
    assert mpi.launch("openmpi", 4, "congestion", *args).returncode == 0
    found = mpi.records(out)
    rows = mpi.of_kind(found, "congestion")
    assert len(rows) == 3 * (1 + 4)
    for row in rows:
        # Two ranks measure, the first of a pair for latency; late repeats are left out unless most are late.
        ranks = 1 if row["what"] == "latency" else 2
        repeats = row["count"] / ranks + (0 if row["late_count"] else row["late"])
        assert repeats == int(repeats)
        assert 2 <= repeats <= 4
        assert row["late_count"] == (2 * row["late"] > repeats)
    remarks = [r for r in mpi.of_kind(found, "remark") if "began late" in r["text"]]
    assert len(remarks) == sum(row["late_count"] for row in rows)


def test_all_pairs_are_measured_once_in_rounds_of_disjoint_pairs(tmp_path: Path) -> None:
    ranks, rounds = 3, 3  # of an odd number one waits in each round
    out = tmp_path / "out.jsonl"
    args = ("--min", "1", "--max", "1", "--warm-up", "0", "--bytes", "64", "-o", out)
    assert mpi.launch("openmpi", ranks, "nxn", *args).returncode == 0
    found = mpi.records(out)
    assert len(mpi.of_kind(found, "round")) == rounds
    for number in range(1, rounds + 1):
        met = [
            r[k] for r in mpi.of_kind(found, "sample", what="latency", round=number) for k in ("from", "to")
        ]
        assert max(Counter(met).values()) == 1
    pairs = {(a, b) for a in range(ranks) for b in range(ranks) if a != b}
    bandwidths = [(r["from"], r["to"]) for r in mpi.of_kind(found, "sample", what="bandwidth")]
    latencies = [(r["from"], r["to"]) for r in mpi.of_kind(found, "sample", what="latency")]
    assert sorted(bandwidths) == sorted(pairs)
    assert sorted(latencies) == sorted((a, b) for a, b in pairs if a < b)


@pytest.mark.parametrize("library", mpi.LIBRARIES)
def test_injected_offset_and_drift_are_recovered_within_the_claimed_error(
    library: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    done = mpi.launch(
        library,
        3,
        *("clock", "--rounds", "3", "-o", out),
        LACIS_TEST_OFFSET="12.5",
        LACIS_TEST_DRIFT="4e-5",
        LACIS_TEST_RANKS_PER_NODE="2",
    )
    assert done.returncode == 0
    found = mpi.records(out)
    checks = [r for r in mpi.of_kind(found, "clock_check") if r["rank"]]
    assert len(checks) == 3 * 2
    for check in checks:
        # The test build knows the truth: one host, one real clock.
        assert abs(check["true"]) <= check["claimed"]
        assert check["claimed"] < 0.1  # of offsets of 12.5 s and 25 s
    for clock in mpi.of_kind(found, "clock"):
        assert 0 < clock["resolution"] < 1e-3
        assert 0 < clock["overhead"] < 1e-3


@pytest.mark.parametrize("library", mpi.LIBRARIES)
def test_a_killed_rank_leaves_a_file_that_says_how_far_it_came(library: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    program = mpi.build(library)
    args = ("shift,clock", "--rounds", "1000", "--bytes", "8", "--max", "2", "--min", "1", "-o", out)
    run = subprocess.Popen(
        mpi.line(library, 2, program, *args),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=mpi.environment(),
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = mpi.records(out) if out.exists() else []
            if mpi.of_kind(found, "clock_check", round=2):
                break
            time.sleep(0.1)
        (victim,) = mpi.of_kind(found, "rank", rank=1)
        os.kill(victim["pid"], signal.SIGKILL)
        assert run.wait(60) != 0
    finally:
        if run.poll() is None:
            run.kill()
    found = mpi.records(out)
    assert not mpi.of_kind(found, "end")
    assert mpi.of_kind(found, "test_end", test="shift", complete=True)
    last = mpi.of_kind(found, "round")[-1]
    assert (last["test"], last["of"]) == ("clock", 1000)
    assert 2 <= last["round"] < 1000


def test_what_exceeds_the_line_rate_is_flagged(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for rate, exceeds in (("1", True), ("1e18", False)):
        args = ("--line-rate", rate, "--min", "1", "--max", "1", "--bytes", "64K", "-o", out)
        assert mpi.launch("openmpi", 2, "multi", *args).returncode == 0
        (found,) = mpi.of_kind(mpi.records(out), "aggregate")
        assert found["exceeds_line_rate"] is exceeds
        # The longest of the pairs' times is never shorter than their average.
        assert found["bandwidth"] <= found["bandwidth_by_average_time"] * (1 + 1e-6)


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_samples_say_when_they_were_measured_and_what_was_sent(library: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    args = ("--min", "3", "--max", "3", "--warm-up", "4", "--window", "2", "--rounds", "2", "--bytes", "8K")
    before = time.time()
    done = mpi.launch(library, 2, "random,bidirectional,alltoall", *args, "-o", out)
    after = time.time()
    assert (done.returncode, done.stderr) == (0, "")
    found = mpi.records(out)
    until = before
    for one in found:
        if one["record"] == "round":
            # The round began before what was measured in it.
            assert one["unix_ms"] / 1e3 + 1e-3 >= until
        if one["record"] != "sample":
            continue
        began, ended = one["began_us"] / 1e6, one["ended_us"] / 1e6
        assert before <= began <= ended <= after
        assert ended >= until
        until = began
        if "from" not in one:
            assert "sent" not in one
            continue
        # Warm-ups, two operations that are timed for their length, and three repeats.
        count = 4 + 2 + one["operations"] * len(one["values"])
        messages = 2 if one["what"] == "bandwidth" else 1
        assert one["sent"] == count * messages * one["bytes"], one
    clocks = mpi.of_kind(found, "clock")
    assert clocks[0]["day_off"] == 0
    # Both ranks read one clock.
    assert abs(clocks[1]["day_off"]) < 0.05

    from lacis import measured

    frame = measured.read([out]).frame
    assert frame["began"].null_count() == frame["ended"].null_count() == 0
    assert set(frame["sent"].drop_nulls()) == {
        one["sent"] for one in mpi.of_kind(found, "sample") if "sent" in one
    }


def test_port_counters_are_read_around_each_round(tmp_path: Path) -> None:
    counters = tmp_path / "sys" / "mlx5_0" / "ports" / "1" / "counters"
    counters.mkdir(parents=True)
    (counters / "port_xmit_data").write_text("18446744073709\n")
    (counters / "symbol_error").write_text("0\n")
    out = tmp_path / "out.jsonl"
    args = ("--min", "1", "--max", "1", "--bytes", "8", "--counters", tmp_path / "sys", "-o", out)
    assert mpi.launch("openmpi", 2, "nxn", *args).returncode == 0
    found = mpi.of_kind(mpi.records(out), "counters")
    assert [r["when"] for r in found] == ["before", "after"]
    assert all(r["values"] == {"port_xmit_data": 18446744073709, "symbol_error": 0} for r in found)


BAD = {
    "a host alone in the file of leaves": ("nxn", "--leaves", "leaves"),
    "a schedule that is none": ("rounds", "--schedule", "file:leaves"),
    "no such test": ("pong",),
    "a size": ("nxn", "--bytes", "8,x"),
    "an option": ("nxn", "--colour"),
    "a pair": ("pingpong", "--pairs", "0-7"),
    "a schedule": ("rounds", "--schedule", "ring"),
}


@pytest.mark.parametrize(
    "what", ["a host alone in the file of leaves", "a schedule that is none", "a pair", "a size"]
)
def test_bad_input_is_one_line_and_status_2(what: str, tmp_path: Path) -> None:
    (tmp_path / "leaves").write_text("node000 leaf\nnode001\n")
    args = [
        a.replace("leaves", str(tmp_path / "leaves")) if a in ("leaves", "file:leaves") else a
        for a in BAD[what]
    ]
    done = mpi.launch("mpich", 2, *args, LACIS_TEST_RANKS_PER_NODE="1")
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if line.startswith("lacis-mpi: ")]
    assert len(said) == 1
