"""`lacis watch`: what goes wrong on the fabric, as it does."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import click

from ._fabric import bare_fabric_argument, source
from ._help import GroupedCommand
from ._live import named_jobs
from ._numbers import SHARE_ABOVE_0, SWEEPS
from ._routing import make_routes, routing_choice
from ._sources import opened, source_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from .._core import Fabric
    from ..watch import Event, WatchedFile
    from ._counters_read import Through
    from ._routing_options import RoutingArguments


@click.command("watch", cls=GroupedCommand)
@bare_fabric_argument
@source_options
@click.option("--no-counters", is_flag=True, help="Watch the files alone.")
@click.option(
    "--jobs",
    metavar="FILE",
    help="Jobs that run, as squeue prints them; read again when it changes.",
)
@click.option("--job", "named", multiple=True, metavar="NAME=HOSTS", help="A job; repeatable.")
@click.option("--log", metavar="FILE", help="OpenSM's log: whether it falls back to another engine.")
@click.option("--plan", metavar="PLAN", help="Whether FABRIC is cabled as planned.")
@click.option(
    "--hot",
    type=SHARE_ABOVE_0,
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="From this share of its rate on a link is hot.",
)
@click.option("--sweeps", type=SWEEPS, metavar="N", help="End after so many.")
@routing_choice
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line instead of text.")
def command(
    fabric: Fabric,
    routing: RoutingArguments,
    recordings: tuple[str, ...],
    store: str | None,
    every: float,
    no_counters: bool,
    jobs: str | None,
    named: tuple[str, ...],
    log: str | None,
    plan: str | None,
    hot: float,
    sweeps: int | None,
    through: Through,
    as_json: bool,
) -> int:
    """Print what goes wrong on FABRIC as it does: a line when it begins, and one when it has ended for good.

    Cables that are bad or flap, hot links and the jobs that cross them, changed tables, a manager that fell back.

    Exit status 1: something is wrong at the end.
    \f
    Cables with more errors than good ones have, or that flap; links that are down; hot links, and the jobs whose flows cross them
    by --lfts, or by the tables of -R; tables of --lfts that changed; a manager that fell back to another engine; a FABRIC that,
    read again when it changes, is not as planned; ports that give no answer, and counters that are full.

    A cable is good again after 126 minutes without a reason, a hot link after five minutes.

    Jobs are given as `squeue -o "%i|%t|%N"` prints them, or as NAME=HOSTS, where HOSTS may be file:PATH.

    It ends after the last recording of --from, after --sweeps, on SIGTERM or Ctrl-C, and otherwise never.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from .. import watch
    from ..fabric.ports import ports_of

    if no_counters and (recordings or store is not None):
        raise click.UsageError("--no-counters leaves nothing to read in --from and --store")
    if no_counters and not (log or plan or routing.lfts):
        raise click.UsageError("--no-counters needs a file to watch: --log, --plan or --lfts")
    if jobs is not None and named:
        raise click.UsageError("jobs are given once: --jobs, or --job")
    ports, running = ports_of(fabric), _jobs(fabric, jobs, named)
    with contextlib.ExitStack() as stack:
        counters = None if no_counters else stack.enter_context(opened(fabric, through, recordings, store))[0]
        watched = watch.Watch(
            ports,
            source=counters,
            hot=hot,
            running=running or {},
            crossing=None if running is None else watch.Crossing(make_routes(fabric, routing), ports),
            log=None if log is None else watch.ManagerLog(log),
            tables=None if routing.lfts is None else watch.WatchedTables(routing.lfts, fabric),
            cabling=None if plan is None else watch.WatchedCabling(plan, source()[0]),
            clock=None if recordings else time.time,
            oldest=max(watch.OLDEST, 10 * every),
            insists=bool(recordings),
        )
        ended = stack.enter_context(_asked_to_end())
        left, due = sweeps, time.monotonic()
        while not ended.is_set():
            for event in watched.step():
                _print(event, as_json=as_json)
            sys.stdout.flush()
            left = None if left is None else left - 1
            if left == 0 or (left is None and getattr(counters, "is_over", False)):
                break
            due = max(due + (0 if recordings else every), time.monotonic())
            ended.wait(due - time.monotonic())
    return 1 if watched.conditions.open else 0


@contextlib.contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """What SIGTERM sets, with which services are ended."""
    ended = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield ended
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


def _jobs(
    fabric: Fabric, file: str | None, named: tuple[str, ...]
) -> WatchedFile[dict[str, tuple[str, ...]]] | Mapping[str, Sequence[str]] | None:
    from .. import watch
    from ..job.slurm import running_hosts
    from ..ranks import nodesets

    if file is not None:
        hosts = nodesets.hosts_of(fabric)
        return watch.WatchedFile(file, lambda path: running_hosts(path, hosts))
    return named_jobs(fabric, named) or None


def _print(event: Event, *, as_json: bool) -> None:
    from ..facts.watch import SEVERITY
    from ..facts.wording import text
    from ..facts.words import harmless, utc

    severity = SEVERITY[type(event.condition)]
    if as_json:
        import msgspec

        from ..documents.watch import WatchDocument

        document = WatchDocument(
            event="opened" if event.opened else "closed",
            number=event.number,
            time=utc(event.time),
            since=utc(event.since),
            severity=severity,
            words=text(event.condition),
            condition=event.condition,
        )
        # As escapes, so that any output can hold it.
        click.echo(json.dumps(msgspec.to_builtins(document), allow_nan=False))
        return
    what = severity if event.opened else f"over after {_lasting(event.time - event.since)}, {severity}"
    click.echo(harmless(f"{utc(event.time)}  {event.number}  {what}: {text(event.condition)}"))


def _lasting(seconds: float) -> str:
    """A time in hours and minutes, or in seconds where it is short."""
    minutes = round(seconds / 60)
    return (
        f"{minutes // 60} h {minutes % 60} min"
        if minutes >= 60
        else f"{minutes} min"
        if minutes
        else f"{seconds:.0f} s"
    )
