"""What every form of a topology has: how it is written and read, and how names are spelt in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import LacisError
from ...facts.scheduler import HostNameUnfit
from ...facts.wording import text
from ...facts.words import count, harmless
from ...ranks import nodesets
from .. import hostlists
from ..leaves import Unplaced
from ..names import LONGEST, cleaned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..site import Site
    from ..tiers import Uplink
    from ..topology import Above, Leaf, Topology

TIERS = ("leaf", "spine", "core")
"""What labels call the tiers, from the leaf up; those above are called by their number."""


def tier_names(count: int) -> list[str]:
    """What labels call so many tiers, from the leaf up."""
    return [TIERS[at] if at < len(TIERS) else f"tier-{at + 1}" for at in range(count)]


@dataclass(frozen=True)
class Form:
    """A form of a topology.

    Attributes:
        name: as `--as` takes it.
        scheduler: whose form it is.
        file: what the file usually is.
        write: the text for a topology; names are as `fitted` leaves them.
        read: what a text says.
        is_one: whether a text is of this form.
        spells: the names of hosts that it can have; after `lower`.
        lower: whether names are in lower case.
    """

    name: str
    scheduler: str
    file: str
    write: Callable[[Topology, Details], str]
    read: Callable[[str, Details], Site]
    is_one: Callable[[str], bool]
    spells: re.Pattern[str]
    lower: bool = False


@dataclass(frozen=True)
class Details:
    """What some forms need besides a topology.

    Attributes:
        labels: the keys of labels from the leaf up, where a site has its own.
        link_speeds: whether bandwidths are in the lines that a scheduler reads, too.
    """

    labels: tuple[str, ...] = ()
    link_speeds: bool = False


PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
"""The name of a host in Slurm, Flux and PBS."""
SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
"""The name of a node in Kubernetes, after RFC 1123."""


def fitted(topology: Topology, form: Form) -> Topology:
    """The topology with the names that a form can have; hosts whose names it cannot have are under no leaf.

    Raises:
        LacisError: when no host is left: a file without a leaf is none that a scheduler reads.
    """
    unfit: list[Unplaced] = []
    taken: set[str] = set()
    leaves = []
    for leaf in topology.leaves:
        hosts = []
        for host in leaf.hosts:
            name = host.lower() if form.lower else host
            if form.spells.fullmatch(name) and name not in taken:
                hosts.append(name)
                taken.add(name)
            else:
                unfit.append(Unplaced(host, HostNameUnfit(form.scheduler)))
        leaves.append(replace(leaf, hosts=tuple(hosts)))
    if not taken:
        raise LacisError(f"no host on a leaf has a name that {form.scheduler} can have", text=unfit[0].host)
    fitting = replace(topology, leaves=tuple(leaves), unplaced=(*topology.unplaced, *unfit))
    return _lowered(fitting) if form.lower else _without_empty(fitting)


def _lowered(topology: Topology) -> Topology:
    """With names of switches in lower case, as those of objects in Kubernetes are."""
    used: set[str] = set()
    of: dict[str, str] = {}
    for given in (*(leaf.name for leaf in topology.leaves), *(one.name for one in topology.above)):
        name = cleaned(re.sub(r"[^a-z0-9.-]+", "-", given.lower()))
        number = 2
        while name in used:
            name = f"{name[: LONGEST - 8]}-{number}"
            number += 1
        used.add(name)
        of[given] = name
    lowered = replace(
        topology,
        leaves=tuple(replace(leaf, name=of[leaf.name]) for leaf in topology.leaves),
        above=tuple(
            replace(one, name=of[one.name], children=tuple(of[child] for child in one.children))
            for one in topology.above
        ),
        roots=tuple(of[root] for root in topology.roots),
        compute=frozenset(name.lower() for name in topology.compute),
    )
    return _without_empty(lowered)


def _without_empty(topology: Topology) -> Topology:
    """Without leaves that no host is left on, and without what joins nothing else."""
    gone = {leaf.name for leaf in topology.leaves if not leaf.hosts}
    if not gone:
        return topology
    above = []
    for one in topology.above:
        children = tuple(child for child in one.children if child not in gone)
        if children:
            above.append(replace(one, children=children))
        else:
            gone.add(one.name)
    return replace(
        topology,
        leaves=tuple(leaf for leaf in topology.leaves if leaf.hosts),
        above=tuple(above),
        roots=tuple(root for root in topology.roots if root not in gone),
    )


def head(topology: Topology, form: Form) -> Iterator[str]:
    """The comment lines that stand first: what the file is, and which hosts stand under no leaf and why."""
    yield (
        f"# {form.scheduler}: {count(topology.hosts, 'host')} on {count(len(topology.leaves), 'leaf', 'leaves')} (groups of leaf switches with the same hosts), "
        f"written by lacis topology --as {form.name}"
    )
    yield "# Figures are in comments alone: a lost cable or an exchanged adapter changes no other line."
    for remark in topology.remarks:
        yield f"# {harmless(text(remark))}"
    reasons: dict[str, list[str]] = {}
    for one in topology.unplaced:
        reasons.setdefault(text(one.why), []).append(one.host)
    for reason, hosts in reasons.items():
        named = nodesets.fold(filter(None, hosts))
        yield f"# under no leaf: {harmless(named)}{': ' if named else ''}{harmless(reason)}"


def of_leaf(leaf: Leaf) -> str:
    """The figures of a leaf, as a comment."""
    some = leaf.switches[0] if len(leaf.switches) == 1 else f"{leaf.switches[0]} … {leaf.switches[-1]}"
    return (
        f"# {leaf.name}: {count(len(leaf.hosts), 'host')}, {count(len(leaf.switches), 'leaf switch', 'leaf switches')} "
        f"({harmless(some)}), {count(leaf.cables, 'cable')} to hosts; {_up(leaf.up)}"
    )


def of_above(one: Above) -> str:
    """The figures of what joins leaves, as a comment."""
    switches = f"{count(len(one.switches), 'switch', 'switches')}; " if one.switches else ""
    return f"# {one.name}: {switches}{_up(one.up)}"


def _up(up: Uplink) -> str:
    if not up.cables:
        return "no cable to a level above"
    carried = "unknown rate" if up.bandwidth is None else f"{up.bandwidth / 1e9:,.0f} GB/s each way"
    return f"{count(up.cables, 'cable')} to the level above, {carried}"


def listed(names: Sequence[str]) -> str:
    """Names as a host list."""
    return hostlists.fold(names)
