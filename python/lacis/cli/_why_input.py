"""What `lacis why` is given: a job and others, counters, and a window of time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ..why.sweeps import Recordings, enclosed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._core import Fabric
    from ..job.slurm import SlurmJob
    from ..job.windows import Window
    from ..why.sweeps import Sweeps


@dataclass(frozen=True)
class GivenJob:
    """The job and those beside it.

    Attributes:
        name: its number, or its hosts as typed.
        hosts: its hosts.
        listed: the job of a list; none where its hosts are given.
        list_name: the file of that list.
        typed: hosts of other jobs that were typed.
        beside: other jobs of the list, with their hosts that the fabric has.
    """

    name: str
    hosts: list[str]
    listed: SlurmJob | None
    list_name: str
    typed: Mapping[str, Sequence[str]]
    beside: Sequence[tuple[SlurmJob, Sequence[str]]]

    def others(self, window: Window) -> dict[str, Sequence[str]]:
        """Hosts of other jobs that can have run within the window, by name."""
        listed = {job.name: hosts for job, hosts in self.beside if job.overlaps(window)}
        return {**self.typed, **listed}


def hosts_of_job(
    fabric: Fabric, job: str | None, slurm: str | None, jobs: str | None, others: tuple[str, ...]
) -> GivenJob:
    """The job's hosts, in whichever way they are given.

    Raises:
        LacisError: when they are not of the fabric, or the list of jobs does not have the job.
    """
    from .. import job as of_job
    from ..io.files import reading
    from ..job import slurm as of_slurm
    from ..ranks import nodesets
    from ..ranks.names import Names

    if (job is None) == (slurm is None):
        raise click.UsageError("the job is given once: JOB, or --slurm LIST")
    typed = {text: of_job.hosts_of(fabric, text, "--with") for text in others}
    if jobs is None:
        text = job or slurm or ""
        hosts = of_job.hosts_of(fabric, text, "--slurm" if job is None else "JOB")
        return GivenJob(text if len(text) <= 60 else "the job", hosts, None, "", typed, ())
    if job is None:
        raise click.UsageError(
            "--jobs has hosts of its own: JOB is a number there, and --slurm has no meaning with it"
        )
    known = Names(nodesets.hosts_of(fabric))
    with reading(jobs) as data:
        listed = of_slurm.read_jobs(data)
        own = listed.find(job)
        beside = [(other, of_slurm.hosts_there(other, known)) for other in listed.jobs if other is not own]
    hosts = of_job.hosts_of(fabric, nodesets.fold(own.nodes), jobs)
    return GivenJob(
        own.name, hosts, own, jobs, typed, [(other, there) for other, there in beside if len(there) > 1]
    )


@dataclass(frozen=True)
class Counted:
    """Counters: a store, or two recordings.

    Attributes:
        source: what was given.
        sweeps: the store or the recordings.
        span: from the first to the last reading, nanoseconds since 1970; 0 where that is not known.
    """

    source: str
    sweeps: Sweeps
    span: tuple[int, int]

    def over(self, window: Window) -> Sweeps:
        """What was read, at the ends of the window where recordings have no times."""
        return self.sweeps.within(window) if isinstance(self.sweeps, Recordings) else self.sweeps

    def enclosed(self, window: Window) -> Window:
        """The window from the sweep before it to the one after it, where there are such."""
        is_pair = isinstance(self.sweeps, Recordings) and len(self.sweeps.sweeps) == 2
        return window if is_pair else enclosed(self.sweeps, window)


def counters_of(fabric: Fabric, sources: tuple[str, ...]) -> Counted:
    """The counters that are given.

    Raises:
        LacisError: when they cannot be read, or a store has none.
    """
    from .. import why
    from ..counters.sources import sweeps_of
    from ..io.files import need_name

    if len(sources) > 2:
        raise click.UsageError(
            "--counters is a store or a recording, or given twice the recordings before and after"
        )
    need_name(sources[0])
    if len(sources) == 2 or Path(sources[0]).is_file():
        recorded = why.recordings(*(sweep for one in sources for sweep in sweeps_of(one, fabric)))
        return Counted(sources[-1], recorded, recorded.times)
    if not Path(sources[0]).is_dir():
        raise LacisError(
            "no store of counters, and no recording",
            source=sources[0],
        )
    from ..counters.store import CounterStore

    store = CounterStore(sources[0])
    span = store.span()
    if span is None:
        raise LacisError("holds no readings of counters", source=sources[0])
    return Counted(sources[0], store, span)


def window_of(
    counted: Counted, job: GivenJob, from_time: str | None, to_time: str | None, last: str | None
) -> Window:
    """The window: as typed, else that of the job of the list, else what recordings span.

    Raises:
        LacisError: when it is backwards, when no reading lies in it, or when all are of one time.
    """
    from ..job import windows

    if last is not None and from_time is not None:
        raise click.UsageError("--last and --from-time both say where the window begins")
    begin, end = job.listed.begin if job.listed else None, job.listed.end if job.listed else None
    if to_time is not None:
        end = _taken("--to", windows.time, to_time)
    if end is None:
        end = counted.span[1] or None
    if last is not None:
        if end is None:
            raise click.UsageError("--last needs --to: the recordings do not say when they were made")
        begin = end - _taken("--last", windows.duration, last)
    elif from_time is not None:
        begin = _taken("--from-time", windows.time, from_time)
    elif isinstance(counted.sweeps, Recordings) and begin is None:
        begin = counted.span[0] or None
    if begin is None or end is None:
        raise click.UsageError(
            "no window of time: give --last, or --from-time and --to, or --jobs with the times of sacct"
        )
    found = windows.window(begin, end)
    first, final = counted.span
    if first and first == final:
        reason = f"all readings are of {windows.stamp(first)}: growth takes two, from before and from after"
        raise LacisError(reason, source=counted.source)
    if (final and found.begin >= final) or (first and found.end <= first):
        readings = f"the readings go from {windows.stamp(first)} to {windows.stamp(final)}"
        raise LacisError(
            f"no reading lies in the window from {windows.stamp(begin)} to {windows.stamp(end)}: {readings}",
            source=counted.source,
        )
    return found


def _taken(option: str, read: Callable[[str], int], text: str) -> int:
    """An option's time, whose error names it."""
    try:
        return read(text)
    except LacisError as error:
        raise error.within(option) from None
