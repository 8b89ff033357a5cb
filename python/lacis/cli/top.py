"""`lacis top`: what ports do now, on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ._fabric import bare_fabric_argument
from ._help import GroupedCommand
from ._live import live_options
from ._routing import make_routes, routing_choice

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ..top.behind import Behind
    from ._live import Shown
    from ._routing_options import RoutingArguments


@click.command("top", cls=GroupedCommand)
@bare_fabric_argument
@live_options
@routing_choice
def command(
    fabric: Fabric,
    routing: RoutingArguments,
    shown: Shown,
) -> None:
    """Show what the ports of FABRIC do: as they are read now, as a store or recordings have it, or as a simulation makes it.

    The screens and keys are opatop's: a summary by group, buckets of utilisation, lists of ports by utilisation, packets,
    waiting and errors with the port at the other end of the cable, and one port with its counters, its history, and the flows, pairs and
    jobs behind it by the tables. `?` lists the keys; a name that is typed after `/` keeps the ports that have it.
    """
    from ..errors import needing
    from ..fabric.ports import ports_of
    from ..top.state import State

    with needing("lacis top needs textual", "'lacis[screens]'"):
        import textual  # noqa: F401

    from ..top.app import Top

    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise click.UsageError(
            "lacis top needs a terminal; `lacis counters` prints the same as text and JSON"
        )
    ports = ports_of(fabric)
    beside = shown.jobs_of(fabric)
    made: list[Routes] = []

    def routes() -> Routes:
        if not made:
            made.append(make_routes(fabric, routing))
        return made[0]

    wants_tables = bool(beside or shown.simulated is not None or routing.first is not None)

    def behind() -> Behind:
        from ..live import jobs_on_ports
        from ..top.behind import Behind

        found = jobs_on_ports(routes(), ports, beside, adaptive=shown.is_spread) if beside else None
        return Behind(routes(), ports, found, shown.is_spread)

    with shown.timeline(fabric, ports, routes) as timeline:
        state = State(ports, timeline)
        Top(state, shown.every if timeline.is_live else None, behind() if wants_tables else None).run()
