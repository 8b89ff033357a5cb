"""Open MPI's three files: hosts with slots, a host a rank (`--map-by seq`), and rank by rank with its core.

```text
node001 slots=2          rank 0=node001 slot=0
node002 slots=2          rank 1=node001 slot=1
```

Tried with Open MPI 4.1.4. Since 3.0 the node on which `mpirun` runs has the first ranks where a host file names it, wherever it
stands there (open-mpi/ompi issues 4327 and 13199): "a host file is no order". The other two files are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .order import check_names

if TYPE_CHECKING:
    from .order import RankOrder

_RESERVED = frozenset({"slots", "slot", "cpu", "count", "port", "rank", "username", "boards"})
"""Words that the reader of host files takes for keys."""


def hostfile(order: RankOrder) -> str:
    """Hosts with their slots.

    Raises:
        LacisError: when it cannot hold a name, or ranks of a host are apart.
    """
    _check(order, "a host file of Open MPI")
    runs = order.host_by_host("a host file of Open MPI", "openmpi-seq and openmpi-rankfile hold any order")
    return "".join(f"{host} slots={ranks}\n" for host, ranks in runs)


def hostfile_line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it: hosts are filled one after another."""
    return ["mpirun", "--hostfile", file, "--map-by", "slot", "-n", str(len(order.hosts))]


def seq(order: RankOrder) -> str:
    """A host a rank.

    Raises:
        LacisError: when it cannot hold a name.
    """
    _check(order, "a list for --map-by seq")
    return "".join(f"{host}\n" for host in order.hosts)


def seq_line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it."""
    return ["mpirun", "--hostfile", file, "--map-by", "seq", "-n", str(len(order.hosts))]


def rankfile(order: RankOrder) -> str:
    """Rank by rank its host, and on the host the next core.

    Raises:
        LacisError: when it cannot hold a name.
    """
    _check(order, "a rank file of Open MPI")
    taken: Counter[str] = Counter()
    lines = []
    for rank, host in enumerate(order.hosts):
        lines.append(f"rank {rank}={host} slot={taken[host]}\n")
        taken[host] += 1
    return "".join(lines)


def rankfile_line(order: RankOrder, file: str) -> list[str]:
    """How to launch with it."""
    return ["mpirun", "--rankfile", file, "-n", str(len(order.hosts))]


def _check(order: RankOrder, form: str) -> None:
    # Open MPI 4.1.4 stops at a name with an underscore, which RFC 952 does not allow.
    check_names(order.hosts, form, also="_", reserved=_RESERVED)
