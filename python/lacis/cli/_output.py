"""What commands print: JSON objects, and tables that stay readable in a pipe."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import click

from ._opensm_conf import PASSED_OVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

WIDTH = 110
"""Columns of what goes to a pipe or a file."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


def print_json(schema: str, **content: Any) -> None:
    """Prints one JSON object whose first key is `schema`."""
    context = click.get_current_context(silent=True)
    if context is not None and PASSED_OVER in context.meta:
        content["opensm_conf"] = context.meta[PASSED_OVER]
    json.dump({"schema": schema, **content}, sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def finite(value: float) -> float | None:
    """The number; none where it is none or infinite, which JSON cannot say."""
    return value if math.isfinite(value) else None


def print_unpadded(out: Console, draw: Callable[[], object]) -> None:
    """Prints what is drawn on a console, without the blanks that pad its lines to one width: no use to a pipe."""
    with out.capture() as printed:
        draw()
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()), color=out.is_terminal)


def console() -> Console:
    """A console for standard output: colours on a terminal only, no wrapping surprises in a pipe."""
    from rich.console import Console

    piped = not sys.stdout.isatty()
    return Console(highlight=False, width=WIDTH if piped else None, emoji=False, markup=True)
