"""What is wrong with the topology that a site's scheduler has, as a work list: its switches, its hosts, what is above its leaves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.scheduler import (
    BlockSizesUneven,
    BlockSmall,
    ChildUnknown,
    FileShadowed,
    RootsApart,
    SwitchEmpty,
    SwitchesCircular,
    SwitchOfBoth,
    SwitchRepeated,
    SwitchShared,
    TopologyFault,
    severity,
)
from ..facts.words import count
from ..io.files import reading
from . import check_hosts, check_tiers
from .forms import FORMS, Details, fitted, form_of
from .site import Site, SiteSwitch

if TYPE_CHECKING:
    import os

    from .topology import Topology

_RANK = {"error": 0, "warning": 1, "notice": 2}
_MOST_NEAREST = 50
"""Unknown children for which the nearest names are looked for: a comparison with every name each."""
_DEEPEST = 64
"""Switches above one another."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a site's file.

    Attributes:
        line: where, from 1; 0 where it is about no line.
        fact: what is wrong.
    """

    line: int
    fact: TopologyFault


@dataclass(frozen=True)
class Judged:
    """A site's file and what is wrong with it.

    Attributes:
        form: its form, as `--as` takes it.
        switches: how many it has.
        hosts: how many hosts it names.
        faults: the worst first, then in the order of the file.
    """

    form: str
    switches: int
    hosts: int
    faults: tuple[Fault, ...]

    @property
    def is_right(self) -> bool:
        """Whether there is nothing to do."""
        return all(severity(fault.fact) == "notice" for fault in self.faults)

    def __repr__(self) -> str:
        return f"<{self.form} of {count(self.hosts, 'host')}: {count(len(self.faults), 'fault')}>"


def check(
    topology: Topology, path: str | os.PathLike[str], *, form: str | None = None, labels: tuple[str, ...] = ()
) -> Judged:
    """Judge the file that a site's scheduler has.

    Args:
        topology: the fabric's.
        path: the file; `-` for standard input.
        form: its form, where its content does not show it.
        labels: the keys of labels or the names of resources from the leaf up, where they are the site's own.

    Raises:
        LacisError: when it cannot be read, or is of no form that is known; with the line.
    """
    with reading(path) as data:
        text = _decoded(data)
        its = FORMS[form] if form is not None else form_of(text)
        site = its.read(text, Details(labels))
        faults = judge(fitted(topology, its), site)
    shadow = _shadow(path)
    if shadow is not None:
        faults.append(Fault(0, FileShadowed(shadow)))
    faults.sort(key=lambda fault: (_RANK[severity(fault.fact)], fault.line))
    hosts = {host for switch in site.switches for host in switch.hosts}
    return Judged(its.name, len(site.switches), len(hosts), tuple(faults))


def _decoded(data: bytes) -> str:
    if b"\0" in data[:65536]:
        raise LacisError("no text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LacisError("not UTF-8", line, ascii(data[error.start : error.start + 20])[2:-1]) from None


def _shadow(path: str | os.PathLike[str]) -> str | None:
    """The file that Slurm reads instead of this one."""
    there = Path(path)
    other = there.with_name("topology.yaml")
    return str(other) if there.name == "topology.conf" and other.is_file() else None


def judge(topology: Topology, site: Site) -> list[Fault]:
    """What is wrong with a site's topology, where a fabric's names are spelt as the form has them."""
    switches, faults = _defined(site)
    parents, more = _below(switches)
    faults += more
    leaf_groups, of_hosts = check_hosts.judge(topology, switches)
    faults += [Fault(line, fact) for line, fact in of_hosts]
    if site.has_tiers:
        circular = any(isinstance(fault.fact, SwitchesCircular) for fault in faults)
        above = check_tiers.judge(topology, switches, parents, leaf_groups)
        # What a cycle cuts off has no root until the cycle is gone.
        faults += [
            Fault(line, fact) for line, fact in above if not (circular and isinstance(fact, RootsApart))
        ]
    return faults + _blocks(site)


def _defined(site: Site) -> tuple[dict[str, SiteSwitch], list[Fault]]:
    """The switches by name, the first of each, and those that are defined twice, empty or of both kinds."""
    switches: dict[str, SiteSwitch] = {}
    faults = []
    for switch in site.switches:
        if switch.name in switches:
            faults.append(Fault(switch.line, SwitchRepeated(switch.name, switches[switch.name].line)))
            continue
        switches[switch.name] = switch
        if switch.hosts and switch.children:
            faults.append(Fault(switch.line, SwitchOfBoth(switch.name)))
        elif not switch.hosts and not switch.children:
            faults.append(Fault(switch.line, SwitchEmpty(switch.name)))
    return switches, faults


def _below(switches: dict[str, SiteSwitch]) -> tuple[dict[str, str], list[Fault]]:
    """The switch above each, without cycles; and children that are unknown, below several switches or above themselves."""
    faults: list[Fault] = []
    above: dict[str, list[str]] = {}
    for switch in switches.values():
        for child in dict.fromkeys(switch.children):
            if child in switches:
                above.setdefault(child, []).append(switch.name)
            else:
                near = _core.nearest(child, list(switches), 2) if len(faults) < _MOST_NEAREST else []
                faults.append(Fault(switch.line, ChildUnknown(switch.name, child, near)))
    for name, its in above.items():
        if len(its) > 1:
            faults.append(Fault(switches[name].line, SwitchShared(name, its)))
    parents = {name: its[0] for name, its in above.items()}
    for circle in _cycles(above):
        start = min(range(len(circle)), key=lambda at: switches[circle[at]].line)
        cycle = circle[start:] + circle[:start]
        faults.append(Fault(switches[cycle[0]].line, SwitchesCircular(cycle)))
        for name in cycle:
            parents.pop(name, None)
    _check_depth(parents, switches)
    return parents, faults


def _check_depth(parents: dict[str, str], switches: dict[str, SiteSwitch]) -> None:
    """Refuses switches that are stacked higher than those of any fabric."""
    height: dict[str, int] = {}
    for start in parents:
        path = [start]
        while path[-1] in parents and path[-1] not in height:
            path.append(parents[path[-1]])
        top = height.get(path[-1], 0)
        for above, name in enumerate(reversed(path)):
            height[name] = top + above
            if height[name] > _DEEPEST:
                raise LacisError(
                    f"more than {_DEEPEST} switches above one another", switches[name].line or None, name[:80]
                )


def _cycles(above: dict[str, list[str]]) -> list[list[str]]:
    """Switches in a circle, each above the next; one for each set of switches that reach each other."""
    done: set[str] = set()
    found = []
    for start in above:
        if start in done:
            continue
        # The path upwards from here, with the parents of each switch on it that are still to be tried.
        path = {start: 0}
        todo = [(start, iter(above[start]))]
        while todo:
            name, rest = todo[-1]
            parent = next(rest, None)
            if parent is None:
                todo.pop()
                path.pop(name, None)
                done.add(name)
            elif parent in path:
                circle = list(path)[path[parent] :]
                found.append(circle[::-1])
                done.update(circle)
            elif parent not in done:
                path[parent] = len(path)
                todo.append((parent, iter(above.get(parent, ()))))
    return found


def _blocks(site: Site) -> list[Fault]:
    """Blocks that are smaller than their size, and sizes that do not follow from each other."""
    sizes = site.block_sizes
    if not sizes:
        return []
    faults: list[Fault] = []
    ratios = [b / a for a, b in pairwise(sizes)]
    if any(ratio < 2 or not ratio.is_integer() or int(ratio) & (int(ratio) - 1) for ratio in ratios):
        faults.append(Fault(0, BlockSizesUneven(sizes)))
    counts = Counter({switch.name: len(set(switch.hosts)) for switch in site.switches})
    lines = {switch.name: switch.line for switch in site.switches}
    faults += [
        Fault(lines[name], BlockSmall(name, count, min(sizes)))
        for name, count in counts.items()
        if count < min(sizes)
    ]
    return faults
