"""Results as notebooks show them: small HTML tables, in which every text is escaped and nothing runs.

The interface's first use gives the engine's classes their views (`views.attach`); other classes have theirs.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..facts.words import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 10
"""Rows of a long list that are shown."""


def table(caption: str, rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """A table in HTML.

    Args:
        caption: what it shows.
        rows: its cells, as `str` has them; numbers are set to the right, and None is a dash. Without a head each row begins
            with its name, and thousands are grouped: what has columns may be identifiers.
        head: the names of the columns.
    """
    lines = [f"<table><caption>{_shown(caption)}</caption>"]
    if head:
        lines.append(f"<thead><tr>{''.join(f'<th>{_shown(name)}</th>' for name in head)}</tr></thead>")
    lines.append("<tbody>")
    for row in rows:
        cells = [_cell(value) for value in row] if head else [_cell(row[0], "th"), *map(_grouped, row[1:])]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _shown(text: str) -> str:
    """A text as HTML, without control characters."""
    return escape(harmless(text))


def _cell(value: object, tag: str = "td") -> str:
    side = "right" if isinstance(value, int | float) and not isinstance(value, bool) else "left"
    text = "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f'<{tag} style="text-align: {side}">{_shown(text)}</{tag}>'


def _grouped(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    return _cell(value)
