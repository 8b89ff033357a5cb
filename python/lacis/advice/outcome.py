"""What a set of tables does with a fabric: pairs, credit loops, balance, bandwidth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..facts.advice import BisectionsWithoutPairs, ManagerFallsBack
from ..opensm.plugin import judged
from ..ranks.participants import participants
from ..sm.engines import OURS
from .orders import FLOWS, Ordered, better_order, distances, trial
from .summary import Summary, summary

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ..results import Balance, Forced
    from .variants import Variant

MOST_PATTERNS = 1000
SEED = 1


@dataclass(frozen=True)
class Proof:
    """What tables do for the pairs of one population."""

    pairs: int
    lost: int
    """Pairs that are not delivered."""
    apart: int
    """Lost pairs that no cables join, such as ports on two planes: no tables bring them together."""
    avoidable: int
    """Lost pairs whose ports have LIDs and are joined by cables."""
    verdicts: dict[str, int]
    credit_loops: list[list[str]]
    """The ports of the shortest circle of each loop."""
    loop_channels: list[int]
    """The channels that can wait for each other in each loop."""
    balance: Balance
    forced: Forced

    @property
    def unrouted(self) -> int:
        """Lost pairs that cables join: what these tables lose."""
        return self.lost - self.apart

    @property
    def over_mean(self) -> float:
        """The fullest link over the mean; 0 where no link carries anything."""
        return self.balance.max / self.balance.mean if self.balance.mean else 0.0

    @property
    def over_forced(self) -> float:
        """The fullest link over what some link must carry whatever the tables; 0 where none must carry anything."""
        return self.balance.max / self.forced.flows if self.forced.flows else 0.0


class Proofs(NamedTuple):
    """Among host adapters, and among all end nodes."""

    hosts: Proof
    all: Proof


def without_pairs(of: Summary | None) -> BisectionsWithoutPairs | None:
    """The pairs of random bisections that have no figure; none where all have one."""
    if not of or not of.skipped:
        return None
    return BisectionsWithoutPairs(of.skipped, of.flows + of.unrouted + of.skipped)


class Predictions(NamedTuple):
    """Random bisections and shifts; None where there are no two hosts."""

    bisection: Summary | None
    shift: Summary | None
    other: Ordered | None
    """Shifts in the order of hosts that suits the tables best; None where that is the common one."""


@dataclass(frozen=True)
class Outcome:
    """What a variant does with this fabric."""

    variant: Variant
    routes: Routes
    verify: Proofs
    bisection: Summary | None
    shift: Summary | None
    """Shifts in the order of hosts that all tables have in common."""
    other: Ordered | None = None
    """Shifts in the order that suits the tables best; None where that is the common one."""

    @property
    def suited(self) -> Summary | None:
        """Shifts in the order of hosts that suits the tables best."""
        return self.other.shift if self.other else self.shift

    @property
    def label(self) -> str:
        """The variant's name, and the engine that runs where another was asked for."""
        return f"{self.variant.label} → {self.used}" if self.routes.refusals else self.variant.label

    @property
    def used(self) -> str:
        """The engine that made the tables."""
        return self.routes.engine_used

    @property
    def instead(self) -> ManagerFallsBack | None:
        """What OpenSM would run where an engine refuses; none where it runs what was asked for, or the engine is not its own."""
        refused = self.routes.refusals and self.variant.engine not in OURS
        return ManagerFallsBack(self.used) if refused else None

    @property
    def mean(self) -> float:
        """Mean relative bandwidth of random bisections, 0 where there are no flows."""
        return self.bisection.mean if self.bisection else 0.0

    @property
    def bandwidths(self) -> list[float]:
        """Mean and worst of random bisections, then of shifts."""
        found = [self.bisection, self.shift]
        return [value for it in found if it for value in (it.mean, it.worst)]

    @property
    def faults(self) -> tuple[int, ...]:
        """What no bandwidth makes up for, the worst first: pairs of hosts lost, credit loops, pairs of other end nodes lost."""
        hosts, every = self.verify
        return hosts.unrouted, len(hosts.credit_loops), len(every.credit_loops), every.unrouted

    def rank(self) -> tuple[float, ...]:
        """Smaller is better: faults, then bandwidth to a hundredth of the link rate, then the fullest link."""
        return (*self.faults, -round(self.mean, 2), self.verify.hosts.over_forced, -self.mean)


def outcome(fabric: Fabric, variant: Variant, routes: Routes, groups: str) -> Outcome:
    """What a variant's tables do: proves them and predicts bandwidth."""
    return Outcome(variant, routes, proofs(fabric, routes), *predictions(fabric, routes, groups))


def proofs(fabric: Fabric, routes: Routes) -> Proofs:
    """What the tables do for the pairs of either population, which are proved once where they are the same."""
    hosts = _proof(routes, "hosts")
    if {"router", "aggregation"}.isdisjoint(fabric.kinds()):
        return Proofs(hosts, replace(hosts, forced=_forced(_Senders.of(routes, "all"))))
    return Proofs(hosts, _proof(routes, "all"))


def predictions(fabric: Fabric, routes: Routes, groups: str) -> Predictions:
    """Bisections and shifts; none where there are no two hosts."""
    hosts = participants(routes, groups=groups)
    count, ports = len(hosts.hosts), hosts.num_ports
    if count < 2:
        return Predictions(None, None, None)
    patterns = max(20, min(MOST_PATTERNS, FLOWS // 2 // ports))
    pattern, words = distances(hosts)
    # Shifts by which other orders are tried are asked for with the rest, as its paths serve them too.
    asked = ["bisection", pattern, *filter(None, [trial(hosts)])]
    all_found = _core.predict_each(routes, hosts, asked, patterns=patterns, seed=SEED)
    bisection, found, *tried = map(summary, all_found)
    shift = replace(found, words=words)
    least = tried[0].mean if tried else 0.0
    return Predictions(bisection, shift, better_order(fabric, routes, groups, hosts, shift, least))


@dataclass(frozen=True)
class _Senders:
    """What a bound on all tables depends on: who sends, and who has which LIDs."""

    fabric: Fabric
    population: str
    lids: tuple[bytes, ...]
    routes: Routes = field(compare=False)

    @classmethod
    def of(cls, routes: Routes, population: str) -> _Senders:
        return cls(routes.fabric, population, tuple(column.tobytes() for column in routes.lids()), routes)


@lru_cache(maxsize=4)
def _forced(of: _Senders) -> Forced:
    """What some link must carry whatever the tables."""
    return _core.forced(of.routes, of.population)


def _proof(routes: Routes, population: str) -> Proof:
    result = _core.verify(routes, population)
    return Proof(
        pairs=result.pairs,
        lost=result.pairs - result.verdicts["delivered"],
        apart=result.apart,
        avoidable=judged(result)[1],
        verdicts=result.verdicts,
        credit_loops=[loop.ports for loop in result.credit_loops],
        loop_channels=[loop.channels for loop in result.credit_loops],
        balance=result.balance,
        forced=_forced(_Senders.of(routes, population)),
    )
