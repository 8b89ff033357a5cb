"""Lists as schedulers take them: `SLURM_HOSTFILE` for `srun --distribution=arbitrary`, and the form of `$PBS_NODEFILE`.

Both have a host a rank. Grammar of the first: srun(1) of Slurm 22.05, "arbitrary"; of the second: the User's Guide of PBS Professional.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .order import check_names

if TYPE_CHECKING:
    from .order import RankOrder


def slurm_hostfile(order: RankOrder) -> str:
    """A host a rank.

    Raises:
        LacisError: when it cannot hold a name.
    """
    check_names(order.hosts, "a SLURM_HOSTFILE")
    return "".join(f"{host}\n" for host in order.hosts)


def srun_line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it, inside a job that has these hosts."""
    nodes, ranks = str(len(order.slots)), str(len(order.hosts))
    return [
        "env",
        f"SLURM_HOSTFILE={file}",
        "srun",
        "--distribution=arbitrary",
        "-N",
        nodes,
        "-n",
        ranks,
    ]


def pbs_nodefile(order: RankOrder) -> str:
    """A host a rank.

    Raises:
        LacisError: when it cannot hold a name.
    """
    check_names(order.hosts, "a node file of PBS")
    return "".join(f"{host}\n" for host in order.hosts)


def pbs_line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it, inside a job that has these hosts, where the MPI library reads the node file of PBS."""
    return ["env", f"PBS_NODEFILE={file}", "mpiexec", "-n", str(len(order.hosts))]
