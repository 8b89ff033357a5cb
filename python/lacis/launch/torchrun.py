"""The order of nodes for torchrun: a host a line, whose number less one is `--node-rank`.

With `--rdzv-backend c10d` torchrun numbers nodes by their addresses, sorted as texts (`_mark_rendezvous_complete` of
`torch/distributed/elastic/rendezvous/dynamic_rendezvous.py`), and no list changes that: the node rank must be given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LacisError
from .order import check_names

if TYPE_CHECKING:
    from .order import RankOrder

PORT = 29500
"""On which torchrun meets unless it is given another."""


def nodes(order: RankOrder) -> str:
    """A host a line.

    Raises:
        LacisError: when it cannot hold a name, when ranks of a host are apart, or when hosts have different numbers of ranks.
    """
    form = "a list of nodes for torchrun"
    check_names(order.hosts, form)
    runs = order.host_by_host(form, "torchrun numbers the ranks of a node together")
    if order.per_host is None:
        raise LacisError("torchrun starts as many ranks on each host, and these have different numbers")
    return "".join(f"{host}\n" for host, _ in runs)


def line(order: RankOrder, file: str) -> str:
    """What every node runs; it finds its own line by its short name, or by its whole one."""
    first, each = order.hosts[0], order.per_host
    number = f'$(grep -nxF -e "$(hostname)" -e "$(hostname -s)" {file} | head -n 1 | cut -d: -f1)'
    return (
        f"torchrun --nnodes={len(order.slots)} --nproc-per-node={each} --node-rank=$(({number} - 1)) "
        f"--master-addr={first} --master-port={PORT}"
    )
