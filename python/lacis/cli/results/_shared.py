"""What the commands about results share: the folder of runs, numbers with units, rows of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...words import count

if TYPE_CHECKING:
    from ...measured.store import Broken, Run

store_option = click.option(
    "--store",
    "where",
    metavar="DIR",
    envvar="LACIS_RESULTS",
    default="lacis-results",
    show_default=True,
    help="The folder of runs; the variable LACIS_RESULTS names it too.",
)

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_RATES = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_MESSAGES = ((1e6, "M messages/s"), (1.0, "messages/s"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_UNITS = {"s": _TIMES, "bytes/s": _RATES, "messages/s": _MESSAGES, "bytes": _SIZES}


def said(value: float | None, unit: str) -> str:
    """A value with four digits and a unit that fits: `1.71 µs`, `12.05 GB/s`."""
    if value is None:
        return "–"
    scale = next(((factor, name) for factor, name in _UNITS[unit] if value >= factor), _UNITS[unit][-1])
    return f"{value / scale[0]:.4g} {scale[1]}"


def size(number: int | None) -> str:
    """Bytes of a message."""
    return "–" if number is None else f"{number:,}"


def warn_broken(broken: list[Broken]) -> None:
    """Says on standard error which folders hold no run."""
    for folder in broken:
        click.echo(f"lacis: {folder.path}: {folder.reason}", err=True)


def tests_said(run: Run) -> str:
    """What a run measured, in a few words."""
    tests = list(dict.fromkeys(one["test"] for one in run.manifest["tests"]))
    more = len(tests) - 3
    return ", ".join(tests[:3]) + (f" and {count(more, 'more', 'more')}" if more > 0 else "")


def run_json(run: Run) -> dict[str, Any]:
    """A run as `--json` has it."""
    keys = (
        "name",
        "time",
        "time_source",
        "kept",
        "provenance",
        "values",
        "hosts",
        "tests",
        "tags",
        "formats",
        "facts",
    )
    return {
        "id": run.id,
        "path": str(run.path),
        **{key: run.manifest[key] for key in keys},
        "notes": run.manifest["notes"],
    }
