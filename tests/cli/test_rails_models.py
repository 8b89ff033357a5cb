"""Messages over several rails in both models, and NCCL's collectives on rails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TWO = "diamond:rails=2"
"""Two planes of one switch each, 32 hosts with an adapter in either."""


def seconds(lacis: Lacis, *args: str | Path) -> float:
    result = lacis(
        "predict", TWO, "-R", "minhop", "--traffic", "shift:1", "--model", "fluid", *args, "--json"
    )
    assert result.status == 0, result.err
    return float(json.loads(result.out)["seconds"])


# 10⁶ bytes over two rails: half is 500,000, in whole pages 503,808, so windows are of 131,072 bytes; the first rail has
# windows 1, 3, 5 and 7 of seven whole ones, the second three and the 82,496 bytes that are left.
@pytest.mark.parametrize(
    ("size", "striping", "part"),
    [
        (10**6, "psm2", 4 * 131_072 / 10**6),
        (64_000, "psm2", 1.0),
        (64_001, "psm2", 32_768 / 64_001),
        (10**6, "ucx", 0.5),
        (16_383, "ucx", 1.0),
    ],
)
def test_the_fluid_time_of_a_message_is_that_of_the_rail_with_most_of_it(
    lacis: Lacis, size: int, striping: str, part: float
) -> None:
    one = seconds(lacis, "--rail", "1", "--bytes", str(size))
    both = seconds(lacis, "--bytes", str(size), "--striping", striping)
    assert both / one == pytest.approx(part, rel=1e-9)


def simulated(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    result = lacis(
        "simulate", TWO, "-R", "minhop", "--traffic", "shift:1", "--device", "opa100", *args, "--json"
    )
    assert result.status == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_packets_of_small_messages_take_the_rails_by_turns_and_large_ones_use_both(lacis: Lacis) -> None:
    def time(*args: str) -> float:
        return float(max(simulated(lacis, *args)["times"]))

    def gain(size: str, count: str) -> float:
        work = ("--bytes", size, "--count", count)
        return time(*work, "--rail", "1") / time(*work, "--striping", "psm2")

    assert gain("64000", "1") == pytest.approx(1, rel=1e-9)
    # One after the other on one rail, side by side on two: less than twice as fast by what a message alone waits for.
    assert 1.6 < gain("64000", "2") < 2
    assert 1.9 < gain("64000", "20") <= 2
    assert 1.9 < gain("4MB", "1") <= 2


def test_every_byte_arrives_once_however_it_is_spread(lacis: Lacis) -> None:
    for striping in ("psm2", "ucx"):
        for test in (
            ("--test", "burst", "--count", "3"),
            ("--test", "windows", "--window", "5", "--count", "2"),
        ):
            found = simulated(lacis, "--bytes", "100000", "--striping", striping, *test)
            messages = 3 if "burst" in test else 10
            assert found["payload"] == 32 * messages * 100_000
            assert found["flows"] == 32


def test_a_pair_that_shares_one_rail_uses_that_one(lacis: Lacis) -> None:
    args = ("--bytes", "1MB", "--without", "node0002 hfi1_1")
    whole, lacking = (seconds(lacis, "--striping", "psm2", *more) for more in (args[:2], args))
    assert whole == pytest.approx(seconds(lacis, "--bytes", "1MB", "--rail", "1") * 0.524288, rel=1e-9)
    assert lacking == pytest.approx(seconds(lacis, "--bytes", "1MB", "--rail", "1"), rel=1e-9)


def test_a_job_is_spread_in_both_models(lacis: Lacis) -> None:
    job = ("--traffic", "alltoall:pairwise", "--bytes", "1MB")
    one = lacis("predict", TWO, "-R", "minhop", "--model", "fluid", *job, "--rail", "1", "--json")
    both = lacis("predict", TWO, "-R", "minhop", "--model", "fluid", *job, "--striping", "psm2", "--json")
    ratio = json.loads(both.out)["seconds"] / json.loads(one.out)["seconds"]
    assert ratio == pytest.approx(0.524288, rel=1e-9)
    times = [
        max(json.loads(lacis("simulate", TWO, "-R", "minhop", *job, *more, "--json").out)["times"])
        for more in (("--rail", "1"), ("--striping", "psm2"))
    ]
    assert 0.5 <= times[1] / times[0] < 0.56


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("predict", "--striping", "psm2"), "--striping is for messages with sizes"),
        (("simulate", "--striping", "psm2", "--test", "ping-pong"), "not those of ping-pong"),
        (("simulate", "--striping", "psm2", "--traffic", "leaf-offset"), "pairs ports, not hosts"),
        (("simulate", "--striping", "mpi"), "is not one of"),
    ],
)
def test_what_is_not_spread_is_refused(lacis: Lacis, args: tuple[str, ...], words: str) -> None:
    command, *rest = args
    fabric = "fat-tree:4,2:rails=2"
    result = lacis(command, fabric, *rest)
    assert (result.status, words in result.err) == (2, True), result.err


def nccl(lacis: Lacis, *args: str | Path) -> tuple[int, dict[str, Any]]:
    result = lacis("rails", "nccl", *args, "--json")
    return result.status, json.loads(result.out)


def test_the_ring_of_each_rail_goes_from_leaf_to_leaf_as_hosts_are_ordered(
    lacis: Lacis, tmp_path: Path
) -> None:
    fabric = ("fat-tree:8,2:rails=2", "-R", "minhop")
    order = [f"node{n:04}" for n in (1, 9, 2, 17, 3, 4, 25, 26, 10, 11)]
    listed = tmp_path / "hosts"
    listed.write_text("\n".join(order) + "\n")
    status, found = nccl(lacis, *fabric, "--hosts", f"file:{listed}")
    assert status == 0
    leaf = {}
    for host in json.loads(lacis("rails", fabric[0], "--json").out)["hosts"]:
        for adapter in host["adapters"]:
            leaf[host["host"], adapter["rail"]] = adapter["leaf"]
    ring = found["collectives"][0]
    for rail, step in enumerate(ring["steps"], start=1):
        pairs = zip(order, [*order[1:], order[0]], strict=True)
        same = sum(leaf[a, rail] == leaf[b, rail] for a, b in pairs)
        # Two GPUs a host: one edge inside each host, one to the next.
        counts = {
            key: step[key]
            for key in ("messages", "inside", "in_leaf", "over_spines", "leave_rail", "unrouted")
        }
        assert counts == {
            "messages": 20,
            "inside": 10,
            "in_leaf": same,
            "over_spines": 10 - same,
            "leave_rail": 0,
            "unrouted": 0,
        }
    # The same flows as a shift by one of these hosts, counted by another command.
    shift = lacis("predict", *fabric, "--traffic", "shift:1", "--host-order", f"file:{listed}", "--json")
    assert ring["most_flows"] == json.loads(shift.out)["max_contention"]


def test_the_crossed_host_and_those_that_lack_an_adapter_leave_their_rail(lacis: Lacis, dgx: Path) -> None:
    status, found = nccl(lacis, dgx, "-R", "minhop", "--links", "3")
    assert status == 1
    # A server that still has its installer's name is on the leaves of rails 3 and 4 with its first and second adapter.
    assert found["crossed"] == [
        {"host": "b08-p1-dgx-08-c01", "numbers": [3, 4]},
        {"host": "ubuntu", "numbers": [1, 2]},
    ]
    lacking = {row["host"] for row in found["lacking"] if "-dgx-" in row["host"]}
    # All 18 hosts of the leaf that is absent: their adapters on rails 1, 2 and 4 are on ports 1 to 18.
    assert len(lacking) == 18
    assert all(row["numbers"] == [3] for row in found["lacking"] if row["host"] in lacking)
    ring = found["collectives"][0]["steps"]
    # Rails 1 and 2 are whole but for the two edges of the server on rails 3 and 4, and the crossed host's two edges leave rails
    # 3 and 4.
    assert ring[0]["leave_rail"] == 2
    assert ring[3]["leave_rail"] >= 2


def test_pxn_keeps_an_all_to_all_on_its_rails(lacis: Lacis) -> None:
    whole = ("fat-tree:8,2:rails=2", "-R", "minhop")
    status, found = nccl(lacis, *whole)
    assert status == 0
    same, other = found["collectives"][2]["steps"]
    assert (same["cross_host"], other["cross_host"]) == (0, 32 * 31 * 2)
    status, found = nccl(lacis, *whole, "--no-pxn")
    assert status == 1  # rails are planes of their own: no message arrives on the other
    assert found["collectives"][2]["steps"][1]["unrouted"] == 32 * 31 * 2
    text = lacis("rails", "nccl", *whole).out
    assert "Double binary tree" in text
    assert "with PXN" in text
