"""`lacis why`: whether the fabric slowed a job down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._fabric import uncounted_fabric_argument
from ._help import GroupedCommand
from ._numbers import SHARE_ABOVE_0, SOME_LISTED, Real
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._traffic import skip_absent_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..documents.why import JobsShare, WhyBusyLink, WhyLink
    from ..why import Why

_STATUS = {"innocent": 0, "guilty": 1, "busy": 1, "cannot_tell": 2}


@click.command("why", cls=GroupedCommand)
@uncounted_fabric_argument
@click.argument("job", metavar="[JOB]", required=False)
@click.option("--slurm", metavar="LIST", help='Its hosts as Slurm has them: --slurm "$SLURM_JOB_NODELIST".')
@click.option(
    "--jobs",
    metavar="FILE",
    help="Output of squeue or sacct: JOB is a number there, the others are other jobs.",
)
@click.option(
    "--with", "others", multiple=True, metavar="HOSTS", help="Another job of that time; repeatable."
)
@click.option(
    "--counters",
    "sources",
    multiple=True,
    required=True,
    metavar="STORE",
    help="A store of counters or a recording; or, given twice, one from before and one from after.",
)
@click.option("--from-time", metavar="TIME", help="The window: from, such as 2026-11-28T12:00.")
@click.option("--to", "to_time", metavar="TIME", help="The window: to.")
@click.option(
    "--last", metavar="TIME", help="The window: the last 10m, 2h, … up to --to, or to the last reading."
)
@click.option(
    "--log", metavar="FILE", help="The job's log: known failures in it, and cables that they share."
)
@click.option(
    "--adaptive", is_flag=True, help="Switches choose among all shortest paths: judge all their links."
)
@click.option(
    "--utilisation",
    type=SHARE_ABOVE_0,
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="Of its rate that makes a link busy.",
)
@click.option(
    "--waiting",
    type=SHARE_ABOVE_0,
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Of the time in which data waits that holds a link up.",
)
@click.option(
    "--tick",
    type=Real(0.5, 4096),
    default=8,
    show_default=True,
    metavar="BYTES",
    help="What could be sent in a tick of XmitWait: devices differ, so it is assumed.",
)
@click.option("--top", type=SOME_LISTED, default=10, show_default=True, help="How many links to show.")
@skip_absent_option
@routing_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    job: str | None,
    slurm: str | None,
    jobs: str | None,
    others: tuple[str, ...],
    sources: tuple[str, ...],
    log: str | None,
    adaptive: bool,
    utilisation: float,
    waiting: float,
    tick: float,
    top: int,
    as_json: bool,
    **times: str | None,
) -> int:
    """Was it the fabric? A job's links by the tables, what each did in a window of time, and a verdict.

    JOB is a set of hosts as for `lacis job`; with --jobs it is the job's number there, and the window is the job's own where
    the list has its times.

    guilty: this cable or adapter. busy: these jobs, with this share. innocent: all ports of the job were read at both ends of
    the window, up, clean and below the thresholds. cannot tell: these readings are missing.

    Exit status: 0 innocent; 1 guilty or busy; 2 cannot tell, or bad input.
    """
    from .. import why
    from ._why_input import counters_of, hosts_of_job, window_of

    own = hosts_of_job(fabric, job, slurm, jobs, others)
    with progress("counters"):
        counted = counters_of(fabric, sources)
    window = window_of(counted, own, **times)
    failed = None if log is None else why.read_log(log, routes)
    with progress("the job") as advance:
        found = why.examine(
            routes,
            own.hosts,
            counted.over(window),
            counted.enclosed(window),
            name=own.name,
            others=own.others(window),
            adaptive=adaptive
            or bool(routes.port_groups() and fabric.technology == "Omni-Path" and tables_file()),
            thresholds=why.Thresholds(utilisation, waiting, tick),
            log=failed,
            progress=advance,
        )
    if as_json:
        _print_json(routes, found)
    else:
        _print(routes, found, top)
    return _STATUS[found.verdict]


def _print_json(routes: Routes, found: Why) -> None:
    from ..documents.why import WhyDocument, WhyThresholds, WhyWindow
    from ..facts.wording import text
    from ..job.windows import stamp

    window, limits = found.window, found.thresholds
    document = WhyDocument(
        verdict=found.verdict,
        text=text(found.fact),
        fact=found.fact,
        job=found.job,
        hosts=found.hosts,
        window=WhyWindow(stamp(window.begin), stamp(window.end), window.seconds),
        adaptive=found.adaptive,
        engine_used=routes.engine_used,
        file=tables_file(),
        thresholds=WhyThresholds(limits.utilisation, limits.waiting, limits.tick),
        guilty=list(found.guilty),
        busy=list(found.busy),
        missing=list(found.missing),
        missing_words=[text(one) for one in found.missing],
        others=list(found.others),
        log=list(found.log),
        links=list(found.links),
    )
    print_json(document)


def _print(routes: Routes, found: Why, top: int) -> None:
    from ..facts.wording import text
    from ..facts.words import count
    from ..job.windows import stamp
    from ..ranks import nodesets
    from ..why.judge import required

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    print_line(out, text(found.fact), "bold")
    say()
    say(f"job       {count(len(found.hosts), 'host')}: {nodesets.fold(found.hosts)}")
    say(f"window    {stamp(found.window.begin)} to {stamp(found.window.end)}, {found.window.seconds:,.0f} s")
    which = "all shortest paths, as switches choose" if found.adaptive else walked(routes)
    say(f"links     {len(found.links):,}; {which}")
    if found.others:
        say(
            f"beside    {', '.join(f'{one.name} ({one.hosts:,})' for one in found.others[:top])}{_more(len(found.others) - top)}"
        )
    _print_guilty(say, found, top)
    _print_busy(say, found.busy, top)
    if found.missing and found.verdict != "innocent":
        say()
        say("missing" if found.verdict == "cannot_tell" else "not known besides")
        for one in found.missing:
            say(f"  {text(one)}")
    if found.log:
        say()
        for failure in found.log[:top]:
            say(f"in the log: {failure.code}, {count(failure.lines, 'time')}: {failure.cause}")
    _print_links(say, found.links, required(routes.fabric.technology), top)


def _print_guilty(say: Callable[..., None], found: Why, top: int) -> None:
    from ..facts.wording import text

    for part in found.guilty[:top]:
        say()
        beyond = "" if part.of_job else ", which the job waits behind"
        say(f"{part.part} {' – '.join(part.ends)}{beyond}")
        for one in part.evidence:
            say(f"  {text(one)}")
    if len(found.guilty) > top:
        say(f"and {len(found.guilty) - top:,} more (--json)")


def _print_busy(say: Callable[..., None], busy: Sequence[WhyBusyLink], top: int) -> None:
    for link in busy[:top]:
        say()
        beyond = "" if link.of_job else ", which the job waits behind"
        say(
            f"{link.egress} → {link.ingress}{beyond}: {link.utilisation:.0%} of its rate, busy {link.busy:.0%} of the time"
        )
        if link.choice > 1:
            say(f"  {link.choice_busy:,} of {link.choice:,} links among which switches choose there are busy")
        for part in link.shares:
            who = " and ".join(part.jobs)
            beside = ", which these readings cannot separate" if len(part.jobs) > 1 else ""
            say(f"  {_share(part)}  {who}{beside}")
        if link.rest is not None and link.rest >= 0.005:
            say(f"  {link.rest:>4.0%}       other traffic")
    if len(busy) > top:
        say(f"and {len(busy) - top:,} more (--json)")


def _share(part: JobsShare) -> str:
    """A share with how exact it is, or from where to where where a number would say too much."""
    from ..why.shares import bounds, is_number

    if is_number(part.within):
        return f"{part.share:>4.0%} ± {part.within:.0%}"
    least, most = bounds(part.share, part.within)
    return f"{least:.0%} to {most:.0%}"


def _print_links(say: Callable[..., None], links: Sequence[WhyLink], needed: Sequence[str], top: int) -> None:
    say()
    say("carried  waited  errors  link of the job, those with errors first, then the busiest")
    ordered = sorted(
        links, key=lambda link: (-sum(link.errors.values()), -(link.utilisation or 0), link.egress)
    )
    for link in ordered[:top]:
        say(
            f"{_percent(link.utilisation):>7}  {_percent(link.waiting):>6}  {_errors(link, needed):>6}  {link.egress} → {link.ingress}"
            + (f"  also {', '.join(link.jobs[:2])}{_more(len(link.jobs) - 2)}" if link.jobs else "")
        )
    if len(links) > top:
        say(f"and {len(links) - top:,} more (--json)")


def _errors(link: WhyLink, needed: Sequence[str]) -> str:
    """How many errors its port has counted, at least; unknown where it has counted none and a counter that is needed to say so was not read."""
    from ..why.measured import ERRORS

    is_known = bool(link.errors) or not any(name in link.lost for name in needed if name in ERRORS)
    return f"{sum(link.errors.values()):,}" if is_known else "?"


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share:.1%}"


def _more(number: int) -> str:
    return f" and {number:,} more" if number > 0 else ""
