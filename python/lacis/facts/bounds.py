"""What cables alone decide, whatever the tables."""

from __future__ import annotations

from .fact import Fact


class ShiftsBounded(Fact, frozen=True):
    """What all shifts of hosts in an order can have at most, whatever the tables: bandwidths as shares of the link rate.

    Flows cross cables out of sets of switches, and those on a link have its bandwidth together; so the bound holds for paths of any length.
    The sets are edge switches, subtrees, and what shares a part: on a fabric without levels others may bound shifts more.
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
