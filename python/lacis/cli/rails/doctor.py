"""`lacis rails doctor`: what a job's log says went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...facts.words import count
from .._output import console, json_option, print_json, print_unpadded
from .._progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from ...documents.stacks import DoctorDocument
    from ...rails.doctor import Diagnoses

_SHOWN = 10


@click.command("doctor", short_help="Known failures in a job's log: cause and fix.")
@click.argument("log", metavar="LOG")
@click.option(
    "--quote",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Lines to quote of each kind.",
)
@json_option
def command(log: str, quote: int, as_json: bool) -> int:
    """Name the known failures of PSM2, OPX, UCX, NCCL, Intel MPI, MVAPICH2 and Open MPI in a job's LOG.

    Each is quoted with its line, its cause and what to do. Lines that look like errors and are not known are listed too.
    LOG is read once, in pieces; `-` is standard input.

    Exit status: 0 nothing looks like trouble; 1 something does; 2 the log cannot be read.
    """
    from ...rails import doctor

    with progress("reading the log"):
        found = doctor.diagnose(log, quote)
    if as_json:
        print_json(_document(log, found))
    else:
        out = console()
        print_unpadded(out, lambda: _print(out, log, found))
    return int(bool(found.known or found.unknown))


def _document(log: str, found: Diagnoses) -> DoctorDocument:
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
                cause=one.known.cause,
                fix=one.known.fix,
                consequence=one.known.is_consequence,
            )
            for one in found.known
        ],
        unknown=[UnknownFailure(one.count, [LogLine(*line) for line in one.lines]) for one in found.unknown],
        more_unknown=found.more_unknown,
        long_lines=found.long_lines,
    )


def _print(out: Console, log: str, found: Diagnoses) -> None:
    from rich.padding import Padding
    from rich.text import Text

    name = "standard input" if log == "-" else log
    out.print(f"{name}: {count(found.lines, 'line')}, {found.bytes:,} bytes")
    if found.long_lines:
        out.print(f"{count(found.long_lines, 'line')} too long to be read whole")
    for one in found.known:
        out.print()
        follows = ", which follows from something else" if one.known.is_consequence else ""
        out.print(
            Text.assemble(
                (one.known.code, "bold red"), f"  {one.known.stack}, {count(one.count, 'line')}{follows}"
            )
        )
        for number, text in one.lines:
            out.print(
                Padding(Text.assemble((f"line {number:,}: ", "bold"), text), (0, 0, 0, 2), expand=False)
            )
        out.print(Padding(f"cause: {one.known.cause}", (0, 0, 0, 2), expand=False))
        out.print(Padding(f"fix: {one.known.fix}", (0, 0, 0, 2), expand=False))
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
    if not found.known and not found.unknown:
        out.print("Nothing in it looks like trouble.", style="bold green")
