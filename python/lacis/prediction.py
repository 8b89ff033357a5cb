"""Predicting what traffic gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from .files import reading

if TYPE_CHECKING:
    from ._core import Prediction, Routes, Traffic


def participants(routes: Routes, *, host_order: str = "name", rail: str = "all") -> Traffic:
    """The hosts that send and receive, in an order.

    Args:
        routes: the tables that they use.
        host_order: `name`, `lid`, `topology`, or `file:PATH` with hosts, one a line.
        rail: `all`, `each`, a number from 0, or an adapter label.

    Raises:
        LacisError: when the order or the rail makes no sense on this fabric, or the file cannot be read.
    """
    path = _core.host_order_file(host_order)
    if path is None:
        return _core.traffic_hosts(routes, rail=rail, order=host_order)
    with reading(path) as data:
        return _core.traffic_hosts(routes, rail=rail, order=host_order, listed=data.decode(errors="replace"))


def predict(
    routes: Routes,
    traffic: str = "bisection",
    *,
    hosts: Traffic | None = None,
    patterns: int = 1000,
    seed: int = 1,
    model: str = "load",
    host_efficiency: float = 1.0,
    hottest: int = 10,
    matrix: str | None = None,
) -> Prediction:
    """Predict what the flows of a traffic pattern get under given tables.

    Args:
        routes: the tables.
        traffic: `pairs`, `permutation`, `bisection`, `shift:1,2`, `mpigraph`, `leaf-offset:nodes=8`,
            `alltoall`, or `file:PATH` with pairs `A B`, one a line.
        hosts: who takes part, from `participants`; all hosts in the order of their names unless given.
        patterns: how many, of a random pattern.
        seed: of random patterns.
        model: `load` counts flows per link; `fluid` shares the links' rates max-min fairly.
        host_efficiency: the part of their links' rate that hosts are assumed to use (fluid).
        hottest: how many of the hottest links to keep.
        matrix: `leaf` or `host` keeps the relative bandwidth from each to each.

    Raises:
        LacisError: when the pattern makes no sense on this fabric, or its file cannot be read.
    """
    hosts = participants(routes) if hosts is None else hosts

    def run(pairs: str = "") -> Prediction:
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

    path = _core.traffic_file(traffic)
    if path is None:
        return run()
    with reading(path) as data:
        return run(data.decode(errors="replace"))
