"""What is different: two states of a fabric, two tables, or tables and what an engine makes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

from . import _core
from .engines import ENGINES
from .errors import LacisError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ._core import Fabric, Routes, TableDifference
    from .routing import RouteOptions


class EntryRow(TypedDict):
    """An entry that two tables have differently, as `lacis diff --json` has it."""

    switch: str
    to: str
    """The destination."""
    lid: int
    expected: int | None
    """Port; None without an entry."""
    expected_to: str | None
    """Where that port leads; None without a cable."""
    found: int | None
    found_to: str | None
    why: str
    """A code of `TableDifference.reasons`."""


@dataclass(frozen=True)
class Node:
    """A node of one of two fabrics.

    Attributes:
        name: as it is printed.
        kind: `switch`, `adapter`, `router` or `aggregation`.
        host: the host that an adapter's description names; otherwise None.
        guid: its node GUID, `0x…`.
        ports: how many it has.
        cables: how many of them have a cable.
        at: the port at the other end of its first cable; none without a cable.
    """

    name: str
    kind: str
    host: str | None
    guid: str
    ports: int
    cables: int
    at: str | None


@dataclass(frozen=True)
class NodeChange:
    """A node that is not as it was.

    Attributes:
        change: `gone`, `new`, `replaced` (another GUID in the same position), `renamed`, or `ports` (another number).
        old: the node before; none where it is new.
        new: the node now; none where it is gone.
        by: of a replaced node, how it was found: by `name` or `place`.
        cables: of a replaced node, how many cables lead where they did.
    """

    change: str
    old: Node | None
    new: Node | None
    by: str | None = None
    cables: int | None = None


@dataclass(frozen=True)
class CableChange:
    """A cable that is not as it was.

    Attributes:
        change: `gone`, `new`, `moved` (one end is where it was) or `rate` (width or speed).
        at: the switch that it is listed under.
        old: its ends before; of a moved one the end that stayed comes first.
        new: its ends now, in the same order.
        rates: what the first end reported and reports, where that is the change.
        with_node: whether a node at an end is gone or new.
    """

    change: str
    at: str
    old: tuple[str, str] | None
    new: tuple[str, str] | None
    rates: tuple[str | None, str | None] | None
    with_node: bool


@dataclass(frozen=True)
class Cabling:
    """Two states of a fabric, compared.

    Attributes:
        nodes: those that are not as they were.
        cables: the same of cables, switch by switch.
        lids: ports with their LIDs before and now, where both are known and differ in base or LMC.
        same: how many cables both have.
        no_guid: whether no node GUID is in common, so that nodes are recognised by names and cables.
    """

    nodes: tuple[NodeChange, ...]
    cables: tuple[CableChange, ...]
    lids: tuple[tuple[str, int, int], ...]
    same: int
    no_guid: bool

    @property
    def equal(self) -> bool:
        """Whether nothing is different."""
        return not (self.nodes or self.cables or self.lids)

    def __repr__(self) -> str:
        return f"<{len(self.nodes)} nodes, {len(self.cables)} cables and {len(self.lids)} LIDs differ>"


def fabrics(old: Fabric, new: Fabric, *, by_name: bool = False) -> Cabling:
    """Compare two states of a fabric: nodes by GUID, then by name, then by position.

    Args:
        old: the state before.
        new: the state now.
        by_name: ignore GUIDs, as of two generated fabrics, whose GUIDs are consecutive numbers.

    Raises:
        LacisError: when they have neither a node GUID nor a node name in common.
    """
    found = _core.cabling_difference(old, new, by_name=by_name)

    def node(facts: Any) -> Node | None:
        return None if facts is None else Node(**facts)

    nodes = tuple(
        NodeChange(row["change"], node(row["old"]), node(row["new"]), row.get("by"), row.get("cables"))
        for row in found["nodes"]
    )
    cables = tuple(CableChange(**row) for row in found["cables"])
    return Cabling(nodes, cables, tuple(found["lids"]), found["same"], found["no_guid"])


def tables(expected: Routes, found: Routes) -> TableDifference:
    """Compare two tables of one fabric, entry by entry: by switch, port and which of its LIDs."""
    return _core.table_difference(expected, found)


def lids_of(found: Routes) -> RouteOptions:
    """Options with which a manager assigns the LIDs of some tables."""
    remembered = _core.read_guid2lid(found.to_guid2lid().encode())
    widest = max((last - first for _, first, last in remembered), default=0)
    return {"guid2lid": remembered, "lmc": (widest + 1).bit_length() - 1}


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
    refused: tuple[tuple[str, str], ...]
    untried: tuple[str, ...]
    seconds: float


COSTS = {
    row.name: row.cost for row in sorted(ENGINES.values(), key=lambda row: row.cost) if row.name != "file"
}
"""Cost by engine, the fastest first: an engine that would not end in time is not begun."""
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
        self.refused: list[tuple[str, str]] = []
        self.known_axes: dict[str, list[tuple[str, str, Any]]] = {}
        self.untried: list[str] = []

    def run(self) -> Ranking:
        for engine, cost in COSTS.items():
            # Once an engine made exactly these tables, only fast engines are tried.
            for chosen in self.starts(engine):
                if cost <= 2 or not self.solved():
                    self.attempt(engine, chosen)
        # Options on the three nearest engines, then on the fast ones among the others.
        best = list(dict.fromkeys(c.engine for c in self.ranked()))
        for engine in [*best[:3], *(e for e in best[3:] if COSTS[e] <= 2)]:
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
        if self.left() < self.took.get(engine, self.unit * COSTS[engine]):
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
                self.refused.append((engine, error.reason.removeprefix(f"{engine} refuses: ")))
            return None
        except LacisError as error:
            if not chosen:
                self.refused.append((engine, error.reason))
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
        from .routing import routing_order

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
        fabric = self.found.fabric
        if engine in ("updn", "dnup", "ftree"):
            top = _top(fabric)
            if top:
                yield "roots", f"-a, the {len(top)} switches of the top level", top
            yield "connect_roots", "--connect-roots", True
        if engine in _COUNTING:
            yield "port_shifting", "--port-shifting", True
            yield "count_switches", "--port-profile-switch-nodes", True
            for seed in range(1, _SEEDS + 1):
                yield "scatter", f"--scatter-ports {seed}", seed
        if engine in ("ftree", "sssp", "dfsssp"):
            if engine == "ftree":
                yield "quasi_ftree", "--quasi-ftree-indexing", True
            for key, letter, groups in (("cn", "-u", "compute"), ("io", "-G", "storage")):
                try:
                    hosts = _core.traffic_hosts(self.found, groups=groups, rail="each", order="name")
                except LacisError:
                    continue
                yield key, f"{letter}, the ports of {groups} hosts", hosts.guids().tolist()
        if engine in ("sssp", "dfsssp", "nue"):
            yield "avoid_throttled", "--avoid-throttled-links", True
        if engine == "lash":
            yield "mesh_analysis", "--do-mesh-analysis", True
        if engine in ("lash", "dfsssp", "nue"):
            for lanes in (4, 2, 1, 15):
                yield "vls", f"--vls {lanes}", lanes
        if engine == "nue":
            yield "nue_include_switches", "--nue-include-switches", True


def _top(fabric: Fabric) -> list[int]:
    """Node GUIDs of the switches of the highest level; none where there are no levels."""
    levels = fabric.levels()
    if levels is None:
        return []
    level = levels[0]
    highest = max(level, default=0)
    guids = fabric.guids()[: len(level)].tolist()
    return [guid for guid, at in zip(guids, level, strict=True) if at == highest] if highest > 0 else []
