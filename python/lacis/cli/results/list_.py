"""`lacis results list`: the runs that are kept."""

from __future__ import annotations

import click

from ...facts.words import count
from .._output import console, echo, json_option, new_table, print_json, print_table, print_unpadded
from ._shared import run_row, store_option, tests_said, warn_broken


@click.command("list", short_help="The runs that are kept, oldest first.")
@store_option
@json_option
def command(where: str, as_json: bool) -> int:
    """List the runs that are kept, by the time at which they were measured or modelled, oldest first.

    Exit status: 0 all are whole; 1 some folder holds no whole run.
    """
    from ...measured import Store

    runs, broken = Store(where).runs()
    if as_json:
        from ...documents.results import BrokenRun, ListDocument

        folders = [BrokenRun(one.id, str(one.path), one.reason) for one in broken]
        print_json(ListDocument(store=where, runs=[run_row(run) for run in runs], broken=folders))
        return 1 if broken else 0
    if not runs:
        echo(f"no run in {where}")
    else:
        out = console()
        table = new_table(
            "run",
            "name",
            "time",
            "provenance",
            "values",
            "hosts",
            "tests",
            words=("run", "name", "time", "provenance"),
            prose=("tests",),
        )
        for run in runs:
            values, hosts = f"{run.manifest.values:,}", f"{run.manifest.hosts:,}"
            kind = ", ".join(run.manifest.provenance)
            table.add_row(run.id, run.name, run.time, kind, values, hosts, tests_said(run))
        print_unpadded(out, lambda: print_table(out, table))
        echo(f"\n{count(len(runs), 'run')} in {where}")
    warn_broken(broken)
    return 1 if broken else 0
