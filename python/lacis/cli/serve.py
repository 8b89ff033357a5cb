"""`lacis serve`: the fabric in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ._address import Address
from ._fabric import again, bare_fabric_argument, source, warn
from ._help import GroupedCommand
from ._live import live_options
from ._progress import progress
from ._routing import make_routes, routing_choice

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ._live import Shown
    from ._routing_options import RoutingArguments

DEFAULT = "127.0.0.1:8050"


@click.command("serve", cls=GroupedCommand)
@bare_fabric_argument
@click.option("--live", is_flag=True, help="Read the counters of the running fabric, every --every.")
@live_options
@click.option(
    "--listen",
    type=Address(8050),
    default=DEFAULT,
    show_default=True,
    metavar="ADDRESS:PORT",
    help="Where to offer the page; port 0 is any free one.",
)
@click.option(
    "--called", multiple=True, metavar="NAME", help="Another name of this machine in browsers; repeatable."
)
@routing_choice
def command(
    fabric: Fabric,
    routing: RoutingArguments,
    live: bool,
    shown: Shown,
    listen: tuple[str, int],
    called: tuple[str, ...],
) -> None:
    """Show FABRIC in a browser: a map coloured by what ports do, or by what the tables make of all to all.

    With --live, --store, --from or --simulate it has a time line, the difference of two instants, and each port's curve; with jobs
    what is measured over what they predict. Routes there and back, findings, and what would be without some cables or with another
    engine are shown beside. Every view is an address.

    It listens on this machine alone, unless --listen says otherwise, and answers those who have the address that it prints, which
    has a token. It ends with Ctrl-C.
    """
    import contextlib

    from ..errors import needing
    from ..fabric.ports import ports_of

    with needing("lacis serve needs starlette and uvicorn", "'lacis[screens]'"):
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401

    from ..live import jobs_on_ports
    from ..serve.running import serve
    from ..serve.session import Session
    from ..serve.shown import Changes

    ports = ports_of(fabric)
    beside = shown.jobs_of(fabric)
    routes: Routes | None = None
    try:
        routes = make_routes(fabric, routing)
    except LacisError as error:
        if routing.first is not None or beside or shown.simulated is not None:
            raise
        warn(f"no tables: {error}")
    with contextlib.ExitStack() as stack:
        timeline = None
        if live or shown.has_source:
            timeline = stack.enter_context(
                shown.timeline(fabric, ports, lambda: routes)  # type: ignore[arg-type, return-value]
            )
        with progress("drawing the map"):
            placed = (
                jobs_on_ports(routes, ports, beside, adaptive=shown.is_spread) if beside and routes else None
            )
            session = Session(fabric, ports, source()[0], timeline, routes, placed, shown.is_spread)
        read = again() if shown.simulated is None and Path(source()[0]).is_file() else None
        changes, name = Changes(source()[0]), source()[0]

        context = click.get_current_context()

        def newer() -> Session | None:
            if read is None or not changes.seen():
                return None
            with context.scope(cleanup=False):  # it runs in another thread, which has no command
                found = read()
                rows, tables = ports_of(found), None
                with contextlib.suppress(LacisError):
                    tables = make_routes(found, routing)
                there = shown.jobs_of(found) if tables else {}
                on_it = (
                    jobs_on_ports(tables, rows, there, adaptive=shown.is_spread) if tables and there else None
                )
            return Session(found, rows, name, timeline, tables, on_it, shown.is_spread)

        serve(
            session,
            *listen,
            lambda address: warn(f"the page is at {address}"),
            every=shown.every if timeline is not None and timeline.is_live else None,
            names=called,
            newer=newer if read is not None else None,
        )
