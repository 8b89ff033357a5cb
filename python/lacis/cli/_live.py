"""What `lacis top` and `lacis serve` show: which source, over which jobs, under which tables."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from ._progress import progress
from ._sources import opened, source_options
from ._to_simulate import SimulatedTraffic, simulated
from ._units import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._core import Fabric, Routes
    from ..fabric.ports import Ports
    from ..live import Timeline
    from ._counters_read import Through
    from ._to_simulate import ToSimulate


def live_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the sources of readings, `--simulate`, `--step`, and jobs."""
    for option in (
        click.option(
            "--adaptive",
            is_flag=True,
            help="Switches choose among all shortest paths: for the flows of jobs, and for --simulate.",
        ),
        click.option(
            "--job", "named", multiple=True, metavar="NAME=HOSTS", help="A job and its hosts; repeatable."
        ),
        click.option("--jobs", metavar="FILE", help="Jobs, as squeue prints them."),
        click.option(
            "--step",
            type=Span(0.001, 86_400 * 7),
            default="60s",
            show_default=True,
            metavar="TIME",
            help="From one instant of --store to the next.",
        ),
        click.option(
            "--simulate",
            "simulated",
            type=SimulatedTraffic(),
            metavar="'TRAFFIC KEY=VALUE …'",
            help="Show what `lacis simulate` makes of a traffic in place of readings; keys are its options' names.",
        ),
        click.option(
            "--opafm",
            metavar="FILE",
            help="Of --simulate: take adaptive routing from an opafm.xml, of its first instance.",
        ),
    ):
        function = option(function)
    return source_options(function)


def jobs_of(fabric: Fabric, file: str | None, named: tuple[str, ...]) -> dict[str, Sequence[str]]:
    """The jobs that are given: hosts by name."""
    from .. import job, watch
    from ..ranks import nodesets

    if file is not None and named:
        raise click.UsageError("jobs are given once: --jobs, or --job")
    if file is not None:
        return {one.name: one.hosts for one in watch.read_squeue(file, nodesets.hosts_of(fabric))}
    found: dict[str, Sequence[str]] = {}
    for text in named:
        name, equals, hosts = text.partition("=")
        if not (name and equals and hosts):
            raise click.UsageError(f"--job {text!r}: expected NAME=HOSTS")
        found[name] = job.hosts_of(fabric, hosts, "--job")
    return found


@contextlib.contextmanager
def timeline_of(
    fabric: Fabric,
    ports: Ports,
    through: Through,
    recordings: tuple[str, ...],
    store: str | None,
    *,
    step: float,
    traffic: ToSimulate | None,
    opafm: str | None,
    routes: Callable[[], Routes],
    adaptive: bool,
) -> Iterator[Timeline]:
    """The instants to be shown.

    Raises:
        LacisError: when a source cannot be read.
    """
    from .. import live

    if opafm is not None and traffic is None:
        raise click.UsageError("--opafm is for --simulate, which is not given")
    if traffic is not None:
        if recordings or store is not None:
            raise click.UsageError("--simulate makes what --from and --store would read; give one of them")
        found, name = simulated(routes(), traffic, opafm, adaptive=adaptive)
        yield live.Simulated(found, ports, name)
    elif recordings and store is not None:
        raise click.UsageError("--from and --store are two sources; give one of them")
    elif recordings:
        yield _recorded(fabric, recordings)
    elif store is not None:
        from ..counters.store import CounterStore

        kept = CounterStore(store)

        def damage() -> str:
            lost = kept.damaged
            return f"{lost[0].path}: {lost[0].reason}; what it held is not known" if lost else ""

        yield live.Kept(kept.span, kept.growth, store, step=max(1, round(step)), damage=damage)
    else:
        with opened(fabric, through, (), None) as (source, _):
            yield live.Swept(source.sweep, "live")


def _recorded(fabric: Fabric, recordings: tuple[str, ...]) -> Timeline:
    """Every sweep of the recordings."""
    from .. import live
    from ..counters.sources import Recordings

    source = Recordings(recordings, fabric)
    sweeps = []
    with progress("reading the recordings"):
        while not source.is_over:
            sweeps.append(source.sweep())
    return live.Recorded(sweeps, recordings[0] if len(recordings) == 1 else f"{len(recordings)} recordings")
