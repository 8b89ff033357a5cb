"""What OpenSM can do alone: a search among its inputs for tables near the best possible.

OpenSM repairs tables that its engines made, but not tables from a file. So the search changes only the inputs of
engines: which engine, which switches are roots, which ports are compute nodes, in which order targets are routed.
Lacis computes the tables that OpenSM makes from them, entry by entry, so all figures are those of OpenSM's tables.

One input makes most of the difference. With *one leaf* as the only root, updn and ftree rank all switches by their
hops from it. Paths between hosts stay those of the tree; but spines now reach each other through that leaf, so that
no pair of aggregation nodes is left without a path, and no credit loop arises, as all turns from down to up are at
one switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .judge import Figures, Tuned
from .stages import Limits, Tuning, search
from .written import LINES, conf, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric

__all__ = [
    "LINES",
    "Figures",
    "Limits",
    "Tuned",
    "Tuning",
    "conf",
    "search",
    "tune",
    "write",
]


def tune(
    fabric: Fabric, *, limits: Limits | None = None, progress: Callable[[str], None] = lambda _what: None
) -> list[Tuned]:
    """The best inputs found for OpenSM: first those without objections, then by bandwidth.

    Args:
        fabric: what OpenSM routes.
        limits: how long, and from which seed.
        progress: called with the current step, in words.

    Raises:
        LacisError: when there are not two hosts, or no switch.
    """
    return search(fabric, limits=limits or Limits(), progress=progress).found
