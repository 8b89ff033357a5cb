"""The other algorithms of a collective: whether one of them helps more than another order of ranks.

Beside those of `docs/reference/traffic.md` there is the butterfly of Bine trees for an allreduce: rank r exchanges with r + (1 − (−2)^(s+1)) / 3 in
step s where r is even, and with r minus that where it is odd, half of the vector first. Their distances grow as the parts become
smaller, so that little goes far.

D. De Sensi et al., "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality", SC 2025; "Swing", NSDI 2024.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..requests.demands import Demands
from .patterns import collective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import Fabric, Participants, Routes
    from .hostfile import Seats

BINE = "allreduce:bine"
"""What Lacis calls the butterfly; `--traffic` does not take it."""


def bine_allreduce(ranks: int, size: int) -> Demands:
    """An allreduce by the butterfly of Bine trees: reduce-scatter, then allgather.

    Args:
        ranks: a power of two of them.
        size: of the vector [bytes].

    Raises:
        LacisError: when their number is no power of two.
    """
    if ranks < 2 or ranks & (ranks - 1):
        raise LacisError(f"the butterfly of Bine trees takes a power of two of ranks, and there are {ranks}")
    own = np.arange(ranks, dtype=np.int64)
    rows = []
    for step in range(ranks.bit_length() - 1):
        distance = (1 - (-2) ** (step + 1)) // 3
        partner = (own + np.where(own % 2 == 0, distance, -distance)) % ranks
        # Each part goes out once to be added up, and comes back once as the result.
        rows.append((own, partner, np.full(ranks, 2 * (size >> (step + 1)))))
    source, destination, sizes = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Demands(ranks, source.astype(np.uint32), destination.astype(np.uint32), sizes.astype(np.uint64))


def others(
    routes: Routes, hosts: Participants, seats: Seats, program: str, size: int
) -> list[tuple[str, float]]:
    """The other algorithms of a collective, and how long the most loaded link needs with each in the order given [s], least first."""
    given = np.asarray(seats.host, dtype=np.uint32)
    found = []
    for name, demands in _siblings(routes.fabric, seats, program, size):
        cost = _core.order_of_ranks(routes, hosts, given, demands.source, demands.destination, demands.bytes)
        if not cost.unrouted:
            found.append((name, cost.seconds))
    return sorted(found, key=lambda one: (one[1], one[0]))


def _siblings(fabric: Fabric, seats: Seats, program: str, size: int) -> Iterator[tuple[str, Demands]]:
    operation = program.partition(":")[0]
    for name in _core.traffic_names():
        if name.partition(":")[0] == operation and name != program and not name.endswith(":"):
            try:
                yield name, collective(fabric, seats, name, size)
            except LacisError:
                continue  # one that does not take this number of ranks, or has too many messages
    ranks = len(seats.host)
    if operation == "allreduce" and ranks > 1 and not ranks & (ranks - 1):
        yield BINE, bine_allreduce(ranks, size)
