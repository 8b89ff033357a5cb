"""`lacis fit`: the best free nodes for a job, and what other rules would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ._allocation import duration, gigabytes, pattern_option, print_notes, read_squeue, squeue_option
from ._fabric import bare_fabric_argument
from ._help import GroupedCommand
from ._numbers import HOSTS, SEED
from ._output import console, json_option, new_table, print_json, print_line, print_table
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._traffic import skip_absent_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._core import Fabric, Routes
    from ..allocation import Choice, Fit, JobsToEnd, Machine
    from ..facts.allocation import AllocationRemark


@click.command("fit", cls=GroupedCommand)
@bare_fabric_argument
@click.option("--nodes", type=HOSTS, metavar="N", help="Nodes of the job.")
@click.option(
    "--free", metavar="HOSTS", help="Hosts that are free: a set such as node[001-018], or file:PATH."
)
@squeue_option
@pattern_option
@click.option(
    "--how-long",
    type=HOSTS,
    metavar="N",
    help="Which jobs must end before N nodes have the bandwidth that --nodes gets, or else that of an empty machine.",
)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the search.")
@skip_absent_option
@routing_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    nodes: int | None,
    free: str | None,
    squeue: str | None,
    pattern: str,
    how_long: int | None,
    seed: int,
    as_json: bool,
) -> int:
    """The best free nodes for a job under these tables, beside what Slurm's tree, first fit and contiguous would take.

    The best have the highest rate in the worst shift of all hosts of the job, then over all shifts beside the running
    jobs; they are in no more leaf groups than Slurm's choice.

    Exit status 1: hosts of the best choice do not reach each other, or no jobs that end suffice.
    \f

    A leaf group is the hosts with the same leaf switches. Rates are those of a shift's slowest flow: modelled, max-min
    fair shares of the links, without latency or queues. Running jobs are taken to send what their own shifts put on
    each link on average.
    """  # noqa: D301
    from .. import allocation

    if nodes is None and how_long is None:
        raise click.UsageError("how many nodes? give --nodes N, or --how-long N")
    if how_long is not None and squeue is None:
        raise click.UsageError("--how-long needs the running jobs: --squeue FILE")
    if (free is None) == (squeue is None):
        raise click.UsageError("which nodes are free? give --free HOSTS or --squeue FILE")
    remarks: list[AllocationRemark] = []
    jobs: dict[str, list[str]] = {}
    queue, named = None, None
    if squeue is not None:
        queue, jobs, remarks = read_squeue(fabric, squeue)
    if free is not None:
        named, remarks = free_hosts(fabric, free)
    with progress("the best nodes"):
        machine = allocation.machine_of(routes, named or [host for hosts in jobs.values() for host in hosts])
        found = None
        if nodes is not None:
            found = allocation.fit(machine, nodes, named, running=jobs, pattern=pattern, seed=seed)
        waiting = None
        if how_long is not None and queue is not None:
            waiting = allocation.how_long(
                machine,
                how_long,
                found.best.score.worst if found and found.best.score else None,
                [(job, jobs[job.name]) for job in queue.running if job.name in jobs],
                pattern=pattern,
                seed=seed,
            )
    remarks += found.remarks if found else machine.remarks()
    if as_json:
        _print_json(routes, machine, found, waiting, remarks, jobs)
    else:
        _print(routes, found, waiting, remarks)
    lost = (found is not None and not found.is_routed) or (waiting is not None and waiting.reached is None)
    return 1 if lost else 0


def free_hosts(fabric: Fabric, text: str) -> tuple[list[str], list[AllocationRemark]]:
    """The hosts of `--free`, and remarks on their names."""
    from ..allocation import matched
    from ..io.files import reading
    from ..ranks import nodesets

    known = nodesets.hosts_of(fabric)
    path = text.removeprefix("file:")
    if path != text:
        with reading(path) as data:
            named = [name for _, name in nodesets.listed(data)]
            return matched(fabric, named, "")
    try:
        named = [text] if text in set(known) else nodesets.expand(text, known)
    except LacisError as error:
        raise error.within("--free") from None
    return matched(fabric, named, "--free")


def _print_json(
    routes: Routes,
    machine: Machine,
    found: Fit | None,
    waiting: JobsToEnd | None,
    remarks: Sequence[AllocationRemark],
    jobs: Mapping[str, Sequence[str]],
) -> None:
    from msgspec import UNSET

    from ..documents.fit import AllocationRates, FitChoice, FitDocument, FitWaiting
    from ..documents.job import ShiftsTried
    from ..facts.wording import text

    busy = {host for hosts in jobs.values() for host in hosts}
    looked, of = found.shifts if found else (0, 0)
    choices = [
        FitChoice(
            choice.rule,
            choice.hosts,
            choice.groups,
            None
            if (score := choice.score) is None
            else AllocationRates(score.worst, score.mean, score.worst_beside, score.mean_beside),
        )
        for choice in (found.choices if found else ())
    ]
    print_json(
        FitDocument(
            provenance="modelled",
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            file=tables_file(),
            nodes=found.nodes if found else None,
            free=found.free if found else len(machine.hosts) - len(busy),
            of=len(machine.hosts),
            groups=len(machine.groups),
            jobs=len(jobs),
            pattern=click.get_current_context().params["pattern"],
            shifts=ShiftsTried(looked, of),
            fastest=machine.paths.fastest,
            choices=choices,
            slurm=slurm_options(found.best) if found and found.is_routed else None,
            waiting=UNSET
            if waiting is None
            else FitWaiting(
                waiting.nodes, waiting.wanted, waiting.jobs, waiting.seconds, waiting.reached, waiting.hosts
            ),
            notes=[text(one) for one in remarks],
            remarks=list(remarks),
        )
    )


def slurm_options(choice: Choice) -> str:
    """The options that ask Slurm for nodes."""
    from ..ranks import nodesets

    return f"-N {len(choice.hosts)} -w {nodesets.fold(choice.hosts)}"


def _print(
    routes: Routes,
    found: Fit | None,
    waiting: JobsToEnd | None,
    remarks: Sequence[AllocationRemark],
) -> None:
    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    if found is not None:
        _print_fit(routes, found)
    print_notes(say, remarks)
    if found is not None and found.is_routed:
        say()
        # Not wrapped: a shell reads it.
        click.echo(f"salloc {slurm_options(found.best)}")
    if waiting is not None:
        if found is not None:
            say()
        for line in _waiting_lines(waiting):
            say(line)


def _print_fit(routes: Routes, found: Fit) -> None:
    from ..facts.wording.allocation import RULES
    from ..facts.words import count

    out = console()
    print_line(
        out,
        f"{count(found.nodes, 'node')} of {found.free:,} free, of {found.of:,} in {count(found.groups, 'leaf group')}; "
        f"{count(found.jobs, 'job')} beside",
    )
    print_line(out, walked(routes))
    print_line(out)
    columns = ["nodes by", "leaf groups", "worst shift", "mean"]
    if found.jobs:
        columns += ["worst beside", "mean beside"]
    table = new_table(*columns, words=("nodes by",))
    for choice in found.choices:
        if (score := choice.score) is None:
            continue
        rates = [score.worst, score.mean, score.worst_beside, score.mean_beside][: len(columns) - 2]
        table.add_row(RULES[choice.rule], str(choice.groups), *map(gigabytes, rates))
    print_table(out, table)
    looked, of = found.shifts
    print_line(out)
    print_line(
        out,
        f"[GB/s], modelled: the slowest flow of a shift, static; {looked:,} of {count(of, 'shift')} looked at; "
        f"{gigabytes(found.fastest)} a port",
    )


def _waiting_lines(waiting: JobsToEnd) -> list[str]:
    from ..facts.words import count, noun
    from ..ranks import nodesets

    goal = f"{count(waiting.nodes, 'node')} with {gigabytes(waiting.wanted)} GB/s in the worst shift"
    if waiting.reached is None:
        return [f"{goal}: not even on the empty machine"]
    if not waiting.jobs:
        lines = [f"{goal}: free now"]
    else:
        when = "" if waiting.seconds is None else f", in {duration(waiting.seconds)} at the latest"
        many = len(waiting.jobs)
        lines = [
            f"{goal}: {count(many, 'job')} must end{when}",
            f"  {noun(many, 'job')} {', '.join(waiting.jobs)}",
        ]
    return [*lines, f"  then {gigabytes(waiting.reached)} GB/s: {nodesets.fold(waiting.hosts)}"]
