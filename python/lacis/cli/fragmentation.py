"""`lacis fragmentation`: how far running jobs are from the best nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._allocation import gigabytes, pattern_option, print_notes, read_squeue, squeue_option
from ._fabric import bare_fabric_argument
from ._help import GroupedCommand
from ._numbers import LISTED, SEED
from ._output import console, json_option, new_table, print_json, print_line, print_table
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._traffic import skip_absent_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..allocation import Fragment, Fragmentation, Score, Swap
    from ..documents.fit import AllocationRates
    from ..documents.fragmentation import FragmentRow, SwapRow
    from ..facts.allocation import AllocationRemark


@click.command("fragmentation", cls=GroupedCommand)
@bare_fabric_argument
@squeue_option
@pattern_option
@click.option("--top", type=LISTED, default=5, show_default=True, help="How many pairs of jobs to show.")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the search for the best nodes.")
@skip_absent_option
@routing_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    squeue: str | None,
    pattern: str,
    top: int,
    seed: int,
    as_json: bool,
) -> None:
    """How far each running job is from the best nodes of the empty machine, which share links, and one swap.

    A job's rate is that of the slowest flow in the worst shift of its hosts, alone and as part of a port's rate, and
    over all shifts beside the other jobs, which are taken to send what their own shifts put on each link on average.
    Modelled: max-min fair shares of the links, static.

    The swap is the exchange of one node, for a free one or another job's, that gives all nodes together most; those
    are tried that stand alone in their leaf group or on a job's most crowded link.
    """
    from .. import allocation

    if squeue is None:
        raise click.UsageError("which jobs run? give --squeue FILE")
    _, jobs, remarks = read_squeue(fabric, squeue)
    if not jobs:
        from ..errors import LacisError

        raise LacisError("no job of the list has nodes", source=squeue)
    with progress("the jobs") as advance:
        machine = allocation.machine_of(routes, [host for hosts in jobs.values() for host in hosts])
        found = allocation.fragmentation(machine, fabric, jobs, pattern=pattern, seed=seed, progress=advance)
    every = [*remarks, *found.remarks]
    if as_json:
        _print_json(routes, found, every, pattern)
    else:
        _print(routes, found, every, top)


def _print_json(
    routes: Routes, found: Fragmentation, remarks: Sequence[AllocationRemark], pattern: str
) -> None:
    from ..documents.fragmentation import FragmentationDocument, SharedLinks
    from ..facts.wording import text

    print_json(
        FragmentationDocument(
            provenance="modelled",
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            file=tables_file(),
            pattern=pattern,
            free=found.free,
            of=found.of,
            groups=found.groups,
            fastest=found.fastest,
            jobs=[_row(job, found.fastest) for job in found.jobs],
            shared=[
                SharedLinks(one.jobs, one.links, one.egress, one.ingress, one.flows) for one in found.shared
            ],
            swap=None if found.swap is None else _swap_row(found.swap),
            notes=[text(one) for one in remarks],
            remarks=remarks,
        )
    )


def _row(job: Fragment, fastest: float) -> FragmentRow:
    from ..documents.fit import AllocationRates
    from ..documents.fragmentation import FragmentRow

    def rates(score: Score) -> AllocationRates | None:
        if len(job.hosts) < 2:
            return None
        return AllocationRates(score.worst, score.mean, score.worst_beside, score.mean_beside)

    of_port, of_best = parts(job, fastest)
    return FragmentRow(
        job.name, job.hosts, job.groups, job.fewest, rates(job.score), rates(job.best), of_port, of_best
    )


def _swap_row(swap: Swap) -> SwapRow:
    from ..documents.fragmentation import SwapRow

    return SwapRow(
        swap.job, swap.leaves, swap.takes, swap.other or None, swap.before, swap.after, *swap.worst
    )


def parts(job: Fragment, fastest: float) -> tuple[float | None, float | None]:
    """A job's worst shift as part of a port's rate, and of the best; none for one node."""
    if len(job.hosts) < 2:
        return None, None
    worst = job.score.worst
    return min(1.0, worst / fastest), min(1.0, worst / job.best.worst) if job.best.worst else 1.0


def _print(routes: Routes, found: Fragmentation, remarks: Sequence[AllocationRemark], top: int) -> None:
    from ..facts.words import count

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    say(
        f"{count(len(found.jobs), 'job')}, {found.free:,} of {found.of:,} nodes free, {count(found.groups, 'leaf group')}"
    )
    say(walked(routes))
    say()
    table = new_table(
        "job", "nodes", "leaf groups", "fewest", "worst shift", "of a port", "best", "of the best", "mean beside",
        words=("job",),
    )  # fmt: skip
    for job in found.jobs:
        of_port, of_best = parts(job, found.fastest)
        groups = (str(len(job.hosts)), str(job.groups), str(job.fewest))
        if of_port is None or of_best is None:
            table.add_row(job.name, *groups, "in memory", "–", "–", "–", "–")
            continue
        table.add_row(
            job.name,
            *groups,
            gigabytes(job.score.worst),
            f"{of_port:.3g}",
            gigabytes(job.best.worst),
            f"{of_best:.0%}",
            gigabytes(job.score.mean_beside),
        )
    print_table(out, table)
    say()
    say(
        f"[GB/s], modelled: the slowest flow of a shift, static; {gigabytes(found.fastest)} a port; best: on the empty machine"
    )
    print_notes(say, remarks)
    _print_shared(say, found, top)
    _print_swap(say, found)


def _print_shared(say: Callable[..., None], found: Fragmentation, top: int) -> None:
    from ..facts.words import count

    say()
    if not found.shared:
        say("No two jobs use the same links between switches.")
        return
    say(
        f"{count(len(found.shared), 'pair')} of jobs use the same links; the link that both load most, flows on average:"
    )
    for one in found.shared[:top]:
        a, b = one.flows
        say(
            f"  {one.jobs[0]} and {one.jobs[1]}: {count(one.links, 'link')}; {a:.3g} and {b:.3g} flows  {one.egress} → {one.ingress}"
        )
    if len(found.shared) > top:
        say(f"  and {len(found.shared) - top:,} more (--json)")


def _print_swap(say: Callable[..., None], found: Fragmentation) -> None:
    say()
    swap = found.swap
    if swap is None:
        say("No swap of one node that was tried gives the jobs more.")
        return
    whose = f"{swap.takes} of job {swap.other}" if swap.other else f"{swap.takes}, which is free"
    say(
        f"swap that helps most: {swap.leaves} of job {swap.job} for {whose}: all nodes together {gigabytes(swap.before)} → "
        f"{gigabytes(swap.after)} GB/s (+{swap.after / swap.before - 1:.1%}); worst shift of job {swap.job} "
        f"{gigabytes(swap.worst[0])} → {gigabytes(swap.worst[1])}"
        if swap.before
        else f"swap that helps most: {swap.leaves} of job {swap.job} for {whose}: its hosts reach each other then"
    )
