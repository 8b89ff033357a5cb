"""Remarks on ranks in another order: what was assumed, what was left out, and what no order changes."""

from __future__ import annotations

from typing import TypeAlias

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


class NoLevels(Fact, frozen=True):
    """A fabric without levels: tiers are hosts and switches."""


class Unrouted(Fact, frozen=True):
    """Bytes between hosts that do not reach each other."""

    bytes: float
    """How many, in the order chosen."""


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


class OrderKept(Fact, frozen=True):
    """No order was found that is better than the one given."""


MappingRemark: TypeAlias = (
    SeatsLeft | SizesAssumed | NoLevels | Unrouted | EveryOrderTried | TimeNotComputed | OrderKept
)
