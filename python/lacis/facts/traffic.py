"""What counters say of other traffic while a measurement ran: seen, none, or why that cannot be said."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact
from .guilt import LostBecause


class ValuesUndated(Fact, frozen=True):
    """Measured values that do not say when they were measured and what was sent for them."""

    values: int
    """How many."""
    of: int
    """All that were explained."""


class SweepsFew(Fact, frozen=True):
    """Counters of fewer than two sweeps around the measurement: they show no growth."""

    sweeps: int
    """How many there are."""


class SweepsUndated(Fact, frozen=True):
    """Counters that do not say when they were read."""


class EndsUnread(Fact, frozen=True):
    """Links neither of whose ports was read."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class LinksUncovered(Fact, frozen=True):
    """Links whose ports were not read both before the measurement and after it."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class GrowthLost(Fact, frozen=True):
    """Links whose counters' growth is not known."""

    reason: LostBecause
    """Why."""
    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class SweepsCoarse(Fact, frozen=True):
    """Links on which something else was sent, and the sweeps around the measurement do not say whether before it, in it or after it."""

    seconds: float
    """From the sweep before the measurement to the one after it."""
    measured: float
    """How long the measurement took [s]."""
    number: int
    """How many links there are."""


class ShareSmall(Fact, frozen=True):
    """Links on which what else was sent is too little to be seen and too much to be none."""

    share: float
    """The greatest share of a link's rate that it may have been."""
    number: int
    """How many links there are."""


class LinkRatesUnknown(Fact, frozen=True):
    """Links whose rate the source of the fabric does not have."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class SentElsewhere(Fact, frozen=True):
    """Hosts' links that counted less than the measurement sent over them."""

    number: int
    """How many there are."""
    of: int
    """Hosts' links that were looked at."""


class PathsDiffer(Fact, frozen=True):
    """Links between switches that counted less than the measurement sent over them by these tables."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class ClocksApart(Fact, frozen=True):
    """Counters that fit what was sent much better at another time: the clocks of who read them and of rank 0 differ."""

    seconds: float
    """By so much the counters are later; below 0 they are earlier."""


class ClocksUnsure(Fact, frozen=True):
    """Links that carried something else, unless the clocks of who read the counters and of rank 0 differ."""

    seconds: float
    """By how much they may differ, as far as the counters show."""
    number: int
    """How many links there are."""


class SentUnknown(Fact, frozen=True):
    """Time in which the measurement also sent what it does not say, such as collective operations."""

    seconds: float
    """How long it was."""


Unsaid: TypeAlias = (
    ValuesUndated
    | SweepsFew
    | SweepsUndated
    | EndsUnread
    | LinksUncovered
    | GrowthLost
    | SweepsCoarse
    | ShareSmall
    | LinkRatesUnknown
    | SentElsewhere
    | PathsDiffer
    | ClocksApart
    | ClocksUnsure
    | SentUnknown
)
"""Why it cannot be said that there was no other traffic."""


class OthersSent(Fact, frozen=True):
    """Links carried what the measurement did not send."""

    links: int
    """How many."""
    of: int
    """Links that its flows cross."""
    ends: tuple[str, str]
    """The one with the greatest share."""
    share: float
    """That share of its rate, at least."""


class NothingElseSent(Fact, frozen=True):
    """No link that flows cross carried more than the measurement sent."""

    links: int
    """How many links."""
    share: float
    """The greatest share of a link's rate that something else may have been."""


class CannotSay(Fact, frozen=True):
    """Counters neither show other traffic nor rule it out."""

    reasons: int
    """How many kinds of reasons there are."""


OtherTraffic: TypeAlias = OthersSent | NothingElseSent | CannotSay
"""The verdict of counters."""


class SuspectsSpared(Fact, frozen=True):
    """Suspects that are not named, as other traffic on their links is why flows are slow there."""

    suspects: int
    """How many."""


class LinksToDrain(Fact, frozen=True):
    """Links that can be judged only without the traffic of other jobs."""


FromOthers: TypeAlias = SuspectsSpared | LinksToDrain
"""What follows from other traffic."""
TrafficWord: TypeAlias = Literal["seen", "none", "cannot_tell"]
"""Its word."""
