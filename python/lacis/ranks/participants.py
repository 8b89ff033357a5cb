"""The hosts that send and receive, in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .. import _core
from ..errors import LacisError
from ..facts.words import count
from ..io.files import reading
from . import nodesets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric, Participants, Routes

GROUPS, RAIL = "all", "all"
HOST_ORDER: Final = "topology"
"""The default traffic of every command: all hosts, leaf by leaf, rail to rail."""


def participants(
    routes: Routes, *, groups: str = GROUPS, host_order: str = HOST_ORDER, rail: str = RAIL
) -> Participants:
    """The hosts that send and receive, in an order.

    Args:
        routes: the tables that they use.
        groups: `all`; some of `compute`, `management`, `storage` and `gateway` with commas between; or a set of
            hosts, as `nodesets` reads it: `node[001-018]`.
        host_order: `name`, `lid`, `topology`, `eventree` (as that engine numbers hosts, with the roots that the
            tables were made with; leaf by leaf where it refuses the fabric), `eventree-exchanges` (so that exchanges suit
            its tables, too, on whole trees), or `file:PATH` with hosts, sets of them
            or GUIDs of their ports, one a line, as `lacis order` writes them.
        rail: `all`, `each`, a number from 1, or an adapter label.

    Raises:
        LacisError: when groups, order or rail make no sense on this fabric, a tree has no order for exchanges, or the file cannot be read.
    """
    path = _core.host_order_file(host_order)
    only: list[tuple[int, str]] = []
    if not nodesets.is_group(groups):
        names = named_hosts(routes.fabric, groups, "`groups`", rail, nodesets.GROUPS)
        only = [(1, name) for name in names]
        groups = "all"
    if path is None:
        return _core.participants(routes, groups=groups, rail=rail, order=host_order, only=only)
    with reading(path) as data:
        named = nodesets.listed(data, nodesets.hosts_of(routes.fabric))
        return _core.participants(routes, groups=groups, rail=rail, order=host_order, listed=named, only=only)


def participants_of(fabric: Fabric, names: Sequence[str], rail: str = RAIL) -> Participants:
    """The ports of hosts on a rail, in the order of the hosts.

    Raises:
        LacisError: when a host is not in the fabric or has no port there; with its place in the list as the line.
    """
    return _core.listed_hosts(fabric, list(enumerate(names, start=1)), rail=rail)


def named_hosts(
    fabric: Fabric, text: str, source: str, rail: str = RAIL, also: Sequence[str] = ()
) -> list[str]:
    """The hosts that a text names, as `nodesets.find` takes it, by their names where GUIDs of ports stand for them.

    Raises:
        LacisError: when the text is no set of hosts, or names one that is not there.
    """
    known = nodesets.hosts_of(fabric, rail)
    return by_names(fabric, nodesets.find(text, known, source, also), known, source)


def by_names(fabric: Fabric, named: Sequence[str], known: Sequence[str], source: str) -> list[str]:
    """Hosts by their names, each once, where GUIDs of their ports may stand for them.

    Args:
        fabric: where they are.
        named: names of hosts, which are known, and GUIDs of ports, `0x` and digits.
        known: the names of all hosts.
        source: the argument that it is, for errors.

    Raises:
        LacisError: when a GUID is that of no port of a host.
    """
    there = set(known)
    by_guid = {} if there.issuperset(named) else _hosts_by_guid(fabric)
    found = [name if name in there else by_guid.get(int(name, 16)) for name in named]
    for name, host in zip(named, found, strict=True):
        if host not in there:
            raise LacisError("no port of a host has this GUID", text=name).within(source)
    return list(dict.fromkeys(host for host in found if host is not None))


def _hosts_by_guid(fabric: Fabric) -> dict[int, str]:
    """The hosts of all ports, by the ports' GUIDs."""
    ports = participants_of(fabric, _core.host_names(fabric))
    hosts = ports.hosts
    return {
        guid: hosts[at]
        for guid, at in zip(ports.guids().tolist(), ports.hosts_of_ports().tolist(), strict=True)
    }


def by_rail(fabric: Fabric, names: Sequence[str]) -> dict[int, list[str]]:
    """Hosts by the rails that they have, in the order given."""
    found: dict[int, list[str]] = {}
    for rail in range(1, participants_of(fabric, names).rails + 1):
        try:
            there = set(_core.host_names(fabric, rail=str(rail)))
        except LacisError:  # no adapter is on this rail
            continue
        if here := [name for name in names if name in there]:
            found[rail] = here
    return found


def in_words(hosts: Participants) -> str:
    """The hosts that send and receive, in words: `469 hosts (458 compute, 6 management, 5 storage)`."""
    number, unknown, groups = hosts.num_hosts, hosts.num_unknown, hosts.groups
    alone = f"{count(unknown, 'adapter')} of unknown hosts" if unknown else ""
    if not number:
        return alone or "no hosts"
    if len(groups) == 1:
        known = count(number, f"{groups[0][0]} host")
    else:
        known = f"{count(number, 'host')} ({', '.join(f'{of:,} {group}' for group, of in groups)})"
    return f"{known} and {alone}" if alone else known
