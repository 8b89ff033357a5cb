"""`lacis simulate`: jobs, several workloads at once, messages as a file, links over time, LIDs."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import lacis as api
import numpy as np
import pytest

from tests.cli.test_simulate import simulated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

STAR = "fat-tree:8,1:rate=4xEDR"
TREE = "fat-tree:8,2:rate=4xEDR"


def test_a_ring_allreduce_takes_the_sum_of_its_steps(lacis: Lacis) -> None:
    # 14 steps of an eighth of the vector, 10 µs each at 12.5 GB/s: 8/14 of 12.5 GB/s is the algorithm's, and
    # 2 × 7/8 times that, the link's rate, the bus bandwidth.
    content = simulated(lacis, STAR, "--traffic", "allreduce:ring", "--bytes", "1MB")
    assert content["times"] == [pytest.approx(140e-6, rel=1e-9)]
    (work,) = content["workloads"]
    assert (work["ranks"], work["flows"], work["through"]) == (8, 112, 1)
    assert work["bandwidth"]["algorithm"] == pytest.approx(1e6 / 140e-6)
    assert work["bandwidth"]["bus"] == pytest.approx(12.5e9)
    assert work["each_phase"]["begins"] == pytest.approx([10e-6 * step for step in range(14)])
    assert work["each_phase"]["ends"] == pytest.approx([10e-6 * (step + 1) for step in range(14)])
    text = lacis("simulate", STAR, "--traffic", "allreduce:ring", "--bytes", "1MB").out
    assert "112 among 8 ranks" in text
    assert "algorithm 7.143, bus 12.5" in text


def test_packets_and_the_fluid_model_agree_where_no_flows_meet(lacis: Lacis) -> None:
    for job in ("alltoall:pairwise", "allgather:ring", "nccl-ring", "broadcast:binomial"):
        asked = (TREE, "--engine", "ftree", "--traffic", job, "--bytes", "4MB", "--host-order", "topology")
        fluid = json.loads(lacis("predict", *asked, "--model", "fluid", "--json").out)
        packet = simulated(lacis, *asked, "--queues", "virtual")
        assert packet["times"][0] == pytest.approx(fluid["seconds"], rel=0.01), job


def test_a_trace_of_several_ranks_a_host_uses_their_memory(lacis: Lacis, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    lines = [
        {"phase": "in, side", "source": 0, "destination": 1, "bytes": 1000, "weight": 2},
        {"phase": "across", "source": 1, "destination": 2, "bytes": 1250},
    ]
    trace.write_text("\n".join(map(json.dumps, lines)))
    out = tmp_path / "messages"
    result = lacis(
        "simulate", STAR, "--traffic", f"trace:{trace}", "--ranks-per-host", "2", "--local-rate", "1GB/s",
        "-o", str(out),
    )  # fmt: skip
    assert "1 inside hosts" in result.out
    assert "weights of a trace's messages are for the fluid model" in result.err
    rows = list(csv.DictReader(out.read_text().splitlines()))
    # 1 µs through the memory of a host, then 100 ns to the next.
    assert [list(row.values()) for row in rows] == [
        ["0", "0", "in, side", "node0001", "node0001", "0", "1", "1000", "0", "1000000"],
        ["0", "0", "across", "node0001", "node0002", "1", "2", "1250", "1000000", "1100000"],
    ]


def test_messages_of_a_trace_have_service_levels_of_their_own(lacis: Lacis, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    lines = [
        {"phase": 0, "source": 0, "destination": 2, "bytes": 4_000_000},
        {"phase": 0, "source": 1, "destination": 2, "bytes": 4_000_000, "sl": 1},
    ]
    trace.write_text("\n".join(map(json.dumps, lines)))
    asked = (STAR, "--traffic", f"trace:{trace}", "--lanes", "2", "--queues", "virtual")
    strict = ("--vlarb-low", "0:64", "--high-limit", "255", "--vlarb-high", "1:64")
    times = simulated(lacis, *asked, *strict)["latency"]
    rate = 12.5e9
    assert times["min"] == pytest.approx(4e6 / rate, rel=0.01)
    assert times["max"] == pytest.approx(8e6 / rate, rel=0.01)
    # The other way round where the workload asks for level 1, and the second message for 0.
    lines[1]["sl"] = 0
    trace.write_text("\n".join(map(json.dumps, lines)))
    out = tmp_path / "messages"
    lacis("simulate", *asked, *strict, "--sl", "1", "-o", str(out))
    rows = csv.DictReader(out.read_text().splitlines())
    first, second = sorted(rows, key=lambda row: int(row["arrived_ps"]))
    assert (first["source"], second["source"]) == ("node0001", "node0002")
    lines[1]["sl"] = 3
    trace.write_text("\n".join(map(json.dumps, lines)))
    result = lacis("simulate", *asked)
    assert (result.status, result.out) == (2, "")
    assert "service level 3 goes to lane 3, and links have lanes 0 to 1" in result.err


def test_every_message_is_a_line_whatever_sent_it(lacis: Lacis, tmp_path: Path) -> None:
    out = tmp_path / "messages.csv"
    content = simulated(
        lacis, STAR, "--traffic", "shift:1,3", "--test", "windows", "--count", "2", "--window", "3", "--bytes",
        "1250", "--also", "barrier bytes=8", "-o", str(out),
    )  # fmt: skip
    assert content["file"] == str(out)
    rows = list(csv.DictReader(out.read_text().splitlines()))
    # By run: 8 flows of 2 windows, 3 messages and an answer each; 8 ranks in 3 rounds.
    for run, distance in (("0", "1"), ("1", "3")):
        flows = [row for row in rows if (row["run"], row["workload"]) == (run, "0")]
        assert len(flows) == 8 * 2 * 4
        assert {row["phase"] for row in flows} == {distance}
        assert sum(row["bytes"] == "1250" for row in flows) == 48
        barrier = [row for row in rows if (row["run"], row["workload"]) == (run, "1")]
        assert [sum(row["phase"] == phase for row in barrier) for phase in "012"] == [8, 8, 8]
    assert all(int(row["posted_ps"]) <= int(row["arrived_ps"]) for row in rows)
    assert [work["latency"]["count"] for work in content["workloads"]] == [2 * 64, 2 * 24]
    old = out.read_text()
    assert lacis("simulate", STAR, "--traffic", "shift:9", "-o", str(out)).status == 2
    assert out.read_text() == old
    clash = lacis("simulate", STAR, "-o", "-", "--json")
    assert (clash.status, "do not go together" in clash.err) == (2, True)
    assert lacis("simulate", STAR, "-o", "-").out.startswith("run,workload,phase,source,")


def test_workloads_on_rails_of_their_own_do_not_touch_each_other(lacis: Lacis) -> None:
    asked = ("ring:4:rate=4xEDR,rails=2", "--engine", "updn", "--traffic", "shift:1", "--rail", "1")
    bulk = "shift:1 bytes=10MB rail={}"
    alone = simulated(lacis, *asked, "--test", "ping-pong", "--bytes", "64", "--count", "50")
    apart = simulated(
        lacis, *asked, "--test", "ping-pong", "--bytes", "64", "--count", "50", "--also", bulk.format(2)
    )
    shared = simulated(
        lacis, *asked, "--test", "ping-pong", "--bytes", "64", "--count", "50", "--also", bulk.format(1)
    )
    assert apart["workloads"][0] == alone["workloads"][0]
    assert shared["workloads"][0]["latency"]["mean"] > 5 * alone["workloads"][0]["latency"]["mean"]


def test_a_load_beside_others_is_counted_apart_and_ends_with_them(lacis: Lacis) -> None:
    content = simulated(
        lacis, STAR, "--traffic", "shift:4", "--bytes", "1MB", "--queues", "virtual",
        "--also", "shift:1 test=load bytes=64 load=0.01 duration=1s sl=1", "--lanes", "2",
    )  # fmt: skip
    bulk, small = content["workloads"]
    assert content["times"] == bulk["times"]
    assert bulk["bandwidth"]["min"] > 0.95 * 12.5e9
    assert (bulk["through"], small["through"]) == (1, 0)
    # 1 % of 8 links for about 80 µs.
    assert small["payload"] == pytest.approx(0.01 * 8 * 12.5e9 * 81e-6, rel=0.15)
    assert content["also"] == [
        {"traffic": "shift:1", "test": "load", "bytes": 64, "load": 0.01, "duration": 1.0, "sl": 1}
    ]


def test_links_over_time_add_up_to_their_busy_time(lacis: Lacis) -> None:
    args = (STAR, "--traffic", "incast:3", "--bytes", "1MB", "--utilisation", "10us")
    content = simulated(lacis, *args)
    over_time = content["utilisation"]
    assert (over_time["interval"], over_time["intervals"], over_time["cut"]) == (1e-5, [24], False)
    # 3 MB through one link of 12.5 GB/s, and each sender's link a third of the time.
    sums = {link["link"]: sum(link["busy"]) for link in over_time["links"]}
    assert sums.pop("switch[1] → node0001 HCA-1[1]") == pytest.approx(24)
    assert list(sums.values()) == pytest.approx([8, 8, 8])
    text = lacis("simulate", *args).out
    assert f"  {'█' * 24}  switch[1] → node0001 HCA-1[1]" in text
    routes = api.route(api.read(STAR))
    found = api.simulate(routes, api.Workload(traffic="incast:3", size=10**6), interval=1e-5).utilisation()
    assert found is not None
    assert found[4].shape == (24, 4)
    assert found[4].sum(axis=0).max() == pytest.approx(24)


def test_messages_choose_among_a_receivers_lids(lacis: Lacis) -> None:
    # Two hosts of a leaf send to another leaf: by message each fills both spines' links.
    args = (
        "fat-tree:4,2:rate=4xEDR",
        "--lmc",
        "1",
        "--traffic",
        "shift:2",
        "--count",
        "64",
        "--bytes",
        "4096",
    )
    one = simulated(lacis, *args)
    several = simulated(lacis, *args, "--multipath", "by-message", "--queues", "virtual")
    assert several["multipath"] == "by-message"
    assert several["times"][0] <= one["times"][0]
    refused = lacis("simulate", args[0], "--multipath", "by-peer")
    assert refused.status == 2
    assert "by-peer chooses among the LIDs of a port, and every port has one" in refused.err


def test_the_library_tells_messages_as_arrays() -> None:
    routes = api.route(api.read(STAR))
    also = [api.Workload(traffic="incast:2", size=100, ranks_per_host=2)]
    result = api.simulate(routes, api.Workload(traffic="shift:1", size=1250), also=also, record=True)
    messages = result.messages()
    assert result.num_workloads == 2
    first = messages["workload"] == 0
    assert (first.sum(), (~first).sum()) == (8, 2)
    assert (messages["destination"][first] == (messages["source"][first] + 1) % 8).all()
    # Ranks 1 (on the receiver's host) and 2 send to rank 0.
    assert sorted(messages["source"][~first].tolist()) == [1, 2]
    assert messages["posted"].max() == 0
    assert messages["arrived"].dtype == np.float64
    assert result.workload(1).inside_hosts == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--traffic", "allreduce:ring", "--test", "windows"),
            "is a message program, which says itself what is sent when",
        ),
        (("--traffic", "allreduce:ring", "--bytes", "0"), "messages of a program are of 1 byte or more"),
        (("--traffic", "allreduce:rign"), 'no algorithm "rign" (did you mean ring?)'),
        (("--traffic", "incast:9"), "needs 10 ranks, and there are 8"),
        (("--traffic", "shift:1", "--ranks-per-host", "2"), "ranks are of message programs"),
        (("--traffic", "trace:CIRCLE"), "phases wait for each other in a circle"),
        (("--traffic", "trace:STRANGER"), "unknown rank 8; the program has ranks 0 to 7"),
        (("--also", ""), "it is empty; expected TRAFFIC KEY=VALUE"),
        (("--also", "test=load shift:1"), "the traffic comes first, as in 'shift:1 test=load'"),
        (("--also", "shift:1 lode=0.5"), "did you mean load=?"),
        (("--also", "shift:1 load"), "did you mean load=?"),
        (("--also", "shift:1 load=0"), "load in 'shift:1 load=0': 0"),
        (("--also", "shift:1 bytes=ten"), "'ten' is not a size"),
        (("--also", "shift:1 sl=16"), "sl in 'shift:1 sl=16': 16 is not in the range 0<=x<=15"),
        (("--also", "shift:1 sl=1 sl=2"), "sl is given twice"),
        (("--also", "shift:1 'sl=1"), "no closing quotation"),
        (("--also", "shift:99"), "distance 99"),
        (("--also", "shift:1 rail=7"), "rail"),
        (("--also", "file:ABSENT"), "no such host: nobody"),
        (("--utilisation", "0s"), "an interval is 1 ps or more"),
        (("-o", "/absent/file"), "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    lacis: Lacis, tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    def line(phase: str, source: int, after: list[str]) -> str:
        content = {"phase": phase, "source": source, "destination": 0, "bytes": 8, "after": after}
        return json.dumps(content) + "\n"

    files = {name: tmp_path / name for name in ("CIRCLE", "STRANGER", "ABSENT")}
    files["CIRCLE"].write_text(line("a", 1, ["b"]) + line("b", 2, ["a"]))
    files["STRANGER"].write_text(line("a", 8, []))
    files["ABSENT"].write_text("nobody node0001\n")
    for name, path in files.items():
        args = tuple(arg.replace(name, str(path)) for arg in args)
    result = lacis("simulate", STAR, *args)
    assert result.status == 2, result.out
    assert message in result.err
    assert "Traceback" not in result.err
    assert len(result.err.strip().splitlines()) == 1, result.err
