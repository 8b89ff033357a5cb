"""A topology as a site's file has it: switches by name, with the hosts and the switches below each."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class SiteSwitch:
    """A switch of a file, a block or the value of a label.

    Attributes:
        name: as the file has it.
        line: where it is, from 1; 0 where the file says it in many lines.
        hosts: below it, as the file has them.
        children: names of switches below it.
    """

    name: str
    line: int = 0
    hosts: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)


@dataclass
class Site:
    """What a file says.

    Attributes:
        switches: in the order of the file; a name may be there twice.
        block_sizes: of blocks.
        has_tiers: whether the form can say what is above leaves.
        labelled: how many labels or properties a host has at most, from its leaf up; 0 where the form names children.
    """

    switches: list[SiteSwitch]
    block_sizes: list[int] = field(default_factory=list)
    has_tiers: bool = True
    labelled: int = 0


def of_labels(chains: list[tuple[str, int, list[str | None]]]) -> Site:
    """What labels of hosts say: for each host its name, its line and the values from its leaf up.

    A switch of one tier may have the name of one of another: schedulers tell labels apart by their keys.
    """
    switches: dict[tuple[int, str], SiteSwitch] = {}
    below: dict[tuple[int, str], dict[str, None]] = {}
    shown = _names(chains)
    for host, line, values in chains:
        last: tuple[int, str] | None = None
        for tier, value in enumerate(values):
            if value is None:
                continue
            key = (tier, value)
            switch = switches.setdefault(key, SiteSwitch(shown[key], line))
            if last is None:
                switch.hosts.append(host)
            elif shown[last] != shown[key]:
                below.setdefault(key, {})[shown[last]] = None
            last = key
    for key, children in below.items():
        switches[key].children.extend(children)
    # A tier whose only member has its name is no tier, but a value repeated where a host's chain skips one.
    found: dict[str, SiteSwitch] = {}
    for switch in switches.values():
        if switch.name in found:
            found[switch.name].hosts += switch.hosts
            found[switch.name].children += switch.children
        else:
            found[switch.name] = switch
    return Site(list(found.values()), labelled=max((len(values) for _, _, values in chains), default=0))


def _names(chains: list[tuple[str, int, list[str | None]]]) -> dict[tuple[int, str], str]:
    """A name for each value of each tier: the value, where it is repeated from the tier below or is of one tier alone."""
    tiers: dict[str, set[int]] = {}
    repeated: dict[tuple[int, str], bool] = {}
    for _, _, values in chains:
        for tier, value in enumerate(values):
            if value is not None:
                tiers.setdefault(value, set()).add(tier)
                follows = tier > 0 and values[tier - 1] == value
                repeated[tier, value] = repeated.get((tier, value), True) and follows
    return {
        (tier, value): value if tier == min(its) or repeated[tier, value] else f"{value} (tier {tier + 1})"
        for value, its in tiers.items()
        for tier in its
    }
