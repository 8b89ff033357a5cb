"""`lacis route`: forwarding tables as OpenSM would make them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ..facts.words import count, noun
from ._fabric import fabric_argument, warn, without_arrays
from ._output import echo, json_option, print_json
from ._routing import routing_options, tables_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._core import Fabric, Routes


@click.command("route")
@fabric_argument
@routing_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the tables as opensm-lfts.dump (`-`: standard output)."
)
@click.option("--guid2lid", metavar="FILE", help="Write the LIDs as OpenSM's guid2lid cache.")
@click.option("--lid-matrix", metavar="FILE", help="Write the hop matrices as opensm-lid-matrix.dump.")
@click.option(
    "--ca-order", metavar="FILE", help="Write ftree's order of nodes as opensm-ftree-ca-order.dump."
)
@click.option("--updn-roots", metavar="FILE", help="Write the roots of updn as opensm-updn-roots.dump.")
@click.option(
    "--sl2vl",
    "sl2vl_file",
    metavar="FILE",
    help="Write lanes by service level as opensm-sl2vl.dump (OpenSM: -Q).",
)
@click.option(
    "--service-levels", metavar="FILE", help="Write service levels by source switch and destination LID."
)
@click.option(
    "--snapshot",
    metavar="FILE",
    help="Write fabric, tables and port groups as a snapshot, which `opareport -X FILE` reads.",
)
@json_option
@without_arrays
def command(
    fabric: Fabric,
    routes: Routes,
    output: str | None,
    guid2lid: str | None,
    lid_matrix: str | None,
    ca_order: str | None,
    updn_roots: str | None,
    sl2vl_file: str | None,
    service_levels: str | None,
    snapshot: str | None,
    as_json: bool,
) -> None:
    """Compute forwarding tables as OpenSM 3.3.23 or Omni-Path's manager would, and write them.

    `opensm -R file -U FILE` loads what -o writes, with `-M FILE` what --lid-matrix writes. An engine that
    refuses the fabric is reported with its reason; OpenSM would note it in its log only and route with minhop.
    """
    from ..io import files

    asked = {
        "written": (output, routes.dump),
        "LIDs": (guid2lid, _whole(routes.to_guid2lid)),
        "matrices": (lid_matrix, routes.dump_lid_matrix),
        "order": (ca_order, _whole(routes.to_ca_order)),
        "sl2vl": (sl2vl_file, routes.dump_sl2vl),
        "levels": (service_levels, routes.dump_service_levels),
        "roots": (updn_roots, _whole(routes.to_updn_roots)),
        "snapshot": (snapshot, _snapshot(routes)),
    }
    written = {name: (path, dump) for name, (path, dump) in asked.items() if path is not None}
    to_stdout = [path for path, _ in written.values()].count("-")
    if to_stdout and (as_json or to_stdout > 1):
        raise click.UsageError(
            "--json and a file on standard output do not go together"
            if as_json
            else "only one file can go to standard output"
        )
    # All files or none appear, once the last is written.
    with contextlib.ExitStack() as stack:
        for path, dump in written.values():
            with _about(path):
                out = stack.enter_context(files.writing(path))
                dump(out.write)
    lids = routes.num_lids
    to_end_nodes, to_switches = routes.unrouted()
    num_lanes, by_level = routes.lane_census() or (1, [])
    if as_json:
        from ..documents.routes import RouteDocument

        document = RouteDocument(
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            refusals=routes.refusals,
            switches=fabric.num_switches,
            lids=lids,
            entries=fabric.num_switches * lids,
            unrouted=to_end_nodes + to_switches,
            unrouted_to_end_nodes=to_end_nodes,
            lanes=num_lanes,
            entries_by_service_level={str(sl): n for sl, n in enumerate(by_level) if n},
            file=output,
            guid2lid=guid2lid,
            lid_matrix=lid_matrix,
            ca_order=ca_order,
            updn_roots=updn_roots,
            sl2vl=sl2vl_file,
            service_levels=service_levels,
            snapshot=snapshot,
        )
        print_json(document)
    elif not to_stdout:
        read = tables_file()
        made = f"by {routes.engine_used}" if read is None else f"read from {read}"
        echo(f"tables    {count(fabric.num_switches, 'switch', 'switches')} × {count(lids, 'LID')}, {made}")
        echo(f"unrouted  {_unrouted(to_end_nodes, to_switches)}")
        if by_level:
            entries = ", ".join(f"{sl}: {n}" for sl, n in enumerate(by_level) if n)
            echo(f"lanes     {num_lanes}; entries by service level {entries}")
        for name, (path, _) in written.items():
            echo(f"{name:<9} {path}")


def _whole(text: Callable[[], str]) -> Callable[[Callable[[bytes], object]], object]:
    """Writes a whole text to a sink."""
    return lambda sink: sink(text().encode())


def _snapshot(routes: Routes) -> Callable[[Callable[[bytes], object]], object]:
    """Writes a snapshot to a sink; warns of what it cannot hold."""

    def dump(sink: Callable[[bytes], object]) -> None:
        import time

        foreign = routes.dump_snapshot(sink, int(time.time()))
        if foreign:
            warn(f"{count(foreign, 'cable is', 'cables are')} not Omni-Path's: written as 100g")

    return dump


@contextlib.contextmanager
def _about(path: str) -> Iterator[None]:
    """Adds the file to errors."""
    try:
        yield
    except LacisError as error:
        raise error.within(path) from None


def _unrouted(to_end_nodes: int, to_switches: int) -> str:
    """Entries without a port, in words; a switch's own LID carries management traffic only."""
    if not to_end_nodes and not to_switches:
        return "nothing: every entry has a port"
    if not to_end_nodes:
        return f"nothing to end nodes; {count(to_switches, 'entry', 'entries')} to switches {noun(to_switches, 'has', 'have')} no port"
    return (
        f"{count(to_end_nodes, 'entry', 'entries')} to end nodes and {to_switches:,} to switches have no port"
    )
