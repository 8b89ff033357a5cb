"""`lacis rails doctor`: what a job's log says went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from ...facts.words import count
from .._fabric import load, warn
from .._output import console, json_option, print_json, print_unpadded
from .._progress import progress
from .._routing import make_routes, own_tables, tables_file, walked
from .._routing_options import RoutingArguments

if TYPE_CHECKING:
    from rich.console import Console

    from ...documents.stacks import DoctorDocument, FailureLocations
    from ...rails.doctor import Diagnoses
    from ...rails.locations import Locations

_SHOWN = 10


@click.command("doctor", short_help="Known failures in a job's log: cause and fix.")
@click.argument("log", metavar="LOG")
@click.argument("source", metavar="[FABRIC]", required=False)
@click.option(
    "--quote",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Lines to quote of each kind.",
)
@click.option("-R", "--engine", metavar="ENGINE[,…]", help="FABRIC: what made its tables.")
@click.option("--lfts", metavar="FILE", help="FABRIC: its tables, of any format of `route --lfts`.")
@json_option
def command(
    log: str, source: str | None, quote: int, engine: str | None, lfts: str | None, as_json: bool
) -> int:
    """Name the known failures of PSM2, PSM3, OPX, UCX, NCCL, Intel MPI, MVAPICH2 and Open MPI in a job's LOG.

    Each is quoted with its line, its cause and what to do. Lines that look like errors and are not known are listed too.
    LOG is read once, in pieces; `-` is standard input.

    With the FABRIC that the job ran on, the hosts, LIDs and GIDs that failing lines name become the cables that the failures
    share: those on the way of most of them are where to look first.

    Exit status: 0 nothing looks like trouble; 1 something does; 2 the log cannot be read.
    """
    from ...rails import doctor, locations

    if source is None and (engine or lfts):
        raise click.UsageError(f"{'-R' if engine else '--lfts'} is for a FABRIC")
    with progress("reading the log"):
        found = doctor.diagnose(log, quote if source is None else max(quote, locations.MOST_LINES))
    where = None if source is None else _located(source, found, engine, lfts)
    found = doctor.shortened(found, quote)
    if as_json:
        print_json(_document(log, found, where))
    else:
        out = console()
        print_unpadded(out, lambda: _print(out, log, found, where))
    return int(bool(found.known or found.unknown))


class _Located(NamedTuple):
    """Where failures are, and by which tables."""

    locations: Locations
    fabric: str
    engine: str
    tables: str | None


def _located(source: str, found: Diagnoses, engine: str | None, lfts: str | None) -> _Located:
    from ...rails import locations

    fabric = load(source)
    routes = own_tables(fabric, source) if engine is None and lfts is None else None
    if routes is None:
        routes = make_routes(fabric, RoutingArguments(engine=engine, lfts=lfts))
        warn(walked(routes))
    with progress("following routes"):
        lines = [*(one.lines for one in found.known), *(one.lines for one in found.unknown)]
        where = locations.locations(lines, fabric, routes)
    return _Located(where, source, routes.engine_used, tables_file())


def _locations_row(where: _Located) -> FailureLocations:
    from ...documents.stacks import CableEndRow, FailureLocations, SharedCableRow

    found = where.locations
    return FailureLocations(
        fabric=where.fabric,
        engine_used=where.engine,
        tables=where.tables,
        lines=found.lines,
        pairs=list(found.pairs),
        hosts=list(found.hosts),
        unknown=list(found.unknown),
        lids_left_out=found.lids_left_out,
        cables=[
            SharedCableRow((CableEndRow(*cable.ends[0]), CableEndRow(*cable.ends[1])), cable.failures)
            for cable in found.cables
        ],
    )


def _document(log: str, found: Diagnoses, where: _Located | None) -> DoctorDocument:
    from ...documents.stacks import DoctorDocument, KnownFailure, LogLine, UnknownFailure

    return DoctorDocument(
        log=log,
        lines=found.lines,
        bytes=found.bytes,
        known=[
            KnownFailure(
                code=one.known.code,
                stack=one.known.stack,
                count=one.count,
                lines=[LogLine(*line) for line in one.lines],
                cause=one.cause,
                fix=one.fix,
                consequence=one.is_consequence,
            )
            for one in found.known
        ],
        unknown=[UnknownFailure(one.count, [LogLine(*line) for line in one.lines]) for one in found.unknown],
        more_unknown=found.more_unknown,
        long_lines=found.long_lines,
        locations=None if where is None else _locations_row(where),
    )


def _print(out: Console, log: str, found: Diagnoses, where: _Located | None) -> None:
    from rich.padding import Padding
    from rich.text import Text

    name = "standard input" if log == "-" else log
    out.print(f"{name}: {count(found.lines, 'line')}, {count(found.bytes, 'byte')}")
    if found.long_lines:
        out.print(f"{count(found.long_lines, 'line')} too long to be read whole")
    for one in found.known:
        out.print()
        follows = ", which follows from something else" if one.is_consequence else ""
        out.print(
            Text.assemble(
                (one.known.code, "bold red"), f"  {one.known.stack}, {count(one.count, 'line')}{follows}"
            )
        )
        for number, text in one.lines:
            out.print(
                Padding(Text.assemble((f"line {number:,}: ", "bold"), text), (0, 0, 0, 2), expand=False)
            )
        out.print(Padding(f"cause: {one.cause}", (0, 0, 0, 2), expand=False))
        out.print(Padding(f"fix: {one.fix}", (0, 0, 0, 2), expand=False))
    if found.unknown:
        out.print()
        total = sum(one.count for one in found.unknown) + found.more_unknown
        verb = "looks" if total == 1 else "look"
        out.print(
            Text(
                f"{count(total, 'line')} {verb} like an error and {'is' if total == 1 else 'are'} not known to Lacis",
                "bold yellow",
            )
        )
        for other in found.unknown[:_SHOWN]:
            number, text = other.lines[0]
            more = f" (and {other.count - 1:,} more like it)" if other.count > 1 else ""
            out.print(
                Padding(
                    Text.assemble((f"line {number:,}: ", "bold"), f"{text}{more}"), (0, 0, 0, 2), expand=False
                )
            )
        left = len(found.unknown) - _SHOWN
        if left > 0:
            out.print(f"  … {count(left, 'more kind')}: --json")
    if where is not None:
        _print_locations(out, where)
    if not found.known and not found.unknown:
        out.print("Nothing in it looks like trouble.", style="bold green")


def _print_locations(out: Console, where: _Located) -> None:
    from rich.text import Text

    found = where.locations
    total = len(found.pairs) + len(found.hosts)
    out.print()
    if not total:
        out.print(f"No failing line names a host, LID or GID of {where.fabric}.")
    else:
        named = f"{count(len(found.pairs), 'failing pair')} and {count(len(found.hosts), 'host')} named alone"
        out.print(Text(f"Where, by the tables of {where.tables or where.engine}: {named}", "bold"))
        for cable in found.cables[:_SHOWN]:
            (a, a_port), (b, b_port) = cable.ends
            out.print(Text(f"  {cable.failures:,} of {total:,} cross {a}[{a_port}] – {b}[{b_port}]"))
        left = len(found.cables) - _SHOWN
        if left > 0:
            out.print(f"  … {count(left, 'more cable')}: --json")
    for selector in found.unknown[:_SHOWN]:
        out.print(Text(f"  {selector} is no end port of {where.fabric}"))
    if found.lids_left_out:
        lids = count(found.lids_left_out, "LID")
        out.print(
            f"  {lids} not looked up: {where.fabric} has no LIDs, so those of the site are not known; a folder with its guid2lid gives them"
        )
