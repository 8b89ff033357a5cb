"""Remarks on a job: what was assumed, what was left out, and what it cannot do."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact

Multipath: TypeAlias = Literal["none", "spray"]


class OneHost(Fact, frozen=True):
    """A job of one host, which sends nothing over the fabric."""


class MessagesUnrouted(Fact, frozen=True):
    """Messages between the job's hosts that have no route: the hosts do not all reach each other."""

    traffic: str
    """The kind of traffic that has them: `shift`, `nccl-ring`."""
    messages: int
    """How many have none."""


class NotComputed(Fact, frozen=True):
    """Traffic whose time is not computed."""

    traffic: str
    """The kind of traffic: `ring`."""
    multipath: Multipath
    """How paths are chosen: `none` by the tables, `spray` evenly over all shortest paths."""
    reason: str
    """Why it is not computed, in words."""


class RateAssumed(Fact, frozen=True):
    """A rate that was assumed for links whose rate the source does not have."""

    rate: str
    """As a source would have it: `4xEDR`."""
    links: int
    """Directed links whose rate the source does not have."""


class CollectivesOnRails(Fact, frozen=True):
    """Rails that every host has, on which NCCL's collectives are predicted."""

    rails: tuple[int, ...]
    """By number, from 1; empty where no rail has all of the hosts."""


JobRemark: TypeAlias = OneHost | MessagesUnrouted | NotComputed | RateAssumed | CollectivesOnRails
