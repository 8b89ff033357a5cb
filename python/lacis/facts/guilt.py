"""What the counters of a job's links show: what is broken, who is busy, what is missing, and the verdict."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact
from .row import Row

LostBecause: TypeAlias = Literal["absent", "cleared", "full", "gone", "clock", "damaged", "beyond"]
"""Why the growth of a counter is not known."""
Part: TypeAlias = Literal["cable", "adapter"]


class PortDown(Fact, frozen=True):
    """A port whose link was down."""

    port: str
    """The port."""
    peer: str
    """The other end of its cable."""


class LinkSlowed(Fact, frozen=True):
    """A link with fewer lanes or slower ones than its cable has."""

    port: str
    """The port that says so."""
    peer: str
    """The other end of its cable."""
    carries: float
    """What the link carries so, at the worst [bytes/s]."""
    rate: float
    """What the fabric says of it [bytes/s]."""


class ErrorsGrew(Fact, frozen=True):
    """A counter of errors that grew by more than is tolerated."""

    port: str
    """The port that counts."""
    peer: str
    """The other end of its cable."""
    counter: str
    """The counter: `SymbolErrors`."""
    growth: int
    """By how much it grew, at least."""
    tolerated: int
    """What is tolerated, at most."""
    exact: bool
    """Whether it grew by just so much."""
    at_host: bool
    """Whether an end of the link is an adapter, whose host takes it down when it is started again."""


class AdapterHoldsUp(Fact, frozen=True):
    """A link to an adapter on which data waits though the link is not busy: the adapter does not take it."""

    egress: str
    """The port of the switch."""
    ingress: str
    """The port of the adapter."""
    waiting: float
    """The greatest share of the time in which data waited."""
    utilisation: float
    """The greatest share of the link's rate that it carried."""
    discards: int
    """Packets that the switch dropped there."""


class LogNames(Fact, frozen=True):
    """Failures in the job's log whose paths cross a cable."""

    failures: int
    """How many cross it."""
    of: int
    """All that the log names ends of."""


Evidence: TypeAlias = PortDown | LinkSlowed | ErrorsGrew | AdapterHoldsUp | LogNames


class GuiltyPart(Row, frozen=True):
    """A cable or an adapter, and what accuses it."""

    part: Part
    """`cable`: the cable, or the transceiver or the adapter at an end of it; `adapter`: the adapter alone."""
    ends: tuple[str, str]
    """Both ends; of an adapter the switch's port and its own."""
    of_job: bool
    """Whether packets of the job cross it; else what waits for it holds the job up."""
    evidence: list[Evidence]
    """The worst first."""


class PortsUnread(Fact, frozen=True):
    """Ports of the job that were not read at both ends of the window."""

    ports: list[str]
    """The first of them."""
    number: int
    """How many there are."""
    reason: str
    """Why, as the reader says: `timeout`; empty where it says nothing."""


class WindowUncovered(Fact, frozen=True):
    """Ports of the job that were read for a part of the window only."""

    ports: list[str]
    """The first of them."""
    number: int
    """How many there are."""
    covered: float
    """The share of the window of which least is known."""


class TimesUnknown(Fact, frozen=True):
    """Readings that do not say when they were made, so that no rate is known."""


class CountersLost(Fact, frozen=True):
    """A counter whose growth is not known."""

    counter: str
    """The counter."""
    reason: LostBecause
    """Why."""
    ports: list[str]
    """The first ports of the job where it is so."""
    number: int
    """How many there are."""


class StatesUnknown(Fact, frozen=True):
    """Ports of the job of whose link neither the state nor any packet is known."""

    ports: list[str]
    """The first of them."""
    number: int
    """How many there are."""


class RatesUnknown(Fact, frozen=True):
    """Links of the job whose rate the source of the fabric does not have."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""


class ErrorsFew(Fact, frozen=True):
    """A counter of errors that grew, by less than accuses a cable."""

    counter: str
    """The counter."""
    growth: int
    """By how much it grew at most, on one port."""
    ports: list[str]
    """The first ports of the job where it grew."""
    number: int
    """How many there are."""


class WaitUnexplained(Fact, frozen=True):
    """Links of the job on which data waited, where no busy link and no adapter behind them explains that."""

    links: list[tuple[str, str]]
    """The first of them."""
    number: int
    """How many there are."""
    waiting: float
    """The greatest share of the time."""


class PairsUnrouted(Fact, frozen=True):
    """Pairs of the job's ports that the tables leave without a route."""

    pairs: int
    """Ordered pairs."""


Missing: TypeAlias = (
    PairsUnrouted
    | PortsUnread
    | WindowUncovered
    | TimesUnknown
    | CountersLost
    | StatesUnknown
    | RatesUnknown
    | ErrorsFew
    | WaitUnexplained
)
"""Why it cannot be said that the job's links were clean."""


class FabricGuilty(Fact, frozen=True):
    """A cable or an adapter on the job's links is broken."""

    parts: int
    """How many are accused."""
    part: Part
    """What the first is."""
    ends: tuple[str, str]
    """Its ends."""
    common: str
    """The node at which all of several have an end; empty where there is none."""


class FabricBusy(Fact, frozen=True):
    """Links that the job needs carry all that they can."""

    links: int
    """How many are busy."""
    ends: tuple[str, str]
    """The busiest."""
    utilisation: float
    """The greatest share of its rate that it carried."""
    adaptive: bool
    """Whether switches choose among sets of links."""


class FabricInnocent(Fact, frozen=True):
    """All ports of the job were up, clean and far from busy: its hosts are where to look."""

    ports: int
    """Ports that were read, at both ends of each link."""
    links: int
    """Directed links of the job."""
    utilisation: float
    """The greatest share of a link's rate that one carried."""
    waiting: float
    """The greatest share of the time in which data waited."""
    below: float
    """The utilisation from which a link is busy."""
    adaptive: bool
    """Whether these are all that packets may cross."""


class CannotTell(Fact, frozen=True):
    """Nothing is accused and nothing is excluded: readings are missing."""

    reasons: int
    """How many kinds of them."""


Guilt: TypeAlias = FabricGuilty | FabricBusy | FabricInnocent | CannotTell
"""The verdict on a job's links."""
