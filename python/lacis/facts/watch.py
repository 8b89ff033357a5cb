"""Conditions of a fabric that is watched: what is wrong with a cable, a link, the tables, the manager, the cabling or the readings."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact, Severity
from .row import Row


class SymbolErrorsMany(Fact, frozen=True):
    """A port counts more symbol errors than the rules of bad cables allow."""

    port: str
    """The port that receives them."""
    far: str | None
    """The port at the other end of its cable."""
    errors: int
    """How many it has counted."""
    seconds: int
    """In how many seconds at most."""
    allowed: float
    """How many a good cable of this rate may have in that time."""


class LinkDownedAtBothEnds(Fact, frozen=True):
    """Both ends of a cable count that its link went down."""

    port: str
    """One of its ports."""
    far: str
    """The other."""
    times: tuple[int, int]
    """How often, at each."""
    seconds: int
    """In how many seconds at most."""


class LinkFlaps(Fact, frozen=True):
    """A link that goes down again and again."""

    port: str
    """The port that counts it: the one of both that has counted more."""
    far: str | None
    """The port at the other end of its cable."""
    times: int
    """How often it went down."""
    seconds: int
    """In how many seconds at most."""


class LinkIsDown(Fact, frozen=True):
    """A port whose cable leads to another port, and whose link is down."""

    port: str
    """The port."""
    far: str
    """The port at the other end of its cable."""


class LinkSlow(Fact, frozen=True):
    """A link with fewer lanes or slower ones than its cable has."""

    port: str
    """One of its ports."""
    far: str
    """The other."""
    runs_at: str
    """What it does now: `1xHDR`."""
    share: float
    """What it carries so, as a share of what the fabric says of it."""


class JobFlows(Row, frozen=True):
    """A job whose flows cross a link."""

    name: str
    """The job."""
    hosts: int
    """How many it has."""
    pairs: int
    """Ordered pairs of its hosts whose path crosses the link."""


class LinkHot(Fact, frozen=True):
    """A link that carries almost all that it can."""

    egress: str
    """The port that sends."""
    ingress: str
    """The port that receives."""
    share: float
    """What it carries, as a share of its rate."""
    rate: float
    """What it carries [bytes/s]."""
    jobs: tuple[JobFlows, ...]
    """Those whose flows cross it by the tables, most pairs first; empty where no jobs are known."""


class TablesChanged(Fact, frozen=True):
    """Tables of a file that are not those that it had when the watch began."""

    file: str
    """The file."""
    entries: int
    """Entries that are different."""
    switches: int
    """Switches that have such entries."""
    first: str
    """The switch that has most of them; empty where none differs."""


class FileUnreadable(Fact, frozen=True):
    """A file of tables, of jobs, of a log or of a fabric that can no longer be read."""

    file: str
    """The file."""
    reason: str
    """Why, in words."""


class ManagerFellBack(Fact, frozen=True):
    """The manager's last sweep did not use the engine that comes first in its list."""

    file: str
    """Its log."""
    refused: tuple[str, ...]
    """Engines that refused the fabric, in order."""
    used: str | None
    """The engine that made the tables; none where all refused, so that the tables are those of before."""


class CablesOffPlan(Fact, frozen=True):
    """Cables that are not as planned."""

    plan: str
    """The plan's file."""
    verdict: Literal["missing", "unexpected", "misconnected", "duplicate", "different"]
    """How they differ."""
    cables: int
    """How many do."""


class NodesOffPlan(Fact, frozen=True):
    """Nodes or managers that are not as planned."""

    plan: str
    """The plan's file."""
    nodes: int
    """How many."""


class SweepFails(Fact, frozen=True):
    """Counters cannot be read at all."""

    reason: str
    """Why, in words."""


class ReadingsOld(Fact, frozen=True):
    """No sweep was added for a long time to what is read, so that the absence of conditions proves nothing."""

    seconds: int
    """How old the last one is."""


class PortsSilent(Fact, frozen=True):
    """Ports that give no answer."""

    ports: int
    """How many."""
    first: str
    """One of them."""


class CounterFull(Fact, frozen=True):
    """A counter that stands at its greatest value on some ports, so that nothing is known of its growth there."""

    counter: str
    """Its name."""
    ports: int
    """How many ports."""
    first: str
    """One of them."""


Condition: TypeAlias = (
    SymbolErrorsMany
    | LinkDownedAtBothEnds
    | LinkFlaps
    | LinkIsDown
    | LinkSlow
    | LinkHot
    | TablesChanged
    | FileUnreadable
    | ManagerFellBack
    | CablesOffPlan
    | NodesOffPlan
    | SweepFails
    | ReadingsOld
    | PortsSilent
    | CounterFull
)

SEVERITY: dict[type[Condition], Severity] = {
    SymbolErrorsMany: "warning",
    LinkDownedAtBothEnds: "warning",
    LinkFlaps: "warning",
    LinkIsDown: "error",
    LinkSlow: "warning",
    LinkHot: "notice",
    TablesChanged: "notice",
    FileUnreadable: "warning",
    ManagerFellBack: "error",
    CablesOffPlan: "warning",
    NodesOffPlan: "warning",
    SweepFails: "error",
    ReadingsOld: "error",
    PortsSilent: "warning",
    CounterFull: "notice",
}
"""How grave a condition of each kind is."""
