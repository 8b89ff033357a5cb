"""The orders of hosts in which shifts are predicted: one that all tables have in common, and that which suits each best."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..ranks.participants import participants
from ..sm.engines import OURS
from .summary import summary

if TYPE_CHECKING:
    from .._core import Fabric, Participants, Routes
    from ..facts.advice import HostOrder
    from .summary import Summary

OTHERS: tuple[HostOrder, ...] = ("eventree", "name")
"""Orders that are tried beside the common one, `HOST_ORDER` of `ranks.participants`."""
FLOWS = 2_000_000
"""Flows of shifts per engine and order, so that a report on 10,000 nodes takes seconds."""
MOST_SHIFTS = 4096
TRIAL = 32
"""Shifts by which an order is tried: all are predicted where these get more than in the common order."""
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Ordered:
    """Shifts of hosts in an order."""

    order: HostOrder
    shift: Summary


def better_order(
    fabric: Fabric, routes: Routes, groups: str, hosts: Participants, common: Summary, least: float
) -> Ordered | None:
    """The order of hosts with the best mean of shifts; None where no mean is above that of the common order by what three digits show.

    Args:
        fabric: what is routed.
        routes: the tables.
        groups: whose shifts, as for `ranks.participants`.
        hosts: in the common order.
        common: their shifts.
        least: the mean of the shifts of `trial` among them; 0 where there are none.
    """
    best: Ordered | None = None
    seen = [_numbers(hosts)]
    some = trial(hosts)
    for order in OTHERS:
        ordered = _hosts(fabric, routes, groups, order)
        if _numbers(ordered) in seen:
            continue
        seen.append(_numbers(ordered))
        if some and _predicted(routes, ordered, some).mean <= least:
            continue
        found = shifts(routes, ordered)
        if round(found.mean, 3) > round((best.shift if best else common).mean, 3):
            best = Ordered(order, found)
    return best


def distances(hosts: Participants) -> tuple[str, str]:
    """The shifts that are predicted: the pattern, and which they are, in words."""
    count, ports = len(hosts.hosts), hosts.num_ports
    step = max(1, math.ceil((count - 1) / max(16, min(MOST_SHIFTS, FLOWS // ports))))
    if step == 1:
        return "shift", f"all {count - 1:,} shifts"
    some = range(1, count, step)
    return "shift:" + ",".join(map(str, some)), f"{len(some):,} of {count - 1:,} shifts"


def shifts(routes: Routes, hosts: Participants) -> Summary:
    """The shifts of hosts in their order."""
    pattern, words = distances(hosts)
    return replace(_predicted(routes, hosts, pattern), words=words)


def trial(hosts: Participants) -> str:
    """The shifts by which an order is tried; empty where there are so few that all are predicted at once."""
    distances = len(hosts.hosts) - 1
    if distances <= 2 * TRIAL:
        return ""
    # Multiples of the golden ratio are spread evenly, and are no multiples of the hosts of a leaf.
    some = sorted({1 + int(k * _GOLDEN * distances) % distances for k in range(TRIAL)})
    return "shift:" + ",".join(map(str, some))


def _predicted(routes: Routes, hosts: Participants, pattern: str) -> Summary:
    (found,) = _core.predict_each(routes, hosts, [pattern], patterns=1, seed=1)
    return summary(found)


def _hosts(fabric: Fabric, routes: Routes, groups: str, order: HostOrder) -> Participants:
    """The hosts in an order; in that of eventree with the roots of its tables, and without any for tables of others."""
    if routes.engine_used in OURS:
        return participants(routes, groups=groups, host_order=order)
    return _plain(fabric, groups, order)


@lru_cache(maxsize=8)
def _plain(fabric: Fabric, groups: str, order: HostOrder) -> Participants:
    return participants(minhop(fabric), groups=groups, host_order=order)


@lru_cache(maxsize=2)
def minhop(fabric: Fabric) -> Routes:
    """The tables of minhop, for what needs some tables, whichever they are."""
    return _core.route(fabric, "minhop")


def _numbers(hosts: Participants) -> bytes:
    """The order of hosts, from the port of the lowest GUID on: where an order begins makes no difference to shifts."""
    guids = hosts.guids()
    return np.roll(guids, -int(guids.argmin())).tobytes() if guids.size else b""
