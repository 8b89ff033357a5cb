"""`lacis simulate`: packets, deadlocks, bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:8,2:rate=4xEDR"


def simulated(lacis: Lacis, *args: str, status: int = 0) -> dict[str, Any]:
    result = lacis("simulate", *args, "--json")
    assert result.status == status, result.err
    content: dict[str, Any] = json.loads(result.out)
    assert content["schema"] == "lacis.simulate/1"
    assert content["model"] == "packet"
    return content


def test_a_shift_of_a_full_tree_takes_each_message_its_own_time(lacis: Lacis) -> None:
    # 4xEDR carries 12.5 GB/s; on an ideal device a message of 1,000,000 bytes takes 80 µs.
    content = simulated(lacis, TREE, "--engine", "ftree", "--traffic", "shift:4", "--bytes", "1MB")
    assert content["times"] == [pytest.approx(80e-6, rel=1e-9)]
    assert content["bandwidth"]["min"] == content["bandwidth"]["max"] == pytest.approx(12.5e9)
    assert content["waited"] == {"behind_others": 0, "for_credits": 0, "for_turn": 0}
    assert content["packets"] == {"sent": 32 * 245, "arrived": 32 * 245, "discarded": 0}


@pytest.mark.parametrize("device", ["ideal", "hdr"])
def test_messages_without_a_byte_have_no_bandwidth(lacis: Lacis, device: str) -> None:
    args = ("simulate", "fat-tree:4,2", "--bytes", "0", "--device", device)
    bandwidth = json.loads(lacis(*args, "--json").out)["bandwidth"]
    assert (bandwidth["mean"], bandwidth["min"], bandwidth["max"]) == (0, 0, 0)
    assert "mean 0.000, min 0.000, max 0.000" in lacis(*args).out


def test_a_device_adds_its_latencies(lacis: Lacis) -> None:
    # 500 ns at each end, two cables of 10 ns, one switch of 100 ns, 126 bytes at 4 GB/s.
    content = simulated(
        lacis, "fat-tree:4,1:rate=4xQDR", "--device", "itasca", "--test", "ping-pong", "--bytes", "100",
        "--traffic", "shift:1",
    )  # fmt: skip
    one_way = 500e-9 + 10e-9 + 100e-9 + 10e-9 + 500e-9
    # The receiver takes in a packet at three quarters of the link's rate.
    assert content["latency"]["max"] == pytest.approx(one_way + 126 / 4e9 / 0.75, rel=1e-6)


def test_a_ring_on_one_lane_deadlocks_and_the_circle_is_shown(lacis: Lacis) -> None:
    result = lacis("simulate", "ring:7", "--traffic", "shift:3", "--engine", "minhop")
    assert result.status == 1
    assert "DEADLOCK in phase 0: 7 links, each waiting for room behind the next" in result.out
    links = re.findall(r"switch-(\d)\[\d\] → switch-(\d)\[\d\], lane 0", result.out)
    assert all(ahead == links[(i + 1) % 7][0] for i, (_, ahead) in enumerate(links))
    lanes = simulated(lacis, "ring:7", "--traffic", "shift:3", "--engine", "dfsssp")
    assert lanes["deadlock"] is None


def test_an_open_load_arrives_until_the_network_is_full(lacis: Lacis) -> None:
    light = simulated(
        lacis, TREE, "--traffic", "alltoall", "--test", "load", "--load", "0.2", "--bytes", "4096"
    )
    heavy = simulated(
        lacis, TREE, "--traffic", "alltoall", "--test", "load", "--load", "2", "--bytes", "4096"
    )
    capacity = 32 * 12.5e9 * 1e-3
    assert light["payload"] / capacity == pytest.approx(0.2, rel=0.05)
    assert 0.3 < heavy["payload"] / capacity < 1
    assert heavy["latency"]["p99"] > 5 * light["latency"]["p99"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        ("--adaptive", "two"),
        (
            "--adaptive", "omni-path", "--ar-period", "2us", "--congestion-control", "default", "--utilisation", "5us",
            "--also", "allreduce:ring bytes=64kB",
        ),
        (
            "--device", "opa100", "--lanes", "2", "--vlarb-high", "1:64", "--vlarb-low", "0:64", "--preempt",
            "--also", "permutation test=load bytes=64 load=0.05 sl=1",
        ),
    ],
)  # fmt: skip
def test_the_same_seed_gives_the_same_bytes_at_any_number_of_threads(
    lacis: Lacis, more: tuple[str, ...]
) -> None:
    args = ("simulate", TREE, "--patterns", "6", *more, "--seed", "9", "--json")
    program = "import sys; from lacis.cli import run; sys.exit(run(sys.argv[1:]))"

    def threads(number: str) -> str:
        environment = {**os.environ, "RAYON_NUM_THREADS": number}
        command = [sys.executable, "-c", program, *args]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    outputs = {threads(number) for number in ("1", "2", "5")}
    assert outputs == {lacis(*args).out}
    assert lacis(*args[:-2], "8", "--json").out not in outputs  # what is random differs


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--device", "toaster"), 'no device "toaster" (there are ideal, itasca, opa100, edr, hdr, ndr)'),
        (("--sl", "3"), "service level 3 goes to lane 3, and links have lanes 0 to 0 (--lanes, --sl2vl)"),
        (("--lanes", "16"), "16 is not in the range 1<=x<=15"),
        (("--sl2vl", "0,1"), "'0,1': expected 16 lanes from 0 to 14"),
        (
            ("--lanes", "2", "--vlarb-low", "1:4"),
            "lane 0 is used and has no weight in either arbitration table",
        ),
        (("--vlarb-low", "0:4,1:4"), "an arbitration table has lane 1, and links have lanes 0 to 0"),
        (("--vlarb-low", "0:256"), "'0:256': expected up to 64 of LANE:WEIGHT"),
        (("--preempt",), "--preempt needs lanes of high priority, which interrupt the others: --vlarb-high"),
        (("--preempt", "--vlarb-high", "0:4"), "--preempt needs --queues virtual"),
        (
            ("--engine", "dfsssp", "--lanes", "2"),
            "the tables assign lanes (1): --lanes and --sl2vl cannot be combined with",
        ),
        (
            ("--congestion-control", "speed=9"),
            'no parameter "speed" of congestion control (there are threshold,',
        ),
        (("--congestion-control", "threshold=16"), "'threshold=16': expected 0 to 15"),
        (("--congestion-control", "on"), "'on': expected `default`, or KEY=VALUE"),
        (
            ("--congestion-control", "default", "--buffer", "unlimited"),
            "--congestion-control goes by how full",
        ),
        (("--ar-threshold", "7"), "settings of --adaptive omni-path with --adaptive off"),
        (("--adaptive", "omni-path", "--ar-threshold", "8"), "8 is not in the range 0<=x<=7"),
        (("--adaptive", "omni-path", "--ar-algorithm", "3"), "3 is not in the range 0<=x<=2"),
        (
            ("--adaptive", "omni-path", "--ar-frequency", "1", "--ar-period", "1ms"),
            "--ar-frequency and --ar-period set the same: give one",
        ),
        (
            ("--adaptive", "omni-path", "--buffer", "unlimited"),
            "--adaptive omni-path goes by how full buffers are, and these are unlimited",
        ),
        (("--bytes", "-1"), "'-1' is not a size"),
        (("--bytes", "1.5"), "'1.5' is not a size"),
        (("--bytes", "ten"), "'ten' is not a size: expected bytes such as 4096, 64kB, 1MiB"),
        (("--buffer", "0"), "'0': a size is above zero"),
        (("--mtu", "0"), "'0': a size is above zero"),
        (("--mtu", "70000"), "'70000': a size of at most 65,000 bytes is expected"),
        (("--buffer", "100"), "a buffer of 100 bytes holds no packet of 4096 bytes"),
        (
            ("--test", "load", "--duration", "2000000s"),
            "'2000000s': a time is at most 1,000,000 s",
        ),
        (("--adaptive", "omni-path", "--ar-period", "0.1ns"), "--ar-period: expected 1 ns to 1,000,000 s"),
        (("--congestion-control", "timer=0.1ns"), "--congestion-control: timer is 1 ns to 1,000 s"),
        (("--congestion-control", "timer=2000s"), "--congestion-control: timer is 1 ns to 1,000 s"),
        (("--congestion-control", "least=200"), "--congestion-control: least is 200, and limit 127"),
        (("--duration", "5"), "'5' is not a time: expected a number and s, ms, us or ns"),
        (("--test", "load", "--bytes", "0"), "--test load needs messages of --bytes 1 or more"),
        (
            ("--test", "load", "--traffic", "file:FILE"),
            "an open load needs a pattern in which a host sends to one",
        ),
        (("--traffic", "file:ABSENT"), "absent:1: no such host: nobody"),
        (("--traffic", "alltoall", "--bytes", "1TB", "--count", "2000000000"), "may need"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    lacis: Lacis, tmp_path: Any, args: tuple[str, ...], message: str
) -> None:
    several, absent = tmp_path / "several", tmp_path / "absent"
    several.write_text("node0001 node0002\nnode0001 node0003\n")
    absent.write_text("nobody node0001\n")
    args = tuple(arg.replace("FILE", str(several)).replace("ABSENT", str(absent)) for arg in args)
    result = lacis("simulate", "fat-tree:4,2", *args)
    assert result.status == 2, result.out
    assert message in result.err
    assert "Traceback" not in result.err


def test_omni_path_moves_one_of_two_pairs_to_the_free_core(lacis: Lacis, tmp_path: Path) -> None:
    # The tables of the first edge send all that leaves it by its last cable.
    tables = tmp_path / "lfts"
    assert lacis("route", "article", "-o", str(tables)).status == 0
    edge, lines = False, []
    for line in tables.read_text().splitlines():
        edge = "edge1" in line if line.startswith("Unicast") else edge
        lines.append(re.sub(r"^(0x\w+) 025 ", r"\1 026 ", line) if edge else line)
    tables.write_text("\n".join(lines) + "\n")
    pairs = tmp_path / "pairs"
    pairs.write_text("NodeA NodeC\nNodeB NodeD\n")
    args = (
        "article", "--lfts", str(tables), "--traffic", f"file:{pairs}", "--device", "opa100", "--test", "windows",
        "--bytes", "1MB", "--count", "20",
    )  # fmt: skip
    adapted = ("--adaptive", "omni-path", "--ar-threshold", "7", "--ar-period", "1ms")
    total = [
        2e9 * 1.28 / simulated(lacis, *args, *more)["times"][0]
        for more in ((), adapted, (*adapted, "--lost-route-only"))
    ]
    assert 12.38e9 < total[0] == total[2] < 12.5e9
    # One of a hundred milliseconds on one cable.
    assert total[1] == pytest.approx(24.7e9, rel=0.02)
    assert simulated(lacis, *args, *adapted)["moved"] == {"lids": 1, "last": 1e-3}


def test_a_cable_that_is_cut_loses_packets_unless_switches_have_another(lacis: Lacis, tmp_path: Path) -> None:
    # Two leaves with two hosts each and two spines; both hosts of a leaf send 4 MB to the other at 12.5 GB/s, and ftree
    # gives each an uplink of its own.
    pairs = tmp_path / "pairs"
    fabric = ("pgft:2;2,2;1,2;1,1:rate=4xEDR", "-R", "ftree", "--traffic", f"file:{pairs}", "--bytes", "4MB")
    pairs.write_text("node0001 node0003\nnode0002 node0004\n")
    whole = simulated(lacis, *fabric)
    assert whole["times"] == [pytest.approx(320e-6)]
    assert whole["cables_cut"] == []
    cut = ("--cut", "leaf-01--spine-01", "100us")
    packets = 4_000_000 / 4096
    # Of one flow what a cable carries in 100 µs arrives; the rest is not sent again.
    got = lacis("simulate", *fabric, *cut, "--json")
    result = json.loads(got.out)
    assert got.status == 1
    assert result["packets"]["discarded"] == pytest.approx(packets * (1 - 100 / 320), rel=0.01)
    assert result["cables_cut"] == [{"after": 1e-4, "ports": ["leaf-01[3]", "spine-01[1]"]}]
    text = lacis("simulate", *fabric, *cut).out
    assert "cut after 100 µs: leaf-01[3]--spine-01[1]\n" in text
    assert "flows that lost packets        1 of 2\n" in text
    # Or both share the cable that is left, 220 µs of either.
    for adaptive in (("least",), ("omni-path",), ("omni-path", "--lost-route-only")):
        result = simulated(lacis, *fabric, *cut, "--adaptive", *adaptive)
        assert result["packets"]["discarded"] == 0
        assert result["times"] == [pytest.approx(540e-6, rel=0.01)]
        assert (result["moved"]["lids"] > 0) == (adaptive[0] == "omni-path")
    # Long after the last message, or the end of a load: as if it were not.
    for test in (("--bytes", "1MB"), ("--test", "load", "--bytes", "64KB", "--load", "0.05")):
        late, never = (simulated(lacis, *fabric, *test, *more) for more in (("--cut", *cut[1:2], "10s"), ()))
        assert late["simulated"] == never["simulated"]
        assert len(late["cables_cut"]) == 1


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (("leaf-01--spine-9", "1us"), "selector leaf-01--spine-9: no node is called spine-9 (nearest: spine-01"),
        (("leaf-01", "1us"), "--cut leaf-01: that is a node; name its cables, as leaf-01--*"),
        (("leaf-01[1]", "1us"), "leaf-01[1]--node0001 HCA-1[1] leads to an end node, and only cables between"),
        (("leaf-01--spine-01", "-1us"), "'-1us' is not a time"),
        (("leaf-01--spine-01", "2000000s"), "'2000000s': a time is at most 1,000,000 s"),
        (("leaf-01--spine-01", "1us", "--preempt", "--vlarb-high", "0:1"), "--preempt and --cut"),
    ],
)  # fmt: skip
def test_cuts_that_make_no_sense_are_one_line(lacis: Lacis, cut: tuple[str, ...], reason: str) -> None:
    got = lacis("simulate", "pgft:2;2,2;1,2;1,1", "--queues", "virtual", "--cut", *cut)
    assert got.status == 2
    assert got.err.count("\n") == 1
    assert reason in got.err


def test_small_messages_that_interrupt_bulk_take_as_long_as_alone(lacis: Lacis) -> None:
    # 64 bytes from and to hosts whose links bulk of 8 KiB packets fills; lane 1 goes first.
    small = (
        "diamond", "--device", "opa100", "--traffic", "shift:1", "--test", "load", "--bytes", "64",
        "--load", "0.01", "--lanes", "2", "--sl", "1", "--vlarb-high", "1:64", "--vlarb-low", "0:64",
        "--high-limit", "255",
    )  # fmt: skip
    bulk = ("--also", "shift:2 bytes=20MB")
    alone, beside, interrupting = (
        simulated(lacis, *small, *more)["latency"] for more in ((), bulk, (*bulk, "--preempt"))
    )
    # A packet in the way takes up to 8256 bytes at 12.5 GB/s, at the sender and once more at the switch.
    packet = 8256 / 12.5e9
    assert 1.5 * packet < beside["p99"] - alone["p99"] < 2.1 * packet
    assert abs(interrupting["p99"] - alone["p99"]) < 0.05 * packet


def test_congestion_control_gives_a_victim_its_link_back(lacis: Lacis, tmp_path: Path) -> None:
    # Hosts 10 to 16 of one leaf and 1 of the other send to 9; 2 sends to 10 over the uplink that 1 uses.
    pairs = tmp_path / "pairs"
    senders = [1, *range(10, 17)]
    pairs.write_text("".join(f"node{sender:04d} node0009\n" for sender in senders))
    victim = tmp_path / "victim"
    victim.write_text("node0002 node0010\n")
    args = (
        "pgft:2;8,2;1,1;1,1:rate=4xEDR", "--device", "edr", "--traffic", f"file:{victim}", "--bytes", "50MB",
        "--also", f"file:{pairs} bytes=50MB",
    )  # fmt: skip
    without, with_control = (
        simulated(lacis, *args, *more) for more in ((), ("--congestion-control", "default"))
    )
    rates = [content["workloads"][0]["bandwidth"]["mean"] for content in (without, with_control)]
    assert rates[1] > 3 * rates[0]
    assert without["marked"] == 0 < with_control["marked"]


def test_a_mapping_gives_each_service_level_its_lane(lacis: Lacis) -> None:
    # Two classes into one host share its link as the weights of their lanes say, 3 to 1, until the first is done.
    args = (
        "fat-tree:4,1:rate=4xEDR", "--traffic", "shift:1", "--bytes", "30MB", "--sl", "5",
        "--also", "shift:1 bytes=30MB sl=7", "--sl2vl", "0,0,0,0,0,1,0,3,0,0,0,0,0,0,0,0",
        "--vlarb-low", "1:192,3:64",
    )  # fmt: skip
    content = simulated(lacis, *args)
    first, second = (work["bandwidth"]["mean"] for work in content["workloads"])
    assert first == pytest.approx(12.5e9 * 3 / 4, rel=0.01)
    assert second == pytest.approx(12.5e9 / 2, rel=0.01)


def test_tables_with_a_loop_are_refused_and_shown_circling_when_asked(lacis: Lacis, tmp_path: Any) -> None:
    tables = tmp_path / "lfts"
    assert lacis("route", "ring:3", "-o", str(tables)).status == 0
    # Every switch sends the first host's LID on to the next switch.
    text, lines = tables.read_text(), []
    host = re.search(r"^0x0*([0-9a-f]+) \d+ .*node0001", text, re.MULTILINE)
    assert host is not None, text
    for line in text.splitlines():
        entry = re.match(rf"(0x0*{host[1]}) \d+(.*)", line)
        lines.append(f"0x{int(host[1], 16):04x} 002{entry[2]}" if entry else line)
    tables.write_text("\n".join(lines) + "\n")
    args = ("simulate", "ring:3", "--lfts", str(tables), "--traffic", "shift:1", "--bytes", "4096")
    refused = lacis(*args)
    assert refused.status == 2
    assert "the tables lead 1 of the flows in circles, the first from " in refused.err
    shown = simulated(lacis, *args[1:], "--circles", "--hop-limit", "20", status=1)
    assert shown["packets"] == {"sent": 3, "arrived": 2, "discarded": 1}


def cpu_seconds(process: int) -> float:
    """User time of a running process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_ctrl_c_leaves_what_was_computed_marked_as_partial() -> None:
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from lacis.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    args = ["simulate", "fat-tree:8,3", "--bytes", "10GB", "--json"]
    process = subprocess.Popen([sys.executable, "-c", program, *args], stdout=subprocess.PIPE)
    while cpu_seconds(process.pid) < 2:  # it simulates by then, however busy the machine is
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    output, _ = process.communicate(timeout=60)
    assert time.monotonic() - stopped < 5  # a second, on a machine with nothing else to do
    assert process.returncode == 130
    content = json.loads(output)
    assert content["partial"]
    assert content["packets"]["sent"] > content["packets"]["arrived"] > 0
