"""`lacis fit`, `lacis fragmentation` and `lacis replay`: what they print and how bad input ends."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, under two spines."""
ONE_SPINE = [f"--without=leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)]
RATE = 25e9


def asked(lacis: Lacis, *args: str | Path, status: int = 0) -> dict[str, Any]:
    done = lacis(*args, "--json")
    assert (done.status, done.err) == (status, "")
    content: dict[str, Any] = json.loads(done.out)
    return content


def write(folder: Path, text: str, name: str = "queue") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_a_job_gets_a_leaf_that_is_free(lacis: Lacis) -> None:
    found = asked(lacis, "fit", TREE, "--nodes", "2", "--free", "node[0001,0003-0005]")
    assert found["schema"] == "lacis.fit/1"
    assert (found["free"], found["of"], found["groups"], found["jobs"]) == (4, 8, 4, 0)
    rules = {choice["rule"]: choice for choice in found["choices"]}
    assert rules["lacis"]["hosts"] == rules["slurm"]["hosts"] == ["node0003", "node0004"]
    assert rules["first"]["hosts"] == ["node0001", "node0003"]
    assert rules["contiguous"]["hosts"] == ["node0003", "node0004"]
    assert [rules[rule]["groups"] for rule in ("lacis", "first")] == [1, 2]
    assert rules["lacis"]["rates"]["worst"] == pytest.approx(RATE)
    assert found["slurm"] == "-N 2 -w node[0003-0004]"
    text = lacis("fit", TREE, "--nodes", "2", "--free", "node[0001,0003-0005]").out
    assert text.endswith("\nsalloc -N 2 -w node[0003-0004]\n")


def test_nodes_of_running_jobs_are_not_free_and_slow_the_job_down(lacis: Lacis, tmp_path: Path) -> None:
    queue = write(tmp_path, "JOBID NODES NODELIST\n7 2 node[0002,0004]\n8 4 node[0005-0008]\n9 3 \n")
    found = asked(lacis, "fit", TREE, *ONE_SPINE, "--nodes", "2", "--squeue", queue)
    best = found["choices"][0]
    assert (best["hosts"], found["jobs"], found["free"]) == (["node0001", "node0003"], 2, 2)
    # Job 7 uses the same links: one flow of each on every one.
    assert best["rates"]["worst"] == pytest.approx(RATE)
    assert best["rates"]["worst_beside"] == pytest.approx(RATE / 2)
    assert {"kind": "jobs_pending", "jobs": 1} in found["remarks"]


def test_how_long_names_the_jobs_that_must_end(lacis: Lacis, tmp_path: Path) -> None:
    rows = "7 2 1:00:00 node[0001-0002]\n8 2 10:00 node[0003-0004]\n9 4 1-00:00:00 node[0005-0008]\n"
    queue = write(tmp_path, f"JOBID NODES TIME_LEFT NODELIST\n{rows}")
    found = asked(lacis, "fit", TREE, "--how-long", "2", "--squeue", queue)
    assert (found["waiting"]["jobs"], found["waiting"]["seconds"]) == (["8"], 600.0)
    assert found["choices"] == []
    said = lacis("fit", TREE, "--how-long", "4", "--squeue", queue).out
    assert "2 jobs must end, in 01:00:00 at the latest" in said
    assert "jobs 8, 7" in said
    # More nodes than there are: not even on the empty machine.
    assert (
        asked(lacis, "fit", TREE, "--how-long", "9", "--squeue", queue, status=1)["waiting"]["reached"]
        is None
    )


def test_the_text_has_a_row_for_each_rule_and_then_what_slurm_is_asked(lacis: Lacis, tmp_path: Path) -> None:
    queue = write(
        tmp_path, "JOBID NODES TIME_LEFT NODELIST\n7 2 1:00:00 node[0002,0004]\n8 4 10:00 node[0005-0008]\n"
    )
    done = lacis("fit", TREE, *ONE_SPINE, "--nodes", "2", "--squeue", queue, "-R", "ftree")
    # One flow of job 7 beside that of these two on every link of theirs.
    cells = [line.split() for line in done.out.splitlines()]
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(
        "2 nodes of 2 free, of 8 in 4 leaf groups; 2 jobs beside\ntables: ftree's\n\nnodes by "
    )
    assert ["Lacis", "2", "25", "25", "12.5", "12.5"] in cells
    assert ["first", "fit", "2", "25", "25", "12.5", "12.5"] in cells
    assert done.out.endswith(
        "\n\n[GB/s], modelled: the slowest flow of a shift, static; 1 of 1 shift looked at; 25 a port\n"
        "  contiguous finds no nodes: no gap is long enough\n\nsalloc -N 2 -w node[0001,0003]\n"
    )
    # Job 8 ends first, and its four nodes are enough.
    both = lacis("fit", TREE, "--nodes", "2", "--how-long", "4", "--squeue", queue).out
    assert "tables: minhop's (assumed: neither -R nor --lfts is given)\n" in both
    assert both.endswith(
        "\nsalloc -N 2 -w node[0001,0003]\n\n"
        "4 nodes with 25 GB/s in the worst shift: 1 job must end, in 00:10:00 at the latest\n"
        "  job 8\n  then 25 GB/s: node[0005-0008]\n"
    )
    alone = lacis("fit", TREE, "--nodes", "3", "--free", "node[0001,0003,0005]").out
    assert "; no jobs beside\n" in alone
    assert "beside" not in alone.partition("nodes by")[2]
    assert "2 of 2 shifts looked at" in alone


def test_a_torus_has_no_levels_and_what_works_is_said(lacis: Lacis) -> None:
    found = asked(lacis, "fit", "torus:4x4", "--nodes", "4", "--free", "*", "-R", "dor")
    assert "the fabric has no levels" in found["notes"][0]
    assert found["choices"][0]["hosts"]


def test_remarks_are_the_same_in_text_and_as_json_whatever_is_asked(lacis: Lacis, tmp_path: Path) -> None:
    queue = write(tmp_path, "12 1 node0001\n")
    asking = ("fit", "torus:4x4", "--how-long", "2", "--squeue", queue, "-R", "dor")
    [note] = asked(lacis, *asking)["notes"]
    assert note.startswith("the fabric has no levels: its 16 groups of leaves ")
    said = lacis(*asking).out
    assert " ".join(said.split()).startswith(note)
    # 15 hosts are free, and any two of them have a port each.
    assert "2 nodes with 25 GB/s in the worst shift: free now\n" in said
    assert asked(lacis, *asking)["free"] == 15


def test_hosts_that_do_not_reach_each_other_are_exit_1(lacis: Lacis) -> None:
    cut = "--without=leaf-01--spine-*"
    asking = ("fit", TREE, cut, "--nodes", "3", "--free", "node[0001,0003,0005]")
    found = asked(lacis, *asking, status=1)
    assert {"kind": "hosts_apart", "rule": "lacis", "pairs": 4} in found["remarks"]
    # No advice asks for them.
    assert found["slurm"] is None
    assert "salloc" not in lacis(*asking).out


def test_of_two_hosts_of_one_name_one_is_taken_and_the_other_remarked_on(
    lacis: Lacis, tmp_path: Path
) -> None:
    net = tmp_path / "named.net"
    assert lacis("fabric", TREE, "-o", net).status == 0
    net.write_text(net.read_text().replace("node0003", "node0001"))
    queue = write(tmp_path, "12 1 node0005\n")
    done = lacis("fit", net, "--nodes", "6", "--squeue", queue, "--json")
    found = json.loads(done.out)
    assert (done.status, found["of"]) == (0, 7)
    assert set(found["choices"][0]["hosts"]) == {f"node000{number}" for number in (1, 2, 4, 6, 7, 8)}
    assert {"kind": "adapters_unknown", "adapters": 1} in found["remarks"]


def test_jobs_on_their_nodes_and_the_swap_that_helps_most(lacis: Lacis, tmp_path: Path) -> None:
    queue = write(tmp_path, "7 2 node[0001,0003]\n8 2 node[0002,0004]\n9 1 node0005\n10 8 (Resources)\n")
    found = asked(lacis, "fragmentation", TREE, *ONE_SPINE, "--squeue", queue)
    assert [(row["job"], row["groups"], row["fewest"]) for row in found["jobs"]] == [
        ("7", 2, 1),
        ("8", 2, 1),
        ("9", 1, 1),
    ]
    # A job of one node sends nothing over the fabric.
    assert found["jobs"][2]["rates"] is None
    assert found["jobs"][0]["rates"]["mean_beside"] == pytest.approx(RATE / 2)
    [shared] = found["shared"]
    assert (shared["jobs"], shared["links"], shared["flows"]) == (["7", "8"], 4, [1.0, 1.0])
    assert re.fullmatch(r"(leaf|spine)-0\d\[\d+\]", shared["egress"])
    # Both jobs on a leaf of their own: four nodes at 25 GB/s instead of 12.5.
    assert found["swap"]["before"] == pytest.approx(2 * RATE)
    assert found["swap"]["after"] == pytest.approx(4 * RATE)
    said = lacis("fragmentation", TREE, *ONE_SPINE, "--squeue", queue).out
    assert "in memory" in said
    assert "swap that helps most" in said


def test_a_trace_is_replayed_without_contention(lacis: Lacis, tmp_path: Path) -> None:
    # Job 1 has all eight nodes for 100 s; job 2 waits for 90 s, job 3 for 80 s: 170 / 3 on average.
    def row(number: int, submit: int, nodes: int) -> str:
        return f"{number} {submit} -1 100 {nodes} -1 -1 {nodes} 100" + " -1" * 9 + "\n"

    trace = write(
        tmp_path, row(1, 0, 8) + row(2, 10, 4) + row(3, 20, 4) + row(4, 0, 9) + row(5, 0, -1), "t.swf"
    )
    found = asked(lacis, "replay", TREE, trace, "--share", "0")
    assert [one["rule"] for one in found["policies"]] == ["slurm", "first", "contiguous", "lacis"]
    for one in found["policies"]:
        assert one["wait"]["mean"] == pytest.approx(170 / 3)
        assert one["utilisation"]["mean"] == pytest.approx(1.0)
        assert one["makespan"]["mean"] == 200
    assert (found["jobs"], found["unknown"], found["too_large"]) == (3, 1, 1)


LIST = "12 2 node[0001-0002]\n"


@pytest.mark.parametrize(
    ("args", "queue", "said"),
    [
        (["fit", "--nodes", "2"], None, "--free HOSTS or --squeue FILE"),
        (["fit", "--nodes", "2", "--free", "node0001"], LIST, "--free HOSTS or --squeue FILE"),
        (["fit"], LIST, "--nodes N, or --how-long N"),
        (["fit", "--how-long", "2", "--free", "node0001"], None, "--how-long needs the running jobs"),
        (["fit", "--nodes", "7"], LIST, "--nodes: 7 are asked for, and 6 of 8 hosts are free"),
        (["fit", "--nodes", "2", "--free", "node[0009-0010]"], None, "--free: no host of this fabric"),
        (["fit", "--nodes", "2", "--free", ""], None, "--free: no host in the list"),
        (["fit", "--nodes", "2", "--free", "file:/dev/null"], None, "/dev/null: no host in the list"),
        (["fit", "--nodes", "2", "--free", "node[1"], None, "not a set of hosts"),
        (["fit", "--nodes", "2"], "12 9 node[0001-00", "queue:1: the nodes of job 12 are cut off"),
        (["fit", "--nodes", "2"], "12 9 node[0001-0002]", "queue:1: job 12 has 9 nodes and the list 2"),
        (["fit", "--nodes", "2"], "12 1 other", "queue:1: no host of this fabric"),
        (["fit", "--nodes", "2"], LIST + LIST, "queue:2: job 12 stands twice"),
        (["fit", "--nodes", "2"], "\x1b[31mred\n", "queue:1: no list of jobs"),
        (["fit", "--nodes", "2"], "", "queue: no list of jobs"),
        (["fragmentation"], None, "--squeue FILE"),
        (["fragmentation"], "12 4 (Resources)\n", "queue: no job of the list has nodes"),
        (["fragmentation", "--squeue", "absent"], None, "absent: no such file"),
        (["replay", "absent"], None, "absent: no such file"),
        (["replay", "/dev/null"], None, "/dev/null: no job in the trace"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, args: list[str], queue: str | None, said: str
) -> None:
    given = [] if queue is None else ["--squeue", str(write(tmp_path, queue))]
    done = lacis(args[0], TREE, *args[1:], *given)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n\x1b]+\n", done.err), done.err
    assert said in done.err


def test_hosts_that_the_fabric_lacks_can_be_skipped(lacis: Lacis, tmp_path: Path) -> None:
    queue = write(tmp_path, "12 3 node[0001-0002,0099]\n")
    done = lacis("fit", TREE, "--nodes", "2", "--squeue", queue, "--skip-absent")
    assert done.status == 0
    assert "node0099" in done.err
    assert "node0099" not in done.out


@pytest.mark.parametrize(
    "args", [("fit", "--nodes", "2"), ("fit", "--how-long", "8"), ("fragmentation",)], ids=" ".join
)
def test_jobs_of_another_fabric_can_be_skipped(lacis: Lacis, tmp_path: Path, args: tuple[str, ...]) -> None:
    command, *rest = args
    alone = write(tmp_path, "12 2 node[0001-0002]\n")
    expected = lacis(command, TREE, *rest, "--squeue", alone)
    assert (expected.status, expected.err) == (0, "")
    queue = write(tmp_path, "12 2 node[0001-0002]\n13 2 gpu[01-02]\n")
    done = lacis(command, TREE, *rest, "--squeue", queue, "--skip-absent")
    assert (done.status, done.out) == (0, expected.out)
    assert "gpu" in done.err


def test_names_in_another_case_or_with_a_domain_are_recognised_and_remarked_on(lacis: Lacis) -> None:
    found = asked(lacis, "fit", TREE, "--nodes", "2", "--free", "NODE0001,node0002.site,node0003")
    assert {"kind": "names_matched", "nodes": 2, "node": "NODE0001", "host": "node0001"} in found["remarks"]
    assert found["choices"][0]["hosts"] == ["node0001", "node0002"]
