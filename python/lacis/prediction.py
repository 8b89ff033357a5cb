"""Predicting what traffic gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._core import Prediction, Routes


def predict(
    routes: Routes,
    traffic: str = "bisection",
    *,
    patterns: int = 1000,
    seed: int = 1,
    model: str = "load",
    host_order: str = "name",
    rail: str = "all",
    listed: str = "",
    pairs: str = "",
    host_efficiency: float = 1.0,
    hottest: int = 10,
    matrix: str | None = None,
) -> Prediction:
    """Predict what the flows of a traffic pattern get under given tables.

    Args:
        routes: the tables.
        traffic: `pairs`, `permutation`, `bisection`, `shift:1,2`, `mpigraph`, `leaf-offset:nodes=8`,
            `alltoall`, or `file:` with the file's text as `pairs`.
        patterns: how many, of a random pattern.
        seed: of random patterns.
        model: `load` counts flows per link; `fluid` shares the links' rates max-min fairly.
        host_order: `name`, `lid`, `topology`, or `file:` with the file's text as `listed`.
        rail: `all`, `each`, a number from 0, or an adapter label.
        listed: hosts, one a line, for an order from a file.
        pairs: pairs `A B`, one a line, for a pattern from a file.
        host_efficiency: the part of their links' rate that hosts are assumed to use (fluid).
        hottest: how many of the hottest links to keep.
        matrix: `leaf` or `host` keeps the relative bandwidth from each to each.

    Raises:
        LacisError: when the pattern, the order or the rail makes no sense on this fabric.
    """
    hosts = _core.traffic_hosts(routes, rail=rail, order=host_order, listed=listed)
    return _core.predict(
        routes,
        hosts,
        traffic,
        patterns=patterns,
        seed=seed,
        model=model,
        pairs=pairs,
        host_efficiency=host_efficiency,
        hottest=hottest,
        matrix=matrix,
    )
