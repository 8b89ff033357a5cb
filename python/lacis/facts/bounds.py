"""What cables alone decide, whatever the tables."""

from __future__ import annotations

from .fact import Fact


class ShiftsBounded(Fact, frozen=True):
    """What all shifts of hosts in an order can have at most, whatever the tables: bandwidths as shares of the link rate.

    Counted are the cables out of edge switches, of subtrees and of parts of these, whatever paths flows take; other cables may leave them less.
    """

    mean: float
    """Of all shifts together."""
    worst: float
    """Of the shift that can have least."""
    lost_at_edge_switches: float
    """What the mean loses as edge switches have fewer cables than hosts that send."""
    lost_above: float
    """What it loses besides as subtrees have fewer cables up than hosts that send."""
    lost_to_parts: float
    """What it loses besides as some switches reach only a part of what others of their level reach, such as spines with half of the ports."""
    narrow: int
    """Edge switches with fewer cables than hosts that send."""
    parts: tuple[str, ...]
    """The switches that reach only a part, where that costs something."""
