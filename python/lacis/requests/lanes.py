"""Lanes, as the engine takes them."""

from __future__ import annotations

from typing import TypedDict


class CoreLanes(TypedDict):
    """Lanes as the core takes them; see `lacis.Lanes`."""

    lanes: int
    """0 for as many as are needed."""
    sl2vl: list[int] | None
    high: list[tuple[int, int]]
    low: list[tuple[int, int]]
    limit: int
    preempt: bool
