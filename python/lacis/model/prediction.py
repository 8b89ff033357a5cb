"""Predicting what traffic gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..ranks.participants import participants
from ..requests.arguments import MOST, MOST_BYTES, MOST_SEED, whole
from .traffic import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .._core import Participants, Prediction, Routes, Times
    from ..qos.lanes import Lanes
    from ..requests.traffic import Traffic


def predict(
    routes: Routes,
    traffic: Traffic = "bisection",
    *,
    hosts: Participants | None = None,
    patterns: int = 1000,
    seed: int = 1,
    model: str = "load",
    host_efficiency: float = 1.0,
    link_efficiency: float = 1.0,
    hottest: int = 10,
    matrix: str | None = None,
    lanes: Lanes | None = None,
    keep_flows: bool = False,
) -> Prediction:
    """Predict what the flows of a traffic pattern get under given tables.

    Args:
        routes: the tables.
        traffic: `pairs`, `permutation`, `bisection`, `shift:1,2`, `mpigraph`, `leaf-offset:nodes=8`,
            `alltoall`, or `file:PATH` with pairs `A B`, one a line. Pairs may come as arrays: numbers of hosts in their
            order or names, shape `(pairs, 2)`, any integer type, or `Pairs`; or from a function of the number of hosts
            that returns them, or yields several phases, which are independent of each other. No pair has bytes here.
        hosts: those that send and receive, from `participants`; all hosts, leaf by leaf, unless given.
        patterns: how many, of a random pattern.
        seed: of random patterns.
        model: `load` counts flows per link; `fluid` shares the links' rates max-min fairly.
        host_efficiency: the share of their links' rate that hosts are assumed to use (fluid).
        link_efficiency: the share of every link's rate that is assumed to carry payload (fluid).
        hottest: how many of the hottest links to keep.
        matrix: `leaf` or `host` keeps the relative bandwidth from each to each.
        lanes: lanes among which every link is divided before the flows of each share its rate (fluid): those of the
            tables, where these have some. Unless given all flows of a link share it equally.
        keep_flows: whether the result has the rate of every flow (fluid), at most ten million.

    Raises:
        LacisError: when the pattern makes no sense on this fabric, its file cannot be read, or pairs have another
            shape or type, or name no host.
    """
    patterns, seed = whole("patterns", patterns, 1, MOST), whole("seed", seed, 0, MOST_SEED)
    hottest = whole("hottest", hottest, 0, MOST)
    hosts = participants(routes) if hosts is None else hosts
    with listed(traffic, hosts, has_sizes=False) as (spec, text):
        return _core.predict(
            routes,
            hosts,
            spec,
            patterns=patterns,
            seed=seed,
            model=model,
            listed=text,
            host_efficiency=host_efficiency,
            link_efficiency=link_efficiency,
            hottest=hottest,
            matrix=matrix,
            lanes=None if lanes is None else lanes.to_core(),
            keep_flows=keep_flows,
        )


def times(
    routes: Routes,
    traffic: Traffic,
    size: int | None = None,
    *,
    hosts: Participants | None = None,
    patterns: int = 1000,
    seed: int = 1,
    ranks_per_host: int = 1,
    host_efficiency: float = 1.0,
    link_efficiency: float = 1.0,
    local_rate: float = 1e10,
    hottest: int = 10,
    multipath: str = "none",
    lanes: Lanes | None = None,
    striping: str | None = None,
) -> Times:
    """Model how long messages take that share the links max-min fairly, until the last has arrived.

    Args:
        routes: the tables.
        traffic: a pattern as in `predict`, or a program: `allreduce:ring`, `alltoall:bruck`, `stencil:8x8x4`,
            `nccl-ring`, `incast:8`, `trace:PATH` … Pairs as in `predict` are a pattern, whose messages are sent on every
            rail. With bytes, shape `(pairs, 3)`, with several phases from a function (a generator of them), or with
            several ranks a host, numbers are those of ranks, and it is a program as of `trace:PATH`: a phase begins
            when the one before it has ended.
        size: of a message, or what the program makes of it [bytes]; not needed where every message has bytes of its own.
        hosts: those that send and receive, from `participants`; all hosts, leaf by leaf, unless given.
        patterns: how many, of a random pattern.
        seed: of random patterns.
        ranks_per_host: how many ranks of a program are on each host, side by side.
        host_efficiency: the share of their links' rate that hosts are assumed to use.
        link_efficiency: the share of every link's rate that is assumed to carry payload.
        local_rate: assumed rate of all messages inside a host together [bytes/s].
        hottest: how many of the busiest links to keep.
        multipath: `none`; among a receiver's LIDs `by-message`, `by-peer` or `by-hash`; `spray`, evenly over
            all minimal ports of each switch; or `ideal`, over all minimal paths so that rates are max-min fair
            while all messages of a phase are in flight, nearly: see the result's `gap`.
        lanes: lanes among which every link is divided before the messages of each share its rate: those of the
            tables, where these have some, otherwise those of the service levels of a trace's messages. Unless
            given all messages of a link share it equally.
        striping: how a library spreads messages over the rails that two hosts have in common: `psm2` (up to 64,000
            bytes whole, by turns; larger ones in windows on all) or `ucx` (large ones over two). Each piece counts as a
            message. Unless given every rail of a host sends its own messages.

    Raises:
        LacisError: when the traffic makes no sense on this fabric, its file cannot be read, or pairs have another
            shape or type, or name no host.
    """
    patterns, seed = whole("patterns", patterns, 1, MOST), whole("seed", seed, 0, MOST_SEED)
    hottest = whole("hottest", hottest, 0, MOST)
    size = None if size is None else whole("size", size, 1, MOST_BYTES)
    ranks_per_host = whole("ranks_per_host", ranks_per_host, 1, MOST)
    hosts = participants(routes) if hosts is None else hosts
    with listed(traffic, hosts, size=size, ranks_per_host=ranks_per_host) as (spec, text):
        return _core.times(
            routes,
            hosts,
            spec,
            1 if size is None else size,
            patterns=patterns,
            seed=seed,
            listed=text,
            ranks_per_host=ranks_per_host,
            host_efficiency=host_efficiency,
            link_efficiency=link_efficiency,
            local_rate=local_rate,
            hottest=hottest,
            multipath=multipath,
            lanes=None if lanes is None else lanes.to_core(),
            striping=striping,
        )


def worst_permutation(
    routes: Routes, *, hosts: Participants | None = None, switches: Sequence[int] | None = None
) -> tuple[int, int, NDArray[np.uint32]] | None:
    """The permutation that puts the most flows on one link under given tables: a greatest matching, exact.

    Args:
        routes: the tables.
        hosts: those that send and receive, from `participants`; all hosts, leaf by leaf, unless given.
        switches: only links that leave these switches (node numbers) count; all links between switches unless
            given.

    Returns:
        The node and the port that the link leaves, and the flows over it as indices among the hosts' ports, shape
        `(flows, 2)`, no sender and no receiver twice. None where no flow crosses such a link.
    """
    hosts = participants(routes) if hosts is None else hosts
    return _core.worst_permutation(routes, hosts, None if switches is None else list(switches))
