"""What commands share that put jobs on a machine: `--squeue`, the machine, and how rates and rules are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric
    from ..facts.allocation import AllocationRemark
    from ..job.slurm import SlurmJob, SlurmJobs

squeue_option = click.option(
    "--squeue",
    metavar="FILE",
    help='What squeue prints, in any format with numbers and nodes, such as squeue -o "%i %D %N".',
)
pattern_option = click.option(
    "--pattern",
    type=click.Choice(["shifts", "ring", "doubling"]),
    default="shifts",
    show_default=True,
    help="What a job sends: to every distance, to the next host and the one before, or by powers of two.",
)


def read_squeue(fabric: Fabric, path: str) -> tuple[SlurmJobs, dict[str, list[str]], list[AllocationRemark]]:
    """The jobs of a file, the hosts of each that the fabric has, and remarks on them."""
    from ..allocation import matched
    from ..errors import LacisError
    from ..facts.allocation import JobsPending, NamesMatched
    from ..io.files import reading
    from ..job.slurm import read_jobs
    from ..ranks import nodesets

    known = nodesets.hosts_of(fabric)
    hosts: dict[str, list[str]] = {}
    differing: list[NamesMatched] = []
    with reading(path) as data:
        listed = read_jobs(data)
        for job in listed.running:
            try:
                # Schedulers list the jobs of all their partitions, of which some may be on another fabric.
                if nodesets.skips_absent() and not nodesets.present(
                    [(job.line, n) for n in job.nodes], known
                ):
                    continue
                named, remarks = matched(fabric, job.nodes, path)
            except LacisError as error:
                raise LacisError(error.reason, job.line, error.text) from None
            hosts[_unique(job, hosts)] = named
            differing += [one for one in remarks if isinstance(one, NamesMatched)]
    found: list[AllocationRemark] = []
    if differing:
        total = sum(one.nodes for one in differing)
        found.append(NamesMatched(total, differing[0].node, differing[0].host))
    if listed.pending:
        found.append(JobsPending(listed.pending))
    return listed, hosts, found


def _unique(job: SlurmJob, taken: dict[str, list[str]]) -> str:
    if job.name in taken:
        from ..errors import LacisError

        raise LacisError(f"job {job.name} stands twice", line=job.line)
    return job.name


def gigabytes(rate: float | None) -> str:
    """A rate in GB/s with four digits."""
    return "–" if rate is None else f"{rate / 1e9:.4g}"


def duration(seconds: float) -> str:
    """Seconds as a scheduler prints them: `1-02:03:04`, `02:03:04`."""
    days, rest = divmod(round(seconds), 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, last = divmod(rest, 60)
    clock = f"{hours:02}:{minutes:02}:{last:02}"
    return f"{days}-{clock}" if days else clock


def print_notes(say: Callable[[str], None], remarks: Sequence[AllocationRemark]) -> None:
    """Prints what is to be known."""
    from ..facts.wording import text

    for remark in remarks:
        say(f"  {text(remark)}")
