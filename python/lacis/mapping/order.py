"""Ranks in another order on the same hosts, and what that gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.mapping import (
    EveryOrderTried,
    MappingRemark,
    NoLevels,
    OrderKept,
    OtherAlgorithm,
    RecordsPassedOver,
    SeatsLeft,
    SizesAssumed,
    TimeNotComputed,
    Unrouted,
)
from ..facts.words import count
from ..ranks.participants import participants_of
from .algorithms import others

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Participants, Routes
    from ..requests.demands import Demands
    from ..results import MappedRanks, OrderOfRanks
    from .hostfile import Seats

EFFORT = 100
"""How much the search on link loads tries; 100 takes up to some 5 s on one core."""
_LESS = 0.95
"""The most of a time that counts as clearly less."""
_RECOUNTED = 400_000
"""Messages that a search may recount for each unit of effort."""
MOST_TIMED = 200_000
"""Messages whose sharing of links is modelled."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one order of ranks costs in a step.

    Attributes:
        tiers: bytes inside hosts, inside leaves, inside pods, and above.
        seconds: how long the most loaded link needs for what it carries, links of hosts included [s].
        link: the port that it leaves; none where no link carries anything.
        seconds_between: the same of links between switches [s].
        link_between: the port that it leaves.
        time: until all messages have arrived, sent at once, max-min fair [s]; none where that is not computed.
    """

    tiers: tuple[float, float, float, float]
    seconds: float
    link: str | None
    seconds_between: float
    link_between: str | None
    time: float | None


@dataclass(frozen=True, slots=True)
class Permutation:
    """Ranks in another order on the same hosts.

    Attributes:
        lines: the host of each rank, as the list has it; seats beyond the ranks follow.
        hosts: the host of each rank, as the fabric names it.
        ranks: how many ranks there are.
        leaves: how many leaves the hosts hang off.
        has_pods: whether the hosts are in several pods.
        given: what the order given costs.
        by_bytes: what the order costs that looks at bytes alone.
        chosen: what the order chosen costs.
        remarks: what was assumed or left out.
    """

    lines: tuple[str, ...]
    hosts: tuple[str, ...]
    ranks: int
    leaves: int
    has_pods: bool
    given: Step
    by_bytes: Step
    chosen: Step
    remarks: tuple[MappingRemark, ...]

    @property
    def is_routed(self) -> bool:
        """Whether all that ranks send each other has a route, in the order given and in the one chosen."""
        return not any(isinstance(remark, Unrouted) for remark in self.remarks)


def permute(
    routes: Routes,
    seats: Seats,
    demands: Demands,
    *,
    io_ranks: Sequence[int] = (),
    pinned: Mapping[int, str] | None = None,
    collective: tuple[str, int] | None = None,
    effort: int = EFFORT,
    seed: int = 1,
    progress: Callable[[str], object] = lambda _: None,
) -> Permutation:
    """Put ranks in another order on the same hosts.

    What decides, least first: how long the most loaded link needs, then bytes times the tiers that they climb, then the most
    loaded link between switches. The order given is kept where none is better. The same arguments give the same order.

    Args:
        routes: the tables.
        seats: the hosts of the ranks in the order given.
        demands: what ranks send each other in a step.
        io_ranks: ranks of which no two may share a host.
        pinned: ranks and the hosts that they stay on, as the fabric names them.
        collective: the program that the demands are of and its size [bytes], whose other algorithms are to be compared.
        effort: how much the search on link loads tries, in proportion; 0 looks at bytes alone.
        seed: of the search.
        progress: called with what is done.

    Raises:
        LacisError: when there are more ranks than seats, or what is asked for cannot be.
    """
    ranks = demands.ranks
    if ranks > len(seats.host):
        raise LacisError(f"{count(ranks, 'rank')}, and the list has {count(len(seats.host), 'slot')}")
    hosts = participants_of(routes.fabric, seats.hosts)
    given = np.asarray(seats.host[:ranks], dtype=np.uint32)
    progress("mapping ranks")
    found = _core.map_ranks(
        routes,
        hosts,
        given,
        demands.source,
        demands.destination,
        demands.bytes,
        grid=list(demands.grid),
        apart=list(io_ranks),
        pinned=_pinned(seats, pinned or {}),
        effort=effort * _RECOUNTED,
        seed=seed,
    )
    progress("other algorithms")
    better = _better(routes, hosts, seats, collective, found.chosen.seconds) if collective else []
    progress("predicting")
    before = _step(found.given, _time(routes, hosts, given, demands), demands)
    is_same = bool((found.host == given).all())
    after = before if is_same else _step(found.chosen, _time(routes, hosts, found.host, demands), demands)
    host = found.host.tolist()
    return Permutation(
        lines=_lines(seats, host),
        hosts=tuple(seats.hosts[h] for h in host),
        ranks=ranks,
        leaves=len({leaf for leaf in hosts.leaf_of_hosts() if leaf is not None}),
        has_pods=any(it.tiers[2] and it.tiers[3] for it in (found.given, found.chosen)),
        given=before,
        by_bytes=_step(found.by_bytes, None, demands),
        chosen=after,
        remarks=(*_remarks(routes, seats, demands, found, is_same=is_same), *better),
    )


def _better(
    routes: Routes, hosts: Participants, seats: Seats, program: tuple[str, int], chosen: float
) -> list[MappingRemark]:
    """The algorithm that helps most, where it helps more than the order chosen."""
    found = others(routes, hosts, seats, *program)
    if not found or found[0][1] >= _LESS * chosen:
        return []
    return [OtherAlgorithm(*found[0], chosen)]


def _pinned(seats: Seats, pinned: Mapping[int, str]) -> list[tuple[int, int]]:
    number = {name: at for at, name in enumerate(seats.hosts)}
    for rank, name in pinned.items():
        if name not in number:
            raise LacisError(f"rank {rank} is pinned to a host that is not in the list", text=name)
    return [(rank, number[name]) for rank, name in pinned.items()]


def _time(routes: Routes, hosts: Participants, host: NDArray[np.uint32], demands: Demands) -> float | None:
    if len(demands.bytes) > MOST_TIMED:
        return None
    time = _core.mapped_time(routes, hosts, host, demands.source, demands.destination, demands.bytes)
    return None if time is None else time * demands.unit


def _step(it: OrderOfRanks, time: float | None, demands: Demands) -> Step:
    inside, leaf, pod, above = (bytes_ * demands.unit for bytes_ in it.tiers)
    return Step(
        tiers=(inside, leaf, pod, above),
        seconds=it.seconds * demands.unit,
        link=it.link,
        seconds_between=it.seconds_between * demands.unit,
        link_between=it.link_between,
        time=time,
    )


def _lines(seats: Seats, host: Sequence[int]) -> tuple[str, ...]:
    """The hosts as they are written: those of a host in the order in which the list has them."""
    waiting: dict[int, list[str]] = {}
    for number, name in zip(seats.host[: len(host)], seats.written, strict=False):
        waiting.setdefault(number, []).append(name)
    turn = {number: iter(names) for number, names in waiting.items()}
    return (*(next(turn[number]) for number in host), *seats.written[len(host) :])


def _remarks(
    routes: Routes, seats: Seats, demands: Demands, found: MappedRanks, *, is_same: bool
) -> tuple[MappingRemark, ...]:
    remarks: list[MappingRemark] = []
    if left := len(seats.host) - demands.ranks:
        remarks.append(SeatsLeft(left))
    remarks += [SizesAssumed(name, size) for name, size in demands.assumed]
    if demands.passed_over:
        remarks.append(RecordsPassedOver(demands.passed_over))
    if routes.fabric.levels() is None:
        remarks.append(NoLevels())
    if found.given.unrouted or found.chosen.unrouted:
        unrouted = Unrouted(found.chosen.unrouted * demands.unit, found.given.unrouted * demands.unit)
        remarks.append(unrouted)
    if found.exact:
        remarks.append(EveryOrderTried(len(seats.hosts)))
    if len(demands.bytes) > MOST_TIMED:
        remarks.append(TimeNotComputed(len(demands.bytes), MOST_TIMED))
    if is_same:
        remarks.append(OrderKept())
    return tuple(remarks)
