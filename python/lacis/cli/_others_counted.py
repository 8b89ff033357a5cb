"""What `lacis explain` says of other traffic that counters show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..explain.traffic.remarks import remarks
from ..facts import wording
from ._output import echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Routes
    from ..documents.explain import OthersCounted

jobs_option = click.option(
    "--jobs",
    metavar="FILE",
    help="Jobs as sacct or squeue lists them: says whose other traffic counters show (with --counters STORE).",
)


def show(found: OthersCounted | None, withheld: int) -> None:
    """Prints the verdict of counters, with the links that carried something else.

    Args:
        found: what they say; none where there are none.
        withheld: suspects that are not named for it.
    """
    if found is not None:
        first, *more = wording.others(found, remarks(found, withheld))
        echo(first)
        for line in more:
            echo(f"  {line}")


def with_jobs(found: OthersCounted, routes: Routes, path: str, measured: Sequence[str]) -> OthersCounted:
    """The same with the jobs whose traffic may cross each link.

    Args:
        found: what counters say.
        routes: the tables.
        path: the list of jobs.
        measured: the hosts that were measured.

    Raises:
        LacisError: when the list of jobs cannot be read.
    """
    from ..io.files import reading
    from ..job.slurm import read_jobs
    from ..why.beside import jobs_on_links

    with reading(path) as data:
        return jobs_on_links(found, routes, read_jobs(data).jobs, measured)
