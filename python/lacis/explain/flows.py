"""Measured values on a fabric: what each flow reaches of what the tables let expect."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..documents.explain import CountedErrors, CountedTraffic, FlowClass, OthersCounted
from ..documents.series import Series
from ..errors import LacisError
from ..facts.words import noun
from ..measured.hosts import names_of
from ..measured.results import polars
from .culprits import Culprits, locate
from .errors import errors_of
from .faster import entries_by_fast_flows
from .series import QUANTITIES, choose, values_of
from .shared import shared_by
from .tables import ASSUMED, compared
from .together import slow_together
from .traffic import of_source
from .traffic.rows import others_counted, times_of_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from .._core import Explained, Participants, Routes
    from ..results.columns import ExplainedFlows
    from .tables import WhichTables

_NONE = np.iinfo(np.uint32).max


@dataclass(frozen=True)
class Explanation:
    """A measurement, explained by tables.

    Attributes:
        series: of the values that were explained.
        others: further series.
        hosts: those that were measured, with numbers as `flows` has them.
        core: the engine's: `flows()` has arrays by flow: `source`, `destination`, `round`, `value`, `expected`, `loss`.
        flow_classes: of flows that are compared with each other.
        values: how many values are used.
        left_out: number of values that are not, by reason.
        errors: counters beyond what is tolerated, by port; none where the fabric has no counters.
        others_counted: what counters say of other traffic; none where none were given.
        which: a comparison with other tables, by which suspects are judged.
    """

    series: Series
    others: Sequence[Series]
    hosts: Participants
    core: Explained
    flow_classes: Sequence[FlowClass]
    values: int
    left_out: dict[str, int]
    errors: Mapping[str, Sequence[CountedErrors]] | None
    others_counted: OthersCounted | None
    _locate: Callable[[WhichTables | None], Culprits] = field(repr=False)
    which: WhichTables | None = None

    @cached_property
    def culprits(self) -> Culprits:
        """What makes flows slow, sought once."""
        return self._locate(self.which)

    def flows(self) -> ExplainedFlows:
        """Arrays by flow; a loss is ln(expected ÷ measured) for bandwidths, ln(measured ÷ expected) for times."""
        return self.core.flows()


def explain(
    routes: Routes,
    frame: pl.DataFrame,
    *,
    rail: int = 1,
    test: str | None = None,
    what: str | None = None,
    bytes: int | None = None,  # noqa: A002
    counters: Mapping[str, CountedTraffic] | None = None,
    sweeps: str | os.PathLike[str] | None = None,
    compare: bool = True,
    seek: bool = True,
    tell: Callable[[str], object] = lambda _: None,
) -> Explanation:
    """Compares measured values with what the tables let expect.

    Args:
        routes: the tables that flows follow.
        frame: values of one run or of several, by the names of the fabric's hosts.
        rail: whose adapters send and receive, from 1.
        test: this test only; by default the bandwidth of the largest messages, else the shortest latency.
        what: bandwidth, latency.
        bytes: this size of messages only.
        counters: what port counters show, by test, as `counted` reads them.
        sweeps: a store or a recording of counters, by which other traffic is seen.
        compare: whether other tables are compared with, where the values raise doubts about these.
        seek: whether what makes flows slow is sought at once, which takes longest; else when `culprits` is first read.
        tell: called with each engine that is compared with.

    Raises:
        LacisError: when no value is of a pair of the fabric's hosts.
    """
    chosen, more = choose(frame, test=test, what=what, bytes=bytes)
    rows = values_of(frame, chosen)
    hosts = _core.participants(routes, groups="all", rail=str(rail), order="topology")
    columns = columns_of(rows, names_of(hosts.hosts, routes.fabric))
    core = _core.observe(routes, hosts, quantity=QUANTITIES[chosen.unit], rail=0, **columns)
    unknown, to_itself, no_number = core.left_out
    unnamed = int(
        rows.select(polars().any_horizontal(polars().col("source", "destination").is_null()).sum()).item()
    )
    left_out = {
        "of hosts without a name": unnamed,
        "of hosts that the fabric lacks on this rail": unknown - unnamed,
        "from a host to itself": to_itself,
        "no number above 0": no_number,
    }
    if not len(core):
        why = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
        hint = "; `hosts` names ranks" if unnamed else ""
        raise LacisError(f"none of {rows.height:,} {noun(rows.height, 'value')} can be used: {why}{hint}")
    classes = [FlowClass(*row) for row in core.flow_classes]
    usual = max(classes, key=lambda one: one.flows).level if classes else 0.0

    def ask() -> WhichTables:
        return compared(core, routes, given=ASSUMED, tell=tell)

    names = names_of(hosts.hosts, routes.fabric)
    others = None if sweeps is None else of_source(routes, hosts, names, frame, rows, sweeps)

    def located(which: WhichTables | None) -> Culprits:
        found = locate(
            core,
            len(hosts.hosts),
            is_time=chosen.unit == "s",
            level=usual,
            ask=ask if compare else None,
            counters=(counters or {}).get(chosen.test),
            others=others,
            led_elsewhere=lambda known: entries_by_fast_flows(core, routes, hosts, known),
            compared=which,
        )
        if found.better is not None:
            return replace(found, links=len(_core.link_losses(routes, core)["link"]))
        if not any(one.spell for one in found.partly):
            return found
        shared = partial(shared_by, routes.fabric)
        return replace(found, together=slow_together(found.partly, shared, times_of_rounds(rows)))

    reasons = {why: number for why, number in left_out.items() if number}
    errors = errors_of(routes.fabric) if routes.fabric.counters[0] else None
    counted = None if others is None else others_counted(others, rows)
    found = Explanation(chosen, more, hosts, core, classes, core.used, reasons, errors, counted, located)
    if seek:
        _ = found.culprits
    return found


def columns_of(rows: pl.DataFrame, hosts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Rows as the engine takes them: hosts and rounds by number; the greatest number means none."""
    pl = polars()
    kind = pl.Enum(list(hosts))
    ends = rows.select(
        pl.col(end).cast(kind, strict=False).to_physical().cast(pl.UInt32).fill_null(_NONE)
        for end in ("source", "destination")
    )
    return {
        "source": ends["source"].to_numpy(),
        "destination": ends["destination"].to_numpy(),
        "rounds": rows["round"].fill_null(_NONE).to_numpy(),
        "values": rows["value"].to_numpy(),
    }
