"""What was measured: runs of the store and files, as commands take them with `--measured`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._fabric import source
from .results._shared import by_rank, tell_names

if TYPE_CHECKING:
    import polars as pl

    from .._core import Fabric


def measured_values(
    sources: tuple[str, ...],
    where: str,
    fabric: Fabric | None,
    hosts: str | None,
    names: str | None,
    matrix: dict[str, Any],
) -> pl.DataFrame:
    """Values of runs of the store `where` and of files, by the names of the fabric's hosts where there is a fabric.

    Args:
        sources: names of runs, and files.
        where: the store.
        fabric: whose hosts were measured.
        hosts: by rank, where files tell ranks only: a node set, or `file:PATH`.
        names: a file of other names of hosts, or `auto`.
        matrix: `test`, `what`, `unit` and `bytes` of matrices, which do not tell them.
    """
    from .. import measured
    from ..measured.hosts import read_names, rename
    from ..measured.results import Results, together

    files = [path for path in sources if path == "-" or Path(path).is_file()]
    frames = [measured.Store(where).values(run) for run in sources if run not in files]
    if files:
        read = measured.read(files, **{**matrix, "what": matrix["what"] or "value"})
        for note in read.notes:
            click.echo(f"lacis: {note}", err=True)
        if hosts is not None:
            read = measured.name_ranks(read, by_rank(hosts))
        frames.append(read.frame)
    given = read_names(names) if names not in (None, "auto") else None
    if fabric is None:
        if names == "auto":
            raise click.UsageError("--names auto proposes those of a FABRIC, which is not given")
        results = Results(together(frames))
        return (rename(results, given) if given else results).frame
    results, naming = measured.name_hosts(Results(together(frames)), fabric, given)
    if names == "auto":
        results = rename(results, naming.proposed)
    tell_names(naming, source()[0], names)
    return results.frame
