"""What every leaf gets from every other."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from .. import _core
from ..facts.words import natural
from ..ranks.participants import participants

if TYPE_CHECKING:
    from ..advice.outcome import Outcome

MOST_LEAVES = 400
"""With more leaves a page would be too large."""


class HeatData(TypedDict):
    """Leaf × leaf bandwidth as the page's script and `lacis.report/1` have it."""

    leaves: list[str]
    max: list[float | None]
    """Row after row: shares of the link rate from one leaf to another; None where nothing was sent."""
    mean: list[float | None]
    min: list[float | None]


@dataclass(frozen=True)
class Heat:
    """Leaf × leaf bandwidth."""

    words: str
    """The method."""
    data: HeatData
    worst: list[tuple[str, str, tuple[float, float, float]]]
    """Pairs with the lowest mean: from, to, (max, mean, min)."""


def leaf_to_leaf(engine: Outcome, named: str, groups: str) -> Heat | None:
    """The bandwidth from each leaf to each other; none where there is one leaf or one host, or too many.

    Args:
        engine: whose tables.
        named: what runs, in words.
        groups: whose hosts, as for `ranks.participants`.
    """
    import numpy as np

    hosts = participants(engine.routes, groups=groups)
    leaves = hosts.leaves
    if len(hosts.hosts) < 2 or not 2 <= len(leaves) <= MOST_LEAVES:
        return None
    result = _core.predict(engine.routes, hosts, "leaf-offset", matrix="leaf", hottest=0)
    labels = result.matrix_labels
    if labels is None:
        return None
    layers = {kind: result.matrix(kind) for kind in ("max", "mean", "min")}
    order = sorted(range(len(leaves)), key=lambda i: natural(labels[1][i]))
    cells: dict[str, list[float | None]] = {}
    for kind, matrix in layers.items():
        flat = matrix[order][:, order].ravel().round(3) if matrix is not None else np.empty(0)
        with_none = flat.astype(object)
        with_none[np.isnan(flat)] = None
        cells[kind] = with_none.tolist()
    names = [labels[1][i] for i in order]
    data = HeatData(leaves=names, max=cells["max"], mean=cells["mean"], min=cells["min"])
    size = len(order)
    known = [
        (mean, k, most, least)
        for k, (most, mean, least) in enumerate(zip(data["max"], data["mean"], data["min"], strict=True))
        if most is not None and mean is not None and least is not None
    ]
    worst = [
        (names[k // size], names[k % size], (most, mean, least))
        for mean, k, most, least in heapq.nsmallest(10, known)
    ]
    words = (
        f"{named}. The N-th adapter of one leaf and the N-th of another exchange data, all leaves "
        "paired at once, once for every offset (XOR pairing). A cell is the share of the link rate that its flows get: the "
        "best, the average, the worst of them."
    )
    return Heat(words, data, worst)
