"""Files of OpenSM's that list ports of hosts: GUIDs (`guid_routing_order_file`, `cn_guid_file`) and ftree's dump of its order.

```text
0x0002c903000a1b2c          a GUID of a port a line
0x0005<tab>node001 HCA-1    opensm-ftree-ca-order.dump: LID and node description
0xFFFF<tab>DUMMY            the same, where a leaf has fewer hosts than the fullest
```

OpenSM writes the dump "so that MPI can order ranks by it", and no launcher reads it: here it becomes a file of any launcher. Its grammar was
read from the output of OpenSM 3.3.23.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Fabric

_LINE = re.compile(r"0x([0-9A-Fa-f]{1,8})\t(.*)")
_DUMMY = 0xFFFF


def guid_lines(guids: Iterable[int]) -> str:
    """GUIDs of ports, one a line."""
    return "".join(f"0x{guid:016x}\n" for guid in guids)


def ca_order_lines(ports: Iterable[tuple[int, str]]) -> str:
    """LIDs of ports and descriptions of their nodes, as ftree's dump has them."""
    return "".join(f"0x{lid:04x}\t{_clean(description)}\n" for lid, description in ports)


class OrderedPort(NamedTuple):
    """A line of ftree's dump: the line's number, the port's LID, the description of its node."""

    line: int
    lid: int
    description: str


def is_ca_order(data: bytes) -> bool:
    """Whether a file is ftree's dump: its first line with anything on it is one of its lines."""
    first = next((line for line in data.decode(errors="replace").splitlines() if line.strip()), "")
    return bool(_LINE.fullmatch(first))


def read_ca_order(data: bytes) -> list[OrderedPort]:
    """The ports of `opensm-ftree-ca-order.dump`, without those that stand for none.

    Raises:
        LacisError: when a line is no such line, or there is no port.
    """
    found = []
    for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise LacisError("a LID, a tab and a node description were expected", number, line.strip()[:80])
        lid = int(match[1], 16)
        if lid != _DUMMY:
            found.append(OrderedPort(number, lid, match[2]))
    if not found:
        raise LacisError("no host in the list")
    return found


def hosts_of_ca_order(fabric: Fabric, ports: Iterable[OrderedPort]) -> list[tuple[int, str]]:
    """The hosts of the ports, each where it is listed first, with the line.

    A port is found by its LID where the fabric has one that agrees with the description, else by the description alone.

    Raises:
        LacisError: when the fabric lacks a port, or several hosts have its description; with the line.
    """
    hosts = _core.hosts(fabric)
    names, descriptions = hosts.names, fabric.descriptions()
    by_description: dict[str, set[int]] = {}
    for host, name in enumerate(names):
        by_description.setdefault(_clean(name), set()).add(host)
        for node in hosts.adapters(host):
            by_description.setdefault(_clean(descriptions[int(node)]), set()).add(host)
    by_lid = {lid: host for host, lid, _ in hosts.addresses() if lid}
    found: dict[str, int] = {}
    for port in ports:
        meant = by_description.get(_clean(port.description), set())
        of_lid = by_lid.get(port.lid)
        if of_lid is not None and of_lid in meant:
            meant = {of_lid}
        if len(meant) != 1:
            reason = (
                "several hosts have this description"
                if meant
                else "no host of this fabric has this description"
            )
            raise LacisError(reason, port.line, port.description[:80])
        found.setdefault(names[next(iter(meant))], port.line)
    return [(line, name) for name, line in found.items()]


def _clean(description: str) -> str:
    """A description without what dumps cannot hold."""
    return " ".join(description.split())
