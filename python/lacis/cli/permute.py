"""`lacis permute`: ranks in another order on the hosts of a job."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ..facts.words import count
from ._fabric import fabric_option
from ._help import GroupedCommand
from ._numbers import SEED, number_of
from ._output import json_option, print_json, width, wrapped
from ._permuted import as_text
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._units import Size

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ..mapping import Permutation, Seats
    from ..mapping.order import Step
    from ..requests.demands import Demands

_EFFORT = click.IntRange(0, 1_000_000)


@click.command("permute", cls=GroupedCommand)
@click.argument("hostfile", metavar="[HOSTFILE]", default="-")
@fabric_option
@click.option(
    "--stencil",
    "grid",
    metavar="32x16x16",
    help="A grid of ranks, the last dimension fastest; ,periodic closes it.",
)
@click.option(
    "--mesh",
    metavar="tp=8,dp=4",
    help="The groups of a training job, the fastest first; tp=8:4GB gives a group's bytes a step.",
)
@click.option(
    "--traffic",
    metavar="PROGRAM",
    help="A collective or another program, as docs/reference/traffic.md names them.",
)
@click.option(
    "--matrix", metavar="FILE", help="Bytes from each rank to each: a matrix as text, .npy or Matrix Market."
)
@click.option(
    "--trace",
    metavar="FILE",
    help="What Lacis' tracer wrote of an MPI program; also says what its barriers and blocking calls cost.",
)
@click.option(
    "--inspector",
    "records",
    multiple=True,
    metavar="FILE",
    help="What NCCL Inspector or RCCL Inspector recorded: files of all processes, or their folder; repeatable.",
)
@click.option(
    "--bytes",
    "size",
    type=Size(),
    default="1MB",
    show_default=True,
    help="Of a halo, or what --traffic makes of it.",
)
@click.option("--io-ranks", metavar="0,8-15", help="Ranks of which no two may share a host.")
@click.option(
    "--pin", "pins", multiple=True, metavar="RANK=HOST", help="A rank that stays on a host; repeatable."
)
@click.option(
    "--effort",
    type=_EFFORT,
    default=100,
    show_default=True,
    help="How much is tried against loaded links: 100 takes up to some 5 s; 0 looks at bytes alone.",
)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the search.")
@routing_options
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write; standard output unless given."
)
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    hostfile: str,
    grid: str | None,
    mesh: str | None,
    traffic: str | None,
    matrix: str | None,
    trace: str | None,
    records: tuple[str, ...],
    size: int,
    io_ranks: str | None,
    pins: tuple[str, ...],
    effort: int,
    seed: int,
    output: str,
    as_json: bool,
) -> int:
    """Write the hosts of a job in another order: the same hosts, equally often, so that neighbours are near.

    HOSTFILE (standard input unless given) has a host for each rank: a line each, `host:N`, or `host slots=N`. What comes out
    has a line for each rank, as `mpirun --map-by seq` and `mpiexec -f` take it, and is never worse than what was given.

    \f
    Least first: what the most loaded link needs under the tables, then bytes times the tiers that they climb. What both
    orders cost goes to standard error. Loads are of a whole step, as if all its messages were sent at once. The k-th rank of
    a host sends by the k-th of its rails.

    Exit status 1: some of the hosts do not reach each other.
    """  # noqa: D301 - click's mark for what is not in the short help
    from .. import mapping
    from ..io import files

    patterns = {"--stencil": grid, "--mesh": mesh, "--traffic": traffic, "--matrix": matrix, "--trace": trace}
    given = {option: value for option, value in patterns.items() if value is not None}
    if len(given) + bool(records) != 1:
        raise click.UsageError(
            f"what ranks send each other is given once: {', '.join(patterns)}, --inspector"
        )
    [(option, pattern)] = given.items() or [("--inspector", " ".join(records))]
    seats = mapping.read_seats(fabric, hostfile)
    waiting = None
    if trace is not None:
        demands, waiting = mapping.read_trace(trace)
    elif records:
        demands = mapping.read_inspector(records)
    else:
        demands = _demands(fabric, seats, option, pattern, size)
    if option != "--traffic" and demands.ranks > len(seats.host):
        raise LacisError(
            f"{option} has {count(demands.ranks, 'rank')}, and the list {count(len(seats.host), 'slot')}"
        )
    if option in ("--matrix", "--trace", "--inspector") and demands.ranks != len(seats.host):
        raise LacisError(
            f"{option} is of {count(demands.ranks, 'rank')}, and the list has {count(len(seats.host), 'slot')}"
        )
    with progress("mapping ranks") as advance:
        found = mapping.permute(
            routes,
            seats,
            demands,
            io_ranks=_ranks(io_ranks, demands.ranks),
            pinned=_pins(fabric, pins, demands.ranks),
            collective=None if traffic is None else (traffic, size),
            effort=effort,
            seed=seed,
            progress=advance,
        )
    if waiting is not None:
        found = replace(found, remarks=(*found.remarks, *mapping.advice(waiting, found)))
    text = "".join(f"{line}\n" for line in found.lines)
    if as_json:
        if output != "-":
            files.write(output, text)
        print_json(_document(routes, found, pattern, None if output == "-" else output))
    else:
        files.write(output, text)
        for line in as_text(found, walked(routes)).splitlines():
            click.echo("\n".join(wrapped(line, width())), err=True)
    return 0 if found.is_routed else 1


def _demands(fabric: Fabric, seats: Seats, option: str, pattern: str, size: int) -> Demands:
    from .. import _core, mapping
    from ..io.files import reading, text_of

    try:
        if option == "--stencil":
            sizes, closing, word = pattern.partition(",")
            if closing and word != "periodic":
                raise LacisError("after a grid comes ,periodic or nothing", text=pattern)
            return mapping.stencil(_grid(sizes), size, periodic=bool(closing))
        if option == "--mesh":
            return mapping.mesh(_groups(pattern))
        if option == "--matrix":
            return mapping.read_matrix(pattern)
        path = _core.traffic_kind(pattern)[1]
        if path is None:
            return mapping.collective(fabric, seats, pattern, size)
    except LacisError as error:
        raise (error if error.source else error.within(option)) from None
    with reading(path) as data:
        return mapping.collective(fabric, seats, pattern, size, text_of(data))


def _grid(text: str) -> list[int]:
    from ..mapping.patterns import MOST_RANKS

    sizes = [number_of(word, 1, MOST_RANKS) for word in text.split("x")]
    if len(sizes) > 6 or any(one is None for one in sizes):
        raise LacisError("a grid is one to six sizes with x between, such as 32x16x16", text=text)
    return [one for one in sizes if one is not None]


def _groups(text: str) -> dict[str, tuple[int, int | None]]:
    """`tp=8:4GB,dp=4` as groups."""
    from ..mapping.patterns import MOST_RANKS

    groups: dict[str, tuple[int, int | None]] = {}
    for word in text.split(","):
        match = re.fullmatch(r"\s*([a-z]+)=([0-9]+)(?::(.+))?\s*", word)
        length = number_of(match[2], 1, MOST_RANKS) if match else None
        if match is None or length is None:
            raise LacisError("a group is NAME=RANKS or NAME=RANKS:BYTES, such as tp=8:4GB", text=word)
        if match[1] in groups:
            raise LacisError("a group that is given twice", text=word)
        try:
            size = None if match[3] is None else Size().convert(match[3], None, None)
        except click.BadParameter as error:
            raise LacisError(error.message) from None
        groups[match[1]] = (length, size)
    return groups


def _ranks(text: str | None, ranks: int) -> list[int]:
    """`0,8-15` as ranks."""
    if text is None:
        return []
    found: list[int] = []
    for word in text.split(","):
        low, dash, high = word.strip().partition("-")
        first = number_of(low, 0, ranks - 1)
        last = number_of(high, 0, ranks - 1) if dash else first
        if first is None or last is None or first > last:
            raise LacisError(f"--io-ranks: expected ranks from 0 to {ranks - 1}, such as 0,8-15", text=word)
        found += range(first, last + 1)
    return sorted(set(found))


def _pins(fabric: Fabric, pins: tuple[str, ...], ranks: int) -> dict[int, str]:
    from ..mapping.hostfile import seats_of

    found: dict[int, str] = {}
    for pin in pins:
        word, equals, host = pin.partition("=")
        rank = number_of(word, 0, ranks - 1)
        if rank is None or not equals or not host:
            raise LacisError(f"--pin: expected RANK=HOST with a rank from 0 to {ranks - 1}", text=pin)
        if rank in found:
            raise LacisError(f"--pin: rank {rank} is pinned twice", text=pin)
        try:
            [found[rank]] = seats_of(fabric, host).hosts
        except LacisError as error:
            raise LacisError(f"--pin: {error.reason}", text=pin) from None
        except ValueError:
            raise LacisError("--pin: one host is expected", text=pin) from None
    return found


def _document(routes: Routes, found: Permutation, pattern: str, output: str | None) -> Any:
    from ..documents.permute import OrderRow, PermuteDocument, StepTiers
    from ..facts.wording import text

    def row(step: Step) -> OrderRow:
        return OrderRow(
            bytes=StepTiers(*step.tiers),
            busiest=step.seconds,
            link=step.link,
            busiest_between=step.seconds_between,
            link_between=step.link_between,
            time=step.time,
        )

    return PermuteDocument(
        provenance="modelled",
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        file=tables_file(),
        pattern=pattern,
        ranks=found.ranks,
        hosts=found.hosts,
        lines=found.lines,
        leaves=found.leaves,
        given=row(found.given),
        by_bytes=row(found.by_bytes),
        chosen=row(found.chosen),
        output=output,
        notes=[text(remark) for remark in found.remarks],
        remarks=found.remarks,
    )
