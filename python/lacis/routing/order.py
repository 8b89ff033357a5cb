"""Hosts in an order, and the GUIDs of their ports, for the engines that route listed ports first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.files import reading
from ..ranks import nodesets
from ..ranks.participants import GROUPS, participants
from .making import made

if TYPE_CHECKING:
    import os
    from typing import Unpack

    from .._core import Fabric
    from ..requests.routing import RouteOptions


def routing_order(
    fabric: Fabric,
    by: str = "topology",
    *,
    listed: str | os.PathLike[str] | None = None,
    nodes: str | None = None,
    rail: str = "all",
    groups: str = GROUPS,
    **options: Unpack[RouteOptions],
) -> tuple[list[str], list[int]]:
    """Hosts in an order and the GUIDs of their ports, as `RouteOptions.order` takes them.

    Where hosts have several rails, all ports of one rail come before those of the next. OpenSM gives each destination in
    turn the least used port of a leaf: with the rails of a host side by side, every rail would get the same few ports.

    Args:
        fabric: whose hosts.
        by: `name`, `lid`, `topology` (leaf by leaf), `eventree` (as that engine numbers hosts, so that shifts suit its
            tables), `ftree` (as that engine balances compute nodes), `host` (as the file `listed` has them, names,
            sets and port GUIDs, one a line) or `slurm` (as its `topology.conf` or the list `nodes` has them).
        listed: a file of hosts, or a `topology.conf`.
        nodes: a list of hosts as Slurm writes it: `node[001-018]`.
        rail: `all`, `each`, a number from 1, or an adapter label; not for `ftree`.
        groups: whose hosts, as for `participants`; only for `name`, `lid`, `topology` and `eventree`.
        options: of the manager: for `ftree` its roots, compute nodes and I/O nodes, for `eventree` its roots.

    Raises:
        LacisError: when a listed host is not in the fabric, or is listed twice: all of them are named. When there is
            no such order, or no host.
        RefusedError: when `ftree` or `eventree` refuses the fabric.
    """
    if by == "ftree":
        options["fallback"] = False
        routes = made(fabric, "ftree", **options)
        guid_of = dict(zip(*(column.tolist() for column in routes.lids()), strict=True))
        lines = [line.split("\t", 1) for line in routes.to_ca_order().splitlines()]
        nodes_of = [(name, guid_of[int(lid, 16)]) for lid, name in lines if lid != "0xFFFF"]
        return [name for name, _ in nodes_of], [guid for _, guid in nodes_of]
    if by == "eventree":
        options["fallback"] = False
        routes = made(fabric, "eventree", **options)
        hosts = participants(routes, groups=groups, host_order=by, rail=rail)
    elif by in ("name", "lid", "topology"):
        hosts = participants(made(fabric, "minhop"), groups=groups, host_order=by, rail=rail)
    elif by == "slurm" and nodes is not None:
        try:
            named = _core.read_hosts("nodes", nodes.encode())
            hosts = _core.listed_hosts(fabric, nodesets.present(named, nodesets.hosts_of(fabric)), rail=rail)
        except LacisError as error:
            raise LacisError(error.reason, text=error.text, source="`nodes`") from None
    elif by in ("host", "slurm") and listed is not None:
        with reading(listed) as data:
            named = nodesets.listed(data) if by == "host" else _core.read_hosts("topology.conf", data)
            named = nodesets.present(named, nodesets.hosts_of(fabric))
            hosts = _core.listed_hosts(fabric, named, rail=rail)
    else:
        raise LacisError(f"no order by {by!r} of what is given")
    if not hosts.hosts:
        raise LacisError("no host has a cable, so there is nothing to order")
    return hosts.hosts, hosts.guids_by_rail().tolist()
