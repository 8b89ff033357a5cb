"""What an order of ranks on hosts costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class OrderOfRanks:
    """What ranks in one order put on links and tiers in a step."""

    tiers: list[int]
    """Bytes inside hosts, inside leaves, inside pods, and above."""
    unrouted: int
    """Bytes between hosts without a route."""
    seconds: float
    """How long the most loaded link needs for what it carries, links of hosts included."""
    seconds_between: float
    """The same of links between switches."""
    link: str | None
    """The port that the most loaded link leaves; none where no link carries anything."""
    link_between: str | None
    """The same between switches."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedRanks:
    """Ranks mapped to hosts."""

    host: NDArray[np.uint32]
    """The host of each rank, by number among the hosts that take part."""
    given: OrderOfRanks
    """The order given."""
    by_bytes: OrderOfRanks
    """The order that looks at bytes by tier alone."""
    chosen: OrderOfRanks
    """The order chosen."""
    exact: bool
    """Whether every order of the hosts was tried."""
