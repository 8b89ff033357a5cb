"""What `lacis top` and `lacis serve` show: which source, over which jobs, under which tables."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ._packet_settings import spreads
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
    """Adds the sources of readings, `--simulate`, `--step`, and jobs; the command receives them as `shown`, a `Shown`."""
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

    @functools.wraps(function)
    def with_shown(
        *args: Any,
        recordings: tuple[str, ...],
        store: str | None,
        every: float,
        step: float,
        simulated: ToSimulate | None,
        opafm: str | None,
        jobs: str | None,
        named: tuple[str, ...],
        adaptive: bool,
        through: Through,
        **kwargs: Any,
    ) -> Any:
        shown = Shown(recordings, store, every, step, simulated, opafm, jobs, named, adaptive, through)
        return function(*args, shown=shown, **kwargs)

    return source_options(with_shown)


@dataclass(frozen=True)
class Shown:
    """What is to be shown, as it is typed."""

    recordings: tuple[str, ...]
    store: str | None
    every: float
    step: float
    simulated: ToSimulate | None
    opafm: str | None
    jobs: str | None
    named: tuple[str, ...]
    adaptive: bool
    through: Through

    @property
    def has_source(self) -> bool:
        """Whether readings or a simulation are named."""
        return bool(self.recordings) or any(
            one is not None for one in (self.store, self.simulated, self.opafm)
        )

    @functools.cached_property
    def is_spread(self) -> bool:
        """Whether switches choose among all shortest paths: as is typed, or by the opafm.xml of what is simulated.

        Raises:
            LacisError: when that file cannot be read.
        """
        if self.opafm is None or self.simulated is None:
            return self.adaptive
        return self.adaptive or spreads(self.opafm, self.simulated.device)

    def jobs_of(self, fabric: Fabric) -> dict[str, Sequence[str]]:
        """The jobs that are given: hosts by name.

        Raises:
            LacisError: when they cannot be read, or are not of the fabric.
        """
        from ..job.slurm import running_hosts
        from ..ranks import nodesets

        if self.jobs is not None and self.named:
            raise click.UsageError("jobs are given once: --jobs, or --job")
        if self.jobs is not None:
            return dict(running_hosts(self.jobs, nodesets.hosts_of(fabric)))
        return named_jobs(fabric, self.named)

    @contextlib.contextmanager
    def timeline(self, fabric: Fabric, ports: Ports, routes: Callable[[], Routes]) -> Iterator[Timeline]:
        """The instants to be shown; `routes` makes tables, where a simulation needs some.

        Raises:
            LacisError: when a source cannot be read.
        """
        from .. import live

        if self.opafm is not None and self.simulated is None:
            raise click.UsageError("--opafm is for --simulate, which is not given")
        if self.simulated is not None and (self.recordings or self.store is not None):
            raise click.UsageError("--simulate makes what --from and --store would read; give one of them")
        if self.recordings and self.store is not None:
            raise click.UsageError("--from and --store are two sources; give one of them")
        if self.simulated is not None:
            found, name = simulated(routes(), self.simulated, self.opafm, adaptive=self.adaptive)
            yield live.Simulated(found, ports, name)
        elif self.recordings:
            yield _recorded(fabric, self.recordings)
        elif self.store is not None:
            yield _kept(self.store, self.step)
        else:
            with opened(fabric, self.through, (), None) as (source, _):
                yield live.Swept(source.sweep, "live")


def named_jobs(fabric: Fabric, named: tuple[str, ...]) -> dict[str, Sequence[str]]:
    """Jobs as `--job NAME=HOSTS` has them: hosts by name.

    Raises:
        LacisError: when hosts are not of the fabric.
    """
    from .. import job

    found: dict[str, Sequence[str]] = {}
    for text in named:
        name, equals, hosts = text.partition("=")
        if not (name and equals and hosts):
            raise click.UsageError(f"--job {text!r}: expected NAME=HOSTS")
        found[name] = job.hosts_of(fabric, hosts, "--job")
    return found


def _kept(path: str, step: float) -> Timeline:
    """A store, an interval of so many seconds after the other."""
    from .. import live
    from ..counters.store import CounterStore

    store = CounterStore(path)

    def damage() -> str:
        lost = store.damaged
        return f"{lost[0].path}: {lost[0].reason}; what it held is not known" if lost else ""

    return live.Stored(store.span, store.growth, path, step=max(1, round(step)), damage=damage)


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
