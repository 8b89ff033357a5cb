"""Options of `lacis order` about the ranks of a job, and what it writes for launchers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import LacisError
from ..facts.launch import FORMS, RANK_FORMS
from ..facts.words import count, noun
from ._fabric import warn, warn_of
from ._numbers import RANKS, RANKS_PER_HOST

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric
    from ..launch import RankOrder, SlotList

SCHEDULERS = ("pbs", "slurm", "flux")
SUBMIT = {"pbs": "qsub", "slurm": "sbatch", "flux": "flux batch"}
_LARGE = {
    "openmpi": "openmpi",
    "openmpi-seq": "openmpi",
    "openmpi-rankfile": "openmpi",
    "hydra": "mpich",
    "slurm": "srun",
}
"""Forms, and whose settings a large launch needs."""


class Asked(NamedTuple):
    """What was asked about a job's ranks, as typed."""

    form: str | None
    per_host: int | None
    total_ranks: int | None
    script: str | None
    starter: str | None
    job_memory: str | None
    walltime: str | None
    program: str | None

    @property
    def has_ranks(self) -> bool:
        """Whether what is written says where ranks run."""
        return self.script is not None or self.form in RANK_FORMS


_OPTIONS = (
    click.option(
        "--as",
        "form",
        type=click.Choice(FORMS),
        metavar="FORM",
        help="What to write. For OpenSM: guids (the default), cn-guids, or ca-order, ftree's dump. Names of hosts: names. The host "
        "of each rank: openmpi, openmpi-seq, openmpi-rankfile, hydra (MPICH, Intel MPI), slurm, pbs, mpijob, torchrun.",
    ),
    click.option(
        "--ranks-per-host",
        "per_host",
        type=RANKS_PER_HOST,
        help="Consecutive ranks on each host; as many as a list gives it slots, else one.",
    ),
    click.option(
        "--total-ranks", type=RANKS, help="How many ranks there are; as many as slots unless given."
    ),
    click.option(
        "--script",
        type=click.Choice(SCHEDULERS),
        help="Write the whole script of a job on these hosts for this scheduler.",
    ),
    click.option(
        "--launcher",
        "starter",
        type=click.Choice(["srun", "openmpi", "mpich", "intel", "platform", "flux"]),
        help="What launches in the script: openmpi in one for PBS, srun for Slurm, flux for Flux unless given.",
    ),
    click.option(
        "--memory",
        "job_memory",
        metavar="SIZE",
        help="Memory of each host that a script asks for, such as 64G.",
    ),
    click.option("--walltime", metavar="[D-]HH:MM:SS", help="Time that a script asks for."),
    click.option("--program", metavar="TEXT", help="What every rank runs, as a shell has it."),
)


def job_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command receives the fields of `Asked`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def check(asked: Asked, *, names: bool, rail: str) -> Asked:
    """The job with its form, once options go together.

    Raises:
        click.UsageError: when they do not.
    """
    if names and asked.form not in (None, "names"):
        raise click.UsageError(f"--names and --as {asked.form} do not go together")
    if asked.script is not None and (asked.form is not None or names):
        raise click.UsageError("--script holds its list of hosts; --as and --names have no meaning with it")
    scripted: dict[str, object] = {
        "--launcher": asked.starter,
        "--memory": asked.job_memory,
        "--walltime": asked.walltime,
    }
    for option, value in scripted.items():
        if value is not None and asked.script is None:
            raise click.UsageError(f"{option} is for --script")
    asked = asked._replace(form=None if asked.script else asked.form or ("names" if names else "guids"))
    ranked: dict[str, object] = {
        "--ranks-per-host": asked.per_host,
        "--total-ranks": asked.total_ranks,
        "--program": asked.program,
    }
    for option, value in ranked.items():
        if value is not None and not asked.has_ranks:
            raise click.UsageError(f"{option} is about ranks, and has no meaning with --as {asked.form}")
    if asked.has_ranks and rail != "all":
        raise click.UsageError("--rail is about ports; launchers know hosts")
    return asked


def slots_of_list(fabric: Fabric, by: str, listed: str | None, groups: str) -> SlotList | None:
    """The slots of the list that hosts come from; none where they come from no list of hosts."""
    from ..io import files
    from ..launch import is_ca_order, read_slots
    from ..ranks import nodesets

    path = listed if by == "host" else groups.removeprefix("file:") if groups.startswith("file:") else None
    if path is None:
        return None
    if path == "-":
        raise click.UsageError("where ranks run is read from a file; standard input can be read once only")
    with files.reading(path) as data:
        return None if is_ca_order(data) else read_slots(data, nodesets.hosts_of(fabric))


def ranks_of(asked: Asked, hosts: Sequence[str], slots_listed: SlotList | None, *, keep: bool) -> RankOrder:
    """The host of each rank.

    Args:
        asked: how many ranks there are.
        hosts: in their order.
        slots_listed: their slots.
        keep: whether ranks stand as the list has them.

    Raises:
        LacisError: when there are more ranks than slots, or names that no launcher can distinguish.
    """
    from ..launch import RankOrder, in_a_row
    from ..launch.order import first

    if slots_listed is None:
        return in_a_row(hosts, asked.per_host or 1, asked.total_ranks)
    spelled = {host: slots_listed.spelled.get(host, host) for host in hosts}
    slots = {spelled[host]: slots_listed.slots.get(host, 1) for host in hosts}
    each = asked.per_host
    if each is None:
        if keep and not slots_listed.is_host_by_host:
            order = tuple(spelled[host] for host in slots_listed.by_rank if host in spelled)
            return first(RankOrder(order), asked.total_ranks)
        return in_a_row(list(spelled.values()), slots, asked.total_ranks)
    if max(slots.values()) > 1:
        small = next((host for host, number in slots.items() if number < each), None)
        if small is not None:
            raise LacisError(
                f"{count(each, 'rank')} on each host {noun(each, 'is', 'are')} more than its slots, {slots[small]}",
                text=small,
            )
    return in_a_row(list(spelled.values()), each, asked.total_ranks)


def text_of(asked: Asked, order: RankOrder, output: str) -> tuple[str, str]:
    """What is written, and the line that launches with it, which goes to standard error with what to know about it."""
    from ..launch import RANKS as FORMS_OF_RANKS
    from ..launch import Request, launch_line, needs, script

    file = "FILE" if output == "-" else output
    if asked.script is not None:
        import shlex

        request = Request(asked.job_memory or "", asked.walltime or "", asked.program or "./program")
        text = script(asked.script, order, request, asked.starter or "")
        line = f"{SUBMIT[asked.script]} {shlex.quote(file)}"
    else:
        form = asked.form or ""
        text = FORMS_OF_RANKS[form].write(order)
        line = launch_line(form, order, file, asked.program or "PROGRAM")
        remark = FORMS_OF_RANKS[form].remark
        if remark is not None:
            warn_of(remark)
        for need in needs(_LARGE[form], len(order.hosts), len(order.slots)) if form in _LARGE else ():
            warn(f"first: {need.line}  # {need.why}")
    warn(f"launch: {line}")
    return text, line
