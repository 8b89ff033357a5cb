"""Which tables a fabric seems to run: those of each engine, of an unknown order, or none, ranked by the likelihood of what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..engines import ENGINES, OMNI_PATH, OPENSM, OURS
from ..errors import LacisError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from .._core import Explained, Fabric, Routes
    from ..routing import RouteOptions

ORDERS = 4
"""Orders of LIDs that are drawn for each engine."""
COSTLY = 10
"""An engine that takes so many times as long as minhop is tried under its own order only …"""
LARGE = 5000
"""… and on more end nodes than this not at all."""
BY_GUID = ("order", "roots", "cn", "io", "ids", "hop_weights", "ignore", "search_order")
"""What names nodes by GUID, and so means nothing under drawn GUIDs."""
POOR = 0.5
"""Where fewer of the flows that tell are as the likeliest candidate has them, none fits."""


@dataclass(frozen=True)
class Candidate:
    """Tables that a fabric may run, and how what was measured goes with them.

    Attributes:
        name: the engine, or what the tables that were given are called.
        how: `tables` in the order of LIDs as it is, `orders` in one that is not known, `spread` where switches choose
            among all shortest paths.
        group: candidates of one group are not told apart by the run; group 0 goes with it best.
        likelihood: mean of the ln of the likelihood of a flow.
        z: how surely the best candidate is the better, in standard deviations (Vuong); 0 for the best.
        level: measured ÷ expected, overall.
        spread: half of the values lie within this part of their level, about.
        as_expected: of the flows on which candidates differ, the part within 15 % of what this one expects; none
            for an unknown order.
        unrouted: flows measured that have no route under it.
    """

    name: str
    how: str
    group: int
    likelihood: float
    z: float
    level: float
    spread: float
    as_expected: float | None
    unrouted: int


@dataclass(frozen=True)
class WhichTables:
    """Candidates, the likeliest first.

    Attributes:
        candidates: all that were tried.
        refused: engines that do not run on the fabric as it is, or were left out, and why.
        flows: how many were compared.
        differing: on how many of them candidates expect different rates.
    """

    candidates: Sequence[Candidate]
    refused: dict[str, str]
    flows: int
    differing: int

    @property
    def told(self) -> bool:
        """Whether the run tells any candidate from another."""
        return any(one.group > 0 for one in self.candidates)

    @property
    def consistent(self) -> list[Candidate]:
        """Those that the run is consistent with: not told from the likeliest."""
        return [one for one in self.candidates if one.group == 0]

    @property
    def fits(self) -> bool:
        """Whether some candidate that the run is consistent with expects most of what tells candidates apart."""
        sure = [one.as_expected for one in self.consistent if one.as_expected is not None]
        return not sure or max(sure) >= POOR

    def groups(self) -> list[list[Candidate]]:
        """Candidates that the run does not tell apart, group by group."""
        last = max((one.group for one in self.candidates), default=-1)
        return [[one for one in self.candidates if one.group == number] for number in range(last + 1)]


def which_tables(
    explained: Explained,
    routes: Routes,
    *,
    engines: Sequence[str] = (),
    given: str | None = None,
    orders: int = ORDERS,
    tell: Callable[[str], object] = lambda _: None,
    **options: Unpack[RouteOptions],
) -> WhichTables:
    """Ranks candidate tables by the likelihood of measured rates.

    Args:
        explained: measured flows on the fabric's hosts, of rates.
        routes: tables of the fabric; where `given` names them, a candidate.
        engines: those that are tried; unless given all that run on the fabric without a file.
        given: what `routes` are called.
        orders: how many orders of LIDs are drawn for each engine; 0 for none.
        tell: is called with each engine before it runs.
        options: what the manager is told.

    Raises:
        LacisError: when no engine runs on the fabric.
    """
    fabric = routes.fabric
    options["fallback"] = False
    names: list[str] = []
    tables: list[tuple[str, list[Routes]]] = []
    refused: dict[str, str] = {}
    if given is not None:
        names.append(given)
        tables.append(("tables", [routes]))
    drawn = [fabric.shuffle_guids(seed + 1) for seed in range(0 if _by_guid(options) else orders)]
    for engine in engines or _usual(fabric):
        tell(engine)
        is_costly = ENGINES[engine].cost > COSTLY
        if is_costly and fabric.num_end_nodes > LARGE and not engines:
            refused[engine] = f"takes long on {fabric.num_end_nodes:,} end nodes: name it to have it tried"
            continue
        try:
            made = _core.route(fabric, engine, **options)
            others = [_core.route(one, engine, **options) for one in (() if is_costly else drawn)]
        except RefusedError as error:
            refused[engine] = str(error)
            continue
        names.append(engine)
        tables.append(("tables", [made]))
        if others:
            names.append(engine)
            tables.append(("orders", others))
    if not names:
        raise LacisError("no engine runs on this fabric: there are no tables to compare with")
    names.append("adaptive")
    tables.append(("spread", []))
    found = _core.rank_tables(explained, routes, tables)
    candidates = []
    for fit in found["fits"]:
        number = fit.pop("candidate")
        candidates.append(Candidate(names[number], tables[number][0], **fit))
    return WhichTables(candidates, refused, found["flows"], found["differing"])


def _usual(fabric: Fabric) -> Sequence[str]:
    """Engines of the managers that such a fabric may have."""
    return OMNI_PATH if fabric.technology == "Omni-Path" else (*OPENSM, *OURS)


def _by_guid(options: RouteOptions) -> bool:
    return any(options.get(name) for name in BY_GUID)
