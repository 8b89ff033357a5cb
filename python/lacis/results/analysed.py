"""What analyses of jobs, campaigns and measurements find, before it is put in units and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..documents.explain import Fitness, Spell, Suspect


@dataclass(frozen=True, slots=True)
class SharedByFlows:
    """A link between switches that flows of a job share."""

    egress: str
    ingress: str | None
    pairs: int
    """Pairs of hosts whose path crosses it."""
    flows: list[tuple[str, str]]
    """As many of them as can be in flight at a time, no host twice."""


@dataclass(frozen=True, slots=True)
class HostsOnRail:
    """Where hosts of one rail are, and the links between switches that most of their flows can share."""

    leaves: list[tuple[str, list[str]]]
    """Each with its hosts."""
    spines: list[str]
    """The other switches on their paths."""
    links: int
    """Directed links between switches in use."""
    shared: list[SharedByFlows]
    """The worst links."""


@dataclass(frozen=True, slots=True)
class JobsBeside:
    """What shifts of a job get alone and beside shifts of others: mean rates of a flow [bytes/s]."""

    samples: int
    alone: float
    together: float
    worst_alone: float
    """Of the sample that loses most."""
    worst_together: float
    flows: int
    slower: int
    """Flows that get less beside the others."""


@dataclass(frozen=True, slots=True)
class ChosenRounds:
    """Rounds of flows to measure, and which links they distinguish."""

    rounds: list[tuple[str, list[tuple[str, str]], int, int]]
    """How each is made, its flows by name, the most flows on a link, classes afterwards."""
    text: str
    """Lines of the rounds that were not given."""
    inseparable: list[tuple[list[tuple[str, str | None]], bool]]
    """The ends of links that no round distinguishes, and whether other pairs would split them."""
    suspects: int
    finest: int
    classes: int
    uncrossed: int
    least_crossings: int
    unrouted: int
    slowest: float
    """Rate of the slowest suspect [bytes/s]."""
    assumed: tuple[int, str] | None
    """Links whose rate no source has, and the rate taken."""


@dataclass(frozen=True, slots=True)
class LocatedSuspect:
    """A suspect all of whose flows are slow; losses are ln(expected / measured)."""

    instead: list[tuple[Suspect, float]]
    """It and others that explain about as much, with their probabilities."""
    loss: float
    error: float
    """Standard error of the loss."""
    flows: int
    slow: int
    median: float
    """Loss of the median flow over it."""
    beside: int
    """Flows that share other links with these."""
    beside_median: float
    gain: float
    """ln of the likelihood ratio."""
    like: list[str]
    """Slower rates that its link may have negotiated."""


@dataclass(frozen=True, slots=True)
class PartlyLocated:
    """A suspect some of whose flows are slow."""

    instead: list[Suspect]
    """It and others that explain the same."""
    flows: int
    slow: int
    loss: float
    share: float
    """Of the values, those that are slow."""
    swings: bool
    """Whether most differ from repeat to repeat."""
    gain: float
    spell: Spell | None
    """The rounds in which it was slow, where these follow each other."""


@dataclass(frozen=True, slots=True)
class Located:
    """What makes measured flows slow."""

    found: list[LocatedSuspect]
    """The likeliest first."""
    partly: list[PartlyLocated]
    links: int
    """Directed links that flows cross."""
    asked: list[float]
    """Losses, …"""
    visible: list[int]
    """… and how many links would have shown each."""
    times: list[float | None]
    """How many times as many flows would find each nine times in ten; none where no number does."""
    groups: list[tuple[str, list[int], int, float]]
    """Suspects of one switch: its name, their numbers in `found`, its cables that flows cross, the median of their losses."""
    fitness: Fitness
    """Whether the measurement is fit to blame anyone."""
    unexplained: NDArray[np.uint32]
    """Slow flows that nothing found explains."""
    differ: tuple[float, float, float]
    """How much healthy hosts that send, hosts that receive and links between switches differ, ln."""


@dataclass(frozen=True, slots=True)
class CandidateFit:
    """How well candidate tables fit a measurement."""

    candidate: int
    """Its number."""
    group: int
    likelihood: float
    """Mean ln."""
    z: float
    """Of the best against it."""
    level: float
    spread: float
    as_expected: float | None
    """Share of the differing flows."""
    unrouted: int


@dataclass(frozen=True, slots=True)
class TableRanking:
    """Candidate tables, the likeliest first."""

    fits: list[CandidateFit]
    flows: int
    differing: int
    """Flows for which candidates predict different rates."""
