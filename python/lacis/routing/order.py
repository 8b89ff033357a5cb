"""Hosts in an order, and the GUIDs of their ports, for the engines that route listed ports first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.files import reading
from ..launch import opensm
from ..ranks import nodesets
from ..ranks.participants import GROUPS, participants
from .making import made

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Unpack

    from .._core import Fabric, Participants, Routes
    from ..requests.routing import RouteOptions


def routing_order(
    fabric: Fabric,
    by: str = "topology",
    *,
    listed: str | os.PathLike[str] | None = None,
    nodes: str | None = None,
    rail: str = "all",
    groups: str = GROUPS,
    each_once: bool = False,
    **options: Unpack[RouteOptions],
) -> tuple[list[str], list[int]]:
    """Hosts in an order and the GUIDs of their ports, as `RouteOptions.order` takes them.

    Where hosts have several rails, all ports of one rail come before those of the next. OpenSM gives each destination in
    turn the least used port of a leaf: with the rails of a host side by side, every rail would get the same few ports.

    Args:
        fabric: whose hosts.
        by: `name`, `lid`, `topology` (leaf by leaf), `eventree` (as that engine numbers hosts, so that shifts suit its
            tables), `eventree-exchanges` (so that exchanges suit them, too, on whole trees), `ftree` (as that engine balances compute nodes), `host` (as the file `listed` has them, names,
            sets and port GUIDs, one a line) or `slurm` (as its `topology.conf` or the list `nodes` has them).
        listed: a file of hosts, or a `topology.conf`.
        nodes: a list of hosts as Slurm writes it: `node[001-018]`.
        rail: `all`, `each`, a number from 1, or an adapter label; not for `ftree`.
        each_once: whether a host that is listed again counts once, as in lists with a line a rank; else that is an error.
        groups: whose hosts, as for `participants`; only for `name`, `lid`, `topology`, `eventree` and `eventree-exchanges`.
        options: of the manager: for `ftree` its roots, compute nodes and I/O nodes, for `eventree` and `eventree-exchanges` its roots.

    Raises:
        LacisError: when a listed host is not in the fabric, or is listed twice: all of them are named. When there is
            no such order, none for exchanges, or no host.
        RefusedError: when `ftree` or `eventree` refuses the fabric.
    """
    if by == "ftree":
        routes = _by_ftree(fabric, options)
        guid_of = dict(zip(*(column.tolist() for column in routes.lids()), strict=True))
        lines = [line.split("\t", 1) for line in routes.to_ca_order().splitlines()]
        nodes_of = [(name, guid_of[int(lid, 16)]) for lid, name in lines if lid != "0xFFFF"]
        return [name for name, _ in nodes_of], [guid for _, guid in nodes_of]
    if by in ("eventree", "eventree-exchanges"):
        options["fallback"] = False
        routes = made(fabric, "eventree", **options)
        hosts = participants(routes, groups=groups, host_order=by, rail=rail)
    elif by in ("name", "lid", "topology"):
        hosts = participants(made(fabric, "minhop"), groups=groups, host_order=by, rail=rail)
    elif by == "slurm" and nodes is not None:
        try:
            hosts = _listed(fabric, _core.read_hosts("nodes", nodes.encode()), rail, each_once)
        except LacisError as error:
            raise LacisError(error.reason, text=error.text, source="`nodes`") from None
    elif by in ("host", "slurm") and listed is not None:
        with reading(listed) as data:
            if by == "slurm":
                named = _core.read_hosts("topology.conf", data)
            elif opensm.is_ca_order(data):
                named = opensm.hosts_of_ca_order(fabric, opensm.read_ca_order(data))
            else:
                named = nodesets.listed(data)
            hosts = _listed(fabric, named, rail, each_once)
    else:
        raise LacisError(f"no order by {by!r} of what is given")
    if not hosts.hosts:
        raise LacisError("no host has a cable, so there is nothing to order")
    return hosts.hosts, hosts.guids_by_rail().tolist()


def _by_ftree(fabric: Fabric, options: RouteOptions) -> Routes:
    options["fallback"] = False
    return made(fabric, "ftree", **options)


def ftree_hosts(fabric: Fabric, **options: Unpack[RouteOptions]) -> tuple[list[str], str]:
    """The hosts in the order in which ftree balances compute nodes, each once, and the dump in which OpenSM writes it.

    Raises:
        LacisError: when several hosts have one description.
        RefusedError: when `ftree` refuses the fabric.
    """
    dump = _by_ftree(fabric, options).to_ca_order()
    ports = opensm.read_ca_order(dump.encode())
    return [name for _, name in opensm.hosts_of_ca_order(fabric, ports)], dump


def _listed(fabric: Fabric, named: Sequence[tuple[int, str]], rail: str, each_once: bool) -> Participants:
    """Listed hosts that take part."""
    found = nodesets.present(named, nodesets.hosts_of(fabric))
    if each_once:
        lines = {name: line for line, name in reversed(found)}
        found = [(lines[name], name) for name in dict.fromkeys(name for _, name in found)]
    return _core.listed_hosts(fabric, found, rail=rail)


def ca_order(fabric: Fabric, guids: Sequence[int]) -> str:
    """Ports in an order in the form of ftree's `opensm-ftree-ca-order.dump`, with the names of their hosts as descriptions.

    Args:
        fabric: whose ports; its LIDs are those that OpenSM would give it.
        guids: of the ports.
    """
    hosts = _core.hosts(fabric)
    names = {guid: hosts.names[host] for host, _, guid in hosts.addresses()}
    lids, of = made(fabric, "minhop").lids()
    lid = dict(zip(of.tolist(), lids.tolist(), strict=True))
    return opensm.ca_order_lines((lid[guid], names.get(guid, "")) for guid in guids)
