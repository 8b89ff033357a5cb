"""The words of what a scheduler's topology leaves out, and of what is wrong with a site's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import scheduler as on
from ..words import count, noun
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Sequence


def some(names: Sequence[str], most: int = 4) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


@text.register
def _(_: on.HostUncabled) -> str:
    return "no cable to a switch: its leaf is absent, or its links are down"


@text.register
def _(fact: on.HostOffRail) -> str:
    return f"no cable on {fact.chosen}"


@text.register
def _(fact: on.HostOffGroups) -> str:
    return f"{fact.purpose}; no compute host hangs on {some(fact.leaves)}"


@text.register
def _(fact: on.HostBetweenGroups) -> str:
    return f"as many cables to the groups of {some(fact.groups)}: two hosts of one name, or cables in wrong ports"


@text.register
def _(_: on.HostNotListed) -> str:
    return "not among the hosts that were asked for"


@text.register
def _(_: on.HostUnnamed) -> str:
    return "the name that an installer gave; the host's own is not known"


@text.register
def _(fact: on.HostNameUnfit) -> str:
    return f"a name that {fact.scheduler} cannot have, or that another host has there"


@text.register
def _(fact: on.AdapterHostless) -> str:
    on_leaf = f" on {fact.leaf}" if fact.leaf else ""
    return f"adapter {fact.described!r}{on_leaf}, whose host nothing shows"


@text.register
def _(_: on.TiersUnknown) -> str:
    return "the fabric has no levels (lacis fabric --why-levels says why): leaves are right, nothing is known between them and the root"


@text.register
def _(_: on.TiersAssumed) -> str:
    return "the fabric has no levels (lacis fabric --why-levels says why): switches are taken for as high as they are far from leaves"


@text.register
def _(fact: on.FabricApart) -> str:
    return f"no cables join {some(fact.roots)}: each has a root of its own, and no job can span them"


@text.register
def _(fact: on.HostsInferred) -> str:
    its = noun(len(fact.hosts), "name is", "names are")
    return (
        f"{count(len(fact.hosts), 'host')} whose {its} inferred from cabling and numbers: {some(fact.hosts)}"
    )


@text.register
def _(fact: on.LeavesThin) -> str:
    keep = noun(len(fact.groups), "keeps", "keep")
    return f"{some(fact.groups)} {keep} less than half of the bandwidth of other groups, and {noun(len(fact.groups), 'stands', 'stand')} apart"


def _to(right: str | None, group: str) -> str:
    return (
        f"{right} (the file's leaf for {group})"
        if right is not None
        else f"a leaf for {group}, which the file lacks"
    )


@text.register
def _(fact: on.HostsElsewhere) -> str:
    hang = noun(len(fact.hosts), "hangs", "hang")
    return f"{some(fact.hosts)}: under {fact.leaf}, but {hang} on {fact.group}; move to {_to(fact.right, fact.group)}"


@text.register
def _(fact: on.HostDoubled) -> str:
    if len(fact.leaves) == 1:
        return f"{fact.host}: twice under {fact.leaves[0]}; remove one"
    return f"{fact.host}: under {some(fact.leaves)}; a host hangs on one group of leaves: keep one"


@text.register
def _(fact: on.HostsLeftOut) -> str:
    return f"{some(fact.hosts)}: not in the file; add to {_to(fact.right, fact.group)}"


@text.register
def _(fact: on.HostsUnknown) -> str:
    which = "it" if len(fact.hosts) == 1 else "the first"
    near = f"; {which} may mean {' or '.join(fact.near)}" if fact.near else ""
    return f"{some(fact.hosts)}: under {fact.leaf}, but not in the fabric{near}"


@text.register
def _(fact: on.HostsMisspelt) -> str:
    pairs = [f"{host} means {means}" for host, means in zip(fact.hosts, fact.means, strict=True)]
    return f"{some(pairs)}: names are spelt in several ways, and a scheduler takes each for a host of its own"


@text.register
def _(fact: on.HostsRespelt) -> str:
    spelt = noun(
        fact.hosts,
        "is spelt otherwise than in the fabric",
        "are spelt otherwise than in the fabric, all in one way",
    )
    return f"{count(fact.hosts, 'host')} {spelt}: {fact.host} means {fact.means}"


@text.register
def _(fact: on.HostsUnjudged) -> str:
    return f"{some(fact.hosts)}: under {fact.leaf}; on no group of leaves in the fabric, so that nothing is said of them"


@text.register
def _(fact: on.LeafMixed) -> str:
    return f"{fact.leaf}: holds the hosts of {some(fact.groups)}, between which cables lead over other switches; split it"


@text.register
def _(fact: on.GroupSplit) -> str:
    return f"{some(fact.leaves)}: hosts of one group of leaves, {fact.group}; make one leaf of them"


@text.register
def _(fact: on.TierMissing) -> str:
    what = noun(len(fact.switches), "switch", "switches")
    return f"tier {fact.tier}: the file has no {what} for {some(fact.switches)}"


@text.register
def _(fact: on.LeavesElsewhere) -> str:
    right = fact.right if fact.right is not None else f"a switch for {fact.belongs}, which the file lacks"
    under = f"under {fact.switch}" if fact.switch else "under no switch"
    return f"{some(fact.leaves)}: {under}, but cables lead to {fact.belongs}; move to {right}"


@text.register
def _(fact: on.LinksAbsent) -> str:
    parts = " | ".join(some(part, 2) for part in fact.parts[:4])
    return f"{fact.switch}: joins what no cables join: {parts}"


@text.register
def _(fact: on.RootsApart) -> str:
    return f"{some(fact.roots)}: no switch above them, though cables join them; add one"


@text.register
def _(fact: on.FileShadowed) -> str:
    return f"Slurm does not read this file while {fact.by} is in the same folder"


@text.register
def _(fact: on.SwitchesCircular) -> str:
    return f"{' > '.join(fact.switches[:6])}{' > …' if len(fact.switches) > 6 else ''} > {fact.switches[0]}: a cycle"


@text.register
def _(fact: on.ChildUnknown) -> str:
    near = f"; did you mean {' or '.join(fact.near)}?" if fact.near else ""
    return f"{fact.switch}: its child {fact.child} is not defined{near}"


@text.register
def _(fact: on.SwitchRepeated) -> str:
    first = f", first in line {fact.first}" if fact.first else ""
    return f"{fact.switch}: defined twice{first}"


@text.register
def _(fact: on.SwitchShared) -> str:
    return f"{fact.switch}: below {some(fact.parents)}; a switch of a tree is below one"


@text.register
def _(fact: on.SwitchEmpty) -> str:
    return f"{fact.switch}: neither hosts nor switches below it"


@text.register
def _(fact: on.SwitchOfBoth) -> str:
    return f"{fact.switch}: both hosts and switches below it; a scheduler takes one of them"


@text.register
def _(fact: on.BlockSmall) -> str:
    return f"{fact.block}: {count(fact.hosts, 'host')}, fewer than the block size {fact.least}"


@text.register
def _(fact: on.BlockSizesUneven) -> str:
    return (
        f"block sizes {', '.join(map(str, fact.sizes))}: each must be the one before it times a power of two"
    )
