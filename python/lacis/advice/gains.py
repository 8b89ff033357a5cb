"""What an alternative gains over what runs now, and what forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts.gains import (
    BisectionsChange,
    BisectionsGain,
    EndNodesUnrouted,
    EngineRefuses,
    FiguresWorse,
    FullestLinkChange,
    HostsUnrouted,
    LoadSpread,
    LoopKept,
    LoopLeft,
    LoopsGone,
    RoutesGained,
    ShiftsChange,
    TrafficSlower,
)
from .bundle import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..facts.fact import Population
    from ..facts.gains import Loss, NumberChange, Price, Reason
    from .outcome import Outcome, Proof

SLACK = 0.005
"""The share of mean bisection bandwidth that is too little to count."""
MOST_GIVEN = 0.25
"""The share that is given up for hosts' routes, or for the end of their credit loops."""
MOST_OF_SHIFTS = 0.05
"""The share of the shifts' mean bandwidth that is given up for more in random bisections."""
CLEAR = 0.01
"""The share of a figure that counts where two sets of tables are compared figure by figure."""


def objection(base: Outcome, after: Outcome) -> Loss | None:
    """Why tables are not advised: they lose something. None where they may be advised."""
    hosts, every = after.verify
    if after.routes.refusals:
        return EngineRefuses(after.variant.engine)
    if hosts.avoidable:
        return HostsUnrouted(hosts.avoidable)
    more = every.avoidable - base.verify.all.avoidable
    if more > 0:
        return EndNodesUnrouted(more)
    if hosts.credit_loops:
        return LoopLeft(len(hosts.credit_loops))
    return None


def is_better(base: Outcome, after: Outcome) -> bool:
    """Whether tables are advised in place of what runs now.

    A quarter of the bandwidth is given up at most, and only where hosts lack routes or can deadlock: a credit loop
    through an aggregation node or a router is no reason to halve what hosts get.
    """
    forbidden = objection(base, after) or price(base, after)
    return _mends(base, after) and not forbidden and _beats(after, base)


def price(base: Outcome, after: Outcome) -> Price | None:
    """The figure that keeps tables that mend something from being advised; None where there is none."""
    if not _mends(base, after) or objection(base, after):
        return None
    if after.mean < (1 - (MOST_GIVEN if _is_broken(base) else SLACK)) * base.mean:
        return TrafficSlower("bisections", base.mean, after.mean)
    old, new = (e.shift.mean if e.shift else 0.0 for e in (base, after))
    if new < (1 - (MOST_GIVEN if _is_broken(base) else MOST_OF_SHIFTS)) * old:
        return TrafficSlower("shifts", old, new)
    better, worse = _clearly(after, base)
    if after.faults == base.faults and worse > better:
        return FiguresWorse(len(_shown(after)), worse, better)
    return None


def _mends(base: Outcome, after: Outcome) -> bool:
    """Whether tables do something better, and have no fault that what runs now does not have."""
    return after.faults <= base.faults and bool(reasons(base, after))


def ranked(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Sets of tables, the best first: those with the fewest faults, then those that beat most of the others.

    One beats another when more of its figures are clearly better than are clearly worse; where these are as many,
    random bisections decide to a hundredth of the link rate, then the fullest link.
    """
    found = list(outcomes)
    beaten = [sum(_beats(one, other) for other in found) for one in found]
    order = sorted(range(len(found)), key=lambda i: (found[i].faults, -beaten[i], found[i].rank()))
    return [found[i] for i in order]


def _beats(first: Outcome, other: Outcome) -> bool:
    if first.faults != other.faults:
        return first.faults < other.faults
    better, worse = _clearly(first, other)
    return better > worse or (better == worse and first.rank() < other.rank())


def _clearly(first: Outcome, other: Outcome) -> tuple[int, int]:
    """How many figures of the first are clearly better than the other's, and how many clearly worse."""
    pairs = list(zip(_shown(first), _shown(other), strict=False))
    better = sum(a > (1 + CLEAR) * b for a, b in pairs)
    return better, sum(b > (1 + CLEAR) * a for a, b in pairs)


def _shown(outcome: Outcome) -> list[float]:
    """The figures by which tables are judged, shifts in the order that suits them best, turned so that more is better."""
    full, shift = outcome.verify.hosts.over_forced, outcome.suited
    flows = shift.max_contention if shift else 0
    return [*_rates(outcome), 1 / full if full else 0.0, 1 / flows if flows else 0.0]


def _rates(outcome: Outcome) -> list[float]:
    """Mean and worst of random bisections, then of shifts in the order that suits the tables best."""
    found = (outcome.bisection, outcome.suited)
    return [value for it in found if it for value in (it.mean, it.worst)]


def _is_broken(base: Outcome) -> bool:
    """Whether hosts lack routes, or can deadlock."""
    hosts = base.verify.hosts
    return bool(hosts.avoidable or hosts.credit_loops)


def dominates(first: Outcome, other: Outcome) -> bool:
    """Whether tables are at least as good as others in every figure; bandwidths within `SLACK` count as equal."""
    slack = SLACK * max(first.mean, other.mean)
    rates = zip([*first.bandwidths, *_rates(first)], [*other.bandwidths, *_rates(other)], strict=True)
    harms = zip(_harms(first), _harms(other), strict=True)
    return all(a >= b - slack for a, b in rates) and all(a <= b for a, b in harms)


def _harms(outcome: Outcome) -> tuple[float, ...]:
    """Figures of which less is better: pairs lost, credit loops, the fullest link, the most flows of a shift on a link."""
    hosts, every = outcome.verify
    lost = (hosts.unrouted, every.unrouted, len(hosts.credit_loops), len(every.credit_loops))
    flows = outcome.shift.max_contention if outcome.shift else 0
    return (*lost, round(hosts.over_forced, 2), flows)


def figures(base: Outcome, after: Outcome) -> list[Figure]:
    """Every figure, now and with the alternative."""

    def pair(name: str, unit: str, of: Callable[[Any], float]) -> Figure:
        return Figure(name, unit, of(base), of(after))

    found = [
        pair("pairs of hosts without a route", "pairs", lambda e: e.verify.hosts.unrouted),
        pair("pairs of end nodes without a route", "pairs", lambda e: e.verify.all.unrouted),
        pair("credit loops among hosts", "loops", lambda e: len(e.verify.hosts.credit_loops)),
        pair("credit loops among end nodes", "loops", lambda e: len(e.verify.all.credit_loops)),
        pair(
            "fullest link, all hosts to all",
            "of what some link must carry",
            lambda e: e.verify.hosts.over_forced,
        ),
    ]
    if base.bisection and after.bisection and base.shift and after.shift:
        rate = "of the link rate"
        found += [
            pair("random bisections, mean", rate, lambda e: e.mean),
            pair("random bisections, worst", rate, lambda e: e.bisection.worst),
            pair("shifts, mean", rate, lambda e: e.shift.mean),
            pair("worst shift", rate, lambda e: e.shift.worst),
            pair("worst shift", "flows", lambda e: e.shift.max_contention),
        ]
    return found


def reasons(base: Outcome, after: Outcome) -> list[Reason]:
    """What it does better; nothing where the difference is too small to count."""
    found: list[Reason] = []
    populations: tuple[Population, Population] = ("hosts", "end nodes")
    for population, before, then in zip(populations, base.verify, after.verify, strict=True):
        found += _proved(population, before, then)
    if after.mean > base.mean * (1 + SLACK):
        found.append(BisectionsGain(base.mean, after.mean))
    old, new = (e.verify.hosts.over_forced for e in (base, after))
    if new < 0.98 * old:
        found.append(LoadSpread(old, new))
    return found


def _proved(population: Population, before: Proof, then: Proof) -> Iterator[Reason]:
    """What it does better for the pairs of a population."""
    if before.unrouted > then.unrouted:
        yield RoutesGained(before.unrouted - then.unrouted, population)
    if before.credit_loops and not then.credit_loops:
        yield LoopsGone(len(before.credit_loops), population)


def number_changes(base: Outcome, after: Outcome) -> list[NumberChange]:
    """The numbers that change most."""
    changes: list[NumberChange] = []
    if base.mean and after.mean:
        changes.append(BisectionsChange(base.mean, after.mean))
    changes.append(FullestLinkChange(*(e.verify.hosts.over_forced for e in (base, after))))
    if base.shift and after.shift:
        old, new = base.shift, after.shift
        changes.append(
            ShiftsChange(old.mean, new.mean, old.worst, new.worst, old.max_contention, new.max_contention)
        )
    every = after.verify.all
    if every.credit_loops:
        population: Population = "hosts" if after.verify.hosts.credit_loops else "end nodes"
        changes.append(LoopKept(len(every.credit_loops), sum(every.loop_channels), population))
    return changes
