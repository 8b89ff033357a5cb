"""`lacis trace`: the route between two end ports, there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..facts.words import count
from ._fabric import fabric_argument
from ._help import GroupedCommand
from ._output import console, json_option, print_json, print_line
from ._routing import routing_options, tables_file, walked

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric, Routes, Trace
    from ..documents.routes import TracedRoute


@click.command("trace", cls=GroupedCommand)
@fabric_argument
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@routing_options
@click.option(
    "--format",
    "layout",
    type=click.Choice(["opareport"]),
    help="Print what `opareport -o route -S A -D B` prints, byte for byte; A and B as it takes them.",
)
@json_option
def command(fabric: Fabric, routes: Routes, a: str, b: str, layout: str | None, as_json: bool) -> int:
    """The route from A to B and the one back, node by node.

    A and B are names (`node018 HCA-1`), hosts (`node018`: every rail that both have), patterns (`node018 *1`), GUIDs,
    LIDs (`17`, `0x11`, `lid:17`), sets of hosts (`node[018-019]`, `@group`), or selectors as opareport takes them
    (`nodepat:"NodeA hfi1_0":port:1`).

    Exit status 1: a packet is not delivered.
    """
    from .. import _core

    if layout is not None:
        if as_json:
            raise click.UsageError("--json and --format opareport do not go together")
        report = _core.routes_report(routes, a, b)
        click.echo(report, nl=False)
        return 1 if "    Route Incomplete\n" in report else 0
    traces: list[tuple[int | None, Trace]] = []
    for source, target in _pairs(fabric, a, b):
        for rail, there, back in _core.trace_rails(routes, source, target):
            traces += [(rail, there), (rail, back)]
    if as_json:
        from ..documents.routes import TraceDocument

        document = TraceDocument(
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            file=tables_file(),
            routes=[_row(trace, rail) for rail, trace in traces],
        )
        print_json(document)
    else:
        out = console()
        print_line(out, walked(routes))
        for rail, trace in traces:
            _print(out, trace, rail)
    return 0 if all(trace.verdict == "delivered" for _, trace in traces) else 1


_MOST_PAIRS = 256
"""More pairs than a person reads."""


def _pairs(fabric: Fabric, a: str, b: str) -> list[tuple[str, str]]:
    """The pairs of end ports that two arguments name: one, or those of sets of hosts."""
    from ..ranks import nodesets

    def names(text: str) -> list[str]:
        # `NAME[17]` is port 17 of a node, and a pattern is no set.
        bare = not nodesets.is_set(text) or ":" in text or "*" in text
        if bare or (text.endswith("]") and "," not in text and "-" not in text.rpartition("[")[2]):
            return [text]
        return nodesets.find(text, nodesets.hosts_of(fabric), text)

    pairs = [(source, target) for source in names(a) for target in names(b) if source != target]
    if len(pairs) > _MOST_PAIRS:
        raise click.UsageError(f"{len(pairs):,} pairs of hosts; trace follows up to {_MOST_PAIRS}")
    return pairs or [(a, b)]


def _row(trace: Trace, rail: int | None) -> TracedRoute:
    from ..documents.routes import TracedRoute, TraceHop

    return TracedRoute(
        source=trace.source,
        target=trace.target,
        lid=trace.lid,
        verdict=trace.verdict,
        switches=trace.switches,
        links=trace.links,
        hops=[
            TraceHop(node, kind, f"0x{guid:016x}", came, left, rate or None)
            for node, kind, guid, came, left, rate in trace.hops
        ],
        rail=None if rail is None else rail + 1,
    )


def _print(out: Console, trace: Trace, rail: int | None) -> None:
    def say(line: str) -> None:
        print_line(out, line)

    verdict = trace.verdict.replace("_", " ")
    verdict = verdict if verdict == "delivered" else verdict.upper()
    on = "" if rail is None else f"rail {rail + 1}: "
    say(f"{on}{trace.source} → {trace.target} (LID {trace.lid or 'none'})")
    width = max(len(node) for node, *_ in trace.hops)
    say(f"     in  {'node':<{width}}  out  rate")
    for node, _, _, came, left, rate in trace.hops:
        say(f"    {_number(came):>3}  {node:<{width}}  {_number(left):>3}  {rate}".rstrip())
    switches, links = count(trace.switches, "switch", "switches"), count(trace.links, "link", "links")
    say(f"    {verdict}: {switches}, {links}\n")


def _number(port: int | None) -> str:
    return "" if port is None else str(port)
