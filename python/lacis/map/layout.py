"""The fabric as a drawing: trees by level, tori as grids, anything else in a circle.

Small fabrics are drawn switch by switch, with the switches of a pod or a director side by side. Large ones are
folded: each pod or director becomes one box, so that 600 switches stay readable. A drawing is only geometry: `still.py`
writes it as SVG, and `assets/` paints it, colours it by load and answers to clicks, on every page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import grid, tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shapes import Drawing, Topology


def draw(topology: Topology, absent: Sequence[str] = (), systems: Sequence[int] = ()) -> Drawing | None:
    """The drawing of a fabric.

    Args:
        topology: what is drawn.
        absent: names of switches that are missing.
        systems: for each switch, first of all nodes, a number that the chips of one chassis share; 0 where unknown.

    Returns:
        None where a drawing would be unreadable.
    """
    if topology.levels:
        return tree.draw(topology, absent, systems)
    return grid.draw(topology)
