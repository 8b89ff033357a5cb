"""Series of values: what measurements are grouped by, and where values come from."""

from __future__ import annotations

from typing import Annotated

from .base import Row, one_of

ValuesFrom = Annotated[str, one_of("measured", "modelled", "assumed", "mixed")]


class Series(Row, frozen=True):
    """Values that are comparable with each other."""

    test: str
    """The test."""
    what: str
    """What was measured: latency, bandwidth."""
    unit: Annotated[str, one_of("bytes/s", "s")]
    """Of the values."""
    statistic: str
    """Of repeats: `sample`, `mean`, `min` …"""
    bytes: int | None
    """Size of messages."""
    values: int
    """How many are of a pair."""
    rounds: int
    """In how many rounds flows shared the network; 0: flows ran one after the other, assumed."""
