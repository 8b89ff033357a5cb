"""`lacis trace`: the route between two end ports, there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..words import count
from ._fabric import fabric_argument
from ._help import GroupedCommand
from ._output import console, json_option, print_json
from ._routing import routing_options

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric, Routes, Trace


@click.command("trace", cls=GroupedCommand)
@fabric_argument
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@routing_options
@json_option
def command(fabric: Fabric, routes: Routes, a: str, b: str, as_json: bool) -> int:  # noqa: ARG001
    """The route from A to B and the one back, node by node.

    A and B are names (`node018 HCA-1`), hosts with one adapter (`node018`), patterns (`node018 *1`), GUIDs,
    LIDs (`17`, `0x11`, `lid:17`), or selectors as opareport takes them (`nodepat:"NodeA hfi1_0":port:1`).

    Exit status 1: a packet is not delivered.
    """
    from .. import _core

    traces = [_core.trace(routes, a, b), _core.trace(routes, b, a)]
    if as_json:
        engines = {"engine_requested": routes.engine_requested, "engine_used": routes.engine_used}
        print_json("lacis.trace/1", **engines, routes=[_json(trace) for trace in traces])
    else:
        out = console()
        for trace in traces:
            _print(out, trace)
    return 0 if all(trace.verdict == "delivered" for trace in traces) else 1


def _json(trace: Trace) -> dict[str, Any]:
    return {
        "from": trace.source,
        "to": trace.target,
        "lid": trace.lid,
        "verdict": trace.verdict,
        "switches": trace.switches,
        "links": trace.links,
        "hops": [
            {
                "node": node,
                "kind": kind,
                "guid": f"0x{guid:016x}",
                "in": came,
                "out": left,
                "rate": rate or None,
            }
            for node, kind, guid, came, left, rate in trace.hops
        ],
    }


def _print(out: Console, trace: Trace) -> None:
    def say(line: str) -> None:
        out.print(line, markup=False, soft_wrap=True)

    verdict = trace.verdict.replace("_", " ")
    verdict = verdict if verdict == "delivered" else verdict.upper()
    say(f"{trace.source} → {trace.target} (LID {trace.lid or 'none'})")
    width = max(len(node) for node, *_ in trace.hops)
    say(f"     in  {'node':<{width}}  out  rate")
    for node, _, _, came, left, rate in trace.hops:
        say(f"    {_number(came):>3}  {node:<{width}}  {_number(left):>3}  {rate}".rstrip())
    switches, links = count(trace.switches, "switch", "switches"), count(trace.links, "link", "links")
    say(f"    {verdict}: {switches}, {links}\n")


def _number(port: int | None) -> str:
    return "" if port is None else str(port)
