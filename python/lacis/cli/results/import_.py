"""`lacis results import`: results from the output of any known benchmark, kept as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...facts.words import count
from .._fabric import warn
from .._numbers import RANKS_PER_HOST
from .._output import echo, json_option, print_json
from .._progress import clear, progress
from .._units import Size
from ._shared import by_rank, naming_row, run_row, store_option, warn_of_names

if TYPE_CHECKING:
    from ...documents.results import FabricFacts
    from ...measured.hosts import Naming
    from ...measured.results import Results

_SIZE = Size(zero=True)


@click.command("import", short_help="Read files that belong together, and keep them as a run.")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@store_option
@click.option("--name", default="", metavar="NAME", help="What to call the run; several may have one name.")
@click.option(
    "--tag", "tags", multiple=True, metavar="KEY=VALUE", help="A further word about the run; repeatable."
)
@click.option(
    "--time",
    "when",
    metavar="TIME",
    help="When it was measured (2026-11-25T10:30:00Z); by default as the files say, else now.",
)
@click.option(
    "--hosts",
    metavar="SET",
    help="Hosts by rank, where files have only ranks: a node set in its order, or file:PATH.",
)
@click.option(
    "--ranks-per-host",
    "per_host",
    type=RANKS_PER_HOST,
    default=1,
    show_default=True,
    help="Consecutive ranks on each of --hosts.",
)
@click.option(
    "--fabric",
    "on",
    metavar="FABRIC",
    help="The fabric that was measured: names are compared, pairs get their class.",
)
@click.option(
    "--names",
    metavar="FILE|auto",
    help="Other names of hosts, `MEASURED FABRIC` on each line; auto takes the proposed ones.",
)
@click.option("--write-names", metavar="FILE", help="Write the proposed names, for --names.")
@click.option("--test", metavar="NAME", help="Name of the test, for matrices, which have none.")
@click.option("--what", default="value", metavar="WORD", help="What a matrix has: latency, bandwidth.")
@click.option("--unit", metavar="UNIT", help="Unit of a matrix: us, MB/s (10⁶), MiB/s (2²⁰), Gb/s.")
@click.option("--bytes", "size", type=_SIZE, metavar="SIZE", help="Size of messages, for matrices.")
@click.option(
    "--provenance",
    type=click.Choice(["measured", "modelled", "assumed"]),
    default="measured",
    show_default=True,
    help="Where values come from.",
)
@json_option
def command(
    files: tuple[str, ...],
    where: str,
    name: str,
    tags: tuple[str, ...],
    when: str | None,
    hosts: str | None,
    per_host: int,
    on: str | None,
    names: str | None,
    write_names: str | None,
    test: str | None,
    what: str,
    unit: str | None,
    size: int | None,
    provenance: str,
    as_json: bool,
) -> int:
    """Read FILEs as one run and keep it.

    Formats are recognised by content, also inside job logs: OSU, IMB, GPCNeT, NetPIPE, ClusterKit, ucx_perftest, mpi_multibw,
    mpi_nxnlatbw, deviation, mpi_latencystress, mpiGraph, NCCL-tests, RCCL-tests, NCCL Inspector, perftest, iperf3, qperf,
    sockperf, lacis-mpi, matrices as CSV.

    Exit status: 0 kept; 2 no result that can be used.
    """
    from ... import measured

    words = dict(_pair(tag) for tag in tags)
    with progress("reading") as advance:
        results = measured.read(
            files, test=test, what=what, unit=unit, bytes=size, provenance=provenance, tell=advance
        )
        if hosts is not None:
            results = measured.name_ranks(results, by_rank(hosts), per_host)
        about, naming = None, None
        if on is not None:
            results, about, naming = _on_fabric(results, on, names, write_names)
        advance("writing", 0, 0)
        run = measured.Store(where).add(results, name=name, time=when, tags=words, fabric=about)
    clear()
    for note in results.notes:
        warn(str(note))
    if naming is not None:
        warn_of_names(naming, on or "", names)
    if as_json:
        from ...documents.results import ImportDocument

        print_json(ImportDocument(run_row(run), None if naming is None else naming_row(naming)))
        return 0
    pairs = results.frame.drop_nulls(["source", "destination"]).select("source", "destination").n_unique()
    between = f" between {count(len(results.hosts()), 'host')} ({count(pairs, 'pair')})" if pairs else ""
    echo(f"{count(results.frame.height, 'value')}{between} of {', '.join(results.formats)}, {provenance}")
    echo(f"kept as {run.id} in {where}")
    return 0


def _pair(text: str) -> tuple[str, str]:
    key, is_pair, value = text.partition("=")
    if not is_pair or not key:
        raise click.UsageError(f"--tag {text}: a tag is KEY=VALUE")
    return key, value


def _on_fabric(
    results: Results, on: str, names: str | None, write_names: str | None
) -> tuple[Results, FabricFacts, Naming]:
    """Results with a fabric's names and classes, what is known about the fabric, and how names agree."""
    from ... import measured
    from ...io.files import write
    from ...measured import hosts
    from ...measured.of_models import about
    from .._fabric import load

    fabric = load(on)
    given = hosts.read_names(names) if names not in (None, "auto") else None
    results, naming = measured.name_hosts(results, fabric, given)
    if write_names is not None:
        write(write_names, "".join(f"{other} {host}\n" for other, host in naming.proposed.items()))
    if names == "auto":
        results = hosts.rename(results, naming.proposed)
    results = measured.classify(results, fabric)
    return results, about(on, fabric), naming
