"""Which engine, with which options, made some tables."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import msgspec

from .. import _core
from ..documents.common import Refusal
from ..errors import EndlessError, LacisError, RefusedError
from ..sm.engines import ENGINES, OPTIONS
from .entries import lids_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._core import Fabric, Routes
    from ..requests.routing import RouteOptions


@dataclass(frozen=True)
class Candidate:
    """An engine with options, and how many entries of tables it makes alike.

    Attributes:
        engine: as OpenSM spells it.
        options: its options, in words.
        equal: entries that are equal.
        compared: entries in all.
    """

    engine: str
    options: tuple[str, ...]
    equal: int
    compared: int

    @property
    def share(self) -> float:
        """The share of entries that are equal."""
        return self.equal / self.compared if self.compared else 0.0


@dataclass(frozen=True)
class Ranking:
    """Which engine made tables.

    Attributes:
        candidates: best first; among equals, fewer options first.
        refused: engines that do not route this fabric, with their reasons.
        untried: engines for which the time was too short.
        seconds: how long it took.
    """

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]
    untried: tuple[str, ...]
    seconds: float


FAST = 2
"""Engines that take at most so many times as long as minhop are fast: they are tried in any case."""
_COUNTING = ("minhop", "updn", "dnup", "dor")
_ROOTS = ("roots", "connect_roots")
_SEEDS = 8


def which_engine(
    found: Routes,
    given: RouteOptions | None = None,
    *,
    seconds: float = 60.0,
    progress: Callable[[str], object] = lambda _: None,
) -> Ranking:
    """Find the engine and the options whose tables are nearest to some: each engine alone, then options on the best.

    The option that makes most entries equal is added or removed, until none helps. LIDs and LMC are those of the tables.

    Args:
        found: the tables.
        given: options that are known to be set; all else is searched.
        seconds: about how long to search; an engine that was begun may finish.
        progress: called with what is tried next, in words.
    """
    return _Search(found, given or {}, seconds, progress).run()


class _Search:
    """The state of `which_engine`."""

    def __init__(
        self, found: Routes, given: RouteOptions, seconds: float, progress: Callable[[str], object]
    ) -> None:
        self.found = found
        self.base: RouteOptions = {**lids_of(found), **given, "fallback": False}
        self.given = set(given)
        self.begun, self.seconds = time.monotonic(), seconds
        self.progress = progress
        self.unit = 0.0
        self.took: dict[str, float] = {}
        self.candidates: dict[tuple[str, tuple[str, ...]], Candidate] = {}
        self.chosen: dict[tuple[str, tuple[str, ...]], dict[str, tuple[str, Any]]] = {}
        self.refused: list[Refusal] = []
        self.known_axes: dict[str, list[tuple[str, str, Any]]] = {}
        self.untried: list[str] = []

    def run(self) -> Ranking:
        rows = sorted((row for row in ENGINES.values() if row.name != "file"), key=lambda row: row.cost)
        for row in rows:
            # Once an engine made exactly these tables, only fast engines are tried.
            for chosen in self.starts(row.name):
                if row.cost <= FAST or not self.solved():
                    self.attempt(row.name, chosen)
        # Options on the three nearest engines, then on the fast ones among the others.
        best = list(dict.fromkeys(c.engine for c in self.ranked()))
        for engine in [*best[:3], *(e for e in best[3:] if ENGINES[e].cost <= FAST)]:
            if self.solved():
                break
            self.improve(engine)
        self.spread()
        left = tuple(self.untried)
        return Ranking(tuple(self.ranked()), tuple(self.refused), left, time.monotonic() - self.begun)

    def ranked(self) -> list[Candidate]:
        return sorted(self.candidates.values(), key=lambda c: (-c.equal, len(c.options)))

    def solved(self) -> bool:
        return any(c.equal == c.compared for c in self.candidates.values())

    def left(self) -> float:
        return self.seconds - (time.monotonic() - self.begun)

    def attempt(self, engine: str, chosen: dict[str, tuple[str, Any]]) -> Candidate | None:
        """Routes once; None where the engine refuses or the time is too short."""
        if engine == "torus-2QoS" and "torus_config" not in self.base:
            return None
        names = tuple(label for label, _ in chosen.values())
        if (engine, names) in self.candidates:
            return self.candidates[engine, names]
        if self.left() < self.took.get(engine, self.unit * ENGINES[engine].cost):
            if engine not in self.untried and not chosen:
                self.untried.append(engine)
            return None
        self.progress(" ".join([engine, *names]))
        options = cast("RouteOptions", {**self.base, **{key: value for key, (_, value) in chosen.items()}})
        begun = time.monotonic()
        try:
            routes = _core.route(self.found.fabric, engine, **options)
        except RefusedError as error:
            if not chosen:
                self.refused += error.refusals
            return None
        except EndlessError as error:
            if not chosen:
                self.refused += [msgspec.structs.replace(one, reason=error.reason) for one in error.refusals]
            return None
        except LacisError as error:
            if not chosen:
                self.refused.append(Refusal(engine, error.reason))
            return None
        equal, compared = _core.table_agreement(routes, self.found)
        self.took[engine] = time.monotonic() - begun
        if engine == "minhop" and not self.unit:
            self.unit = self.took[engine]
        candidate = Candidate(engine, names, equal, compared)
        self.candidates[engine, names] = candidate
        self.chosen[engine, names] = chosen
        return candidate

    def starts(self, engine: str) -> list[dict[str, tuple[str, Any]]]:
        """The options that an engine is tried with first: none; and roots, where these are found or given."""
        axes = {key: (label, value) for key, label, value in self.axes(engine) if key in _ROOTS}
        both = [{"roots": axes["roots"]}, axes] if "roots" in axes else []
        return [{}, *both] if "connect_roots" in axes else [{}]

    def improve(self, engine: str) -> None:
        """Adds or removes the option that helps most, until none does."""
        best: Candidate | None = next(c for c in self.ranked() if c.engine == engine)
        chosen = self.chosen[engine, best.options] if best is not None else {}
        axes = self.axes(engine)
        while best is not None:
            moves = [{**chosen, key: (label, value)} for key, label, value in axes]
            moves += [{name: value for name, value in chosen.items() if name != key} for key in chosen]
            found: Candidate | None = None
            for trial in moves:
                if self.solved() or self.left() <= 0:
                    return
                candidate = self.attempt(engine, trial)
                if candidate is not None and candidate.equal > (found or best).equal:
                    chosen, found = self.chosen[engine, candidate.options], candidate
            best = found

    def spread(self) -> None:
        """Tries the options that make exactly these tables on the other engines that count hops."""
        exact = [key for key, c in self.candidates.items() if c.equal == c.compared and key[1]]
        for engine, names in exact:
            for other in _COUNTING if engine in _COUNTING else ():
                chosen = self.chosen[engine, names]
                if chosen.keys() <= {axis[0] for axis in self.axes(other)}:
                    self.attempt(other, chosen)

    def axes(self, engine: str) -> list[tuple[str, str, Any]]:
        """Options of an engine that are not given: name, words, value."""
        if engine not in self.known_axes:
            every = [*self.plain_axes(engine), *self.orders(engine)]
            self.known_axes[engine] = [axis for axis in every if axis[0] not in self.given]
        return self.known_axes[engine]

    def orders(self, engine: str) -> Iterator[tuple[str, str, Any]]:
        """Orders in which hosts may be routed, each once."""
        from ..routing.order import routing_order

        seen: list[list[int]] = []
        for by, rail in (
            ("topology", "all"),
            ("name", "all"),
            ("ftree", "all"),
            ("topology", "each"),
            ("name", "each"),
        ):
            if engine not in _COUNTING:
                return
            try:
                guids = routing_order(self.found.fabric, by, rail=rail)[1]
            except LacisError:
                continue
            if guids not in seen:
                seen.append(guids)
                yield "order", f"-X, {'hosts' if rail == 'all' else 'ports'} by {by}", guids

    def plain_axes(self, engine: str) -> Iterator[tuple[str, str, Any]]:
        """Options other than orders, those that the engine reads by the table of options."""
        for name, value, detail in self.values():
            option = OPTIONS[name]
            if engine in option.engines:
                yield name, f"{option.flags[0]}, {detail}" if detail else self.typed(name, value), value

    def values(self) -> Iterator[tuple[str, Any, str]]:
        """Values of options that are tried: name, value, and of lists what they hold, in words."""
        top = _top(self.found.fabric)
        if top:
            yield "roots", top, f"the {len(top)} switches of the top level"
        yield "connect_roots", True, ""
        yield "port_shifting", True, ""
        yield "count_switches", True, ""
        for seed in range(1, _SEEDS + 1):
            yield "scatter", seed, ""
        yield "quasi_ftree", True, ""
        for name, groups in (("cn", "compute"), ("io", "storage")):
            try:
                hosts = _core.participants(self.found, groups=groups, rail="each", order="name")
            except LacisError:
                continue
            yield name, hosts.guids().tolist(), f"the ports of {groups} hosts"
        yield "avoid_throttled", True, ""
        yield "mesh_analysis", True, ""
        for lanes in (4, 2, 1, 15):
            yield "vls", lanes, ""
        yield "nue_include_switches", True, ""

    @staticmethod
    def typed(name: str, value: Any) -> str:
        """A flag or a number as it is typed on the command line."""
        flag = OPTIONS[name].flags[-1]
        return flag if value is True else f"{flag} {value}"


def _top(fabric: Fabric) -> list[int]:
    """Node GUIDs of the switches of the highest level; none where there are no levels."""
    levels = fabric.levels()
    if levels is None:
        return []
    level = levels[0]
    highest = max(level, default=0)
    guids = fabric.guids()[: len(level)].tolist()
    return [guid for guid, at in zip(guids, level, strict=True) if at == highest] if highest > 0 else []
