"""What commands print: JSON objects, and tables that stay readable in a pipe."""

from __future__ import annotations

import math
import os
import re
import textwrap
from typing import TYPE_CHECKING, Any, Literal

import click

from ..facts.words import harmless
from ._fabric import DOUBTS, NOTES
from ._json import print_object
from ._opensm_conf import PASSED_OVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..documents.base import Document

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")

_WIDTH = 110
"""Columns where the width of the terminal is unknown."""
_HEIGHT = 25
"""Lines of a terminal; nothing that is printed here depends on them."""
_LEAST = 40
"""Columns that labels and values need at least."""
_GAP = 3
"""Columns between those of a table."""
_FOLDED = 14
"""Columns to which words of a table may be folded."""


def print_json(document: Document) -> None:
    """Prints a document as one JSON object, with what of `--opensm-conf` does not count where that was given."""
    import msgspec

    context = click.get_current_context(silent=True)
    if context is not None and PASSED_OVER in context.meta:
        document = msgspec.structs.replace(document, opensm_conf=context.meta[PASSED_OVER])
    if context is not None:
        document = _with_remarks(document, context.meta)
    print_object(document)


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
    from rich.segment import Segment

    class Printed(Console):
        """A console that leaves a closed pipe to the program, instead of exiting with 1, and obeys no name of a node."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for part in super().render(renderable, options):
                is_shown = part.control or part.text == "\n" or part.text.isprintable()
                yield part if is_shown else Segment(_without_controls(part.text), part.style)

    # NO_COLOR asks for no colours, and a bold word is no better where escapes are not wanted.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    # Without a height rich takes a terminal that is "dumb" (an editor's) for 80 columns, whatever its width.
    return Printed(
        highlight=False, width=width(), height=_HEIGHT, emoji=False, markup=False, color_system=system
    )


def _without_controls(text: str) -> str:
    return "\n".join(map(harmless, text.split("\n")))


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
    """Prints a table with nothing cut off, within the terminal's width.

    Where that is narrow, headings and words wrap; where numbers still have no room, each row becomes lines of its own.
    """
    columns = table.columns
    whole = [_widest(out, (column.header, *column.cells)) for column in columns]
    padding = _GAP * (len(columns) - 1)
    if sum(whole) + padding <= out.width:
        for column, width in zip(columns, whole, strict=True):
            column.min_width = width
        out.print(table)
        return
    least = []
    for column, width in zip(columns, whole, strict=True):
        if column.justify == "right":
            heading = max(map(len, str(column.header).split()), default=0)
            column.width = max(heading, _widest(out, column.cells))
            least.append(column.width)
        else:
            least.append(min(width, _FOLDED))
        column.no_wrap = False
    if sum(least) + padding <= out.width:
        out.print(table)
    else:
        _print_records(out, table)


def _widest(out: Console, cells: Iterable[RenderableType]) -> int:
    """Columns of the longest line in cells."""
    from rich.measure import Measurement

    unlimited = out.options.update(max_width=10_000)
    return max((Measurement.get(out, unlimited, cell).maximum for cell in cells), default=0)


def _print_records(out: Console, table: Table) -> None:
    """Prints each row of a table as lines: its first cell, then every other beside its heading."""
    from rich.table import Table as Grid
    from rich.text import Text

    first, *others = table.columns
    labels = [str(column.header) for column in others]
    for head, *cells in zip(*(list(column.cells) for column in (first, *others)), strict=True):
        out.print(Text.assemble((f"{first.header} ", "dim"), _plain(head), style="bold"))
        grid = Grid.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for label, cell in zip(labels, cells, strict=True):
            grid.add_row(f"  {label}", cell)
        out.print(grid)


def _plain(cell: RenderableType) -> Text:
    from rich.text import Text

    return cell if isinstance(cell, Text) else Text(str(cell))


def print_line(out: Console, line: str = "", style: str = "") -> None:
    """Prints a line; where the terminal is narrower it goes on below its value, or below itself."""
    from rich.text import Text

    for piece in (it for part in line.split("\n") for it in wrapped(part, out.width)):
        out.print(Text(piece, style), soft_wrap=True)


def echo(line: str = "") -> None:
    """Prints a line without a style, as `print_line` does."""
    for part in line.split("\n"):
        click.echo("\n".join(wrapped(part, width())))


def wrapped(line: str, columns: int) -> list[str]:
    """A line in pieces of a width; all but the first are indented as its value is, or as it is itself.

    Nodes have the names that their owners give them, of which a terminal shall obey none.
    """
    line = harmless(line)
    if len(line) <= columns:
        return [line]
    labelled = re.match(r"\s*(?:\S+(?: \S+){0,5}\s{2,})?", line)
    hang = min(labelled.end() if labelled else 0, columns // 2)
    return textwrap.wrap(
        line,
        columns,
        subsequent_indent=" " * (hang or 2),
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )
