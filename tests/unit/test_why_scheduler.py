"""Lists of jobs as squeue and sacct print them, in any width; and windows of time."""

from __future__ import annotations

from datetime import datetime

import pytest
from lacis.errors import LacisError
from lacis.why import scheduler, windows

# As squeue's default format prints them: "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R".
SQUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
               123     batch    train    alice  R    2:10:00      2 node[0001-0002]
               124     batch two word      bob  R 1-02:10:00      1 node0003
               125     batch    train    alice PD       0:00      4 (Resources)
             126_7     batch    train    alice  R       0:10      2 node[0005,0007]
"""
NAMED = [("123", "node[0001-0002]"), ("124", "node0003"), ("126_7", "node[0005,0007]")]


def named(text: str) -> list[tuple[str, str]]:
    return [(job.name, job.hosts) for job in scheduler.jobs_of(text)]


def test_jobs_with_hosts_are_read_and_others_passed_over() -> None:
    assert named(SQUEUE) == NAMED
    assert [job.line for job in scheduler.jobs_of(SQUEUE)] == [2, 3, 5]
    assert named(SQUEUE.splitlines()[0]) == []


@pytest.mark.parametrize("width", [0, 20, 60])
@pytest.mark.parametrize("right", [False, True])
def test_columns_have_any_width_and_either_side(width: int, *, right: bool) -> None:
    rows = [("JOBID", "ST", "NODELIST", "NAME"), *((job, "R", hosts, "a b") for job, hosts in NAMED)]
    widths = [max(width, *(len(row[at]) for row in rows)) for at in range(4)]
    lines = [
        " ".join(
            f"{cell:>{size}}" if right else f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True)
        )
        for row in rows
    ]
    assert named("\n".join(lines)) == NAMED


def test_sacct_has_times_and_steps() -> None:
    text = (
        "JobID|State|NodeList|Start|End|\n"
        "123|COMPLETED|node[0001-0002]|2026-11-28T10:00:00|2026-11-28T11:00:00|\n"
        "123.batch|COMPLETED|node0001|2026-11-28T10:00:00|2026-11-28T11:00:00|\n"
        "124|RUNNING|node0003|2026-11-28T10:30:00|Unknown|\n"
        "125|CANCELLED by 0|None assigned|Unknown|Unknown|\n"
    )
    first, second = scheduler.jobs_of(text)
    begin = int(datetime(2026, 11, 28, 10).timestamp()) * 10**9
    assert (first.name, first.begin, first.end) == ("123", begin, begin + 3600 * 10**9)
    assert (second.name, second.begin, second.end) == ("124", begin + 1800 * 10**9, None)
    at = windows.window(begin + 3600 * 10**9, begin + 4000 * 10**9)
    assert [job.overlaps(at) for job in (first, second)] == [False, True]
    assert first.overlaps(None)
    fixed = (
        "JobID        NodeList               Start                 End\n"
        "------------ --------------- ------------------- -------------------\n"
        "123          node[0001-0002] 2026-11-28T10:00:00 2026-11-28T11:00:00\n"
    )
    [job] = scheduler.jobs_of(fixed)
    assert (job.hosts, job.begin, job.end) == (first.hosts, first.begin, first.end)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no list of jobs"),
        ("hello\nworld\n", "no list of jobs: no line has the headings JOBID and NODELIST: hello"),
        ("\x1b[31mrm\x07\n", "NODELIST: [31mrm"),
        ("JOBID NODELIST\n1 node[0001-\n", "2: a list of hosts that was cut to the width of its column"),
        ("JobID|NodeList\n1|node[0001-0+\n", "2: a list of hosts that was cut"),
        ("JobID|NodeList\n1|node0001,node00+\n", "2: a list of hosts that was cut"),
        ("JobID|NodeList|Start\n1|n1|yesterday\n", "2: no time; expected such as"),
    ],
)
def test_what_is_no_list_or_was_cut_is_refused(text: str, said: str) -> None:
    with pytest.raises(LacisError) as error:
        scheduler.jobs_of(text)
    assert said in str(error.value)


def test_a_job_is_found_by_its_number() -> None:
    jobs = scheduler.jobs_of(SQUEUE)
    assert scheduler.find(jobs, "124").hosts == "node0003"
    with pytest.raises(LacisError, match="no job of the list has this number; it has 123, 124, 126_7: 9"):
        scheduler.find(jobs, "9")
    with pytest.raises(LacisError, match="2 jobs of the list have this number"):
        scheduler.find([*jobs, jobs[0]], "123")
    assert scheduler.hosts_there(jobs[2], ["node0007", "node0008"]) == ["node0007"]


def test_times_and_lengths_are_read_or_refused() -> None:
    # 20,000 days and an hour after 1970 began.
    wanted = (20_000 * 86_400 + 3600) * 10**9
    for text in ("2024-10-04T01:00:00Z", "2024-10-04T03:00:00+02:00", "1728003600", "1728003600.0"):
        assert windows.time(text) == wanted
    assert windows.stamp(wanted) == "2024-10-04T01:00:00Z"
    assert windows.time("2024-10-04T01:00") == int(datetime(2024, 10, 4, 1).timestamp()) * 10**9
    assert [windows.duration(text) // 10**9 for text in ("90", "90s", "1.5m", "2h", "1d")] == [
        90,
        90,
        90,
        7200,
        86_400,
    ]
    for text in ("", "soon", "-5m", "0s", "10y", "nan", "1e9s"):
        with pytest.raises(LacisError):
            windows.duration(text)
    for text in ("", "soon", "12:00", "0001-01-01", "9999-12-31", "-1", "1" * 30):
        with pytest.raises(LacisError):
            windows.time(text)
    with pytest.raises(LacisError, match="ends before it begins"):
        windows.window(2, 1)
