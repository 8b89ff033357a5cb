"""`lacis permute`: the same hosts, equally often, so that neighbours are near."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, leaf by leaf."""
NODES = [f"node{n:04}" for n in range(1, 9)]


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """Each host once, far apart: those of a leaf are four lines from each other."""
    file = tmp_path / "hosts"
    file.write_text("".join(f"{NODES[i]}\n" for i in (0, 2, 4, 6, 1, 3, 5, 7)))
    return file


def test_neighbours_of_a_chain_come_to_one_leaf(lacis: Lacis, hosts: Path) -> None:
    # Eight ranks in a row on four leaves of two: four of the seven neighbourhoods can be inside a leaf, two messages each.
    done = lacis("permute", "--fabric", TREE, hosts, "--stencil", "8", "--bytes", "1000", "--json")
    assert done.status == 0
    found = json.loads(done.out)
    assert found["given"]["bytes"] == {"host": 0, "leaf": 0, "pod": 14_000, "above": 0}
    assert found["chosen"]["bytes"] == {"host": 0, "leaf": 8_000, "pod": 6_000, "above": 0}
    leaf = [(int(name[4:]) - 1) // 2 for name in found["hosts"]]
    assert leaf[::2] == leaf[1::2]
    # A host in the middle sends 1,000 bytes to either side over one link of 25 GB/s.
    assert found["chosen"]["busiest"] == pytest.approx(2000 / 25e9)
    assert found["chosen"]["time"] == pytest.approx(2000 / 25e9)


def test_it_is_a_filter(lacis: Lacis, hosts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(hosts.read_bytes())))
    done = lacis("permute", "--fabric", TREE, "--stencil", "8")
    assert done.status == 0
    assert sorted(done.out.splitlines()) == NODES
    assert "inside hosts" in done.err
    assert "predicted time of a step" in done.err


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{node}\n" * 2 for node in NODES),
        "".join(f"{node}:2\n" for node in NODES),
        "".join(f"{node} slots=2 max_slots=4 # a comment\n" for node in NODES),
        "node[0001-0008]:2\n",
    ],
)
def test_every_form_of_a_list_means_the_same(lacis: Lacis, tmp_path: Path, text: str) -> None:
    file = tmp_path / "hosts"
    file.write_text(text)
    done = lacis("permute", "--fabric", TREE, file, "--stencil", "4x4", "--json")
    found = json.loads(done.out)
    assert sorted(found["lines"]) == sorted(NODES * 2)
    # 24 neighbourhoods of a square of 4 x 4; pairs along the last dimension are inside hosts: 8.
    assert found["given"]["bytes"]["host"] == 8 * 2 * 1_000_000


def test_names_come_in_any_case_full_and_short_and_stay_as_they_are(lacis: Lacis, tmp_path: Path) -> None:
    names = ["NODE0001", "node0002.site.org", "Node0003.Site.Org", "node0004"]
    file = tmp_path / "hosts"
    file.write_text("\n".join([*names, "node0001"]))
    done = lacis("permute", "--fabric", TREE, file, "--stencil", "5")
    assert done.status == 0
    assert sorted(done.out.splitlines()) == sorted([*names, "node0001"])


@pytest.mark.parametrize(
    ("listed", "answer"),
    [
        ("a1.x.org\nA1.Y.ORG", "A1.Y.ORG a1.x.org"),
        ("b2.z.org", "b2.z.org"),
        ("a1", "this may be a1.x.org or a1.y.org: a1"),
        ("a1.z.org", ":1: no such host"),
    ],
)
def test_full_names_of_other_domains_are_other_hosts(
    lacis: Lacis, tmp_path: Path, listed: str, answer: str
) -> None:
    # A switch with three hosts: a1 of two domains, and B2.
    names = ("a1.x.org", "a1.y.org", "B2")
    lines = ['Switch 4 "S1" # "leaf-01"', *(f'[{i}] "H{i}"[1]' for i in (1, 2, 3))]
    for i, name in enumerate(names, 1):
        lines += ["", f'Hca 1 "H{i}" # "{name} HCA-1"', f'[1] "S1"[{i}]']
    fabric, file = tmp_path / "fabric.net", tmp_path / "hosts"
    fabric.write_text("\n".join(lines) + "\n")
    file.write_text(listed)
    done = lacis("permute", "--fabric", fabric, file, "--stencil", "1")
    if done.status == 0:
        assert " ".join(sorted(done.out.split())) == answer
    else:
        assert done.status == 2
        assert answer in done.err


def test_slots_without_ranks_stay_at_the_end(lacis: Lacis, hosts: Path) -> None:
    done = lacis("permute", "--fabric", TREE, hosts, "--stencil", "2x3")
    lines = done.out.splitlines()
    assert lines[6:] == ["node0006", "node0008"]
    assert sorted(lines) == NODES
    assert "2 slots at the end of the list are left" in done.err


def test_ranks_stay_where_they_are_pinned_and_io_ranks_apart(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("node[0001-0004]:4\n")
    done = lacis(
        *("permute", "--fabric", TREE, file, "--stencil", "4x4", "--io-ranks", "0-3"),
        *("--pin", "5=NODE0004", "--pin", "0=node0002"),
    )
    lines = done.out.splitlines()
    assert done.status == 0
    assert (lines[5], lines[0]) == ("node0004", "node0002")
    assert len(set(lines[:4])) == 4
    assert all(lines.count(node) == 4 for node in NODES[:4])


def test_a_training_job_has_its_groups(lacis: Lacis, tmp_path: Path) -> None:
    # Two ranks of a tensor group on a host; the four of a data group send 2 (4 - 1) / 4 of 4,000 bytes each.
    file = tmp_path / "hosts"
    file.write_text("node[0001-0004]:2\n")
    done = lacis("permute", "--fabric", TREE, file, "--mesh", "tp=2:1000,dp=4:4000", "--json")
    given = json.loads(done.out)["given"]["bytes"]
    assert given["host"] == 8 * 1000
    assert given["leaf"] + given["pod"] == 8 * 6000
    assumed = lacis("permute", "--fabric", TREE, file, "--mesh", "tp=2,dp=4")
    assert "assumed: 8 GB a step of each rank for tp" in assumed.err


@pytest.mark.parametrize("form", ["text", "npy", "market", "trace"])
def test_a_matrix_comes_in_several_forms(lacis: Lacis, hosts: Path, tmp_path: Path, form: str) -> None:
    # Rank i sends to i + 4 alone: hosts of a leaf already.
    matrix = np.zeros((8, 8))
    for rank in range(4):
        matrix[rank, rank + 4] = 1000 * (rank + 1)
    file = tmp_path / f"matrix.{form}"
    if form == "text":
        file.write_text("# bytes\n" + "\n".join(",".join(map(str, row)) for row in matrix))
    elif form == "npy":
        np.save(file, matrix)
        file = tmp_path / "matrix.npy"
    elif form == "market":
        rows = [f"{i + 1} {j + 1} {matrix[i, j]}" for i, j in zip(*np.nonzero(matrix), strict=True)]
        file.write_text(
            "\n".join(["%%MatrixMarket matrix coordinate real general", "% made", "8 8 4", *rows])
        )
    else:
        file.write_text(
            "".join(
                f'{{"phase": {i}, "source": {i}, "destination": {i + 4}, "bytes": {1000 * (i + 1)}}}\n'
                for i in range(4)
            )
        )
    option = ("--traffic", f"trace:{file}") if form == "trace" else ("--matrix", file)
    done = lacis("permute", "--fabric", TREE, hosts, *option, "--json")
    found = json.loads(done.out)
    assert found["given"]["bytes"]["leaf"] == 10_000
    assert found["lines"] == hosts.read_text().split()
    assert {"kind": "order_kept"} in found["remarks"]


def test_it_is_the_same_each_time_and_never_worse(lacis: Lacis, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    file, matrix = tmp_path / "hosts", tmp_path / "matrix.npy"
    file.write_text("node[0001-0032]:2\n")
    np.save(matrix, rng.random((64, 64)) * (rng.random((64, 64)) < 0.1))
    line = ("permute", "--fabric", "fat-tree:8,2", file, "--matrix", matrix, "--json", "--effort", "2")
    first, second = lacis(*line), lacis(*line)
    assert first.out == second.out
    found = json.loads(first.out)
    assert found["chosen"]["busiest"] <= found["by_bytes"]["busiest"]
    assert found["chosen"]["busiest"] <= found["given"]["busiest"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no host in the list"),
        ("# nothing\n\n", "no host in the list"),
        ("node0001\nnode0099\n", ":2: no such host (did you mean node0001"),
        ("node0001:2\nnode0001\n", ":2: a host beyond its slots: it is listed on line 1 already: node0001"),
        ("node0001\nNODE0001.x slots=3\n", ":2: a host beyond its slots: it is listed on line 1 already"),
        ("node0001 slots=0\n", ":1: slots are a number from 1 to 65,536: 0"),
        ("node0001:99999999\n", ":1: slots are a number from 1 to 65,536: 99999999"),
        ("node0001 cores=3\n", ":1: expected a host, host:N or host slots=N: node0001 cores=3"),
        ("node0001:2 slots=2\n", ":1: slots are counted twice"),
        ("\x1b[31mnode\x07\n", ":1: no name of a host: \\x1b[31mnode\\x07"),
    ],
)
def test_a_bad_list_is_refused_with_its_line(lacis: Lacis, tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "hosts"
    file.write_text(text)
    done = lacis("permute", "--fabric", TREE, file, "--stencil", "2")
    assert (done.status, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err
    assert "\x07" not in done.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "given once"),
        (("--stencil", "8", "--mesh", "tp=8"), "given once"),
        (("--stencil", "9"), "--stencil has 9 ranks, and the list 8 slots"),
        (("--stencil", "3x"), "a grid is one to six sizes"),
        (("--stencil", "4x0"), "a grid is one to six sizes"),
        (("--stencil", "8,open"), "after a grid comes ,periodic or nothing"),
        (("--mesh", "tp=4,dp=4"), "--mesh has 16 ranks, and the list 8 slots"),
        (("--mesh", "tp=4,xp=2"), "no group of a training job: there are tp, cp, ep, pp, dp: xp"),
        (("--mesh", "tp=4,tp=2"), "a group that is given twice"),
        (("--mesh", "tp=8:lots"), "is not a size"),
        (("--traffic", "shift:1"), "a pattern of hosts, not of ranks"),
        (("--traffic", "nccl-ring"), "another order changes nothing"),
        (("--traffic", "allreduce:rings"), "allreduce"),
        (("--stencil", "8", "--io-ranks", "0,8"), "--io-ranks: expected ranks from 0 to 7"),
        (("--stencil", "8", "--pin", "0=node9"), "--pin: no such host"),
        (("--stencil", "8", "--pin", "8=node0001"), "--pin: expected RANK=HOST with a rank from 0 to 7"),
        (
            ("--stencil", "8", "--pin", "0=node0001", "--pin", "1=node0001"),
            "pinned to a host that the list has 1 times",
        ),
        (("--stencil", "8", "--pin", "0=node0001", "--pin", "0=node0002"), "rank 0 is pinned twice"),
    ],
)
def test_a_bad_request_is_refused(lacis: Lacis, hosts: Path, options: tuple[str, ...], reason: str) -> None:
    done = lacis("permute", "--fabric", TREE, hosts, *options)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 1\n1\n", ":2: 1 value, and 2 in the first row: 1"),
        ("0 1\n1 0\n0 0\n", ":3: more rows than the 2 columns"),
        ("0 1 2\n0 1 2\n", "2 rows of 3 values"),
        ("0 -1\n0 0\n", ":1: bytes are numbers from 0 on: -1"),
        ("0 nan\n0 0\n", ":1: bytes are numbers from 0 on: nan"),
        ("0 inf\n0 0\n", ":1: bytes are numbers from 0 on: inf"),
        ("0 x\n0 0\n", ":1: bytes are numbers from 0 on: x"),
        ("", "no matrix in the file"),
        ("0 1e19\n0 0\n", "more than 2^60 bytes in all"),
        ("0 1\n1 0\n", "--matrix is of 2 ranks, and the list has 8 slots"),
        ("%%MatrixMarket matrix array real general\n", ":1: of Matrix Market's kinds"),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n",
            ":3: a row and a column from 1 to 2",
        ),
        ("\x93NUMPY garbage", ""),
    ],
)
def test_a_bad_matrix_is_refused_with_its_line(
    lacis: Lacis, hosts: Path, tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "matrix"
    file.write_bytes(text.encode("latin-1"))
    done = lacis("permute", "--fabric", TREE, hosts, "--matrix", file)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1


def test_a_fabric_without_levels_has_hosts_and_switches(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("".join(f"node{n:04}\n" for n in range(1, 10)))
    done = lacis("permute", "--fabric", "torus:3x3", file, "--stencil", "9", "--json")
    assert {"kind": "no_levels"} in json.loads(done.out)["remarks"]


def test_hosts_that_do_not_reach_each_other_make_it_no(lacis: Lacis, hosts: Path) -> None:
    line = ("--fabric", TREE, hosts, "--stencil", "8", "--without", "spine-01", "--without", "spine-02")
    done = lacis("permute", *line)
    assert done.status == 1
    assert sorted(done.out.splitlines()) == NODES
    assert "have no route" in done.err


def record(group: str, rank: int, ranks: int, host: str, pid: int, **perf: dict[str, object]) -> str:
    """A line of NCCL Inspector, with the keys of its manual."""
    header = {"id": group, "rank": rank, "n_ranks": ranks, "nnodes": 2}
    return json.dumps({"header": header, "metadata": {"hostname": host, "pid": pid}, **perf})


def test_a_record_of_nccl_inspector_says_which_rank_sends_to_which(lacis: Lacis, tmp_path: Path) -> None:
    # Four processes on two hosts. All four are in one communicator; 0 and 2, and 1 and 3, reduce 1,000,000 bytes in communicators
    # of two: a ring of two sends them once. 0 sends 5,000 bytes to 3, which both record, and 1 receives 7,000 from 2.
    folder = tmp_path / "records"
    folder.mkdir()
    for rank in range(4):
        host, pid = f"host{rank // 2}", 10 + rank
        reduce_: dict[str, object] = {"coll": "AllReduce", "coll_msg_size_bytes": 1_000_000}
        lines = [record(f"pair{rank % 2}", rank // 2, 2, host, pid, coll_perf=reduce_)]
        more: dict[int, dict[str, object]] = {
            0: {"p2p": "Send", "p2p_peer": 3, "p2p_msg_size_bytes": 5_000},
            3: {"p2p": "Recv", "p2p_peer": 0, "p2p_msg_size_bytes": 5_000},
            1: {"p2p": "Recv", "p2p_peer": 2, "p2p_msg_size_bytes": 7_000},
            2: {"p2p": "Send", "p2p_peer": 2, "p2p_msg_size_bytes": 0},
        }
        lines.append(record("world", rank, 4, host, pid, p2p_perf=more[rank]))
        (folder / f"process{rank}.log").write_text("\n".join(lines) + "\n")
    with (folder / "process3.log").open("a") as file:
        file.write('{"header": {"id": "wor')
    hosts = tmp_path / "hosts"
    hosts.write_text("node0001:2\nnode0003:2\n")
    done = lacis("permute", "--fabric", TREE, hosts, "--inspector", folder, "--json")
    found = json.loads(done.out)
    # In order, hosts hold ranks 0 and 1, 2 and 3: everything leaves its host. Then each pair of a reduction shares one.
    assert found["given"]["bytes"] == {"host": 0, "leaf": 0, "pod": 4_012_000, "above": 0}
    assert found["chosen"]["bytes"] == {"host": 4_000_000, "leaf": 0, "pod": 12_000, "above": 0}
    assert {"kind": "records_passed_over", "lines": 1} in found["remarks"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}\n", "no record of NCCL Inspector or RCCL Inspector"),
        (record("a", 2, 2, "h", 1), ":1: rank 2 of 2 ranks"),
        (
            record("a", 0, 2, "h", 1) + "\n" + record("a", 1, 3, "h", 2),
            ":2: a communicator of 3 ranks, which had 2 before",
        ),
        (
            record("a", 0, 2, "h", 1) + "\n" + record("a", 0, 2, "h", 2),
            ":2: rank 0 of one communicator in two processes",
        ),
        (
            record("a", 0, 2, "h", 1, p2p_perf={"p2p": "Send", "p2p_peer": 2, "p2p_msg_size_bytes": 1}),
            ":1: peer 2 of 2 ranks",
        ),
        (
            record("a", 0, 2, "h", 1, coll_perf={"coll": "AllReduce", "coll_msg_size_bytes": -1}),
            ":1: a size is a whole number from 0 on",
        ),
        (record("a", 0, 1, "h", 1), "--inspector is of 1 rank, and the list has 8 slots"),
    ],
)
def test_a_bad_record_is_refused_with_its_line(
    lacis: Lacis, hosts: Path, tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "record"
    file.write_text(text)
    done = lacis("permute", "--fabric", TREE, hosts, "--inspector", file)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err


def test_another_algorithm_is_named_where_it_helps_more(lacis: Lacis, tmp_path: Path) -> None:
    # Four hosts of two ranks, an allreduce of 8,000 bytes. In a ring each rank sends 2 x 7 parts of 1,000 to the next: 14,000 bytes
    # leave each host. Recursive doubling sends the whole vector three times, twice over the fabric by both ranks of a host:
    # 32,000. The butterfly of Bine trees sends the first half inside hosts, then 2 x 2,000 and 2 x 1,000 by both ranks: 12,000.
    file = tmp_path / "hosts"
    file.write_text("node[0001-0004]:2\n")

    def asked(program: str) -> tuple[float, list[dict[str, object]]]:
        words = ("--traffic", program, "--bytes", "8000", "--json")
        found = json.loads(lacis("permute", "--fabric", TREE, file, *words).out)
        return found["given"]["busiest"], [it for it in found["remarks"] if it["kind"] == "other_algorithm"]

    for program, leaving in (("allreduce:ring", 14_000), ("allreduce:recursive-doubling", 32_000)):
        busiest, [remark] = asked(program)
        assert busiest == pytest.approx(leaving / 25e9)
        assert remark["algorithm"] == "allreduce:bine"
        assert remark["seconds"] == pytest.approx(12_000 / 25e9)
    # Of all-to-all pairwise no other sends less: what each has for each other is different.
    assert asked("alltoall:pairwise")[1] == []


def test_the_butterfly_of_bine_trees_exchanges_more_with_nearer_ranks() -> None:
    # Of eight ranks, distances are 1, -1 and 3 from even ranks (1 - (-2)^(s+1)) / 3; the vector is halved each time.
    from lacis.mapping import bine_allreduce

    demands = bine_allreduce(8, 800)
    rows = zip(demands.source.tolist(), demands.destination.tolist(), demands.bytes.tolist(), strict=True)
    sent = {(a, b): size for a, b, size in rows}
    assert {b: size for (a, b), size in sent.items() if a == 0} == {1: 800, 7: 400, 3: 200}
    assert {b: size for (a, b), size in sent.items() if a == 1} == {0: 800, 2: 400, 6: 200}
    # Each rank exchanges: what goes one way comes back.
    assert all(sent[b, a] == size for (a, b), size in sent.items())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "lacis.mpi-trace/9"}, "a trace of another version"),
        ({"ranks": 3}, "a trace of 3 ranks has other ranks"),
        ({"of": 7}, "not a file of Lacis' tracer"),
        ({}, "--trace is of 1 rank, and the list has 8 slots"),
    ],
)
def test_a_bad_trace_is_refused(
    lacis: Lacis, hosts: Path, tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    rank = {"rank": 0, "host": "a", "calls": [], "sent": [], "collectives": []}
    trace = {"schema": "lacis.mpi-trace/1", "ranks": 1, "seconds": 1.0, "threaded": False, "of": [rank]}
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(trace | change))
    done = lacis("permute", "--fabric", TREE, hosts, "--trace", file)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err


@pytest.mark.parametrize("form", ["text", "npy", "market", "symmetric"])
def test_rows_of_a_matrix_send_and_columns_receive(tmp_path: Path, form: str) -> None:
    from lacis.mapping import read_matrix

    file = tmp_path / "matrix.npy"
    if form == "text":
        file.write_text("9;0;0.5\n0;0;0\n0;2;0\n")
    elif form == "npy":
        np.save(file, np.array([[9, 0, 0.5], [0, 0, 0], [0, 2, 0]]))
    elif form == "market":
        file.write_text("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 9\n1 3 0.5\n3 2 2\n")
    else:
        file.write_text("%%MatrixMarket matrix coordinate integer symmetric\n3 3 1\n3 1 4\n")
    demands = read_matrix(file)
    sizes = (demands.bytes * demands.unit).tolist()
    rows = sorted(zip(demands.source.tolist(), demands.destination.tolist(), sizes, strict=True))
    assert rows == ([(0, 2, 4.0), (2, 0, 4.0)] if form == "symmetric" else [(0, 2, 0.5), (2, 1, 2.0)])
