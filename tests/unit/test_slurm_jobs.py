"""Lists of jobs as squeue and sacct print them, in any width, with headings and without."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from lacis.errors import LacisError
from lacis.job import windows
from lacis.job.slurm import hosts_there, read_jobs, running_hosts
from lacis.ranks import nodesets
from lacis.ranks.names import Names

if TYPE_CHECKING:
    from pathlib import Path

# As squeue's default format prints them: "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R".
SQUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
               123     batch    train    alice  R    2:10:00      2 node[0001-0002]
               124     batch two word      bob  R 1-02:10:00      1 node0003
               125     batch    train    alice PD       0:00      4 (Resources)
             126_7     batch    train    alice  R       0:10      2 node[0005,0007]
"""
LISTED = [("123", "node[0001-0002]"), ("124", "node0003"), ("126_7", "node[0005,0007]")]
NAMED = [(job, tuple(nodesets.expand(nodes))) for job, nodes in LISTED]


def named(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(job.name, job.nodes) for job in read_jobs(text.encode()).jobs]


def test_jobs_with_hosts_are_read_and_others_passed_over() -> None:
    assert named(SQUEUE) == NAMED
    assert [job.line for job in read_jobs(SQUEUE.encode()).jobs] == [2, 3, 5]
    assert named(SQUEUE.splitlines()[0]) == []


@pytest.mark.parametrize("width", [0, 20, 60])
@pytest.mark.parametrize("right", [False, True])
def test_columns_have_any_width_and_either_side(width: int, *, right: bool) -> None:
    rows = [("JOBID", "ST", "NODELIST", "NAME"), *((job, "R", hosts, "a b") for job, hosts in LISTED)]
    widths = [max(width, *(len(row[at]) for row in rows)) for at in range(4)]
    lines = [
        " ".join(
            f"{cell:>{size}}" if right else f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True)
        )
        for row in rows
    ]
    assert named("\n".join(lines)) == NAMED


def test_columns_without_widths_are_words_and_what_is_too_much_is_the_name() -> None:
    text = "NODELIST NAME JOBID ST\nnode[0001-0002] my  long job 123 R\nnode0003 b 124 R\nnode[0005,0007] c 126_7 R\n"
    assert named(text) == NAMED
    assert named("NODELIST JOBID\nnode[0001-0002] 123\nnode0003 124\n 125\nnode[0005,0007] 126_7\n") == NAMED


def test_sacct_has_times_and_steps() -> None:
    text = (
        "JobID|State|NodeList|Start|End|\n"
        "123|COMPLETED|node[0001-0002]|2026-11-28T10:00:00|2026-11-28T11:00:00|\n"
        "123.batch|COMPLETED|node0001|2026-11-28T10:00:00|2026-11-28T11:00:00|\n"
        "124|RUNNING|node0003|2026-11-28T10:30:00|Unknown|\n"
        "125|CANCELLED by 0|None assigned|Unknown|Unknown|\n"
    )
    first, second = read_jobs(text.encode()).jobs
    begin = int(datetime(2026, 11, 28, 10).timestamp()) * 10**9
    assert (first.name, first.begin, first.end) == ("123", begin, begin + 3600 * 10**9)
    assert (second.name, second.begin, second.end) == ("124", begin + 1800 * 10**9, None)
    at = windows.window(begin + 3600 * 10**9, begin + 4000 * 10**9)
    assert [job.overlaps(at) for job in (first, second)] == [False, True]
    assert [job.has_ended for job in (first, second)] == [True, False]
    fixed = (
        "JobID        NodeList               Start                 End\n"
        "------------ --------------- ------------------- -------------------\n"
        "123          node[0001-0002] 2026-11-28T10:00:00 2026-11-28T11:00:00\n"
    )
    [job] = read_jobs(fixed.encode()).jobs
    assert (job.nodes, job.begin, job.end) == (first.nodes, first.begin, first.end)


def test_what_has_ended_is_known_by_its_state_as_a_limit_is_no_end() -> None:
    # squeue's END_TIME is when a job that runs must have ended; its columns cut states to eight letters.
    text = (
        "JOBID|STATE|NODELIST|END_TIME\n"
        "1|RUNNING|n1|2026-11-28T10:00:00\n"
        "2|COMPLETING|n2|2026-11-28T10:00:00\n"
        "3|COMPLETI|n3|N/A\n"
        "4|COMPLETE|n4|2026-11-28T10:00:00\n"
        "5|CANCELLED by 1000|n5|N/A\n"
        "6|CD|n6|N/A\n"
        "7|OUT_OF_ME+|n7|N/A\n"
    )
    listed = read_jobs(text.encode())
    assert [job.name for job in listed.running] == ["1", "2", "3"]
    assert [job.end is not None for job in listed.jobs] == [False, False, False, True, False, False, False]


DEFAULT = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
LONG = (
    "Sat Nov 28 12:00:00 2026\n"
    "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)\n"
)


@pytest.mark.parametrize(
    ("text", "running", "pending"),
    [
        ("JOBID NODES NODELIST\n12 2 n[1-2]\n13 4 \n", {"12": ["n1", "n2"]}, 1),
        ("12 2 n[1-2]\n13 4\n14 1 n7\n", {"12": ["n1", "n2"], "14": ["n7"]}, 1),
        ("12 n1\n13 n[2,4]\n", {"12": ["n1"], "13": ["n2", "n4"]}, 0),
        ("12|2|n[1-2]\n13|4|\n", {"12": ["n1", "n2"]}, 1),
        (
            DEFAULT
            + "                12   all    my job      bob  R       1:02      2 n[1-2]\n"
            + "          13_[1-4]   all      a      bob PD       0:00      4 (Nodes required are DOWN (or DRAINED))\n"
            + "                14   all      a      bob CG       0:00      1 n7\n"
            + "                15   all      a      bob CD       0:00      1 n8\n",
            {"12": ["n1", "n2"], "14": ["n7"]},
            1,
        ),
        (
            LONG + "                12   all    job      bob  RUNNING       1:02   1:00:00      2 n[1-2]\n",
            {"12": ["n1", "n2"]},
            0,
        ),
        # `squeue -M blue,red`, and `--iterate`.
        (
            "CLUSTER: blue\nJOBID NODELIST\n1 n1\n\nCLUSTER: red\nJOBID NODELIST\n2 n2\n",
            {"1": ["n1"], "2": ["n2"]},
            0,
        ),
        ("JOBID NODES NODELIST\n", {}, 0),
        ("NODELIST JOBID\nn[1-2] 12\n", {"12": ["n1", "n2"]}, 0),
        # A column without a value in the midst of columns without widths; and a comment with blanks.
        ("JOBID NODELIST ST\n1 n1 R\n2  PD\n", {"1": ["n1"]}, 1),
        ("JOBID COMMENT NODELIST\n1 for the demo n1\n2 b n[2-3]\n", {"1": ["n1"], "2": ["n2", "n3"]}, 0),
        ("JOBID|STATE|NODELIST\n5|RUNNING|node0001\n6|PENDING|node0002\n", {"5": ["node0001"]}, 1),
    ],
)
def test_jobs_that_run_and_jobs_that_wait(text: str, running: dict[str, list[str]], pending: int) -> None:
    found = read_jobs(text.encode())
    assert {one.name: list(one.nodes) for one in found.running} == running
    assert found.pending == pending


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "no list of jobs"),
        ("hello\nworld\n", 1, "no list of jobs: no line has the headings JOBID and NODELIST"),
        ("17\n18\n", 1, "no list of jobs"),
        ("bob 1 n1\n", 1, "no list of jobs"),
        ("\x1b[31mrm\x07\n", 1, "no list of jobs"),
        ("\0\0\0\n", None, "no list of jobs"),
        ("JOBID NODES NODELIST\n12 9 n[1-2\n", 2, "the nodes of job 12 are cut off"),
        ("JOBID NODELIST\n1 node[0001-\n", 2, "the nodes of job 1 are cut off"),
        ("JobID|NodeList\n1|node[0001-0+\n", 2, "cut off"),
        ("JobID|NodeList\n1|node0001,node00+\n", 2, "cut off"),
        ("JOBID NODES NODELIST\n12 9 n[1-2]\n", 2, "job 12 has 9 nodes and the list 2"),
        ("12 9 n[1-2],\n", 1, "cut off"),
        ("12 1 n[1\n", 1, "cut off"),
        ("12 1 n[1-99999999999]\n", 1, "more than"),
        ("JOBID NODES NODELI\n12 9 n[1-\n", 1, "too narrow"),
        ("JOBID NODES\n12 9\n", 1, "no column of nodes"),
        ("NODES NODELIST\n9 n1\n", 1, "no column of job numbers"),
        ("JOBID USER NODES NODELIST\n12 1\n", 2, "2 words below 4 headings"),
        ("JobID|NodeList|Start\n1|n1|yesterday\n", 2, "no time; expected such as"),
    ],
)
def test_what_is_no_list_or_says_too_little_is_refused(text: str, line: int | None, said: str) -> None:
    with pytest.raises(LacisError) as caught:
        read_jobs(text.encode())
    assert caught.value.line == line
    assert said in caught.value.reason
    assert caught.value.text.isprintable()


def test_limits_are_read_in_every_form() -> None:
    text = "JOBID TIME_LEFT NODELIST\n1 1-02:03:04 n1\n2 2:03:04 n2\n3 03:04 n3\n4 UNLIMITED n4\n"
    assert [one.left for one in read_jobs(text.encode()).running] == [93784.0, 7384.0, 184.0, None]


def test_a_job_is_found_by_its_number() -> None:
    listed = read_jobs(SQUEUE.encode())
    assert listed.find("124").nodes == ("node0003",)
    with pytest.raises(LacisError, match="no job of the list has this number; it has 123, 124, 126_7: 9"):
        listed.find("9")
    with pytest.raises(LacisError, match="2 jobs of the list have this number"):
        read_jobs(b"123 n1\n123 n2\n").find("123")


def test_hosts_of_a_job_are_those_that_the_fabric_has_by_the_rule_of_names() -> None:
    [job] = read_jobs(b"1 NODE[0007-0008],gpu9,node0009.site\n").jobs
    assert hosts_there(job, Names(["node0007", "node0008", "node0009"])) == (
        "node0007",
        "node0008",
        "node0009",
    )
    with pytest.raises(LacisError, match=r"may be node0009\.a or node0009\.b") as caught:
        hosts_there(job, Names(["node0009.a", "node0009.b"]))
    assert caught.value.line == 1


def test_running_jobs_of_a_file_are_those_with_a_host_of_the_fabric(tmp_path: Path) -> None:
    file = tmp_path / "jobs"
    file.write_text(
        "JobID|NodeList|End\n8|node[0003-0004],gpu7|Unknown\n9|node0001|2026-11-28T10:00:00\n10|gpu9|\n"
    )
    assert running_hosts(file, ["node0001", "node0003", "node0004"]) == {"8": ("node0003", "node0004")}
    file.write_text("JOBID NODELIST\n    1 node1\n    2 node[1-]\n")
    with pytest.raises(LacisError, match=r"jobs:3: "):
        running_hosts(file, ["node1"])
