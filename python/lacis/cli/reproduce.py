"""`lacis reproduce`: five field reports, and figures of others, number by number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._output import console, echo, json_option, print_json, print_table

if TYPE_CHECKING:
    from ..documents.reproduce import ReproducedNumber, ReproducedReport
    from ..reproduce.record import Report, Row


@click.command("reproduce")
@click.argument("letters", nargs=-1, metavar="[A|B|C|D|E|F]...")
@click.option(
    "--page",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write it as a page (index.md) with its figures, too.",
)
@click.option(
    "--seeds",
    type=click.IntRange(8, 10_000),
    default=32,
    show_default=True,
    help="How often report E draws what depends on chance.",
)
@json_option
def command(letters: tuple[str, ...], page: Path | None, seeds: int, as_json: bool) -> int:
    """Retell field reports: each number as reported, ours, the model and the tolerance.

    \b
      A  static against adaptive routing on Omni-Path, 2017
      B  order of routing for up/down on InfiniBand, 2008
      C  two Omni-Path networks per node, 2019
      D  evaluation of a 32-node Omni-Path cluster, 2015
      E  an InfiniBand fabric with two director switches, 2009
      F  figures of others: closed forms, and what others counted

    All of them unless some are named. Every test is run on a fabric that Lacis generates, with the assumptions that
    are listed. Where several assumptions fit, ours is consistent with the report and no more. Where chance decides, ours
    is a mean over many draws with its 95 % interval, all of which must be within the tolerance.

    Exit status 1: a number is beyond its tolerance.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from ..reproduce import reports as run

    if page is not None:
        from ..io.figures import matplotlib

        matplotlib()  # before minutes of work
    reports = []
    for report in run(letters, seeds):
        reports.append(report)
        if not as_json:
            _print(report)
    out = [row for report in reports for row in report.rows if row.is_out]
    if page is not None:
        from ..reproduce.page import write

        write(reports, page)
    if as_json:
        from ..documents.reproduce import ReproduceDocument

        print_json(ReproduceDocument(reports=[_report_row(report) for report in reports], out=len(out)))
    else:
        rows = sum(len(report.rows) for report in reports)
        echo(f"{rows} rows, {len(out)} out of tolerance")
    return 1 if out else 0


def _report_row(report: Report) -> ReproducedReport:
    from ..documents.reproduce import ReproducedReport

    return ReproducedReport(
        report=report.letter,
        title=report.title,
        story=report.story,
        assumptions=list(report.assumptions),
        rows=[_number_row(row) for row in report.rows],
    )


def _number_row(row: Row) -> ReproducedNumber:
    from ..documents.reproduce import ReproducedNumber

    return ReproducedNumber(
        number=row.number,
        what=row.what,
        kind=row.kind,
        model=row.model,
        unit=row.unit,
        reported=[float(value) for value in row.reported],
        said=row.said or None,
        ours=[float(value) for value in row.ours],
        interval=[float(value) for value in row.interval],
        tolerance=row.tolerance.text if row.tolerance else None,
        expected=[float(value) for value in row.expected],
        basis=row.basis or None,
        verdict=row.verdict,
        note=row.note or None,
    )


def _print(report: Report) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..reproduce.page import ours_of, reported_of, tolerance_of

    out = console()
    out.print(f"{report.letter}. {report.title}", style="bold", markup=False)
    out.print(report.story, markup=False)
    for line in report.assumptions:
        out.print(f"  assumed: {line}", markup=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("", "number", "reported", "ours", "model", "tolerance", "verdict"):
        table.add_column(title, overflow="fold", no_wrap=title in ("", "verdict"))
    for row in report.rows:
        style = "red" if row.is_out else "green" if row.tolerance else ""
        cells = (row.number, row.what, reported_of(row), ours_of(row), row.model, tolerance_of(row))
        table.add_row(*map(Text, cells), Text(row.verdict, style))
    print_table(out, table)
    for number, note in dict.fromkeys((row.number, row.note) for row in report.rows if row.note):
        out.print(f"  {number}: {note}", markup=False)
    out.print()
