"""A machine on which jobs are put: its hosts, their leaf groups, and paths among them under tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.allocation import AdaptersUnknown, GroupsAlone, NamesMatched
from ..job import SHIFTS
from ..ranks import nodesets
from ..ranks.names import Names
from ..ranks.participants import by_names, participants
from .groups import leaf_groups
from .host_ports import host_ports
from .paths import paths_of
from .score import Judge, mean_loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from ..facts.allocation import AllocationRemark
    from .groups import LeafGroups
    from .paths import Paths

PATTERNS = ("shifts", "ring", "doubling")
"""What a job sends: each host to the one some hosts further on, by every distance, by one, or by powers of two."""


@dataclass(frozen=True)
class Machine:
    """A machine under tables.

    Attributes:
        hosts: its hosts, in natural order, which is that of ranks and of a scheduler's nodes.
        groups: their leaf groups.
        paths: among them.
        number: name → index of a host.
        apart: pairs of hosts that cannot send to each other on some rail; none where all can.
        unknown: adapters whose host nothing shows, or whose host's name another one has: no nodes of a scheduler.
    """

    hosts: tuple[str, ...]
    groups: LeafGroups
    paths: Paths
    number: Mapping[str, int]
    apart: NDArray[np.bool_] | None = None
    unknown: int = 0

    def indices(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Indices of hosts, ascending."""
        return np.unique(np.array([self.number[name] for name in names], np.int64))

    def names(self, hosts: NDArray[np.int64]) -> tuple[str, ...]:
        """Names of hosts."""
        return tuple(self.hosts[host] for host in hosts.tolist())

    def judge(self, pattern: str, others: Sequence[NDArray[np.int64]] = ()) -> Judge:
        """What scores sets of hosts, beside other jobs."""
        return Judge(self.paths, pattern, SHIFTS, mean_loads(self.paths, others, SHIFTS, pattern), self.apart)

    def remarks(self) -> list[AllocationRemark]:
        """What is to be known about its levels and its hosts."""
        found: list[AllocationRemark] = []
        if not self.groups.has_levels:
            found.append(GroupsAlone(len(self.groups)))
        if self.unknown:
            found.append(AdaptersUnknown(self.unknown))
        return found


def machine_of(routes: Routes, names: Iterable[str] | None = None) -> Machine:
    """The machine of some hosts: those that are named, and the compute hosts of the fabric.

    Raises:
        LacisError: when there is no host with a cable, or memory is too small.
    """
    fabric = routes.fabric
    known = nodesets.hosts_of(fabric)
    compute, unknown = compute_hosts(routes)
    wanted = {*compute, *(names or ())}
    hosts = [name for name in known if name in wanted]
    if not hosts:
        raise LacisError("the fabric has no host")
    ports = host_ports(routes, hosts)
    paths = paths_of(routes, ports)
    groups = leaf_groups(fabric, ports)
    # A host without a link is none that a job can have.
    apart = paths.apart((ports.leaf >= 0) | (groups.of < 0))
    return Machine(ports.hosts, groups, paths, ports.number, apart, unknown)


def compute_hosts(routes: Routes) -> tuple[list[str], int]:
    """The compute hosts of the fabric, all hosts where none are known to be that; and adapters that are none's."""
    groups = dict(_core.participants(routes).groups)
    found = participants(
        routes, groups="compute" if groups.get("compute") else "all", host_order="name"
    ).hosts
    named = set(_core.hosts(routes.fabric).names)
    return [name for name in found if name in named], sum(name not in named for name in found)


def matched(fabric: Fabric, named: Sequence[str], source: str) -> tuple[list[str], list[AllocationRemark]]:
    """The hosts of the fabric that a scheduler's nodes are, each once.

    A node is the host that its name means by the rule of `names`; that the names differ is remarked on.

    Raises:
        LacisError: when a node is no host of the fabric, or may be several.
    """
    known = nodesets.hosts_of(fabric)
    there, names = set(known), Names(known)
    found: list[str] = []
    differing: list[tuple[str, str]] = []
    for name in named:
        try:
            host = names.meant(name) or name
        except LacisError as error:
            raise error.within(source) from None
        if host != name:
            differing.append((name, host))
        found.append(host)
    if not found:
        raise LacisError("no host in the list", source=source)
    if set(found) - there:
        found = by_names(fabric, nodesets.find(nodesets.fold(found), known, source), known, source)
    remarks: list[AllocationRemark] = []
    if differing:
        remarks.append(NamesMatched(len(differing), *differing[0]))
    return list(dict.fromkeys(found)), remarks
