"""Traces replayed: EASY backfill against another simulation, jobs that slow each other down, and the trace format."""

from __future__ import annotations

import random

import lacis as api
import numpy as np
import pytest
from lacis import allocation
from lacis.allocation import TraceJob, generate_trace, read_trace, write_trace
from lacis.allocation.contention import Contention
from lacis.allocation.easy import FullSpeed, schedule
from lacis.allocation.replaying import Rule
from lacis.errors import LacisError


def easy(jobs: list[tuple[float, float, float, int]], nodes: int) -> list[float]:
    """Start times by EASY backfill, where only numbers of nodes count. Jobs: submission, run time, limit, nodes.

    Written apart from Lacis', second by second of the times at which anything happens.
    """
    start: dict[int, float] = {}
    waiting: list[int] = []
    clock = sorted({job[0] for job in jobs})
    while clock:
        now = clock.pop(0)
        waiting += [j for j, job in enumerate(jobs) if job[0] == now]
        running = [j for j in start if start[j] + jobs[j][1] > now]
        free = nodes - sum(jobs[j][3] for j in running)

        def begin(j: int, now: float = now) -> None:
            start[j] = now
            end = now + jobs[j][1]
            if end not in clock:
                clock.append(end)
                clock.sort()

        while waiting and jobs[waiting[0]][3] <= free:
            j = waiting.pop(0)
            free -= jobs[j][3]
            running.append(j)
            begin(j)
        if not waiting:
            continue
        # When the first that waits can start by the limits of those that run, and how many nodes are left then.
        ends = sorted({start[j] + jobs[j][2] for j in running})
        for shadow in ends:
            there = free + sum(jobs[j][3] for j in running if start[j] + jobs[j][2] <= shadow)
            if there >= jobs[waiting[0]][3]:
                break
        spare = there - jobs[waiting[0]][3]
        for j in waiting[1:]:
            if jobs[j][3] > free:
                continue
            if now + jobs[j][2] > shadow:
                if jobs[j][3] > spare:
                    continue
                spare -= jobs[j][3]
            free -= jobs[j][3]
            begin(j)
        waiting = [j for j in waiting if j not in start]
    return [start[j] for j in range(len(jobs))]


class Counted:
    """Takes the first free nodes."""

    def fits(self, free: np.ndarray, nodes: int) -> bool:
        return len(free) >= nodes

    def take(self, free: np.ndarray, nodes: int) -> np.ndarray:
        return free[:nodes]


def drawn(seed: int) -> tuple[list[TraceJob], int]:
    rng = random.Random(seed)
    nodes = rng.choice((4, 16, 100))
    at, jobs = 0, []
    for number in range(40):
        at += rng.choice((0, 0, 1, rng.randint(1, 60)))
        run = rng.randint(1, 200)
        limit = run + rng.choice((0, 0, rng.randint(1, 300)))
        jobs.append(TraceJob(number, float(at), float(run), float(limit), rng.randint(1, nodes)))
    return jobs, nodes


@pytest.mark.parametrize("part", range(4))
def test_without_contention_jobs_start_when_another_simulation_of_easy_starts_them(part: int) -> None:
    for seed in range(25 * part, 25 * (part + 1)):
        jobs, nodes = drawn(seed)
        found = schedule(jobs, nodes, Counted(), FullSpeed())
        expected = easy([(job.submit, job.run, job.limit, job.nodes) for job in jobs], nodes)
        assert found.start.tolist() == expected, seed
        assert found.end.tolist() == [at + job.run for at, job in zip(expected, jobs, strict=True)]


def test_a_short_job_goes_before_a_wide_one_and_a_long_one_does_not() -> None:
    # Four nodes. Job 0 has three until 100; job 1 wants four, so it starts at 100. Job 2 needs one node until 20 + 80 = 100,
    # job 3 until 21 + 200 = 221, which would delay job 1: it starts when job 1 ends at 150.
    rows = [(0, 100, 3), (10, 50, 4), (20, 80, 1), (21, 200, 1)]
    jobs = [TraceJob(i, float(at), float(run), float(run), n) for i, (at, run, n) in enumerate(rows)]
    assert schedule(jobs, 4, Counted(), FullSpeed()).start.tolist() == [0, 100, 20, 150]


class Across:
    """Takes nodes 1 and 3, then 2 and 4: each job has one node on either of two leaves."""

    def fits(self, free: np.ndarray, nodes: int) -> bool:
        return len(free) >= nodes

    def take(self, free: np.ndarray, _nodes: int) -> np.ndarray:
        return np.array([0, 2]) if 0 in free else np.array([1, 3])


def test_jobs_that_share_links_slow_each_other_while_both_run() -> None:
    # One spine: the two jobs share one link up and one down at each leaf, so that messages take twice as long. Jobs that send
    # half of their time then run at 1 / (0.5 + 0.5 · 2) = 2/3. Job 0 runs alone until 60, has 40 s left, which take 60 s:
    # it ends at 120. Job 1 has done 40 s by then, and its other 60 s take 60 s: 180.
    fabric = api.read("fat-tree:4,2").without([f"leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)])
    machine = allocation.machine_of(api.route(fabric, "ftree"))
    jobs = [TraceJob(0, 0.0, 100.0, 100.0, 2), TraceJob(1, 60.0, 100.0, 100.0, 2)]
    speeds = Contention(machine.paths, [0.5, 0.5], "shifts")
    found = schedule(jobs, 4, Across(), speeds)
    assert found.end.tolist() == pytest.approx([120, 180])
    # Jobs that send nothing are not slowed down.
    silent = schedule(jobs, 4, Across(), Contention(machine.paths, [0.0, 0.0], "shifts"))
    assert silent.end.tolist() == pytest.approx([100, 160])


def test_every_rule_that_counts_nodes_starts_jobs_alike_without_contention() -> None:
    machine = allocation.machine_of(api.route(api.read("fat-tree:8,2"), "minhop"))
    found = allocation.replay(machine, generate_trace(32, 60, 0.9, 3), share=0.0)
    starts = {one.rule: one.schedules[0].start.tolist() for one in found.results}
    jobs = [(job.submit, job.run, job.limit, job.nodes) for job in found.jobs]
    assert starts["first"] == starts["slurm"] == starts["lacis"] == easy(jobs, 32)
    assert found.seeds == (1,)
    for one in found.results:
        assert one.slowdown.mean == pytest.approx(1.0)


def test_contiguous_jobs_have_nodes_next_to_each_other() -> None:
    # Eight nodes, four jobs of two at once. Jobs 1 and 3 end first, at 10: four nodes are free in two gaps, and a job of
    # four starts at 10 elsewhere, but at 50, when job 0 ends, by the contiguous rule: nodes 1 to 4.
    machine = allocation.machine_of(api.route(api.read("fat-tree:4,2"), "minhop"))
    runs = (50, 10, 100, 10)
    jobs = [TraceJob(number, 0.0, float(run), float(run), 2) for number, run in enumerate(runs)]
    jobs.append(TraceJob(4, 1.0, 10.0, 10.0, 4))
    trace = allocation.Trace(tuple(jobs), 0, 1)
    found = allocation.replay(machine, trace, share=0.0, policies=("first", "contiguous"))
    assert [one.schedules[0].start[4] for one in found.results] == [10, 50]
    rule = Rule(machine, "contiguous", "shifts", np.arange(8))
    assert rule.take(np.array([0, 2, 3]), 2).tolist() == [2, 3]
    assert not rule.fits(np.array([0, 2, 4]), 2)


SWF = """\
; Version: 2.2
; MaxNodes: 8
; MaxProcs: 32
  1  100  5  60  7 -1 -1   8  120 -1  1 1 1 -1 1 -1 -1 -1
  2   90  5  60 16 -1 -1  -1   -1 -1  1 1 1 -1 1 -1 -1 -1
  3  110  5  -1  7 -1 -1   8  120 -1  5 1 1 -1 1 -1 -1 -1
  4  110  5  60 -1 -1 -1  -1  120 -1  1 1 1 -1 1 -1 -1 -1
  5  111  5  60  9 -1 -1   9   30 -1  1 1 1 -1 1 -1 -1 -1
"""


def test_a_trace_in_the_standard_workload_format_is_read() -> None:
    # Four processors a node. Times begin with the first job. Without processors asked for, those used count; a job that
    # ran longer than it had asked for has asked for as much. Jobs 3 and 4 say neither how long nor how wide they are.
    trace = read_trace(SWF.encode())
    assert (trace.cores, trace.unknown) == (4, 2)
    assert trace.jobs == (
        TraceJob(2, 0.0, 60.0, 60.0, 4),
        TraceJob(1, 10.0, 60.0, 120.0, 2),
        TraceJob(5, 21.0, 60.0, 60.0, 3),
    )
    assert [job.nodes for job in read_trace(SWF.encode(), 1).jobs] == [16, 8, 9]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("1 2 3\n", 1, "18 numbers, and this line 3"),
        (";\n" + "x " * 18, 2, "not a number"),
        ("1 nan" + " 1" * 16, 1, "not a number"),
        ("1 1e400" + " 1" * 16, 1, "not a number"),
        ("; nothing\n", None, "no job in the trace"),
        ("1" + " -1" * 17, None, "no job with a run time"),
        ("", None, "no job in the trace"),
    ],
)
def test_what_is_no_trace_is_refused(text: str, line: int | None, said: str) -> None:
    with pytest.raises(LacisError) as caught:
        read_trace(text.encode())
    assert caught.value.line == line
    assert said in caught.value.reason


def test_a_generated_trace_is_read_as_it_was_written() -> None:
    trace = generate_trace(100, 50, 0.8, 7)
    assert read_trace(write_trace(trace, ["a note"]).encode()) == trace
    assert max(job.nodes for job in trace.jobs) <= 50
    shipped = allocation.shipped_trace(128)
    assert shipped == generate_trace(128, 120, 0.85, 1)


def test_jobs_that_the_machine_cannot_hold_are_left_out() -> None:
    machine = allocation.machine_of(api.route(api.read("fat-tree:4,2"), "minhop"))
    jobs = (TraceJob(1, 0.0, 10.0, 10.0, 8), TraceJob(2, 0.0, 10.0, 10.0, 9))
    found = allocation.replay(machine, allocation.Trace(jobs, 0, 1), share=0.0)
    assert (len(found.jobs), found.too_large) == (1, 1)
    with pytest.raises(LacisError, match="more than the 8 nodes"):
        allocation.replay(machine, allocation.Trace(jobs[1:], 0, 1))


@pytest.mark.slow
def test_intervals_are_those_of_students_t() -> None:
    import scipy.stats  # here alone: it takes longer to import than most tests take

    # Jobs that share links take times that depend on the parts that they send, which a seed draws.
    fabric = api.read("fat-tree:4,2").without([f"leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)])
    machine = allocation.machine_of(api.route(fabric, "ftree"))
    trace = generate_trace(8, 20, 0.9, 3)
    differ = 0
    for seeds in (1, 2, 16, 17):
        found = allocation.replay(machine, trace, share=0.5, seeds=tuple(range(1, seeds + 1)))
        submit = np.array([job.submit for job in found.jobs])
        for one in found.results:
            waits = [float((its.start - submit).mean()) for its in one.schedules]
            spans = [float(its.end.max() - submit.min()) for its in one.schedules]
            for said, values in ((one.wait, waits), (one.makespan, spans)):
                mean, half = sum(values) / seeds, 0.0
                if seeds > 1:
                    half = scipy.stats.t.ppf(0.975, seeds - 1) * float(np.std(values, ddof=1)) / seeds**0.5
                assert said.mean == pytest.approx(mean)
                assert [mean - said.low, said.high - mean] == pytest.approx([half] * 2, rel=1e-3, abs=1e-6)
                differ += half > 1
    assert differ
