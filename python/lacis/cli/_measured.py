"""What was measured: runs of the store and files, as commands take them with `--measured`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ._fabric import source, warn
from .results._shared import by_rank, warn_of_names

if TYPE_CHECKING:
    import polars as pl

    from .._core import Fabric
    from ..explain import Explanation

_MOST = 1.25
"""A value above this share of what links carry is more than rounding explains."""
_LEAST = 0.005
"""A value below this share of what links carry is in another unit: slow hosts reach more."""


def measured_values(
    sources: tuple[str, ...],
    where: str,
    fabric: Fabric | None,
    hosts: str | None,
    names: str | None,
    *,
    test: str | None,
    what: str | None,
    unit: str | None,
    size: int | None,
) -> pl.DataFrame:
    """Values of runs of the store and of files, by the names of the fabric's hosts where there is a fabric.

    Args:
        sources: names of runs, and files.
        where: the store.
        fabric: whose hosts were measured.
        hosts: by rank, where files have only ranks: a node set, or `file:PATH`.
        names: a file of other names of hosts, or `auto`.
        test: of matrices, which do not name it.
        what: the same: `bandwidth`, `latency`.
        unit: the same: `us`, `MB/s`.
        size: the same, of a message [bytes].
    """
    from .. import measured
    from ..measured.hosts import read_names, rename
    from ..measured.results import Results, together

    # A pipe of the shell is a file too; a folder is none, and may have the name of a run.
    files = [path for path in sources if path == "-" or (Path(path).exists() and not Path(path).is_dir())]
    frames = [_of_run(where, run) for run in sources if run not in files]
    if files:
        read = measured.read(files, test=test, what=what or "value", unit=unit, bytes=size)
        for note in read.notes:
            warn(str(note))
        if hosts is not None:
            read = measured.name_ranks(read, by_rank(hosts))
        frames.append(read.frame)
    other = sorted({kind for frame in frames for kind in frame["provenance"].unique()} - {"measured"})
    if other:
        warn(f"values are {' and '.join(other)}, though called measured here")
    given = read_names(names) if names not in (None, "auto") else None
    if fabric is None:
        if names == "auto":
            raise click.UsageError("--names auto proposes those of a FABRIC, which is not given")
        results = Results(together(frames))
        return (rename(results, given) if given else results).frame
    results, naming = measured.name_hosts(Results(together(frames)), fabric, given)
    if names == "auto":
        results = rename(results, naming.proposed)
    warn_of_names(naming, source()[0], names)
    return results.frame


def provenance(frame: pl.DataFrame) -> str:
    """Where values come from: `measured`, `modelled` or `assumed`; `mixed` where from several."""
    kinds = frame["provenance"].unique().to_list()
    return kinds[0] if len(kinds) == 1 else "mixed"


def _of_run(where: str, run: str) -> pl.DataFrame:
    """Values of a run of the store; the error names files too, as one may have been meant."""
    from .. import measured
    from ..io.files import need_name

    need_name(run, "run or a file")
    store = measured.Store(where)
    try:
        store.find(run)
    except LacisError as error:
        raise LacisError(f"{run} is neither a file nor a run: {error}") from None
    return store.values(run)


def warn_of_units(found: Explanation) -> None:
    """Warns where values cannot be of these links: another unit, or another fabric."""
    if found.series.unit == "s" or not found.flow_classes:
        return
    usual = max(found.flow_classes, key=lambda one: one.flows).level
    if usual > _MOST or usual < _LEAST:
        much = f"{usual:,.3g} times what their links carry"
        warn(f"most flows get {much}: another unit (MB/s is 10⁶, MiB/s 2²⁰, Gb/s bits), or another fabric?")
