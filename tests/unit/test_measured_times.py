"""When values were measured, and what was sent for them, as results say it. Expected values are counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lacis import measured

from tests.measured_runs import results

HERE = Path(__file__).parents[1] / "measured"


def sample(began: int, ended: int, **of: Any) -> str:
    """A record of lacis-mpi: by default a bandwidth of 8 messages of 1 MiB."""
    usual = {"record": "sample", "test": "random", "what": "bandwidth", "round": 1, "from": 0, "to": 1}
    usual |= {"class": "different leaves", "bytes": 1 << 20, "messages": 8, "operations": 1}
    times = {"began_us": began, "ended_us": ended, "sent": 80 << 20}
    return json.dumps(usual | times | {"unit": "bytes/s", "late": [], "values": [1e9, 2e9]} | of)


MPI_RUN = [
    '{"record": "run", "schema": "lacis.mpi/1", "ranks": 4, "started": "2026-11-28T16:28:24Z"}',
    *(json.dumps({"record": "rank", "rank": rank, "host": f"n{rank}"}) for rank in range(4)),
]
SECOND = 1_795_883_305 * 10**6
"""2026-11-28T16:28:25Z."""


def test_values_of_lacis_mpi_have_the_times_and_bytes_of_their_records(tmp_path: Path) -> None:
    # Two rounds of two pairs; there and back are records of one round, and a third has no value that can be used.
    lines = [
        sample(SECOND, SECOND + 5),
        sample(SECOND, SECOND + 5, **{"from": 2, "to": 3, "sent": 7}),
        sample(SECOND + 10, SECOND + 15, **{"from": 1, "to": 0}),
        sample(SECOND + 20, SECOND + 25, round=2, values=[None, 3e9]),
        sample(SECOND + 30, SECOND + 35, round=3, values=[None, None]),
        sample(SECOND + 40, SECOND + 45, round=4, values=[4e9], late=[0], sent=9),
        sample(
            SECOND + 50, SECOND + 60, test="alltoall", what="time", unit="s", **{"from": None, "to": None}
        ),
        '{"record": "sample", "began_us": broken',
    ]
    frame = results(tmp_path, "\n".join([*MPI_RUN, *lines]) + "\n").frame
    seen = {
        (row["source"], row["destination"], row["value"]): (
            row["began"] and round(row["began"].timestamp() * 1e6) - SECOND,
            row["ended"] and round(row["ended"].timestamp() * 1e6) - SECOND,
            row["sent"],
        )
        for row in frame.iter_rows(named=True)
    }
    whole = 80 << 20
    assert seen == {
        ("n0", "n1", 1e9): (0, 5, whole),
        ("n0", "n1", 2e9): (0, 5, whole),
        ("n2", "n3", 1e9): (0, 5, 7),
        ("n2", "n3", 2e9): (0, 5, 7),
        ("n1", "n0", 1e9): (10, 15, whole),
        ("n1", "n0", 2e9): (10, 15, whole),
        ("n0", "n1", 3e9): (20, 25, whole),
        ("n0", "n1", 4e9): (40, 45, 9),
        (None, None, 1e9): (50, 60, None),
        (None, None, 2e9): (50, 60, None),
    }


def test_records_without_times_and_times_that_are_none_are_read_as_before(tmp_path: Path) -> None:
    old = json.loads(sample(0, 0))
    for key in ("began_us", "ended_us", "sent"):
        del old[key]
    lines = [json.dumps(old), sample(-5, 7, round=2), sample(9, 8, round=3), sample(1, 1 << 60, round=4)]
    frame = results(tmp_path, "\n".join([*MPI_RUN, *lines]) + "\n").frame
    assert frame.height == 8
    assert frame.select("began", "ended", "sent").null_count().row(0) == (8, 8, 8)
    # A table that was kept before there were such columns is read with empty ones.
    kept = measured.modelled(frame.drop("began", "ended", "sent").to_dict(as_series=False))
    assert kept.frame.schema["began"] == pl.Datetime("us", "UTC")
    assert kept.frame["began"].null_count() == 8


def test_clocks_of_hosts_that_differ_are_a_fact_of_the_run(tmp_path: Path) -> None:
    clocks = [
        json.dumps({"record": "clock", "rank": rank, "day_off": off})
        for rank, off in enumerate((0.0, -0.5, 1.25))
    ]
    read = results(tmp_path, "\n".join([*MPI_RUN, *clocks, sample(SECOND, SECOND + 5)]) + "\n")
    assert read.facts["host clocks differ by [s]"] == "1.750000"


def test_intervals_of_iperf3_have_times_to_a_second() -> None:
    path = HERE / "iperf3-3.12-tcp.json"
    frame = measured.read([path]).frame
    said = json.loads(path.read_text())
    began, sums = said["start"]["timestamp"]["timesecs"], [one["sum"] for one in said["intervals"]]
    # The warm-up is no sample.
    sums = [one for one in sums if not one["omitted"]]
    samples = frame.filter(pl.col("statistic") == "sample")
    assert samples["sent"].to_list() == [one["bytes"] for one in sums]
    starts = (samples["began"].dt.timestamp("us") / 1e6).to_list()
    ends = (samples["ended"].dt.timestamp("us") / 1e6).to_list()
    assert starts == pytest.approx([began + one["start"] for one in sums], abs=1e-5)
    assert ends == pytest.approx([began + one["end"] + 1 for one in sums], abs=1e-5)
    assert frame.filter(pl.col("statistic") == "mean")["began"].null_count() == 1
