"""`lacis route`: forwarding tables as OpenSM would make them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from ._fabric import fabric_argument
from ._output import json_option, print_json
from ._routing import routing_options

if TYPE_CHECKING:
    from .._core import Fabric, Routes


@click.command("route")
@fabric_argument
@routing_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tables as opensm-lfts.dump (`-`: standard output)."
)
@click.option("--guid2lid", metavar="FILE", help="Write the LIDs as OpenSM's guid2lid cache.")
@json_option
def command(fabric: Fabric, routes: Routes, output: str | None, guid2lid: str | None, as_json: bool) -> None:
    """Compute forwarding tables as OpenSM 3.3.23 would, and write them.

    `opensm -R file -U FILE` loads what -o writes. An engine that refuses the fabric is reported with its
    reason; OpenSM would note it in its log only and route with minhop.
    """
    from .. import files
    from .. import routing as api

    if as_json and "-" in (output, guid2lid):
        raise click.UsageError("--json and a file on standard output do not go together")
    cache = routes.to_guid2lid() if guid2lid else ""
    # Both files or none: the second appears only once the first is written.
    with contextlib.nullcontext() if guid2lid is None else files.writing(guid2lid) as lids_file:
        if output is not None:
            api.write_tables(routes, output)
        if lids_file is not None:
            lids_file.write(cache.encode())
    lids = len(routes.lids()[0])
    to_end_nodes, to_switches = routes.unrouted()
    if as_json:
        print_json(
            "lacis.route/1",
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            refusals=[{"engine": engine, "reason": reason} for engine, reason in routes.refusals],
            switches=fabric.num_switches,
            lids=lids,
            entries=fabric.num_switches * lids,
            unrouted=to_end_nodes + to_switches,
            unrouted_to_end_nodes=to_end_nodes,
            file=output,
            guid2lid=guid2lid,
        )
    elif "-" not in (output, guid2lid):
        made = "read from a file" if routes.engine_used == "file" else f"by {routes.engine_used}"
        click.echo(f"tables    {fabric.num_switches} switches × {lids} LIDs, {made}")
        click.echo(f"unrouted  {_unrouted(to_end_nodes, to_switches)}")
        for name, path in (("written", output), ("LIDs", guid2lid)):
            if path is not None:
                click.echo(f"{name:<9} {path}")


def _unrouted(to_end_nodes: int, to_switches: int) -> str:
    """Entries without a port, in words; a switch's own LID carries management traffic only."""
    if not to_end_nodes and not to_switches:
        return "nothing: every entry has a port"
    if not to_end_nodes:
        return f"nothing to end nodes; {to_switches} entries to switches have no port"
    return f"{to_end_nodes} entries to end nodes and {to_switches} to switches have no port"
