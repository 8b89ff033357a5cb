"""What commands print: JSON objects, and tables that stay readable in a pipe."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ._fabric import DOUBTS, NOTES
from ._opensm_conf import PASSED_OVER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console
    from rich.table import Table

    from ..documents.base import Document

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")

_WIDTH = 110
"""Columns where the width of the terminal is unknown."""
_LEAST = 40
"""Columns that labels and values need at least."""


def print_json(document: Document) -> None:
    """Prints a document as one JSON object, with what of `--opensm-conf` does not count where that was given."""
    import msgspec

    context = click.get_current_context(silent=True)
    if context is not None and PASSED_OVER in context.meta:
        document = msgspec.structs.replace(document, opensm_conf=context.meta[PASSED_OVER])
    if context is not None:
        document = _with_remarks(document, context.meta)
    json.dump(msgspec.to_builtins(document), sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def _with_remarks(document: Document, meta: Mapping[str, Any]) -> Document:
    """The document with what readers noticed and what is doubtful, where its command prints such remarks."""
    import msgspec

    from ..documents.base import DoubtRow, ReaderNote
    from ..facts.wording import text

    if "reader_notes" not in document.__struct_fields__:
        return document
    if notes := meta.get(NOTES):
        rows = [ReaderNote(file, n.kind, n.line, n.count, n.text, str(n)) for file, n in notes]
        document = msgspec.structs.replace(document, reader_notes=rows)
    if doubts := meta.get(DOUBTS):
        document = msgspec.structs.replace(document, doubts=[DoubtRow(text(one), one) for one in doubts])
    return document


def finite(value: float) -> float | None:
    """The number; none where it is not a number or infinite, which JSON cannot hold."""
    return value if math.isfinite(value) else None


def print_unpadded(out: Console, draw: Callable[[], object]) -> None:
    """Prints what `draw` prints on a console, without the blanks that pad its lines to one width."""
    with out.capture() as printed:
        draw()
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()), color=out.is_terminal)


def width() -> int:
    """Columns to print in: `COLUMNS`, or those of the terminal, which a pipe to `less` has on other streams."""
    text = os.environ.get("COLUMNS", "")
    if text.isascii() and text.isdigit() and int(text) > 0:
        return max(int(text), _LEAST)
    for stream in (1, 2, 0):
        try:
            columns = os.get_terminal_size(stream).columns
        except OSError:
            continue
        if columns > 0:
            return max(columns, _LEAST)
    return _WIDTH


def console() -> Console:
    """A console for standard output: colours on a terminal only, the terminal's width in a pipe too.

    Text is not read as markup: it holds names of nodes, and a site may name one `[/bold]`.
    """
    from rich.console import Console

    return Console(highlight=False, width=width(), emoji=False, markup=False)


def new_table(*columns: str, words: tuple[str, ...] = (), prose: tuple[str, ...] = ()) -> Table:
    """A table of numbers, except for the columns `words` and `prose`; only `prose` may wrap."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        is_text = column in words or column in prose
        table.add_column(
            column, justify="left" if is_text else "right", no_wrap=column not in prose, overflow="fold"
        )
    return table


def print_table(out: Console, table: Table) -> None:
    """Prints a table with nothing cut off: where a terminal is too narrow, it wraps lines."""
    from rich.measure import Measurement

    before = out.width
    unlimited = out.options.update(max_width=10_000)
    for column in table.columns:
        if column.no_wrap:
            cells = [Measurement.get(out, unlimited, cell).maximum for cell in (column.header, *column.cells)]
            column.min_width = max(cells)
    out.width = max(before, Measurement.get(out, unlimited, table).minimum)
    try:
        out.print(table, crop=False)
    finally:
        out.width = before
