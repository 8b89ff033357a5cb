"""What the page asks for, as JSON or as numbers in bytes."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import LacisError, RefusedError
from ..facts.words import count
from ..map.points import encoded
from ..map.still import svg
from .session import MEASURES, flows_of, modelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Trace
    from .session import Moment, Session

CURVE = 60
"""Instants of a port's curve: as many as a session keeps, so that the next port costs nothing."""
JOBS = 20
"""Jobs that are listed of a port."""
PAIRS = 50
"""Pairs that are listed of a port."""
CUTS = 32
"""Selectors of a what-if."""


def fabric(session: Session) -> dict[str, Any]:
    """What does not change: nodes with their points, and cables; numbers in arrays, little-endian, base64.

    Cables are rows of `Ports` of both ends: `near` of every port with a cable whose row is lower than that of its far end.
    """
    ports, drawing = session.ports, session.drawing
    far = ports.far
    near = np.flatnonzero(far > np.arange(len(far)))
    rates = np.nan_to_num(ports.rates)
    return {
        "name": session.name,
        "technology": session.fabric.technology,
        "switches": session.fabric.num_switches,
        "names": list(ports.names),
        "guids": [f"0x{guid:016x}" for guid in session.fabric.guids().tolist()],
        **session.points,
        "drawing": svg(drawing) if drawing is not None else None,
        "port_nodes": encoded(ports.nodes.astype(np.uint32)),
        "port_numbers": encoded(ports.numbers.astype(np.uint16)),
        "port_rates": encoded(rates.astype(np.float32)),
        "near": encoded(near.astype(np.uint32)),
        "far": encoded(far[near].astype(np.uint32)),
        "measures": list(MEASURES),
        "has_tables": session.routes is not None,
        "engine": session.routes.engine_used if session.routes is not None else "",
        "adaptive": session.adaptive,
        "is_live": session.timeline is not None and session.timeline.is_live,
        "is_modelled": session.timeline is not None and session.timeline.is_modelled,
        "source": session.timeline.name if session.timeline is not None else "",
    }


def instants(session: Session) -> dict[str, Any]:
    """When intervals ended, in seconds, and what is wrong with the source."""
    return {"ends": [end / 1e9 for end in session.instants()], "trouble": session.state()}


def moment(shown: Moment) -> bytes:
    """The interval's begin and end in seconds, then a number for each port by measure, 32 bits each, little-endian."""
    head = struct.pack("<dd", shown.begin / 1e9, shown.end / 1e9)
    return head + b"".join(shown.values[name].astype("<f4").tobytes() for name in MEASURES)


def port(session: Session, guid: int, number: int, at: int | None) -> dict[str, Any]:
    """A port: both ends of its cable, their counters in the interval, and the curve of what each sent.

    Raises:
        LacisError: when the fabric has no such port.
    """
    ends = _ends(session, guid, number)
    row, now = ends[0], session.used(at)
    return {
        "rows": ends,
        "names": [session.ports.name(end) for end in ends],
        "rate": _finite(float(session.ports.rates[row])),
        "sent": [_finite(float(now.sent[end])) for end in ends],
        "share": [_finite(float(now.share[end])) for end in ends],
        "waited": [_finite(float(now.waited[end])) for end in ends],
        "counters": {
            name: values
            for name, column in now.counts.items()
            if any(values := [_finite(float(column[end])) for end in ends])
        },
        "modelled": [_finite(float(session.modelled()[end])) for end in ends],
        "jobs": [
            [
                {
                    "name": one.name,
                    "flows": one.flows,
                    "share": one.share,
                    "within": one.within,
                    "beside": list(one.beside),
                }
                for one in (session.jobs.there(now, end) if session.jobs is not None else [])[:JOBS]
            ]
            for end in ends
        ],
        "curve": _curve(session, ends),
    }


def pairs(session: Session, guid: int, number: int, at: int | None, text: str) -> dict[str, Any]:
    """The pairs whose packets leave by a port, and by the one at the other end of its cable, by the tables; the first of those with a text.

    Raises:
        LacisError: when the fabric has no such port, or there are no tables.
    """
    found = []
    for end in _ends(session, guid, number):
        there = session.pairs(end, PAIRS, text, at)
        if there is None:
            raise LacisError("there are no tables: no engine routes this fabric")
        found.append(
            {
                "name": session.ports.name(end),
                "total": there.total,
                "found": there.found,
                "pairs": [one._asdict() for one in there.listed],
            }
        )
    return {
        "ends": found,
        "of_jobs": session.jobs is not None,
        "adaptive": session.adaptive,
    }


def _ends(session: Session, guid: int, number: int) -> list[int]:
    """The rows of a port and of the one at the other end of its cable."""
    (row,) = session.ports.rows(np.array([guid], np.uint64), np.array([number], np.uint16)).tolist()
    if row < 0:
        raise LacisError("the fabric has no such port", text=f"0x{guid:016x}[{number}]")
    far = int(session.ports.far[row])
    return [row, far] if far >= 0 else [row]


def _curve(session: Session, ends: Sequence[int]) -> dict[str, Any]:
    """Shares of the last intervals, by end."""
    if session.timeline is None:
        return {"times": [], "shares": [[] for _ in ends]}
    moments = session.instants()
    first = max(0, len(moments) - CURVE)
    shares: list[list[float | None]] = [[] for _ in ends]
    for number in range(first, len(moments)):
        share = session.used(moments[number]).share
        for kept, end in zip(shares, ends, strict=True):
            kept.append(_finite(float(share[end])))
    return {"times": [end / 1e9 for end in moments[first:]], "shares": shares}


def route(session: Session, source: str, target: str) -> dict[str, Any]:
    """The routes from one end node or host to another and back, rail by rail: rows of the ports by which they leave each node.

    Raises:
        LacisError: when there are no tables, or no such nodes.
    """
    if session.routes is None:
        raise LacisError("there are no tables: no engine routes this fabric")
    return {
        "rails": [
            {
                "rail": None if rail is None else rail + 1,
                "there": _route(session, there),
                "back": _route(session, back),
            }
            for rail, there, back in _core.trace_rails(session.routes, source, target)
        ],
        "engine": session.routes.engine_used,
    }


def _route(session: Session, traced: Trace) -> dict[str, Any]:
    hops = [(hop.guid, hop.port_out) for hop in traced.hops if hop.port_out is not None]
    guids = np.array([guid for guid, _ in hops], np.uint64)
    numbers = np.array([number for _, number in hops], np.uint16)
    rows = session.ports.rows(guids, numbers).tolist()
    return {"verdict": traced.verdict, "nodes": [hop.node for hop in traced.hops], "rows": rows}


def what_if(session: Session, cuts: Sequence[str], engine: str, *, adaptive: bool = False) -> dict[str, Any]:
    """Modelled loads with some cables or nodes away, with another engine or adaptive switches, beside those that are.

    Raises:
        LacisError: when a selector names nothing, or no engine routes what is left.
    """
    if len(cuts) > CUTS:
        raise LacisError(f"more than {CUTS} selectors")
    changed = session.fabric.without(list(cuts)) if cuts else session.fabric
    wanted = engine or (session.routes.engine_used if session.routes is not None else "minhop")
    try:
        routes = _core.route(changed, wanted)
    except RefusedError as refused:
        raise LacisError(str(refused)) from None
    proof = _core.verify(routes, "hosts")
    before = _core.verify(session.routes, "hosts") if session.routes is not None else None
    lost = proof.pairs - proof.verdicts.get("delivered", 0)
    return {
        "engine": routes.engine_used,
        "asked": wanted,
        "adaptive": adaptive,
        "values": encoded(modelled(session.ports, routes, adaptive=adaptive)),
        "pairs": proof.pairs,
        "lost": lost,
        "credit_loops": len(proof.credit_loops),
        "most": float(flows_of(routes, adaptive=True)[2].max(initial=0.0)) if adaptive else proof.balance[0],
        "most_before": before.balance[0] if before is not None else None,
        "words": f"{count(lost, 'pair')} lost of {proof.pairs:,}",
    }


def findings(session: Session) -> dict[str, Any]:
    """What is wrong with the fabric, the worst first, each with the switches and hosts that it names; and what to do at its cables."""
    return {
        "findings": [
            {
                "severity": one.severity,
                "code": one.code,
                "text": one.text,
                "advice": one.advice,
                "nodes": sorted({end.guid for end in one.ends if getattr(end, "guid", None)})[:50],
            }
            for one in session.health.findings
        ],
        "work": [
            {
                "severity": one.severity,
                "action": one.action,
                "why": one.why,
                "code": one.code,
                "ends": [
                    {"guid": end.guid, "name": end.node if end.port is None else f"{end.node}[{end.port}]"}
                    for end in (one.here, one.there)
                    if end is not None
                ],
            }
            for one in session.health.cable_work
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
