"""What `lacis explain` says of other traffic that counters show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec import UNSET

from ..facts import wording
from ..facts.words import count
from ._output import echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Routes
    from ..documents.explain import OthersCounted, OthersOnLink

_SHOWN = 8

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
    if found is None:
        return
    echo(wording.text(found.fact))
    for one in found.links[:_SHOWN]:
        echo(
            f"  {one.egress} → {one.ingress}: at least {one.share:.0%} of its rate {_when(one)}{_whose(one)}"
        )
    if len(found.links) > _SHOWN:
        echo(f"  and {len(found.links) - _SHOWN:,} more (--json)")
    for reason in found.because:
        echo(f"  not known: {wording.text(reason)}")
    if found.links:
        if withheld:
            echo(f"  not accused, as that is why flows are slow there: {count(withheld, 'suspect')}")
        echo("  drain the hosts of other jobs, or measure again without them, to judge these links")


def _when(one: OthersOnLink) -> str:
    day, _, begin = one.began.partition("T")
    end = one.ended.partition("T")[2]
    listed = ", ".join(str(number) for number in one.rounds[:4]) + (" …" if len(one.rounds) > 4 else "")
    rounds = f", round{'s' if len(one.rounds) > 1 else ''} {listed}" if one.rounds else ""
    return f"from {day} {begin} to {end}{rounds}"


def _whose(one: OthersOnLink) -> str:
    if one.jobs is UNSET:
        return ""
    return f", perhaps of {', '.join(one.jobs[:4])}" if one.jobs else ", of no job of the list"


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
