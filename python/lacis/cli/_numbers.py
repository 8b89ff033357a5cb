"""The ranges of numbers on the command line: every option that takes a number takes one of a range, which ends."""

from __future__ import annotations

from typing import Any

import click


class Real(click.FloatRange):
    """A number of a range; `nan` is none, though it is neither below nor above one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


SEED = click.IntRange(0, 2**64 - 1)
PATTERNS = click.IntRange(1, 1_000_000)
"""Random patterns; each has a row in the results."""
LISTED = click.IntRange(0, 1_000_000)
"""Rows to print."""
SOME_LISTED = click.IntRange(1, 1_000_000)
"""Rows to print, of a list that is not left out."""
RAIL = click.IntRange(1, 256)
HOSTS = click.IntRange(1, 1_000_000)
"""Hosts of a job."""
CORES = click.IntRange(1, 1_000_000)
"""Processors of a node."""
SEEDS = click.IntRange(1, 1000)
"""Draws over which results are averaged."""
RANKS_PER_HOST = click.IntRange(1, 4096)
RANKS = click.IntRange(1, 1 << 22)
MESSAGES = click.IntRange(1, 2**31 - 1)
WINDOW = click.IntRange(1, 2**20)
SERVICE_LEVEL = click.IntRange(0, 15)
STEPS = click.IntRange(1, 10**9)
"""Steps of a search."""
SWEEPS = click.IntRange(1, 10**9)
"""Sweeps of counters."""
IN_FLIGHT = click.IntRange(1, 4096)
"""Requests at a time."""
RETRIES = click.IntRange(0, 7)
"""How often a request is sent again."""
DEVICE_PORT = click.IntRange(0, 254)
"""Of an adapter; 0 for the first that is active."""
SHARE = Real(0, 1)
SHARE_ABOVE_0 = Real(0, 1, min_open=True)
SHARE_OF_TIME = Real(0, 0.5)
"""The mean of shares that are drawn between 0 and twice as much."""
LOAD = Real(0, 10, min_open=True)
"""Of a host's link, which a load may exceed."""
METRES = Real(0, 1e5)


def seconds(least: float) -> Real:
    """Time that a search may take, up to a day."""
    return Real(least, 86_400)


def number_of(text: str, least: int, most: int) -> int | None:
    """The whole number that a text is, within a range; none where it is no such."""
    is_one = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return number if is_one and least <= (number := int(text)) <= most else None
