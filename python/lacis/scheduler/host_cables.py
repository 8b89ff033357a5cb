"""Hosts and the switches that they hang on, as far as a user's choice of rails, adapters and hosts goes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.words import natural
from ..ranks import nodesets
from ..ranks.participants import by_names, participants_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Hosts


@dataclass(frozen=True)
class Choice:
    """What a user chose by hand.

    Attributes:
        rail: the rail whose adapters count, from 1; all of them unless given.
        adapters: the label or description of the adapters that count, with `*` and `?`.
        hosts: the hosts that a scheduler has; unless given all that hang on the leaves of compute hosts.
    """

    rail: int | None = None
    adapters: str | None = None
    hosts: Sequence[str] | None = None

    def in_words(self) -> str:
        """What was chosen of a host's adapters."""
        rail = [] if self.rail is None else [f"rail {self.rail}"]
        return ", ".join([*rail, *([] if self.adapters is None else [f"adapters {self.adapters}"])])


@dataclass(frozen=True)
class Cabled:
    """Hosts and the switches that they hang on.

    Attributes:
        names: of the hosts.
        leaves: for each host its switches, each with the number of cables.
        any_cable: whether a host has a cable to a switch at all, whatever was chosen.
    """

    names: list[str]
    leaves: list[dict[int, int]]
    any_cable: list[bool]


def cables_of_hosts(fabric: Fabric, hosts: Hosts, choice: Choice) -> Cabled:
    """Which host hangs on which switch by how many cables that count."""
    names = hosts.names
    if not names:
        raise LacisError("the fabric has no host with a name")
    switches = fabric.num_switches
    owner = np.full(switches + fabric.num_end_nodes, -1, dtype=np.int64)
    for at in range(len(names)):
        owner[hosts.adapters(at)] = at
    ends = fabric.cables().reshape(-1, 4).astype(np.int64)
    both = np.concatenate([ends, ends[:, [2, 3, 0, 1]]])
    down = both[(owner[both[:, 0]] >= 0) & (both[:, 2] < switches)]
    counts = _counting(fabric, hosts, down, choice)
    leaves: list[dict[int, int]] = [{} for _ in names]
    pairs, number = np.unique(owner[down[counts, 0]] * max(switches, 1) + down[counts, 2], return_counts=True)
    for pair, count in zip(pairs.tolist(), number.tolist(), strict=True):
        leaves[pair // switches][pair % switches] = count
    any_cable = np.bincount(owner[down[:, 0]], minlength=len(names)) > 0
    return Cabled(names, leaves, any_cable.tolist())


def _counting(fabric: Fabric, hosts: Hosts, down: NDArray[np.int64], choice: Choice) -> NDArray[np.bool_]:
    """Which cables from hosts to switches are of the adapters that were chosen.

    Raises:
        LacisError: when none is.
    """
    counts = np.ones(len(down), dtype=bool)
    if choice.rail is not None:
        rails = hosts.rails().astype(np.int64)
        # Ports of an adapter have a rail each, except where they are planes of one.
        ports = max(1, hosts.num_rails // max(1, int(rails.max(initial=-1)) + 1))
        rail = rails[down[:, 0] - fabric.num_switches]
        number = rail * ports + (np.minimum(down[:, 1], ports) if ports > 1 else 1)
        counts &= (rail >= 0) & (number == choice.rail)
        if not counts.any():
            raise LacisError(
                f"`rail`: no host has a cable on rail {choice.rail}; there are {hosts.num_rails}"
            )
    if choice.adapters is not None:
        nodes = np.unique(down[:, 0])
        described = fabric.descriptions()
        labels = {int(node): hosts.label(int(node)) for node in nodes}
        like = [
            node
            for node, label in labels.items()
            if fnmatchcase(label, choice.adapters) or fnmatchcase(described[node], choice.adapters)
        ]
        counts &= np.isin(down[:, 0], like)
        if not counts.any():
            known = sorted({label for label in labels.values() if label}, key=natural)
            there = f"; there are {', '.join(known[:12])}" if known else ""
            raise LacisError(f"`adapters`: no adapter of a host is like it{there}", text=choice.adapters)
    return counts


def chosen_hosts(fabric: Fabric, text: str) -> list[str]:
    """The hosts that a text names: a set, `file:PATH`, or groups by purpose with commas between.

    Raises:
        LacisError: when it names a host that the fabric lacks, or none.
    """
    known = _core.hosts(fabric).names
    if not nodesets.is_group(text):
        return by_names(fabric, nodesets.find(text, known, "`hosts`", nodesets.GROUPS), known, "`hosts`")
    groups = {word.strip() for word in text.split(",")}
    of = purposes(fabric, known)
    found = [name for name in known if "all" in groups or of[name] in groups]
    if not found:
        raise LacisError("`hosts`: no host of the fabric is of that group", text=text)
    return found


def purposes(fabric: Fabric, names: Sequence[str]) -> dict[str, str]:
    """What each host is for: `compute`, `management`, `storage` or `gateway`."""
    # A word of the name decides for most hosts, so that those with the same words are of one kind and stand together.
    return _purposes(fabric, sorted(names, key=lambda name: (re.sub(r"\d+", "", name), name)))


def _purposes(fabric: Fabric, names: Sequence[str]) -> dict[str, str]:
    if not names:
        return {}
    groups = participants_of(fabric, names).groups
    # Hosts of one kind are asked for at once, so that few questions find the few that are of another.
    if len(groups) == 1 or len(names) == 1:
        return dict.fromkeys(names, groups[0][0] if groups else "compute")
    half = len(names) // 2
    return _purposes(fabric, names[:half]) | _purposes(fabric, names[half:])


def unnamed_hosts(fabric: Fabric, hosts: Hosts) -> set[str]:
    """Hosts that are called what their adapters say, though that is no host's own name."""
    described = fabric.descriptions()
    return {
        name
        for at, (name, inferred) in enumerate(zip(hosts.names, hosts.inferred, strict=True))
        if inferred and all(described[int(node)].split()[:1] == [name] for node in hosts.adapters(at))
    }
