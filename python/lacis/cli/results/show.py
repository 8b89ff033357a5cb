"""`lacis results show`: what a run measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...facts.words import count, quantity
from .._output import console, echo, json_option, new_table, print_json, print_table, print_unpadded
from ._shared import run_row, size, store_option

if TYPE_CHECKING:
    from ...measured.store import Run


@click.command("show", short_help="What runs measured, test by test, with the spread over pairs and repeats.")
@click.argument("selector", metavar="RUN")
@store_option
@click.option("--test", metavar="NAME", help="This test only.")
@click.option("--by-class", is_flag=True, help="Same node, same leaf and different leaves separately.")
@json_option
def command(selector: str, where: str, test: str | None, by_class: bool, as_json: bool) -> int:
    """Show what RUN measured: least, median, 99th percentile and greatest of each test and size.

    RUN is an id or its beginning, a name (all runs of it), tag:KEY=VALUE, latest, or several with commas between.
    """
    from ...errors import LacisError
    from ...measured import Store
    from ...measured.summary import summary

    store = Store(where)
    runs = store.find(selector)
    values = store.values(selector)
    rows = summary(values, test=test, by_class=by_class)
    if not rows:
        raise LacisError(f"no test {test!r} (tests: {', '.join(values['test'].unique().sort())})")
    if as_json:
        from ...documents.results import ShowDocument

        print_json(ShowDocument(runs=[run_row(run) for run in runs], tests=rows))
        return 0
    for run in runs:
        _head(run)
    out = console()
    words = ("test", "what", "statistic", *(("class",) if by_class else ()))
    table = new_table(*words, "bytes", "values", "pairs", "min", "median", "p99", "max", words=words)
    for row in rows:
        kind = (row.class_ or "–",) if by_class else ()
        spread = (row.min, row.median, row.p99, row.max)
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
