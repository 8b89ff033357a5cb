"""What tables bring over those that run now, and what forbids to advise them; all numbers are modelled from tables."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact, Population

# --- why they are better -----------------------------------------------------------------------


class RoutesGained(Fact, frozen=True):
    """Pairs get a route that they lack now."""

    pairs: int
    """Ordered pairs."""
    population: Population
    """Whose pairs."""


class LoopsGone(Fact, frozen=True):
    """There are credit loops now, and none then."""

    loops: int
    """Those that go."""
    population: Population
    """The pairs whose paths make them."""


class BisectionsGain(Fact, frozen=True):
    """Random traffic gets more bandwidth."""

    now: float
    """Mean of random bisections, as a share of the link rate."""
    then: float
    """The same with the alternative."""


class LoadSpread(Fact, frozen=True):
    """All-to-all traffic of hosts is spread more evenly."""

    now: float
    """The fullest link, over what some link must carry whatever the tables."""
    then: float
    """The same with the alternative."""


Reason: TypeAlias = RoutesGained | LoopsGone | BisectionsGain | LoadSpread


# --- the numbers that change -------------------------------------------------------------------


class BisectionsChange(Fact, frozen=True):
    """What random bisections get, as a share of the link rate."""

    now: float
    """Mean of what runs now."""
    then: float
    """Mean of the alternative."""


class FullestLinkChange(Fact, frozen=True):
    """The load of the fullest link under all-to-all traffic of hosts, over what some link must carry whatever the tables."""

    now: float
    """Of what runs now."""
    then: float
    """Of the alternative."""


class ShiftsChange(Fact, frozen=True):
    """What shifts get, as a share of the link rate, and how many flows share a link."""

    now: float
    """Mean of what runs now."""
    then: float
    """Mean of the alternative."""
    worst_now: float
    """The worst shift of what runs now."""
    worst_then: float
    """The worst shift of the alternative."""
    flows_now: int
    """The most flows on a link in any shift now."""
    flows_then: int
    """The same with the alternative."""


class LoopKept(Fact, frozen=True):
    """There is a credit loop then, too."""

    loops: int
    """How many there are."""
    channels: int
    """The channels that they go through."""
    population: Population
    """The pairs whose paths make it."""


NumberChange: TypeAlias = BisectionsChange | FullestLinkChange | ShiftsChange | LoopKept
"""What changes in numbers, and the fault that does not go."""


# --- why they are not advised ------------------------------------------------------------------


class EngineRefuses(Fact, frozen=True):
    """The engine refuses the fabric."""

    engine: str
    """The engine."""


class HostsUnrouted(Fact, frozen=True):
    """Pairs of hosts that cables join have no route."""

    pairs: int
    """Ordered pairs."""


class EndNodesUnrouted(Fact, frozen=True):
    """More pairs of end nodes than now have no route."""

    pairs: int
    """Ordered pairs, more than now."""


class LoopLeft(Fact, frozen=True):
    """The tables leave a credit loop among pairs of hosts."""

    loops: int
    """How many they leave."""


class TrafficSlower(Fact, frozen=True):
    """Traffic would lose more than what the tables mend is worth."""

    traffic: Literal["bisections", "shifts"]
    """Random bisections, or shifts."""
    now: float
    """Mean of what runs now, as a share of the link rate."""
    then: float
    """The same with the alternative."""


class FiguresWorse(Fact, frozen=True):
    """More figures would get clearly worse than better."""

    of: int
    """Figures that are compared."""
    worse: int
    """Those that get clearly worse."""
    better: int
    """Those that get clearly better."""


Loss: TypeAlias = EngineRefuses | HostsUnrouted | EndNodesUnrouted | LoopLeft
"""What tables lose."""
Price: TypeAlias = TrafficSlower | FiguresWorse
"""The figures that tables which mend something cost."""
Objection: TypeAlias = Loss | Price


# --- why inputs that a search found are not for production --------------------------------------


class InputsLosePairs(Fact, frozen=True):
    """With these inputs pairs of end nodes that cables join have no route."""

    pairs: int
    """Ordered pairs."""


class InputsLeaveLoops(Fact, frozen=True):
    """With these inputs there are credit loops among the pairs of end nodes."""

    loops: int
    """How many there are."""


class InputsUndefined(Fact, frozen=True):
    """With these inputs OpenSM's engine reads memory beyond its tables."""


class FailuresLosePairs(Fact, frozen=True):
    """With these inputs failures take the route of pairs that cables join."""

    failures: int
    """Failures that do."""


class FailuresUndefined(Fact, frozen=True):
    """With these inputs OpenSM's engine reads memory beyond its tables after failures."""

    failures: int
    """Failures after which it does."""


InputsObjection: TypeAlias = (
    InputsLosePairs | InputsLeaveLoops | InputsUndefined | FailuresLosePairs | FailuresUndefined
)
