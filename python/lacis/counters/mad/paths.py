"""Paths to nodes by the ports that they leave: for requests that are routed by a path instead of a LID."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .attributes import MOST_HOPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..._core import Fabric


def paths(fabric: Fabric, node: int, port: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Shortest paths from a port of a node, one to each node of the fabric.

    Only switches lead on. Of several shortest paths the one by the lowest node and port is taken.

    Args:
        fabric: with its cables.
        node: that sends.
        port: by which it does.

    Returns:
        The ports that a path leaves, from byte 1, a row for each node; and how many links it has, -1 where there is no path or
        none that a request has room for.
    """
    cables = fabric.cables().reshape(-1, 4).astype(np.int64)
    ends = np.concatenate([cables, cables[:, [2, 3, 0, 1]]])
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    count = len(fabric.guids())
    found, hops = np.zeros((count, MOST_HOPS + 1), np.uint8), np.full(count, -1)
    hops[node] = 0
    leaving = (ends[:, 0] == node) & (ends[:, 1] == port)
    for hop in range(1, MOST_HOPS + 1):
        near, out, far = ends[leaving, 0], ends[leaving, 1], ends[leaving, 2]
        is_new = hops[far] < 0
        reached, first = np.unique(far[is_new], return_index=True)
        if not len(reached):
            break
        found[reached] = found[near[is_new][first]]
        found[reached, hop] = out[is_new][first]
        hops[reached] = hop
        leads_on = np.zeros(count, np.bool_)
        leads_on[reached[reached < fabric.num_switches]] = True
        leaving = leads_on[ends[:, 0]]
    return found, hops
