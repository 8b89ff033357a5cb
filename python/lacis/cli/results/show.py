"""`lacis results show`: what a run measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...facts.words import count, quantity
from .._output import console, echo, json_option, new_table, print_json, print_table, print_unpadded
from ._shared import chosen, file_options, run_row, size, store_option

if TYPE_CHECKING:
    from ...measured.results import Results
    from ...measured.store import Run


@click.command(
    "show", short_help="What runs or files measured, test by test, with the spread over pairs and repeats."
)
@click.argument("selectors", metavar="RUN|FILE…", nargs=-1, required=True)
@store_option
@click.option("--test", metavar="NAME", help="This test only.")
@click.option("--by-class", is_flag=True, help="Same node, same leaf and different leaves separately.")
@file_options
@json_option
def command(
    selectors: tuple[str, ...], where: str, test: str | None, by_class: bool, as_json: bool, **said: Any
) -> int:
    """Show what was measured: least, median, 99th percentile and greatest of each test and size.

    RUN is an id or its beginning, a name (all runs of it), tag:KEY=VALUE, latest, or several with commas between. FILE is
    anything that `lacis results import` reads; it is not kept.
    """
    from ...errors import LacisError
    from ...measured.summary import summary

    found = chosen(selectors, where, **said)
    values, runs = found.frame, found.runs
    rows = summary(values, test=test, by_class=by_class)
    if not rows:
        raise LacisError(f"no test {test!r} (tests: {', '.join(values['test'].unique().sort())})")
    if as_json:
        from ...documents.results import NoteRow, ShowDocument

        read = found.read
        notes = [] if read is None else read.notes
        document = ShowDocument(
            runs=[run_row(run) for run in runs],
            tests=rows,
            files=[] if read is None else [*read.files],
            notes=[NoteRow(note.source, note.line, note.count, note.text) for note in notes],
        )
        print_json(document)
        return 0
    for run in runs:
        _head(run)
    if found.read is not None:
        _head_of_files(found.read)
    out = console()
    words = ("test", "what", "statistic", *(("class",) if by_class else ()))
    # A value alone has no spread, and a terminal seldom room for it four times.
    is_spread = any(row.values > 1 for row in rows)
    spreads = ("min", "median", "p99", "max") if is_spread else ("value",)
    table = new_table(*words, "bytes", "values", "pairs", *spreads, words=words)
    for row in rows:
        kind = (row.class_ or "–",) if by_class else ()
        spread = (row.min, row.median, row.p99, row.max) if is_spread else (row.median,)
        numbers = (quantity(value, row.unit) for value in spread)
        pairs = f"{row.pairs:,}" if row.pairs else "–"
        table.add_row(
            row.test,
            row.what,
            row.statistic,
            *kind,
            size(row.bytes),
            f"{row.values:,}",
            pairs,
            *numbers,
        )
    print_unpadded(out, lambda: print_table(out, table))
    return 0


def _head_of_files(read: Results) -> None:
    names = ", ".join(file.name for file in read.files[:3])
    more = len(read.files) - 3
    names += f" and {count(more, 'more', 'more')}" if more > 0 else ""
    echo(f"{names}: {count(read.frame.height, 'value')} of {', '.join(read.formats)}, not kept")
    for key, value in read.facts.items():
        if not key.startswith("rank "):
            echo(f"  {key}: {value}")


def _head(run: Run) -> None:
    manifest = run.manifest
    name = f" “{run.name}”" if run.name else ""
    echo(f"{run.id}{name}: {', '.join(manifest.provenance)} {run.time}, {count(manifest.values, 'value')}")
    if manifest.tags:
        echo("  " + ", ".join(f"{key}={value}" for key, value in manifest.tags.items()))
    for key, value in manifest.facts.items():
        if not key.startswith("rank "):
            echo(f"  {key}: {value}")
    for note in manifest.notes:
        echo(f"  {note.source}: {note.text}")
