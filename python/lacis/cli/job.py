"""`lacis job`: a job on its fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._fabric import bare_fabric_argument
from ._help import GroupedCommand
from ._numbers import SEED, SOME_LISTED
from ._output import console, finite, json_option, print_json, print_line
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._traffic import skip_absent_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes
    from ..documents.job import JobMeeting
    from ..job.examination import Job, Meeting

_FLOWS = 4
_LEAVES = 12
"""Flows of a link, and leaves of a rail, that are printed before the rest are counted."""


@click.command("job", cls=GroupedCommand)
@bare_fabric_argument
@click.argument("hosts", metavar="[HOSTS]", required=False)
@click.option("--slurm", metavar="LIST", help='The hosts as Slurm has them: --slurm "$SLURM_JOB_NODELIST".')
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="HOSTS",
    help="Another job that runs at the same time; repeatable.",
)
@click.option("--top", type=SOME_LISTED, default=10, show_default=True, help="How many shared links to show.")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the shifts of other jobs.")
@skip_absent_option
@routing_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    hosts: str | None,
    slurm: str | None,
    others: tuple[str, ...],
    top: int,
    seed: int,
    as_json: bool,
) -> int:
    """Where a job sits, which of its flows share a link, what it gets alone and beside other jobs.

    HOSTS is a set as ClusterShell writes it (`dgx[001-064]`, `a,b`, `@group`), PBS's exec_vnode, or `file:PATH`: names and sets,
    or a machine file, a rank file or a topology as launchers and schedulers write them.
    Ranks follow the order of the hosts.

    Bandwidths are modelled: max-min fair shares of the links, without latency or queues. Adaptive: switches spread
    packets evenly over all shortest paths.

    Exit status 1: hosts of the job do not reach each other.
    """
    from .. import job

    if (hosts is None) == (slurm is None):
        raise click.UsageError("the job's hosts are given once: HOSTS, or --slurm LIST")
    named = job.hosts_of(fabric, hosts or slurm or "", "--slurm" if hosts is None else "HOSTS")
    beside = {text: job.hosts_of(fabric, text, "--with") for text in others}
    with progress("the job") as advance:
        found = job.examine(routes, named, others=beside, shared=top, seed=seed, progress=advance)
    if as_json:
        _print_json(routes, found, others)
    else:
        _print(routes, found)
    return 0 if found.is_routed else 1


def _print_json(routes: Routes, found: Job, others: tuple[str, ...]) -> None:
    from ..documents.job import JobDocument, ShiftsTried
    from ..facts.wording import text

    looked, of = found.shifts
    document = JobDocument(
        provenance="modelled",
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        file=tables_file(),
        adaptive="packets spread evenly over all shortest paths",
        hosts=found.hosts,
        rails=list(found.rails),
        shared=list(found.shared),
        bandwidths=list(found.bandwidths),
        notes=[text(remark) for remark in found.remarks],
        remarks=found.remarks,
        shifts=ShiftsTried(looked, of),
        beside=list(others),
        meetings=[_meeting_row(meeting) for meeting in found.meetings],
    )
    print_json(document)


def _meeting_row(meeting: Meeting) -> JobMeeting:
    from ..documents.job import JobMeeting, MeetingLink

    return JobMeeting(
        name=meeting.name,
        hosts=meeting.hosts,
        common=meeting.common,
        links=meeting.links,
        worst=[MeetingLink(*link) for link in meeting.worst],
        alone=meeting.alone,
        together=meeting.together,
        worst_alone=meeting.worst_alone,
        worst_together=meeting.worst_together,
        slower=meeting.slower,
        slowdown=finite(meeting.slowdown),
    )


def _print(routes: Routes, found: Job) -> None:
    from ..ranks import nodesets

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    say(f"{_count(len(found.hosts), 'host', 'hosts')}: {nodesets.fold(found.hosts)}")
    say(walked(routes))
    _print_rails(say, found)
    _print_shared(say, found)
    _print_bandwidths(say, found)
    for meeting in found.meetings:
        _print_meeting(say, meeting)


def _print_rails(say: Callable[..., None], found: Job) -> None:
    from ..ranks import nodesets

    for rail in found.rails:
        say()
        say(
            f"rail {rail.rail}: {_count(rail.hosts, 'host', 'hosts')} on {_count(len(rail.leaves), 'leaf', 'leaves')}, "
            f"{_count(len(rail.spines), 'switch', 'switches')} above them and {_count(rail.links, 'link', 'links')} in use"
        )
        for leaf in rail.leaves[:_LEAVES]:
            say(f"  {len(leaf.hosts):>5}  {leaf.name}  {nodesets.fold(leaf.hosts)}")
        if len(rail.leaves) > _LEAVES:
            say(f"  and {_count(len(rail.leaves) - _LEAVES, 'more leaf', 'more leaves')} (--json)")
        if rail.without:
            say(f"  without an adapter on it: {nodesets.fold(rail.without)}")


def _print_shared(say: Callable[..., None], found: Job) -> None:
    say()
    if not found.shared:
        say("No link between switches can have two flows of the job at a time.")
        return
    say("flows that share a link, worst first: as many as can be in flight at a time, no host twice")
    for link in found.shared:
        shown = ", ".join(f"{a} → {b}" for a, b in link.flows[:_FLOWS])
        more = f", and {len(link.flows) - _FLOWS:,} more" if len(link.flows) > _FLOWS else ""
        say(
            f"  {len(link.flows):>4} of {_count(link.pairs, 'pair', 'pairs')}  rail {link.rail}, {link.egress} → {link.ingress}"
        )
        say(f"        {shown}{more}")


def _print_bandwidths(say: Callable[..., None], found: Job) -> None:
    from ..facts.wording import text

    if found.bandwidths:
        looked, of = found.shifts
        say()
        say(f"{'alone [GB/s], modelled':<24} {'static':>9} {'adaptive':>9}")
        for row in found.bandwidths:
            say(f"  {row.what:<22} {_gigabytes(row.static):>9} {_gigabytes(row.adaptive):>9}  {row.counted}")
        say(
            f"  {looked:,} of {_count(of, 'shift', 'shifts')} looked at; adaptive: packets spread evenly over all shortest paths"
        )
    for remark in found.remarks:
        say(f"  {text(remark)}")


def _print_meeting(say: Callable[..., None], meeting: Meeting) -> None:
    say()
    say(
        f"beside {meeting.name} ({_count(meeting.hosts, 'host', 'hosts')}), modelled, static: "
        f"{_count(meeting.links, 'link between switches is', 'links between switches are')} used by both"
    )
    if meeting.common:
        from ..ranks import nodesets

        say(f"  in both jobs: {nodesets.fold(meeting.common)}")
    say(
        f"  a flow, mean of shifts of both: {_gigabytes(meeting.alone)} GB/s alone, {_gigabytes(meeting.together)} together "
        f"({meeting.slowdown:.2f} times as long; {meeting.slower:.0%} of flows are slower)"
    )
    say(
        f"  in the shift that loses most: {_gigabytes(meeting.worst_alone)} GB/s alone, "
        f"{_gigabytes(meeting.worst_together)} together"
    )
    for rail, egress, ingress, own, other in meeting.worst[:5]:
        say(f"  {own:>6} pairs and {other} of the other  rail {rail}, {egress} → {ingress}")


def _gigabytes(rate: float | None) -> str:
    return "–" if rate is None else f"{rate / 1e9:.4g}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
