"""The machine file of Hydra, which launches MPICH, Intel MPI and MVAPICH2: `node001:2`, in the order of the ranks.

Tried with MPICH 4.0.2. A host may be listed again, where ranks of another are between its own. Intel MPI reads the number of ranks
in a machine file only: in what its option `-f` names a host counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .order import check_names

if TYPE_CHECKING:
    from .order import RankOrder


def machinefile(order: RankOrder) -> str:
    """Hosts with how many consecutive ranks they have.

    Raises:
        LacisError: when it cannot hold a name.
    """
    check_names(order.hosts, "a machine file of Hydra")
    return "".join(f"{host}:{ranks}\n" for host, ranks in order.runs)


def line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it."""
    return ["mpiexec", "-machinefile", file, "-n", str(len(order.hosts))]
