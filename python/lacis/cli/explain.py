"""`lacis explain`: what a measurement shows of a fabric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..facts.words import count, quantity
from . import _culprits as culprits
from . import _keep as kept
from . import _others_counted as others
from . import _structure as structure
from ._fabric import optional_fabric_argument, sweeps
from ._measured import measured_values, provenance, warn_of_units
from ._numbers import RAIL
from ._output import echo, json_option, print_json
from ._progress import clear, progress
from ._routing import make_routes, routing_choice, tables_file, walked
from ._routing_options import RoutingArguments
from ._rows import assumed_rates
from ._units import Size
from ._which_tables import of_assumed, ranked, say, status, tables_row, which_tables_option
from .results._shared import store_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes
    from ..documents.explain import FlowClass
    from ..explain import Explanation, Series, Structure, WhichTables

_SIZE = Size(zero=True)
_CLASSES = 4


@click.command("explain")
@optional_fabric_argument
@click.option(
    "--measured",
    "sources",
    metavar="RUN|FILE",
    multiple=True,
    required=True,
    help="What was measured: a run of the store, or a file that `lacis results import` reads; repeatable.",
)
@click.option(
    "--test",
    "test_name",
    metavar="NAME",
    help="Explain this test; by default the largest messages' bandwidth.",
)
@click.option("--what", "value_kind", metavar="WORD", help="bandwidth, latency.")
@click.option("--bytes", "message_size", type=_SIZE, metavar="SIZE", help="Messages of this size.")
@click.option(
    "--unit", "matrix_unit", metavar="UNIT", help="Unit of a matrix: us, MB/s (10⁶), MiB/s (2²⁰), Gb/s."
)
@click.option(
    "--hosts", metavar="SET", help="Hosts by rank, where files have only ranks: a node set, or file:PATH."
)
@click.option("--names", metavar="FILE|auto", help="Other names of hosts, as for `lacis results import`.")
@click.option("--rail", "on_rail", type=RAIL, default=1, show_default=True, help="Whose adapters sent.")
@click.option(
    "--figures",
    metavar="DIR",
    help="Write pictures, as SVG and PNG: matrices as heat maps, the spectrum, what hosts add, with FABRIC a map of the losses.",
)
@click.option(
    "--rounds",
    "rounds_file",
    metavar="FILE",
    help="Write the rounds that would separate suspects, for lacis-mpi --schedule file:FILE.",
)
@click.option(
    "--save",
    "save_as",
    metavar="NAME",
    help="Keep what the tables let each flow expect as a run of this name, to compare with `lacis results diff`.",
)
@others.jobs_option
@store_option
@which_tables_option
@routing_choice
@json_option
def command(
    fabric: Fabric | None,
    routing: RoutingArguments,
    sources: tuple[str, ...],
    test_name: str | None,
    value_kind: str | None,
    message_size: int | None,
    matrix_unit: str | None,
    hosts: str | None,
    names: str | None,
    on_rail: int,
    figures: str | None,
    rounds_file: str | None,
    save_as: str | None,
    jobs: str | None,
    where: str,
    which_tables: bool,
    as_json: bool,
) -> int:
    """What a measurement shows: which link, adapter or switch is slow.

    Without FABRIC: what measured pairs show without tables. With --which-tables: which tables they are consistent with.

    Exit status: 0 nothing was found, 1 something was, 2 could not tell: too little was measured, other tables run, or other traffic.
    \f
    Suspects are what flows have in common that fall short of what the tables promise. Paths and contention are modelled from the
    tables (--lfts, or an engine's); the share of it that hosts reach is estimated.

    Without FABRIC: groups of hosts that are near each other (leaves, near sets, blocks of ports), kinds of pairs, hosts that stand
    out, asymmetry and jitter.

    Exit status with --which-tables: 0 candidates differ, 1 the tables of --lfts are not among the consistent ones, 2 could not tell.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from .. import explain

    if save_as is not None and fabric is None:
        raise click.UsageError("--save keeps what tables let flows expect: it needs a FABRIC")
    kept.check(save_as, None)
    if jobs is not None and fabric is None:
        raise click.UsageError("--jobs says whose traffic counters show: it needs a FABRIC")
    if rounds_file is not None and (fabric is None or as_json):
        raise click.UsageError("--rounds needs a FABRIC, and does not go together with --json")
    with progress("reading") as advance:
        frame = measured_values(
            sources,
            where,
            fabric,
            hosts,
            names,
            test=test_name,
            what=value_kind,
            unit=matrix_unit,
            size=message_size,
        )
        chosen = explain.Chosen(test_name, value_kind, message_size)
        if fabric is None:
            advance("explaining", 0, 0)
            alone = explain.structure(frame, **chosen._asdict())
            return _structure(alone, figures, advance, provenance(frame) if as_json else None)
        swept = sweeps()
        if jobs is not None and swept is None:
            raise click.UsageError(
                "--jobs says whose traffic counters show: it needs --counters STORE, or a recording"
            )
        routes = make_routes(fabric, routing)
        advance("explaining", 0, 0)

        def comparing(engine: str) -> None:
            advance(f"comparing with {engine}", 0, 0)

        found = explain.explain(
            routes,
            frame,
            rail=on_rail,
            **chosen._asdict(),
            counters=explain.counted(sources),
            sweeps=swept,
            compare=not which_tables,
            # Text about tables names no suspect, and JSON only where they run that were assumed.
            seek=not which_tables,
            tell=comparing,
        )
        if jobs is not None and found.others_counted is not None:
            advance("the links of jobs", 0, 0)
            listed = others.with_jobs(found.others_counted, routes, jobs, _measured_hosts(found))
            found = replace(found, others_counted=listed)
        warn_of_units(found)
        if save_as is not None:
            from ..explain.kept import of_explanation

            facts = kept.facts(routes, "load", {"rail": on_rail, "measured": ", ".join(sources)})
            kept.keep(of_explanation(found, facts, fabric), save_as, where, fabric)
        if which_tables:
            which = ranked(fabric, routes, found, routing, comparing)
            if as_json:
                found = replace(found, which=of_assumed(which, routes))
            return _which(routes, found, which, provenance(frame) if as_json else None)
        # The whole structure takes longest, and leaves do not need it.
        whole = figures is not None or as_json
        beside = (
            explain.structure_of_most(frame, fabric, always=figures is not None, **chosen._asdict())
            if whole
            else None
        )
        leaves = (
            beside.leaves
            if beside
            else None
            if whole
            else explain.leaves_of_most(frame, fabric, found.series)
        )
        if figures is not None and beside is not None:
            from ..report.residual_map import residual_map

            advance("drawing", 0, 0)
            explain.write_figures(beside, figures, {"links": lambda: residual_map(routes, found)})
    if as_json:
        _print_json(routes, found, provenance(frame), beside)
    else:
        _print(routes, found)
        culprits.show(found, rounds_file)
        # Where nothing is named, it was said above how many suspects there would be.
        others.show(found.others_counted, 0 if found.culprits.unfit else found.culprits.withheld)
        structure.show_leaves(leaves)
    if found.culprits.unfit is not None:
        return 2
    if found.culprits.found or found.culprits.partly:
        return 1
    if leaves is not None and leaves.misplaced:
        return 1
    return 0 if found.culprits.can_tell else 2


def _measured_hosts(found: Explanation) -> list[str]:
    """Hosts with a value."""
    import numpy as np

    flows = found.flows()
    numbers = np.unique(np.concatenate([flows["source"], flows["destination"]]))
    return [found.hosts.hosts[number] for number in numbers.tolist()]


def _which(routes: Routes, found: Explanation, which: WhichTables, as_json: str | None) -> int:
    """Prints which tables the values are consistent with, as JSON where their provenance is given."""
    clear()
    if as_json is not None:
        _print_json(routes, found, as_json, None, which)
    else:
        _print_values(found)
        say(which)
    return status(which)


def _structure(
    found: Structure, figures: str | None, advance: Callable[[str, int, int], object], as_json: str | None
) -> int:
    """Prints what pairs show without tables, as JSON where the provenance of values is given."""
    if figures is not None:
        from .. import explain

        advance("drawing", 0, 0)
        explain.write_figures(found, figures)
    clear()
    if as_json is not None:
        from ..documents.structure import StructureDocument

        print_json(StructureDocument(provenance=as_json, structure=structure.structure_row(found)))
    else:
        structure.show(found)
    return 0 if found.is_good else 1


def _print(routes: Routes, found: Explanation) -> None:
    echo(walked(routes))
    _print_values(found)


def _print_values(found: Explanation) -> None:
    one = found.series
    echo(f"{_named(one)}: {count(found.values, 'value')} of {count(len(found.core), 'flow')}, measured")
    for reason, number in found.left_out.items():
        echo(f"  left out: {number:,} {reason}")
    if found.core.unrouted:
        echo(f"  left out: {count(found.core.unrouted, 'flow')} without a route under these tables")
    if found.core.assumed:
        echo(
            f"  the rate of {count(found.core.assumed[0], 'link')} is unknown: {found.core.assumed[1]} assumed"
        )
    if not one.rounds:
        echo("  which flows ran at the same time is unknown: one after the other is assumed")
    shown = sorted(found.flow_classes, key=lambda each: -each.flows)[:_CLASSES]
    reached = ", ".join(
        _reached(each, one.unit) for each in sorted(shown, key=lambda each: (each.links, each.contention))
    )
    more = len(found.flow_classes) - len(shown)
    echo(
        f"usual (estimated): {reached}"
        + (f", and {count(more, 'more class', 'more classes')}" if more else "")
    )


def _reached(flows: FlowClass, unit: str) -> str:
    """What flows of a class usually get: `97 % over 4 links`."""
    usual = quantity(flows.level, "s") if unit == "s" else f"{flows.level:.1%}"
    shared = f" shared by {flows.contention}" if flows.contention > 1 else ""
    return f"{usual} over {count(flows.links, 'link')}{shared} ± {flows.spread:.1%}"


def _named(one: Series) -> str:
    size = "" if one.bytes is None else f", {count(one.bytes, 'byte')}"
    return f"{one.test} {one.what}{size}"


def _print_json(
    routes: Routes,
    found: Explanation,
    provenance: str,
    beside: Structure | None,
    which: WhichTables | None = None,
) -> None:
    from msgspec.structs import asdict

    from ..documents.explain import ExplainDocument

    document = ExplainDocument(
        provenance=provenance,
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        tables=tables_file(),
        series=found.series,
        others=list(found.others),
        values=found.values,
        flows=len(found.core),
        unrouted=found.core.unrouted,
        left_out=found.left_out,
        assumed_rates=assumed_rates(found.core.assumed),
        levels=list(found.flow_classes),
        **asdict(culprits.culprits_row(found)),
        structure=None if beside is None else structure.structure_row(beside),
        which_tables=None if which is None else tables_row(which),
    )
    print_json(document)
