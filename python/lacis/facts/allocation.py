"""Remarks on where jobs are put: how nodes were recognised, what could not be looked at."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact


class NamesMatched(Fact, frozen=True):
    """Nodes of the scheduler whose names differ from those of the fabric in case or domain."""

    nodes: int
    """How many."""
    node: str
    """One of them, as the scheduler has it."""
    host: str
    """The same, as the fabric has it."""


class GroupsAlone(Fact, frozen=True):
    """A fabric that is no tree: groups of leaves are known, and nothing above them."""

    groups: int
    """How many groups of leaves there are."""


class AdaptersUnknown(Fact, frozen=True):
    """Adapters whose host nothing shows, or whose host's name another one has, which are not taken."""

    adapters: int
    """How many."""


class HostsApart(Fact, frozen=True):
    """Hosts of a choice that do not all reach each other under these tables."""

    rule: str
    """Whose choice it is: `lacis`, `slurm`, `first`, `contiguous`."""
    pairs: int
    """Ordered pairs that lack a path on some rail."""


class HostsUnlinked(Fact, frozen=True):
    """Free hosts without a link, which are not taken."""

    hosts: int
    """How many."""


class JobsPending(Fact, frozen=True):
    """Jobs that have no nodes yet."""

    jobs: int
    """How many."""


class NothingTaken(Fact, frozen=True):
    """A rule that finds no nodes where others do."""

    rule: str
    """Which."""


class JobsUnknown(Fact, frozen=True):
    """Jobs of a trace that are left out, as their run time, processors or submission is unknown (-1) or 0."""

    jobs: int
    """How many."""


class JobsTooLarge(Fact, frozen=True):
    """Jobs of a trace that are left out, as the machine has too few nodes."""

    jobs: int
    """How many."""
    nodes: int
    """Nodes of the machine."""


AllocationRemark: TypeAlias = (
    NamesMatched
    | GroupsAlone
    | AdaptersUnknown
    | HostsApart
    | HostsUnlinked
    | JobsPending
    | NothingTaken
    | JobsUnknown
    | JobsTooLarge
)
