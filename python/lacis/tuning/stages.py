"""The search: many candidates scored quickly, the best of them changed step by step, then failures and other seeds."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import LacisError, RefusedError
from .candidates import Candidate, Changes, from_leaves, plain
from .judge import Figures, Judge, Tuned, proof, summed
from .layout import Layout, participants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._core import Fabric
    from ..requests.routing import RouteOptions
    from ..results import FailureProof

GOAL = 0.95
"""Share of the yardstick's mean bisection."""
FINALISTS = 4
CLIMBS = 3
"""Starts of a kind."""
AT_LEAST = 12
"""Candidates that are tried however long it takes."""
MEMORY = 30
"""A change may fall to the score of so many steps ago: late acceptance (E. K. Burke and Y. Bykov, 2017)."""


@dataclass(frozen=True)
class Limits:
    """How far the search goes."""

    seconds: float = 60.0
    """About how long it takes in all; the result is the best so far."""
    steps: int | None = None
    """Candidates to try instead of a time, so that the same seed has the same result."""
    seed: int = 1
    failures: int | None = None
    """How many failures each finalist goes through: as many as time allows unless given, 0 for none; -1 for all."""
    groups: str = "all"
    """Whose traffic counts, as for `ranks.participants`."""


@dataclass
class Tuning:
    """The result of a search."""

    found: list[Tuned]
    baseline: Tuned
    """minhop, OpenSM's default."""
    yardstick: Tuned | None
    """eventree of Lacis; None where it refuses the fabric."""
    hosts: int
    looked_at: int = 0
    refused: int = 0
    """Candidates that OpenSM's engine refuses."""
    seconds: float = 0.0
    stopped: bool = False


@dataclass(order=True)
class _Scored:
    score: float
    number: int
    candidate: Candidate = field(compare=False)


class _Clock:
    """Time, or steps where these are given."""

    def __init__(self, limits: Limits) -> None:
        self._begun = time.monotonic()
        self._limits = limits
        self.steps = 0

    @property
    def spent(self) -> float:
        return time.monotonic() - self._begun

    def is_before(self, share: float) -> bool:
        """Whether less than a share of the whole is spent."""
        if self._limits.steps is not None:
            return self.steps < share * self._limits.steps
        return self.spent < share * self._limits.seconds


SCREENED, CLIMBED, FAILED = 0.4, 0.65, 0.92
"""Shares of the time that are spent when a stage ends."""
SCREENED_STEPS, CLIMBED_STEPS = 0.5, 1.0


class _Search:
    def __init__(self, fabric: Fabric, limits: Limits, progress: Callable[[str], None]) -> None:
        self.clock = _Clock(limits)
        self.fabric, self.limits, self.progress = fabric, limits, progress
        routes, self.traffic, rails = participants(fabric, limits.groups)
        if len(self.traffic.hosts) < 2:
            raise LacisError("there are not two hosts, so that there is nothing to tune")
        if not fabric.num_switches:
            raise LacisError("there is no switch, so that there is nothing to tune")
        self.layout = Layout.of(fabric, routes, self.traffic, rails)
        self.judge = Judge(fabric, self.traffic)
        self.scored: list[_Scored] = []
        self.looked_at = self.refused = 0
        self.stopped = False

    def run(self) -> Tuning:
        self.progress("minhop and eventree")
        baseline = self.judge.tuned("minhop", "minhop", {})
        yardstick = None
        with contextlib.suppress(RefusedError):
            yardstick = self.judge.tuned("eventree", "eventree", {})
        self._mark = self._quick(yardstick or baseline)
        by_steps = self.limits.steps is not None
        stages: list[tuple[Callable[[float], None], float]] = [
            (self._screen, SCREENED_STEPS if by_steps else SCREENED),
            (self._climb, CLIMBED_STEPS if by_steps else CLIMBED),
        ]
        for stage, share in stages:
            if not self.stopped:
                with self._any_time():
                    stage(share)
        found = [tuned for scored in self._finalists() if (tuned := self._last_word(scored.candidate))]
        found.sort(key=lambda tuned: -self._score(tuned.figures, full=True))
        if not self.stopped:
            with self._any_time():
                self._fail(found)
        found.sort(key=self._rank)
        return Tuning(
            found,
            baseline,
            yardstick,
            len(self.traffic.hosts),
            self.looked_at,
            self.refused,
            self.clock.spent,
            self.stopped,
        )

    def _rank(self, tuned: Tuned) -> tuple[Any, ...]:
        """Smaller is better: no objection, nothing lost, near the goal, few failures that make it fall back, few inputs."""
        fell_back = tuned.failures.fell_back if tuned.failures else 0
        score = -round(self._score(tuned.figures, full=True), 3)
        return bool(tuned.objections), tuned.lost, score, fell_back, len(tuned.options)

    @contextlib.contextmanager
    def _any_time(self) -> Iterator[None]:
        """Lets Ctrl-C end a stage, and those after it."""
        try:
            yield
        except KeyboardInterrupt:
            self.stopped = True

    def _quick(self, reference: Tuned) -> tuple[Figures, Figures]:
        """The figures that others are compared with: of few bisections and shifts, and of all."""
        from .. import _core

        routes = _core.route(self.fabric, reference.engine)
        return self.judge.figures(routes, quick=True), reference.figures

    def _score(self, figures: Figures, *, full: bool = False) -> float:
        """How near the goal is, and how much bandwidth there is beyond it.

        The goal: 95 % of the yardstick's mean bisection, its worst shift, no more flows on a link in a shift.
        """
        mark = self._mark[full]

        def ratio(value: float, of: float) -> float:
            return value / of if of else 1.0

        bisection = ratio(figures.bisection, mark.bisection)
        shift = ratio(figures.shift, mark.shift)
        worst = ratio(figures.shift_worst, mark.shift_worst)
        missing = 2 * max(0.0, GOAL - bisection) + max(0.0, 1 - worst)
        missing += 0.1 * max(0.0, ratio(figures.most_flows, mark.most_flows) - 1)
        return 0.4 * bisection + 0.2 * shift + 0.1 * worst - missing

    def look(self, candidate: Candidate, *, at_least: float = float("-inf")) -> float | None:
        """The score of a candidate; None where it is refused, undefined, loses pairs or leaves a credit loop.

        Candidates that score less than `at_least` are not proved.
        """
        from .. import _core

        self.looked_at += 1
        self.clock.steps += 1
        try:
            options: RouteOptions = {**candidate.options, "fallback": False}
            routes = _core.route(self.fabric, candidate.engine, **options)
        except RefusedError:
            self.refused += 1
            return None
        score = self._score(self.judge.figures(routes, quick=True))
        if score < at_least:
            return score
        return None if routes.undefined or any(proof(routes)) else score

    def _screen(self, share: float) -> None:
        """Scores candidates of every kind."""
        for candidate in self._first():
            if self.looked_at >= AT_LEAST and not self.clock.is_before(share):
                return
            score = self.look(candidate)
            if score is not None:
                self.scored.append(_Scored(score, -len(self.scored), candidate))
            self.progress(f"{self.looked_at:,} candidates")

    def _first(self) -> Iterable[Candidate]:
        """The likely ones first."""
        others = from_leaves(self.fabric, self.layout)
        yield from itertools.islice(others, 8)
        yield Candidate("minhop", "minhop", {})
        yield from plain(self.fabric, self.layout)
        yield from others

    def _climb(self, share: float) -> None:
        """Changes the best candidate of each kind, step by step."""
        starts: list[_Scored] = []
        for scored in sorted(self.scored, reverse=True):
            kind, root = scored.candidate.kind, scored.candidate.root
            alike = [start.candidate for start in starts if start.candidate.kind == kind]
            is_new = root not in [one.root for one in alike]
            if scored.candidate.changeable and len(alike) < CLIMBS and is_new:
                starts.append(scored)
        climbs = [_Climb(self, start) for start in starts]
        while climbs and self.clock.is_before(share):
            for climb, steps in zip(sorted(climbs, key=lambda c: -c.best.score), (8, 4, 2, 2), strict=False):
                for _ in range(steps):
                    if self.clock.is_before(share):
                        climb.step()
            top = max(climb.best.score for climb in climbs)
            self.progress(f"{self.looked_at:,} candidates, best score {top:.3f}")
        self.scored += [climb.best for climb in climbs if climb.best not in starts]

    def _finalists(self) -> list[_Scored]:
        """The best, at most two of a kind, with different roots."""
        chosen: list[_Scored] = []
        for scored in sorted(self.scored, reverse=True):
            alike = [one.candidate for one in chosen if one.candidate.kind == scored.candidate.kind]
            is_new = scored.candidate.root not in [one.root for one in alike]
            if is_new and len(alike) < 2 and len(chosen) < FINALISTS:
                chosen.append(scored)
        return chosen

    def _last_word(self, candidate: Candidate) -> Tuned | None:
        """All figures of a candidate."""
        self.progress(f"figures of {candidate.label}")
        label = candidate.label
        if candidate.root is not None:
            label = f"{label} ({self.fabric.switches()[candidate.root][0]})"
        with contextlib.suppress(RefusedError):
            return self.judge.tuned(label, candidate.engine, candidate.options)
        return None

    def _fail(self, found: list[Tuned]) -> None:
        """Lets cables and switches fail alone: those at the roots first, then others drawn at random."""
        for number, tuned in enumerate(found):
            managed, survey = self.judge.survey(tuned.engine, tuned.options)
            order = self._order(tuned, len(survey.parts))
            asked = self.limits.failures
            wanted = len(order) if asked is None or asked < 0 else min(asked, len(order))
            left = max(0.0, FAILED * self.limits.seconds - self.clock.spent)
            until = self.clock.spent + (left / 2 if number < len(found) - 1 else left)
            proofs: list[FailureProof] = []
            tried: list[int] = []
            size = 4
            while len(tried) < wanted:
                if self.limits.failures is None and tried and self.clock.spent >= until:
                    break
                some = order[len(tried) : min(wanted, len(tried) + size)]
                began = time.monotonic()
                proofs += survey.prove(some)
                tried += some
                size = max(2, min(256, round(size * 0.5 / max(time.monotonic() - began, 1e-3))))
                self.progress(f"{len(tried):,} of {len(order):,} failures of {tuned.label}")
            failing = survey.parts
            failures = summed(proofs, [failing[index] for index in tried], len(order), managed)
            found[number] = replace(tuned, failures=failures)

    def _order(self, tuned: Tuned, count: int) -> list[int]:
        """The indices of all failures in the order in which they are tried."""
        ends = self.fabric.cables().reshape(-1, 4)[:, [0, 2]]
        ends = ends[
            (ends < self.fabric.num_switches).all(axis=1)
        ]  # in the order of the survey, which has the switches after them
        near: list[int] = []
        roots = set(tuned.options.get("roots") or [])
        if 0 < len(roots) < 3:
            hops = self.fabric.hops_from([s for s, guid in enumerate(self.layout.guids) if guid in roots])
            near = (len(ends) + ((hops >= 0) & (hops <= 1)).nonzero()[0]).tolist()
            near += (hops[ends].min(axis=1) == 0).nonzero()[0].tolist()
        known = set(near)
        rest = [index for index in range(count) if index not in known]
        _draws(self.limits.seed).shuffle(rest)
        return near + rest


def _draws(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  nothing here is secret


class _Climb:
    """A climb from one candidate to better ones."""

    def __init__(self, search: _Search, start: _Scored) -> None:
        self._search = search
        level = search.layout.level_hosts(search.fabric, list(start.candidate.roots))
        self._changes = Changes(search.layout, _draws(search.limits.seed), level)
        self._now = self.best = start
        self._memory = [start.score] * MEMORY
        self._steps = 0

    def step(self) -> None:
        """Tries one change, and keeps it if it is no worse, or no worse than some steps ago."""
        candidate = self._changes.of(self._now.candidate)
        earlier = self._memory[self._steps % MEMORY]
        floor = min(self._now.score, earlier)
        score = self._search.look(candidate, at_least=floor)
        if score is not None and score >= floor:
            self._now = _Scored(score, -self._search.looked_at, candidate)
            if score > self.best.score:
                self.best = self._now
        self._memory[self._steps % MEMORY] = self._now.score
        self._steps += 1


def search(fabric: Fabric, *, limits: Limits, progress: Callable[[str], None] = lambda _what: None) -> Tuning:
    """See `lacis.tuning.tune`."""
    return _Search(fabric, limits, progress).run()
