"""Lanes of links, and how they take turns."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..requests.lanes import CoreLanes


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Lanes of every link, the same on all links.

    Attributes:
        lanes: how many, 1 to 15; as many as `sl2vl` or the tables need unless given.
        sl2vl: the lane of each of the 16 service levels, on every link; its own number unless given. Tables
            that assign lanes use neither.
        vlarb_high: arbitration table of high priority: lanes and weights in units of 64 bytes. Without tables
            lanes take turns.
        vlarb_low: the table of low priority.
        high_limit: units of 4096 bytes sent by the table of high priority before a packet of the other; 0 for one
            packet, 255 for no limit.
    """

    lanes: int | None = None
    sl2vl: Sequence[int] | None = None
    vlarb_high: Sequence[tuple[int, int]] = ()
    vlarb_low: Sequence[tuple[int, int]] = ()
    high_limit: int = 0

    def to_core(self, *, preempt: bool = False) -> CoreLanes:
        """Return them as the core takes them."""
        return {
            "lanes": self.lanes or 0,
            "sl2vl": None if self.sl2vl is None else list(self.sl2vl),
            "high": list(self.vlarb_high),
            "low": list(self.vlarb_low),
            "limit": self.high_limit,
            "preempt": preempt,
        }
