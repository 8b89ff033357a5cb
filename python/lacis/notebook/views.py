"""How notebooks show what the engine hands over."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..facts.words import count, quantity
from . import SHOWN, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_METHOD = "_repr_html_"
"""What notebooks call."""


@functools.cache
def attach() -> None:
    """Gives the engine's classes their views, once."""
    for kind, view in _VIEWS.items():
        setattr(kind, _METHOD, view)


def _fabric(fabric: _core.Fabric) -> str:
    names, of_cables = fabric.cable_rates()
    rates = zip(names, np.bincount(of_cables, minlength=len(names)).tolist(), strict=True)
    rows: list[tuple[str, object]] = [
        ("technology", fabric.technology),
        ("switches", fabric.num_switches),
        ("end nodes", fabric.num_end_nodes),
        ("cables", len(of_cables)),
        ("rates of cables", ", ".join(f"{rate}: {cables:,}" for rate, cables in rates)),
    ]
    if fabric.notes:
        rows.append(("remarks of the reader", len(fabric.notes)))
    return table("Fabric", rows)


def _routes(routes: _core.Routes) -> str:
    to_end_nodes, to_switches = routes.unrouted()
    rows: list[tuple[str, object]] = [
        ("made by", routes.engine_used),
        ("asked for", routes.engine_requested),
        ("switches", routes.fabric.num_switches),
        ("LIDs", routes.num_lids),
        ("entries without a port, to end nodes", to_end_nodes),
        ("entries without a port, to switches", to_switches),
    ]
    rows += [(f"{one.engine} refused", one.reason) for one in routes.refusals]
    return table("Tables", rows)


def _verification(found: _core.Verification) -> str:
    most, mean, links, used = found.balance
    verdicts = [(name.replace("_", " "), pairs) for name, pairs in found.verdicts.items() if pairs]
    loops = found.credit_loops
    rows: list[tuple[str, object]] = [
        ("good", "yes" if found.good else "no"),
        ("pairs", found.pairs),
        *verdicts,
        ("credit loops", len(loops)),
        ("lanes", found.lanes),
        ("flows on a link, all to all", f"{most:,} at most, {mean:,.4g} on average"),
        ("links between switches in use", f"{used:,} of {links:,}"),
        ("hops", ", ".join(f"{hops}: {pairs:,}" for hops, pairs in sorted(found.hops.items()))),
    ]
    if loops:
        rows.append(("ports of a loop", ", ".join(loops[0].ports[:SHOWN])))
    return table("Proof of tables", rows)


def _prediction(found: _core.Prediction) -> str:
    shares = found.relative_bandwidth
    rows: list[tuple[str, object]] = [
        ("model", found.model),
        ("phases", found.num_phases),
        ("flows", found.flows),
        ("unrouted", found.unrouted),
        ("skipped", found.skipped),
        ("relative bandwidth, mean", shares["mean"]),
        ("least", shares["min"]),
        ("greatest", shares["max"]),
        ("most flows on a link in a phase", found.max_contention),
    ]
    if (rates := found.bandwidth) is not None:
        rows.append(("rate of a flow, mean", quantity(rates.mean, "bytes/s")))
    links = [(hot.egress, hot.ingress, hot.contention, hot.phase, hot.total) for hot in found.hottest[:SHOWN]]
    head = ("egress", "ingress", "flows in that phase", "phase", "flows in all")
    hottest = [table("Hottest links", links, head)] if links else []
    return "\n".join([table("Prediction (modelled)", rows), *hottest])


def _times(found: _core.Times) -> str:
    counts = found.counts
    rows: list[tuple[str, object]] = [
        ("total", quantity(found.total, "s")),
        ("phases", found.num_phases),
        ("messages", counts["messages"]),
        ("bytes", counts["bytes"]),
        ("unrouted", counts["unrouted"]),
        ("a message, mean", quantity(found.completion["mean"], "s")),
        ("a message, longest", quantity(found.completion["max"], "s")),
    ]
    links = [(busy.egress, busy.ingress, busy.bytes, busy.utilisation) for busy in found.busiest[:SHOWN]]
    busiest = [table("Busiest links", links, ("egress", "ingress", "bytes", "utilisation"))] if links else []
    return "\n".join([table("Times (modelled)", rows), *busiest])


def _simulation(found: _core.Simulation) -> str:
    rows: list[tuple[str, object]] = [
        ("simulated", quantity(found.simulated, "s")),
        ("phases", found.phases),
        ("flows", found.flows),
        ("unrouted", found.unrouted),
        ("ended early", "yes" if found.partial else "no"),
        ("deadlock", "no" if found.deadlock is None else count(len(found.deadlock.cycle), "link")),
    ]
    return table("Simulation (modelled)", rows)


_VIEWS: dict[type, Callable[[Any], str]] = {
    _core.Fabric: _fabric,
    _core.Routes: _routes,
    _core.Verification: _verification,
    _core.Prediction: _prediction,
    _core.Times: _times,
    _core.Simulation: _simulation,
}
