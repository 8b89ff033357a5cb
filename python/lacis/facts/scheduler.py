"""What a scheduler's topology leaves out, and what is wrong with one that a site has."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact, Severity

# Why a host stands under no leaf.


class HostUncabled(Fact, frozen=True):
    """A host of which no cable leads to a switch: its leaf is absent from the fabric, or its links are down."""


class HostOffRail(Fact, frozen=True):
    """A host without a cabled adapter on the rail, or of the name, that was chosen."""

    chosen: str
    """What was chosen: `rail 2`, `adapters mlx5_*`."""


class HostOffGroups(Fact, frozen=True):
    """A host on leaves that serve no compute host."""

    purpose: str
    """What it is for: `storage`, `management`, `gateway`."""
    leaves: list[str]
    """Its leaves."""


class HostBetweenGroups(Fact, frozen=True):
    """A host with as many adapters on one group of leaves as on another: two hosts of one name, or one that is cabled wrongly."""

    groups: list[str]
    """The first leaf of each group."""


class HostNotListed(Fact, frozen=True):
    """A host that is not among those that were asked for."""


class HostUnnamed(Fact, frozen=True):
    """A host with the name that installers give, as `localhost`: its own is not known."""


class HostNameUnfit(Fact, frozen=True):
    """A host whose name the scheduler cannot have."""

    scheduler: str
    """The scheduler: `Slurm`."""


class AdapterHostless(Fact, frozen=True):
    """An adapter whose host nothing shows."""

    described: str
    """Its description."""
    leaf: str
    """The switch that it is cabled to; empty where there is none."""


WhyUnplaced: TypeAlias = (
    HostUncabled
    | HostOffRail
    | HostOffGroups
    | HostBetweenGroups
    | HostNotListed
    | HostUnnamed
    | HostNameUnfit
    | AdapterHostless
)

# What is remarkable about the whole.


class TiersUnknown(Fact, frozen=True):
    """A fabric without levels: groups of leaves are known, nothing between them and the root."""


class TiersAssumed(Fact, frozen=True):
    """A fabric without levels, whose switches are taken for as high as they are far from leaves."""


class FabricApart(Fact, frozen=True):
    """Groups that no cables join: each part has a root of its own."""

    roots: list[str]
    """The roots."""


class HostsInferred(Fact, frozen=True):
    """Hosts whose names no description says: cards, cabling and numbering imply them."""

    hosts: list[str]
    """The hosts."""


class LeavesThin(Fact, frozen=True):
    """Groups that keep less than half of the bandwidth that their like have, and stand apart for that."""

    groups: list[str]
    """The groups."""


TopologyRemark: TypeAlias = TiersUnknown | TiersAssumed | FabricApart | HostsInferred | LeavesThin

# What is wrong with a site's file.


class HostsElsewhere(Fact, frozen=True):
    """Hosts that the file has under one leaf and the fabric on another."""

    hosts: list[str]
    """The hosts."""
    leaf: str
    """The file's leaf."""
    group: str
    """The group of leaves that the hosts hang on."""
    right: str | None
    """The leaf of the file that stands for that group; null where none does."""


class HostDoubled(Fact, frozen=True):
    """A host under several leaves of the file, or twice under one."""

    host: str
    """The host."""
    leaves: list[str]
    """The leaves."""


class HostsLeftOut(Fact, frozen=True):
    """Compute hosts of the fabric that the file lacks."""

    hosts: list[str]
    """The hosts."""
    group: str
    """The group of leaves that they hang on."""
    right: str | None
    """The leaf of the file that stands for that group; null where none does."""


class HostsUnknown(Fact, frozen=True):
    """Hosts of the file that the fabric lacks."""

    hosts: list[str]
    """The hosts, as the file has them."""
    leaf: str
    """The file's leaf."""
    near: list[str]
    """Hosts of the fabric that the first may mean."""


class HostsMisspelt(Fact, frozen=True):
    """Names that differ from the fabric's in letter case or domain, where others of the file do not: schedulers take them for other hosts."""

    hosts: list[str]
    """The names, as the file has them."""
    means: list[str]
    """The hosts of the fabric that they mean, in the same order."""


class HostsRespelt(Fact, frozen=True):
    """A file all of whose names differ from the fabric's in the same way: letter case or domain."""

    hosts: int
    """How many."""
    host: str
    """The first, as the file has it."""
    means: str
    """The host of the fabric that it means."""


class HostsUnjudged(Fact, frozen=True):
    """Hosts of the file that stand on no group of leaves in the fabric."""

    hosts: list[str]
    """The hosts."""
    leaf: str
    """The file's leaf."""


class LeafMixed(Fact, frozen=True):
    """A leaf of the file that holds all or most hosts of several groups: they seem closer than they are."""

    leaf: str
    """The leaf."""
    groups: list[str]
    """The groups of leaves."""


class GroupSplit(Fact, frozen=True):
    """A group of leaves whose hosts the file has under several leaves: they seem farther apart than they are."""

    group: str
    """The group."""
    leaves: list[str]
    """The file's leaves."""


class TierMissing(Fact, frozen=True):
    """What joins groups in the fabric and has no switch in the file."""

    tier: int
    """How far above the groups, from 1."""
    switches: list[str]
    """What the fabric has there, as Lacis names it."""


class LeavesElsewhere(Fact, frozen=True):
    """Leaves that the file has under one switch and the fabric under another."""

    leaves: list[str]
    """The file's leaves."""
    switch: str
    """The file's switch."""
    belongs: str
    """What joins them in the fabric, as Lacis names it."""
    right: str | None
    """The switch of the file that stands for that; null where none does."""


class LinksAbsent(Fact, frozen=True):
    """A switch of the file that joins what no cables join."""

    switch: str
    """The switch."""
    parts: list[list[str]]
    """The file's leaves below it, those that cables join together."""


class RootsApart(Fact, frozen=True):
    """Several switches of the file without one above them, where cables join what is below them."""

    roots: list[str]
    """The switches."""


class FileShadowed(Fact, frozen=True):
    """A topology.conf that Slurm does not read, as a topology.yaml is in the same folder."""

    by: str
    """The file that Slurm reads."""


class SwitchesCircular(Fact, frozen=True):
    """Switches of which each is below the next, and the last below the first."""

    switches: list[str]
    """The switches, from one to the next below."""


class ChildUnknown(Fact, frozen=True):
    """A child that the file does not define: Slurm does not start with it."""

    switch: str
    """The switch."""
    child: str
    """The child."""
    near: list[str]
    """Switches that it may mean."""


class SwitchRepeated(Fact, frozen=True):
    """A name that two switches of the file have."""

    switch: str
    """The name."""
    first: int
    """The line of the first; 0 where it has none."""


class SwitchShared(Fact, frozen=True):
    """A switch of the file below several others."""

    switch: str
    """The switch."""
    parents: list[str]
    """Those above it."""


class SwitchEmpty(Fact, frozen=True):
    """A switch of the file with neither hosts nor switches below it."""

    switch: str
    """The switch."""


class SwitchOfBoth(Fact, frozen=True):
    """A switch of the file with both hosts and switches below it."""

    switch: str
    """The switch."""


class BlockSmall(Fact, frozen=True):
    """A block with fewer hosts than the smallest block size."""

    block: str
    """The block."""
    hosts: int
    """How many it has."""
    least: int
    """The smallest block size."""


class BlockSizesUneven(Fact, frozen=True):
    """Block sizes of which one is not the first times a power of two, or not larger than the one before it."""

    sizes: list[int]
    """The sizes."""


TopologyFault: TypeAlias = (
    HostsElsewhere
    | HostDoubled
    | HostsLeftOut
    | HostsUnknown
    | HostsMisspelt
    | HostsRespelt
    | HostsUnjudged
    | LeafMixed
    | GroupSplit
    | TierMissing
    | LeavesElsewhere
    | LinksAbsent
    | RootsApart
    | FileShadowed
    | SwitchesCircular
    | ChildUnknown
    | SwitchRepeated
    | SwitchShared
    | SwitchEmpty
    | SwitchOfBoth
    | BlockSmall
    | BlockSizesUneven
)

_NOTICES = (HostsRespelt, HostsUnjudged)
_STOPPING = (SwitchesCircular, ChildUnknown, SwitchRepeated, SwitchEmpty, SwitchOfBoth)


def severity(fault: TopologyFault) -> Severity:
    """How bad a fault is: an `error` where a scheduler does not take the file or reads another, a `notice` where nothing is to do."""
    if isinstance(fault, _NOTICES):
        return "notice"
    return "error" if isinstance(fault, (*_STOPPING, FileShadowed)) else "warning"
