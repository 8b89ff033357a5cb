"""`lacis replay`: a trace of jobs under four rules of choosing nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._allocation import duration, pattern_option, print_notes
from ._fabric import bare_fabric_argument
from ._help import GroupedCommand
from ._numbers import CORES, SEEDS, SHARE_OF_TIME
from ._output import console, json_option, new_table, print_json, print_line, print_table
from ._progress import progress
from ._routing import routing_options, tables_file, walked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..allocation import Interval, Replay, Trace
    from ..facts.allocation import AllocationRemark


@click.command("replay", cls=GroupedCommand)
@bare_fabric_argument
@click.argument("trace", metavar="[TRACE]", required=False)
@click.option(
    "--cores",
    type=CORES,
    metavar="N",
    help="Processors of a node; unless given, what the header of TRACE implies, or 1.",
)
@click.option(
    "--share",
    type=SHARE_OF_TIME,
    default=0.2,
    show_default=True,
    help="Mean part of its run time that a job sends for; each job's is drawn between 0 and twice that.",
)
@click.option(
    "--seeds",
    type=SEEDS,
    metavar="N",
    default=3,
    show_default=True,
    help="How often the parts are drawn, the same for every rule.",
)
@pattern_option
@routing_options
@json_option
def command(
    fabric: Fabric,  # noqa: ARG001 - its routes have it
    routes: Routes,
    trace: str | None,
    cores: int | None,
    share: float,
    seeds: int,
    pattern: str,
    as_json: bool,
) -> None:
    """Replay a trace of jobs under four rules of choosing nodes: first fit, Slurm's tree, contiguous, and `lacis fit`.

    TRACE is a file in the Standard Workload Format; without one a trace that was drawn at random is replayed, its
    sizes scaled to the machine. Jobs start first come, first served with EASY backfill.

    A job sends shifts of its nodes for a part of its run time, and that part takes as many times as long as its own
    flows and its neighbours' make it (modelled, static tables). Its run time in TRACE is taken for that at the full
    rate of its nodes' ports. Intervals have 95 % over the seeds. --share 0 replays without contention.
    """
    from .. import allocation
    from ..io.files import reading

    if trace is not None:
        with reading(trace) as data:
            jobs = allocation.read_trace(data, cores)
    with progress("the trace") as advance:
        machine = allocation.machine_of(routes)
        if trace is None:
            jobs = allocation.shipped_trace(len(machine.hosts))
        found = allocation.replay(
            machine,
            jobs,
            share=share,
            seeds=tuple(range(1, seeds + 1)),
            pattern=pattern,
            progress=advance,
        )
    remarks = [*left_out(jobs, found), *machine.remarks()]
    if as_json:
        _print_json(routes, jobs, found, remarks)
    else:
        _print(routes, found, remarks)


def left_out(trace: Trace, found: Replay) -> list[AllocationRemark]:
    """Remarks on jobs that were not replayed."""
    from ..facts.allocation import JobsTooLarge, JobsUnknown

    remarks: list[AllocationRemark] = []
    if trace.unknown:
        remarks.append(JobsUnknown(trace.unknown))
    if found.too_large:
        remarks.append(JobsTooLarge(found.too_large, found.nodes))
    return remarks


def _print_json(routes: Routes, trace: Trace, found: Replay, remarks: Sequence[AllocationRemark]) -> None:
    from ..documents.replay import MeanInterval, ReplayDocument, ReplayPolicy
    from ..facts.wording import text

    def interval(value: Interval) -> MeanInterval:
        return MeanInterval(value.mean, value.low, value.high)

    given = click.get_current_context().params
    print_json(
        ReplayDocument(
            provenance="modelled",
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            file=tables_file(),
            trace=given["trace"],
            jobs=len(found.jobs),
            unknown=trace.unknown,
            too_large=found.too_large,
            cores=trace.cores,
            nodes=found.nodes,
            share=found.share,
            seeds=found.seeds,
            pattern=given["pattern"],
            policies=[
                ReplayPolicy(
                    one.rule,
                    interval(one.wait),
                    interval(one.utilisation),
                    interval(one.slowdown),
                    interval(one.makespan),
                )
                for one in found.results
            ],
            notes=[text(one) for one in remarks],
            remarks=remarks,
        )
    )


def _print(routes: Routes, found: Replay, remarks: Sequence[AllocationRemark]) -> None:
    from ..facts.wording.allocation import RULES
    from ..facts.words import count

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    say(f"{count(len(found.jobs), 'job')} on {count(found.nodes, 'node')}, EASY backfill")
    say(walked(routes))
    say()
    table = new_table(
        "nodes by", "mean wait", "in use", "slow-down", "until the last ends", words=("nodes by",)
    )
    for one in found.results:
        table.add_row(
            RULES[one.rule],
            _with_interval(one.wait, duration),
            _with_interval(one.utilisation, lambda value: f"{value:.1%}"),
            _with_interval(one.slowdown, lambda value: f"{value:.3f}"),
            _with_interval(one.makespan, duration),
        )
    print_table(out, table)
    say()
    if found.share:
        say(
            f"modelled; jobs send for {found.share:.0%} of their run time on average; mean and 95 % interval of "
            f"{count(len(found.seeds), 'seed')}"
        )
    else:
        say("modelled, without contention")
    print_notes(say, remarks)


def _with_interval(value: Interval, shown: Callable[[float], str]) -> str:
    if value.low == value.high:
        return shown(value.mean)
    return f"{shown(value.mean)} ± {shown(value.high - value.mean)}"
