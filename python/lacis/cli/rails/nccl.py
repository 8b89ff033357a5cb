"""`lacis rails nccl`: NCCL's collectives on the rails of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...facts.words import count, noun
from .._fabric import fabric_argument
from .._numbers import LISTED
from .._output import console, json_option, new_table, print_json, print_table, print_unpadded
from .._progress import progress
from .._routing import routing_options, walked

if TYPE_CHECKING:
    from rich.console import Console

    from ..._core import Fabric, Routes
    from ...documents.nccl import NcclDocument

_TITLES = {"ring": "Ring", "tree": "Double binary tree", "alltoall": "All-to-all"}
_HOSTS = 8


@click.command("nccl", short_help="Which step of NCCL's collectives leaves its rail, and shares which link.")
@fabric_argument
@routing_options
@click.option(
    "--hosts",
    "wanted",
    metavar="SET",
    help="These hosts, in the order of ranks: `dgx[01-16]`, file:PATH. All compute hosts, leaf by leaf, unless given.",
)
@click.option(
    "--gpus",
    type=click.IntRange(1, 64),
    metavar="N",
    help="GPUs of a host; as many as adapters unless given.",
)
@click.option(
    "--pxn/--no-pxn",
    default=True,
    show_default=True,
    help="Whether data may cross its host to the adapter of its receiver's rail (NCCL_PXN_DISABLE).",
)
@click.option("--links", type=LISTED, default=5, show_default=True, metavar="N", help="Shared links to list.")
@json_option
def command(
    fabric: Fabric,  # noqa: ARG001
    routes: Routes,
    wanted: str | None,
    gpus: int | None,
    pxn: bool,
    links: int,
    as_json: bool,
) -> int:
    """Say what NCCL's ring, tree and all-to-all do on the rails of FABRIC under given tables.

    For each step: messages inside hosts, on one leaf, over the spines, to another rail, and those that cross their own
    host to stay on a rail (PXN); and the links between switches that most messages share. GPU k of a host is assumed to
    be near its adapter of number k, whatever leaf that is cabled to.

    Exit status: 0 every message stays on its rail; 1 some leave it, or have no route; 2 bad input.
    """
    from ...rails import collectives

    with progress("NCCL's collectives"):
        found = collectives.nccl(routes, wanted, gpus=gpus, pxn=pxn, shown=links)
    if as_json:
        print_json(found)
    else:
        out = console()
        print_unpadded(out, lambda: _print(out, routes, found))
    return int(any(step.leave_rail or step.unrouted for each in found.collectives for step in each.steps))


def _print(out: Console, routes: Routes, found: NcclDocument) -> None:
    pxn = "with PXN" if found.pxn else "without PXN"
    hosts, channels = count(found.hosts, "host"), count(found.channels, "channel")
    if found.hosts < found.hosts_of_fabric:
        hosts = f"{found.hosts:,} of {count(found.hosts_of_fabric, 'host')}"
    out.print(f"{hosts}, {count(found.gpus, 'GPU')} each, {channels}, {pxn}")
    out.print(walked(routes))
    for rows, where in ((found.lacking, ""), (found.crossed, " on another rail's leaf")):
        for row in rows[:_HOSTS]:
            which = f"{noun(len(row.numbers), 'adapter')} {', '.join(map(str, row.numbers))}"
            out.print(f"  {row.host} {'has' if where else 'lacks'} {which}{where}")
        if len(rows) > _HOSTS:
            out.print(f"  … and {count(len(rows) - _HOSTS, 'host')} more")
    for each in found.collectives:
        out.print()
        out.print(_TITLES[each.name], style="bold")
        columns = ("messages", "inside", "on a leaf", "over spines", "leave rail", "cross host", "no route")
        table = new_table("step", *columns, words=("step",))
        for step in each.steps:
            name, *numbers = (
                *(step.step, step.messages, step.inside, step.in_leaf, step.over_spines),
                *(step.leave_rail, step.cross_host, step.unrouted),
            )
            table.add_row(f"{name}", *(f"{number:,}" for number in numbers))
        print_table(out, table)
        if not each.most_flows:
            out.print("  no message crosses a link between switches")
            continue
        out.print(
            f"  links between switches: {count(each.most_flows, 'message')} on the busiest, {each.mean_flows:,.1f} in the mean of those in use (modelled: counted)"
        )
        for link in each.shared:
            of = ", ".join(f"{by.flows:,} of {by.step}" for by in link.steps[:3])
            more = ", …" if len(link.steps) > 3 else ""
            first, second = link.example
            out.print(
                f"  {link.flows:,} on {link.egress} → {link.ingress}: {of}{more}; such as {first} → {second}"
            )
