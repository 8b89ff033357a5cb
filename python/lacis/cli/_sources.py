"""Where counters of ports come from: the fabric itself, recordings, a store; and how often they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._numbers import seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from ..counters.sources import Source

EVERY = seconds(0.1)


def source_options(default: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds `--from`, `--store` and `--every`, of so many seconds unless it is given."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            click.option(
                "--every",
                type=EVERY,
                default=default,
                show_default=True,
                metavar="SECONDS",
                help="From the beginning of a sweep to that of the next.",
            ),
            click.option(
                "--store", metavar="DIR", help="A store of counters, of which the last sweep is taken."
            ),
            click.option(
                "--from",
                "recordings",
                multiple=True,
                metavar="FILE",
                help="A recording of counters, in place of a sweep; repeatable, in their order.",
            ),
        ):
            function = option(function)
        return function

    return add


def opened(fabric: Fabric, recordings: tuple[str, ...], store: str | None) -> Source:
    """The source that options name: the fabric itself where they name none."""
    from ..counters import sources

    if recordings and store is not None:
        raise click.UsageError("--from and --store are two sources; give one of them")
    if recordings:
        return sources.recorded(recordings, fabric)
    return sources.live(fabric) if store is None else sources.stored(store)
