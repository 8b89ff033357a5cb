"""The levels of switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._core import Fabric


def levels_of(fabric: Fabric) -> list[int]:
    """The level of every switch, from 0; switches without one are on the highest. Empty where no levels are known."""
    levels = (fabric.levels() or ([], []))[0]
    top = max(levels, default=0)
    return [top if level < 0 else level for level in levels]
