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


class NotComputed(Fact, frozen=True):
    """Traffic whose time is not computed."""

    traffic: str
    multipath: Multipath
    reason: str


class RateAssumed(Fact, frozen=True):
    """A rate that was assumed for links whose rate the source does not have."""

    rate: str
    links: int


class CollectivesOnRails(Fact, frozen=True):
    """Rails that every host has, on which NCCL's collectives are predicted, by number from 1; none where no rail has all."""

    rails: tuple[int, ...]


JobRemark: TypeAlias = OneHost | MessagesUnrouted | NotComputed | RateAssumed | CollectivesOnRails
