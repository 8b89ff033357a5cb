"""`lacis predict` with sizes and message programs: closed forms, keys, and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import lacis as api
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

# 32 hosts on 8 leaves, full bisection, every link 12.5 GB/s.
TREE = ("predict", "fat-tree:8,2:rate=4xEDR", "-R", "ftree", "--model", "fluid", "--host-order", "topology")
RATE = 12.5e9


def _ask(lacis: Lacis, *args: object) -> dict[str, Any]:
    result = lacis(*TREE, "--json", *map(str, args))
    assert (result.status, result.err) == (0, "")
    content: dict[str, Any] = json.loads(result.out)
    assert content["schema"] == "lacis.times/1"
    return content


@pytest.mark.parametrize(
    ("args", "seconds"),
    [
        # Every host sends 31 MB through its own link.
        (("--traffic", "alltoall", "--bytes", "1MB"), 31e6 / RATE),
        (("--traffic", "alltoall:pairwise", "--bytes", "1MB"), 31e6 / RATE),
        # 2 (n - 1) / n of the vector, on a ring of neighbours without contention.
        (("--traffic", "allreduce:ring", "--bytes", "32MB"), 2 * 31 / 32 * 32e6 / RATE),
        (("--traffic", "nccl-ring", "--bytes", "32MB"), 2 * 31 / 32 * 32e6 / RATE),
        # A host with two children in a tree and one parent gets, and sends, 3 halves; and one whole as a
        # leaf of the other tree: 1 half; 2 vectors in all.
        (("--traffic", "nccl-tree", "--bytes", "32MB"), 2 * 32e6 / RATE),
        (("--traffic", "allgather:ring", "--bytes", "1MB"), 31e6 / RATE),
        (("--traffic", "incast:8", "--bytes", "1MB"), 8e6 / RATE),
        (("--traffic", "stencil:32,periodic", "--bytes", "1MB"), 2e6 / RATE),
        # The same through half the link.
        (("--traffic", "incast:8", "--bytes", "1MB", "--link-efficiency", 0.5), 16e6 / RATE),
        (("--traffic", "incast:8", "--bytes", "1MB", "--host-efficiency", 0.8), 8e6 / RATE / 0.8),
        # Ranks 0 and 1 are on one host.
        (("--traffic", "incast:1", "--bytes", "1MB", "--ranks-per-host", 2, "--local-rate", "5GB/s"), 2e-4),
        # Four ranks of each of two hosts swap with their like: 4 MB through each link.
        (("--traffic", "stencil:2x4", "--ranks-per-host", 4, "--local-rate", "1TB/s"), 4e6 / RATE),
    ],
)
def test_closed_forms(lacis: Lacis, args: tuple[object, ...], seconds: float) -> None:
    content = _ask(lacis, *args)
    assert content["seconds"] == pytest.approx(seconds, rel=1e-9)


def _trace(path: Path, *messages: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps({"phase": "all", **message}) + "\n" for message in messages))
    return f"trace:{path}"


def test_lanes_divide_a_link_before_messages_do(lacis: Lacis, tmp_path: Path) -> None:
    # 9 MB on lane 0 and 2 + 2 MB on lane 1 into one host. 3 to 1: lane 0 is through first, 9 MB at 9.375 GB/s in
    # 0.96 ms; lane 1 has sent 3 of its 4 MB by then, and takes 0.08 ms for the last at the full rate.
    trace = _trace(
        tmp_path / "trace",
        {"source": 0, "destination": 3, "bytes": 9_000_000, "sl": 0},
        {"source": 1, "destination": 3, "bytes": 2_000_000, "sl": 1},
        {"source": 2, "destination": 3, "bytes": 2_000_000, "sl": 1},
    )
    tables = ("--lanes", 2, "--vlarb-low", "0:192,1:64")
    content = _ask(lacis, "--traffic", trace, *tables)
    assert content["distribution"]["seconds"] == pytest.approx([0.96e-3, 1.04e-3])
    assert content["lanes"]["vlarb_low"] == [[0, 192], [1, 64]]
    # By turns: lane 1 ends first, after 4 MB at half the link.
    content = _ask(lacis, "--traffic", trace, "--lanes", 2)
    assert content["distribution"]["seconds"] == pytest.approx([0.64e-3, 1.04e-3])
    # High priority first.
    strict = ("--lanes", 2, "--vlarb-low", "0:64", "--vlarb-high", "1:64", "--high-limit", 255)
    content = _ask(lacis, "--traffic", trace, *strict)
    assert content["distribution"]["seconds"] == pytest.approx([0.32e-3, 1.04e-3])
    # All on one lane: a third each, until 6 MB are through.
    content = _ask(lacis, "--traffic", trace, "--by-lane", "--sl2vl", ",".join("0" * 16))
    assert content["distribution"]["seconds"] == pytest.approx([0.48e-3, 1.04e-3])
    shown = lacis(*TREE, "--traffic", trace, *map(str, tables)).out
    assert "assumed: links are divided among the lanes in use as their arbitration tables say\n" in shown


def test_lanes_of_tables_divide_links_where_that_is_asked_for(lacis: Lacis) -> None:
    asked = ("predict", "ring:6", "-R", "dfsssp", "--traffic", "alltoall", "--model", "fluid", "--json")
    plain = json.loads(lacis(*asked).out)
    by_lane = json.loads(lacis(*asked, "--by-lane").out)
    assert (plain["lanes"], by_lane["lanes"]["lanes"]) == (None, None)
    # Flows of a lane with few others gain, those of full lanes lose.
    assert by_lane["relative_bandwidth"]["max"] > plain["relative_bandwidth"]["max"] + 0.01
    assert by_lane["relative_bandwidth"]["min"] < plain["relative_bandwidth"]["min"] - 0.01


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--traffic", "bisection", "--lanes", 2), "lanes share the rates of links: --model fluid"),
        (("--traffic", "bisection", "--by-lane"), "lanes share the rates of links: --model fluid"),
        (("--model", "fluid", "--lanes", 2, "-R", "dfsssp"), "the tables assign lanes"),
        (("--model", "fluid", "--lanes", 2, "--vlarb-low", "1:64"), "lane 0 is used and has no weight"),
        (
            ("--model", "fluid", "--bytes", "1MB", "--by-lane", "-R", "dfsssp", "--multipath", "spray"),
            "--multipath spray leaves the paths for which the tables assign lanes",
        ),
        (
            ("--model", "fluid", "--bytes", "1MB", "--by-lane", "--multipath", "ideal"),
            "--multipath ideal computes its splits without lanes",
        ),
    ],
)
def test_lanes_that_make_no_sense_are_refused(lacis: Lacis, args: tuple[object, ...], reason: str) -> None:
    result = lacis("predict", "ring:6", *map(str, args))
    assert (result.status, result.out) == (2, "")
    assert reason in result.err


def test_lanes_that_no_message_uses_need_no_weight(lacis: Lacis, tmp_path: Path) -> None:
    # Ranks 0 and 1 are on one host, 10 GB/s; the others cross links.
    trace = _trace(
        tmp_path / "trace",
        {"source": 0, "destination": 1, "bytes": 1_000_000, "sl": 1},
        {"source": 2, "destination": 4, "bytes": 2_500_000, "sl": 1},
    )
    asked = ("--traffic", trace, "--ranks-per-host", "2", "--lanes", "2", "--vlarb-low", "1:64")
    content = _ask(lacis, *asked)
    assert content["distribution"]["seconds"] == pytest.approx([1e-4, 2e-4])
    result = lacis("simulate", "fat-tree:4,1:rate=4xEDR", *asked)
    assert result.status == 0, result.err


def test_the_library_takes_the_same_lanes() -> None:
    # Two into one host on one lane, half the link each; a trace is the only traffic with levels.
    routes = api.route(api.read("fat-tree:4,1:rate=4xEDR"))
    lanes = api.Lanes(lanes=2, vlarb_low=[(0, 64), (1, 64)])
    assert api.times(routes, "incast:2", 1_000_000, lanes=lanes).total == pytest.approx(2e6 / RATE)
    assert api.predict(routes, "shift:1", model="fluid", lanes=lanes).relative_bandwidth["min"] == 1
    with pytest.raises(api.LacisError, match="an arbitration table has lane 2"):
        api.times(routes, "incast:2", 1, lanes=api.Lanes(lanes=2, vlarb_low=[(2, 64)]))


def test_a_level_without_a_lane_is_an_error_with_the_file(lacis: Lacis, tmp_path: Path) -> None:
    trace = _trace(tmp_path / "trace", {"source": 0, "destination": 3, "bytes": 1, "sl": 2})
    result = lacis(*TREE, "--traffic", trace)
    assert result.status == 2
    assert "trace: service level 2 goes to lane 2, and links have lanes 0 to 0" in result.err


def test_the_bus_bandwidth_of_a_ring_is_the_rate_of_a_link(lacis: Lacis) -> None:
    bandwidth = _ask(lacis, "--traffic", "allreduce:ring", "--bytes", "32MB")["bandwidth"]
    assert bandwidth["bus"] == pytest.approx(RATE)
    assert bandwidth["algorithm"] == pytest.approx(RATE * 32 / (2 * 31))


def test_phases_of_a_trace_run_side_by_side_where_they_may(lacis: Lacis, tmp_path: Path) -> None:
    # a and b share host 0's link: 1 MB and 2 MB. At 160 µs a is through, b has 1 MB left until 240 µs. c waits
    # for a alone and is at host 4's link: 80 µs more. d waits for b and c.
    lines = [
        {"phase": "a", "source": 0, "destination": 4, "bytes": 1_000_000},
        {"phase": "b", "source": 0, "destination": 5, "bytes": 2_000_000, "after": []},
        {"phase": "c", "source": 4, "destination": 8, "bytes": 1_000_000, "after": ["a"]},
        {"phase": "d", "source": 1, "destination": 2, "bytes": 1_000_000, "after": ["b", "c"]},
    ]
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    content = _ask(lacis, "--traffic", f"trace:{path}")
    phases = content["each_phase"]
    assert phases["name"] == ["a", "b", "c", "d"]
    assert phases["begins"] == pytest.approx([0, 0, 160e-6, 240e-6])
    assert phases["time"] == pytest.approx([160e-6, 240e-6, 80e-6, 80e-6])
    assert content["seconds"] == pytest.approx(320e-6)


def test_json_has_the_keys_that_others_build_on(lacis: Lacis) -> None:
    content = _ask(lacis, "--traffic", "allreduce:tree", "--ranks-per-host", 2)
    assert (content["model"], content["provenance"]) == ("fluid", "modelled")
    assert (content["ranks"], content["bytes_each"], content["local_rate"]) == (64, 1_000_000, 1e10)
    assert set(content["completion"]) == {"mean", "min", "max", "p01", "p50", "p99"}
    assert sum(content["distribution"]["messages"]) == content["messages"] == 2 * 63
    assert content["bytes"] == 126_000_000
    assert len(content["each_phase"]["time"]) == content["phases"] == 12
    assert {"link", "bytes", "utilisation"} == set(content["busiest"][0])


def test_text_says_what_is_modelled_and_assumed(lacis: Lacis) -> None:
    out = lacis(*TREE, "--traffic", "allreduce:ring", "--ranks-per-host", "2", "--link-efficiency", "0.9").out
    assert "modelled: max-min fair shares over time; no latency, no queues" in out
    assert "assumed: 90.00% of a link's rate carries payload" in out
    assert "assumed: messages inside a host share 10 GB/s" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--traffic", "allreduse:ring"),
            'unknown traffic pattern "allreduse:ring" (did you mean allreduce?)',
        ),
        (("--traffic", "allreduce:rign"), 'no algorithm "rign" (did you mean ring?)'),
        (("--traffic", "stencil:9x9"), "needs 81 ranks, and there are 32"),
        (("--traffic", "incast:32"), "needs 33 ranks, and there are 32"),
        (
            ("--traffic", "allgather:recursive-doubling", "--ranks-per-host", "3"),
            "needs a power of two of ranks",
        ),
        (("--traffic", "trace:/nowhere/trace"), "lacis: /nowhere/trace: no such file or directory"),
        (("--traffic", "alltoall", "--bytes", "0"), "'0': a size is above zero"),
        (("--traffic", "alltoall", "--bytes", "-1MB"), "is not a size"),
        (("--traffic", "alltoall", "--bytes", "1.5"), "is not a size"),
        (
            ("--traffic", "incast:2", "--local-rate", "0"),
            "is not a rate: expected bytes a second such as 12.5GB/s",
        ),
        (
            ("--traffic", "alltoall", "--bytes", "1MB", "--ranks-per-host", "2"),
            "--ranks-per-host is for message programs",
        ),
        (
            ("--traffic", "alltoall", "--bytes", "1MB", "--matrix", "leaf"),
            "--matrix has relative bandwidths",
        ),
        (("--traffic", "alltoall", "--bytes", "1MB", "--model", "load"), "--bytes needs --model fluid"),
        (("--traffic", "alltoall", "--multipath", "spray"), "--multipath is for messages with sizes"),
        (("--traffic", "incast:2", "--multipath", "by-peer"), "the tables need an LMC above 0"),
        (
            ("--traffic", "allreduce:ring", "--model", "load"),
            "is a message program, whose messages have sizes",
        ),
    ],
)
def test_nonsense_is_one_line_and_exit_2(lacis: Lacis, args: tuple[str, ...], message: str) -> None:
    result = lacis(*TREE, *args)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_bad_line_of_a_trace_is_named(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('\n{"phase": 1, "source": 0, "destination": 99, "bytes": 1}\n')
    result = lacis(*TREE, "--traffic", f"trace:{path}")
    assert result.status == 2
    assert result.err.startswith(f"lacis: {path}:2: unknown rank 99; the program has ranks 0 to 31: ")


@pytest.mark.parametrize("spec", ["fat-tree:8,2:rate=4xEDR", "fat-tree:6,3:rate=4xEDR"])
def test_a_full_tree_that_sprays_gives_every_permutation_full_rate(lacis: Lacis, spec: str) -> None:
    # The hosts of a leaf send 1/k of their rates up each of its k links, k hosts in all; and so on up, and down.
    args = (
        "predict",
        spec,
        "-R",
        "minhop",
        "--model",
        "fluid",
        "--traffic",
        "permutation",
        "--patterns",
        "20",
    )
    content = json.loads(lacis(*args, "--bytes", "1MB", "--multipath", "spray", "--json").out)
    assert content["multipath"] == "spray"
    assert content["completion"]["min"] == pytest.approx(1e6 / RATE)
    assert content["completion"]["max"] == pytest.approx(1e6 / RATE)
    alone = json.loads(lacis(*args, "--bytes", "1MB", "--json").out)
    assert alone["completion"]["max"] > 1.5e6 / RATE


def test_messages_in_turn_take_the_lids_of_their_receiver_in_turn(tmp_path: Path) -> None:
    # Two edges, two cores; minhop takes the two LIDs of a port over different cores. Two messages from A to C,
    # one after the other: always 2 MB on either host link; one core's two links carry both, or each core's one.
    routes = api.route(api.read("article:rate=4xEDR"), "minhop", lmc=1)
    hosts = api.participants(routes)
    a, c = (hosts.hosts.index(name) for name in ("NodeA", "NodeC"))
    path = tmp_path / "trace.jsonl"
    lines = [{"phase": i, "source": a, "destination": c, "bytes": 10**6} for i in range(2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for multipath, loads in (
        ("none", [2, 2, 2, 2]),
        ("by-message", [2, 2, 1, 1, 1, 1]),
        ("by-peer", [2, 2, 2, 2]),
        ("by-hash", [2, 2, 2, 2]),
        ("spray", [2, 2, 1, 1, 1, 1]),
    ):
        result = api.times(routes, f"trace:{path}", 1, hosts=hosts, multipath=multipath)
        assert [size // 10**6 for _, _, size, _ in result.busiest] == loads, multipath
        assert result.total == pytest.approx(2e6 / RATE)


def test_ideal_splits_keep_out_of_the_way_of_who_has_no_choice(lacis: Lacis, tmp_path: Path) -> None:
    # Four hosts a leaf, four spines. Leaf 3 has lost all of them but the last. It sends to leaf 2, as three hosts
    # of leaf 1 do: each of the four spines has a link there, so all four could have a link's rate, the three of leaf 1
    # by the first three spines. Sprayed, 3/4 of a message of leaf 1 and one of leaf 3 share the last: 1.75 times 80 µs.
    pairs = [(1, 5), (2, 6), (3, 7), (9, 8)]
    path = tmp_path / "pairs"
    path.write_text("".join(f"node{a:04} node{b:04}\n" for a, b in pairs))
    args = [
        "predict",
        "fat-tree:8,2:rate=4xEDR",
        "--traffic",
        f"file:{path}",
        "--model",
        "fluid",
        "--bytes",
        "1MB",
    ]
    for port in (5, 6, 7):
        args += ["--without", f"leaf-03[{port}]"]
    sprayed = json.loads(lacis(*args, "--multipath", "spray", "--json").out)
    ideal = json.loads(lacis(*args, "--multipath", "ideal", "--json").out)
    assert sprayed["completion"]["max"] == pytest.approx(1.75e6 / RATE)
    assert ideal["gap"] <= 0.01
    assert ideal["completion"]["max"] == pytest.approx(1e6 / RATE, rel=ideal["gap"] + 1e-9)
    # Two of leaf 3 have half of its one link each; leaf 1 still has what it can use.
    path.write_text("node0001 node0005\nnode0002 node0006\nnode0009 node0007\nnode0010 node0008\n")
    hindered = json.loads(lacis(*args, "--multipath", "ideal", "--json").out)
    assert hindered["completion"]["max"] == pytest.approx(2e6 / RATE, rel=0.011)
    assert hindered["completion"]["min"] == pytest.approx(1e6 / RATE, rel=0.03)
    assert "of the best that any split gives it" in lacis(*args, "--multipath", "ideal").out


@pytest.mark.parametrize("spec", ["fat-tree:8,2:rate=4xEDR", "fat-tree:6,3:rate=4xEDR"])
def test_where_the_fabric_is_whole_ideal_splits_are_even(lacis: Lacis, spec: str) -> None:
    args = (
        "predict",
        spec,
        "--model",
        "fluid",
        "--traffic",
        "permutation",
        "--patterns",
        "3",
        "--bytes",
        "1MB",
    )
    content = json.loads(lacis(*args, "--multipath", "ideal", "--json").out)
    assert content["completion"]["max"] == pytest.approx(1e6 / RATE)
    assert content["gap"] < 1e-4


def test_messages_without_a_route_are_counted_and_the_answer_is_no(lacis: Lacis) -> None:
    args = ("predict", "itasca:67", "-R", "updn", "--model", "fluid", "--traffic", "allreduce:ring", "--json")
    result = lacis(*args)
    content = json.loads(result.out)
    assert (result.status, content["unrouted"] > 0) == (1, True)
    assert content["messages"] + content["unrouted"] == 2 * 1071 * 1072
