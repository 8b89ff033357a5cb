"""Which tables a fabric seems to run, ranked by the likelihood of a measurement: an engine's, with LIDs in an unknown order, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from .. import _core
from ..documents.common import Refusal
from ..documents.explain import Candidate
from ..errors import LacisError, RefusedError
from ..facts.refusals import EngineLong
from ..facts.wording import text
from ..sm.engines import ENGINES, OMNI_PATH, OPENSM, OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from .._core import Explained, Fabric, Routes
    from ..requests.routing import RouteOptions

ASSUMED = "those assumed"
"""The name of the assumed tables among candidates."""
ORDERS = 4
"""Orders of LIDs that are drawn for each engine."""
COSTLY = 10
"""An engine that takes so many times as long as minhop is tried under its own order only."""
LARGE = 5000
"""With more end nodes than this, an engine that is `COSTLY` is not tried."""
BY_GUID = ("order", "roots", "cn", "io", "ids", "hop_weights", "ignore", "search_order")
"""Options that name nodes by GUID, and so are meaningless with drawn GUIDs."""
POOR = 0.5
"""Where a smaller share of the flows on which candidates differ is as the likeliest one expects, none fits."""


@dataclass(frozen=True)
class WhichTables:
    """Candidates, the likeliest first.

    Attributes:
        candidates: all that were tried.
        refused: engines that do not run on the fabric, or were left out, and why.
        flows: how many were compared.
        differing: on how many of them candidates expect different rates.
    """

    candidates: Sequence[Candidate]
    refused: Sequence[Refusal]
    flows: int
    differing: int

    @property
    def distinguishes(self) -> bool:
        """Whether the run distinguishes any candidates."""
        return any(one.group > 0 for one in self.candidates)

    @property
    def consistent(self) -> list[Candidate]:
        """Candidates with which the run is consistent: the likeliest, and those that the run does not distinguish from it."""
        return [one for one in self.candidates if one.group == 0]

    @property
    def fits(self) -> bool:
        """Whether some consistent candidate expects most of the flows on which candidates differ."""
        sure = [one.as_expected for one in self.consistent if one.as_expected is not None]
        return not sure or max(sure) >= POOR

    def groups(self) -> list[list[Candidate]]:
        """Candidates by group; the run does not distinguish those of one group."""
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
        engines: those to try; unless given, all that run on the fabric without a file.
        given: the name of `routes`.
        orders: how many orders of LIDs are drawn for each engine; 0 for none.
        tell: called with each engine before it runs.
        options: of the manager.

    Raises:
        LacisError: when no engine runs on the fabric.
    """
    fabric = routes.fabric
    options["fallback"] = False
    names: list[str] = []
    tables: list[tuple[str, list[Routes]]] = []
    refused: list[Refusal] = []
    if given is not None:
        names.append(given)
        tables.append(("tables", [routes]))
    drawn = [fabric.shuffle_guids(seed + 1) for seed in range(0 if _by_guid(options) else orders)]
    for engine in engines or _usual(fabric):
        tell(engine)
        is_costly = ENGINES[engine].cost > COSTLY
        if is_costly and fabric.num_end_nodes > LARGE and not engines:
            long = EngineLong(fabric.num_end_nodes)
            refused.append(Refusal(engine, text(long), None, long))
            continue
        try:
            made = _core.route(fabric, engine, **options)
            others = [_core.route(one, engine, **options) for one in (() if is_costly else drawn)]
        except RefusedError as error:
            # One engine was asked for, and none may fall back.
            refused += [msgspec.structs.replace(one, reason=str(error)) for one in error.refusals]
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
    candidates = [
        Candidate(
            name=names[fit.candidate],
            how=tables[fit.candidate][0],
            group=fit.group,
            likelihood=fit.likelihood,
            z=fit.z,
            level=fit.level,
            spread=fit.spread,
            as_expected=fit.as_expected,
            unrouted=fit.unrouted,
        )
        for fit in found.fits
    ]
    return WhichTables(candidates, refused, found.flows, found.differing)


def compared(
    explained: Explained, routes: Routes, *, given: str, tell: Callable[[str], object] = lambda _: None
) -> WhichTables:
    """`which_tables`, beginning with the engines that are not `COSTLY`: the others run only where none of those fits.

    Args:
        explained: measured flows, of rates.
        routes: the tables that were assumed.
        given: their name among the candidates.
        tell: called with each engine before it runs.
    """
    few = [engine for engine in _usual(routes.fabric) if ENGINES[engine].cost <= COSTLY]
    found = which_tables(explained, routes, engines=few, given=given, tell=tell)
    return found if found.fits else which_tables(explained, routes, given=given, tell=tell)


def _usual(fabric: Fabric) -> Sequence[str]:
    """Engines of the managers that such a fabric may have."""
    return OMNI_PATH if fabric.technology == "Omni-Path" else (*OPENSM, *OURS)


def _by_guid(options: RouteOptions) -> bool:
    return any(options.get(name) for name in BY_GUID)
