"""`lacis results`: results of measurements, of our own and of others' programs, kept, compared and written again."""

from __future__ import annotations

import click

from . import diff, export, history, import_, list_, show


@click.group("results")
def command() -> None:
    """Results of measurements: read from any benchmark's output, kept as runs, compared over time.

    Runs are folders with a Parquet file and a run.json, which polars and DuckDB read as they are.
    """


for _one in (import_, list_, show, diff, history, export):
    command.add_command(_one.command)
