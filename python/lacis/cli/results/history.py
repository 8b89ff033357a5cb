"""`lacis results history`: one test over time."""

from __future__ import annotations

import click

from ...facts.words import quantity
from .._output import console, echo, json_option, new_table, print_json, print_table, print_unpadded
from .._units import Size
from ._shared import size, store_option, warn_broken

_SIZE = Size(zero=True)


@click.command("history", short_help="One test over time, as rows and as a plot.")
@click.argument("test", metavar="TEST")
@store_option
@click.option("--runs", metavar="RUN", help="These runs only: a name, tag:KEY=VALUE, ids.")
@click.option("--what", metavar="WORD", help="What is measured: latency, bandwidth.")
@click.option(
    "--bytes", "bytes_", type=_SIZE, metavar="SIZE", help="Size of messages; by default the largest."
)
@click.option("--statistic", metavar="WORD", help="sample, mean, median, min, max, p99.")
@click.option("-o", "--output", metavar="FILE", help="Write a plot: .svg, .png or .pdf.")
@json_option
def command(
    test: str,
    where: str,
    runs: str | None,
    what: str | None,
    bytes_: int | None,
    statistic: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    """Show the median of TEST in every run, oldest first, with its 95 % interval over pairs and repeats."""
    from ...measured import Store, history

    store = Store(where)
    chosen, broken = (store.find(runs), []) if runs is not None else store.runs()
    found = history(chosen, test, what=what, bytes=bytes_, statistic=statistic)
    warn_broken(broken)
    if output is not None:
        found.plot(output)
    if as_json:
        from ...documents.results import HistoryDocument

        document = HistoryDocument(
            provenance=found.provenance,
            test=found.test,
            what=found.what,
            unit=found.unit,
            statistic=found.statistic,
            bytes=found.bytes,
            points=list(found.points),
        )
        print_json(document)
        return 0
    echo(f"{found.test}: {found.what}, {size(found.bytes)} bytes, {found.statistic}, {found.provenance}")
    out = console()
    table = new_table(
        "measured", "run", "name", "values", "median", "95 % interval", words=("measured", "run", "name")
    )
    for point in found.points:
        interval = (
            "–"
            if point.low is None
            else f"{quantity(point.low, found.unit)} … {quantity(point.high, found.unit)}"
        )
        table.add_row(
            point.time,
            point.run,
            point.name,
            f"{point.values:,}",
            quantity(point.median, found.unit),
            interval,
        )
    print_unpadded(out, lambda: print_table(out, table))
    return 0
