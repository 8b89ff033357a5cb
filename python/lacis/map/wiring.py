"""Ports, rates and loads as the report's script reads them: flat arrays where there are many."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from .. import _core
from .points import points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from .absent import Absence
    from .shapes import Drawing

MOST_NUMBERS = 400_000
"""Loads on one page: tables times directed links; with more links, fewer tables are listed."""


def data(
    fabric: Fabric,
    names: Sequence[str],
    likely: dict[str, str],
    drawing: Drawing | None,
    tables: Sequence[tuple[str, Routes]],
    absent: Sequence[Absence] = (),
) -> dict[str, object]:
    """What the page's script looks up.

    Args:
        fabric: the fabric.
        names: of the switches.
        likely: probable names of unnamed nodes, by GUID.
        drawing: says which box each switch is in.
        tables: whose loads can be shown, each with its name; the first ones, where there is no room for all.
        absent: switches and hosts that are not there, which can be looked up too.

    Returns:
        `switches`, their number; `names` and `guids` of all nodes, switches first; `likely` by number of a node;
        `radix` of the switches; `rates`, names of rates; `ports`, for each switch port, peer, the peer's port and
        the rate's number of every cable, flat; where nodes are, as `points` has it; `loads`, for each of the tables its
        name, the mean over directed links, and flows by egress port in the order of `ports` (only cables between
        switches); `absent`, as they are given.
    """
    count = fabric.num_switches
    guids = [f"0x{guid:016x}" for guid in fabric.guids().tolist()]
    rates, cables = _cables(fabric)
    starts = np.searchsorted(cables[:, 0], np.arange(count + 1)).tolist()
    between = cables[cables[:, 2] < count]
    most = max(1, MOST_NUMBERS // max(1, len(between)))
    return {
        "switches": count,
        "names": [*names, *fabric.descriptions()[count:]],
        "guids": guids,
        "likely": {number: likely[guid] for number, guid in enumerate(guids) if guid in likely},
        "radix": [fabric.radix(switch) for switch in range(count)],
        "rates": rates,
        "ports": [cables[a:b, 1:].ravel().tolist() for a, b in pairwise(starts)],
        **points(fabric, drawing),
        "loads": [{"label": label, **_loads(routes, between)} for label, routes in tables[:most]],
        "absent": [msgspec.to_builtins(it) for it in absent],
    }


def _cables(fabric: Fabric) -> tuple[list[str], NDArray[np.int64]]:
    """Names of rates; switch, port, peer, its port and rate of every end at a switch, by switch and port."""
    names, numbers = fabric.cable_rates()
    cables = np.column_stack([fabric.cables().reshape(-1, 4), numbers]).astype(np.int64)
    ends = np.concatenate([cables, cables[:, [2, 3, 0, 1, 4]]])
    ends = ends[ends[:, 0] < fabric.num_switches]
    return names, ends[np.lexsort((ends[:, 1], ends[:, 0]))]


def _loads(routes: Routes, between: NDArray[np.int64]) -> dict[str, object]:
    nodes, ports, flows = _core.all_to_all(routes, "hosts")
    table = np.zeros((routes.fabric.num_switches, 256), dtype=np.int64)
    table[nodes, ports] = flows
    by_port = table[between[:, 0], between[:, 1]]
    return {"mean": round(float(by_port.mean()), 2) if len(by_port) else 0, "ports": by_port.tolist()}
