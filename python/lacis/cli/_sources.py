"""Where counters of ports come from, again and again: the running fabric, recordings, a store."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from ._counters_read import device_options
from ._units import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._core import Fabric
    from ..counters.sources import Source
    from ._counters_read import Through


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--from`, `--store`, `--every` and those of the device, which the command receives as `through`."""
    for option in (
        click.option(
            "--every",
            type=Span(0.01, 86_400),
            default="30s",
            show_default=True,
            metavar="TIME",
            help="From the beginning of a sweep to that of the next.",
        ),
        click.option(
            "--store", metavar="STORE", help="A store of counters that another program keeps: its last sweep."
        ),
        click.option(
            "--from",
            "recordings",
            multiple=True,
            metavar="FILE",
            help="Recordings, and what other tools print, a sweep at a time; repeatable.",
        ),
    ):
        function = option(function)
    return device_options(function)


@contextlib.contextmanager
def opened(
    fabric: Fabric | None, through: Through, recordings: tuple[str, ...], store: str | None
) -> Iterator[tuple[Source, Callable[[], Fabric]]]:
    """The source that options name, the running fabric where they name none; and its fabric, which it may find again.

    Args:
        fabric: the fabric; none where it is to be discovered.
        through: the device.
        recordings: files.
        store: a folder.
    """
    from ..counters import sources

    if recordings and store is not None:
        raise click.UsageError("--from and --store are two sources; give one of them")
    if recordings or store is not None:
        if fabric is None:
            raise click.UsageError("--from and --store need a FABRIC, whose cables they do not have")
        given = fabric
        yield (
            sources.Recordings(recordings, given) if store is None else sources.Stored(store, given),
            lambda: given,
        )
        return
    from ..counters.mad import Pace, Reader, discovered, rediscovered

    def found(has_moved: bool) -> Fabric | None:
        return rediscovered(through.device, through.port, has_moved=has_moved)

    reader = Reader(
        fabric or discovered(through.device, through.port),
        device=through.device,
        port=through.port,
        pace=Pace(through.in_flight, through.per_node, through.timeout, through.retries),
        links_every=through.links_every,
        discover=None if fabric is not None else found,
    )
    with reader:
        yield reader, lambda: reader.fabric
