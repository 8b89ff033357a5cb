"""The table of forms: what launchers and OpenSM read, how each is written, and how one launches with it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from ..facts.launch import LauncherFirst, NodesSorted
from . import hydra, kubernetes, openmpi, schedulers, torchrun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..facts.launch import LaunchRemark
    from .order import RankOrder


class Form(NamedTuple):
    """A form of the file that a launcher reads.

    Attributes:
        words: what it is.
        write: its text.
        line: how to launch with it, as words or as a shell has it, given the file's name.
        remark: what to know about launching with it.
    """

    words: str
    write: Callable[[RankOrder], str]
    line: Callable[[RankOrder, str], Sequence[str] | str]
    remark: LaunchRemark | None = None


RANKS: dict[str, Form] = {
    "openmpi": Form(
        "a host file of Open MPI", openmpi.hostfile, openmpi.hostfile_line, LauncherFirst("openmpi-seq")
    ),
    "openmpi-seq": Form("a host a rank for Open MPI", openmpi.seq, openmpi.seq_line),
    "openmpi-rankfile": Form("a rank file of Open MPI", openmpi.rankfile, openmpi.rankfile_line),
    "hydra": Form("a machine file of MPICH and Intel MPI", hydra.machinefile, hydra.line),
    "slurm": Form("a SLURM_HOSTFILE", schedulers.slurm_hostfile, schedulers.srun_line),
    "pbs": Form("a list like $PBS_NODEFILE", schedulers.pbs_nodefile, schedulers.pbs_line),
    "mpijob": Form("an MPIJob for Kubernetes", kubernetes.mpijob, kubernetes.line),
    "torchrun": Form("nodes for torchrun", torchrun.nodes, torchrun.line, NodesSorted("c10d")),
}
"""Forms that say where each rank runs: those of `RANK_FORMS`, by name."""


def launch_line(form: str, order: RankOrder, file: str, program: str = "PROGRAM") -> str:
    """What to type to launch with a file.

    Args:
        form: one of `RANKS`.
        order: what the file has.
        file: its name.
        program: what every rank runs, as a shell has it.
    """
    words = RANKS[form].line(order, shlex.quote(file))
    text = words if isinstance(words, str) else " ".join(words)
    return text if form == "mpijob" else f"{text} {program}"
