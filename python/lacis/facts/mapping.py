"""Remarks on ranks in another order: what was assumed, what was left out, and what no order changes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact


class SeatsLeft(Fact, frozen=True):
    """Slots at the end of the list that no rank takes."""

    slots: int
    """How many."""


class SizesAssumed(Fact, frozen=True):
    """The bytes of a group of a training job, which were not given."""

    group: str
    """The group: `tp`, `ep`."""
    bytes: int
    """What each rank is assumed to give to the group's operation in a step."""


class RecordsPassedOver(Fact, frozen=True):
    """Lines of a record that were not understood, or are about ranks that recorded nothing."""

    lines: int
    """How many."""


class NoLevels(Fact, frozen=True):
    """A fabric without levels: tiers are hosts and switches."""


class Unrouted(Fact, frozen=True):
    """Bytes between hosts that do not reach each other."""

    bytes: float
    """How many, in the order chosen."""
    given: float
    """How many, in the order given."""


class EveryOrderTried(Fact, frozen=True):
    """Hosts so few that every order of them was tried."""

    hosts: int
    """How many."""


class TimeNotComputed(Fact, frozen=True):
    """Messages so many that their time is not modelled; what the most loaded link needs is."""

    messages: int
    """How many there are."""
    most: int
    """How many are modelled."""


class OtherAlgorithm(Fact, frozen=True):
    """Another algorithm of the collective, with which the most loaded link needs less in the order given than here in the order chosen."""

    algorithm: str
    """As `--traffic` names it; `allreduce:bine` is the butterfly of Bine trees."""
    seconds: float
    """How long the most loaded link needs [s]."""
    chosen: float
    """The same in the order chosen [s]."""


Calls: TypeAlias = Literal["barrier", "alltoall", "blocking", "waiting"]


class TimeInCalls(Fact, frozen=True):
    """Time that ranks of a traced program spent in some calls: what doing without them could bring at most."""

    what: Calls
    """Barriers, all-to-all, blocking sends and receives, or waiting for non-blocking ones."""
    seconds: float
    """Mean of the ranks [s]."""
    share: float
    """Of the time from MPI_Init to MPI_Finalize."""


class BytesBetweenLeaves(Fact, frozen=True):
    """How far the neighbours of a traced program are apart, before and after."""

    given: float
    """The share of bytes between leaves in the order given."""
    chosen: float
    """The same in the order chosen."""
    seconds: float
    """How long the most loaded link needs for the whole run in the order given [s]."""
    seconds_chosen: float
    """The same in the order chosen [s]."""


class OrderKept(Fact, frozen=True):
    """No order was found that is better than the one given."""


MappingRemark: TypeAlias = (
    SeatsLeft
    | SizesAssumed
    | RecordsPassedOver
    | NoLevels
    | Unrouted
    | EveryOrderTried
    | TimeNotComputed
    | OtherAlgorithm
    | TimeInCalls
    | BytesBetweenLeaves
    | OrderKept
)
