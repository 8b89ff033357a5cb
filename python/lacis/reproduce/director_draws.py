"""The rows of report E that depend on chance: means over many draws, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .director_bench import LINK, Bench, leaf, over, random_pairs, shared_nodes
from .director_tables import LABELS
from .record import Averaged, Row, Tolerance, averaged, promise, relative

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Rates = NDArray[np.float64]

FAST = "4 × 1024 between switches"
FEW = 8
"""Number of draws where nothing is claimed."""

RUNNING = 8
"""Nodes of a leaf that run in the leaf-to-leaf test."""

OFFSETS = (1, 2, 4, 8, 16, 32)
MAP_SIZE = 128 << 10
"""Message size of the heat maps [bytes]."""


@dataclass(frozen=True)
class Draws:
    """What was drawn: random pairs by model and table; ranks that share nodes, by rate."""

    seeds: range
    pairs: Mapping[str, Mapping[str, Rates]]
    shared: Mapping[str, tuple[Rates, Rates]]

    @classmethod
    def of(cls, bench: Bench, fast: Bench, seeds: range) -> Draws:
        """All draws, with one rate for all links and with faster ones between switches."""
        pairs = {
            "packet": random_pairs(bench, seeds, "packet"),
            "fluid": random_pairs(bench, seeds, "fluid"),
            FAST: random_pairs(fast, seeds[:FEW], "packet"),
        }
        return cls(
            seeds, pairs, {"one rate": shared_nodes(bench, seeds), FAST: shared_nodes(fast, seeds[:FEW])}
        )

    def averages(self, model: str) -> tuple[float, ...]:
        """The mean of the averages, by table."""
        return tuple(float(found[:, 0].mean()) for found in self.pairs[model].values())


def random_pair_rows(drawn: Draws) -> tuple[Row, ...]:
    """E3."""
    rows: list[Row] = []
    alone = "; ".join(
        f"{label}: average {beyond(found[:, 0], 1226, 0.15)}, least {beyond(found[:, 1], 588, 0.35)}"
        for label, found in drawn.pairs["packet"].items()
    )
    note = (
        "the report's numbers are of one run; ours are means, of the average, the least and the most of each draw. "
        f"Of {len(drawn.seeds)} draws by themselves so many are beyond the tolerance: {alone}"
    )
    for label in LABELS:
        where = f"one rank per node, different leaves, {label}"
        for model, found in drawn.pairs.items():
            rows += _three(
                where if model != FAST else f"{where}, {FAST}",
                "packet" if model == FAST else model,
                found[label],
                (relative(0.15), relative(0.35)) if model == "packet" else (None, None),
                note if model == "packet" else "",
            )
    return tuple(rows)


def beyond(found: Rates, reported: float, share: float) -> int:
    """How many draws would be out alone."""
    return int((np.abs(found / reported - 1) > share).sum())


def _three(
    where: str, model: str, found: Rates, tolerances: tuple[Tolerance | None, Tolerance | None], note: str
) -> tuple[Row, ...]:
    """Average, least and most; the most is never claimed."""
    reported = (1226, 588, 3071)
    return tuple(
        Row("E3", f"{where}: {what}", "S", model, (reported[n],), unit="MB/s", tolerance=(*tolerances, None)[n], note=note,
            **averaged(found[:, n]))
        for n, what in enumerate(("average", "least", "most"))
        if n < 2 or tolerances[0] is not None
    )  # fmt: skip


def shared_node_rows(drawn: Draws) -> tuple[Row, ...]:
    """E5, claimed with one rate."""
    reported = (("same leaf", (784, 490, 425)), ("different leaves", (935, 455, 390)))
    return tuple(
        row
        for rates, both in drawn.shared.items()
        for (what, (most, *rest)), found in zip(reported, both, strict=True)
        for row in (
            Row("E5", f"8 ranks per node, {what}, {rates}: average, least", "S", "packet", tuple(rest), unit="MB/s",
                tolerance=None if rates == FAST else relative(0.15), **averaged(found[:, :2])),
            Row("E5", f"8 ranks per node, {what}, {rates}: most", "S", "packet", (most,), unit="MB/s", **averaged(found[:, 2])),
        )
    )  # fmt: skip


def partners(offset: int) -> NDArray[np.int64]:
    """The N-th node of each leaf with the N-th of leaf XOR offset, lower leaf first; 8 nodes of each."""
    leaves = np.arange(64)
    low = leaves[leaves < leaves ^ offset]
    nodes = np.arange(RUNNING)
    return np.stack([low[:, None] * 16 + nodes, (low ^ offset)[:, None] * 16 + nodes], axis=-1).reshape(-1, 2)


def filled(rounds: dict[int, Rates]) -> Rates:
    """Fastest, mean and slowest pair of every two leaves, shape `(3, 64, 64)`."""
    maps = np.full((3, 64, 64), np.nan)
    for offset, rates in rounds.items():
        low, high = leaf(partners(offset)[::RUNNING].T)
        each = rates.reshape(-1, RUNNING)
        maps[:, low, high] = maps[:, high, low] = each.max(axis=1), each.mean(axis=1), each.min(axis=1)
    return maps


def _range(bench: Bench, label: str) -> tuple[float, float]:
    """Least and most of the map of fastest pairs at the report's offsets."""
    fastest = filled({o: bench.packet(label, partners(o), size=MAP_SIZE) for o in OFFSETS})[0]
    return float(np.nanmin(fastest)), float(np.nanmax(fastest))


def _drawn_range(bench: Bench, seed: int) -> tuple[float, float]:
    return _range(bench.drawn(seed), LABELS[2])


def range_rows(bench: Bench, fast: Bench, drawn: Draws) -> tuple[Row, ...]:
    """E6's range: claimed for one table with one rate; of tables that nothing is drawn for, and of shuffled ones at the first seed, as found."""
    above = [100 * (average / 1226 - 1) for average in drawn.averages(FAST)]
    note = (
        "the report does not say of which map, or under which tables. With one rate no table of ours has this range; with "
        f'4 × 1024 MB/s between switches "{LABELS[2]}" would, but E3\'s averages would be {min(above):.0f} to {max(above):.0f} % too high'
    )
    rows = []
    for rates, runs, seeds in (("one rate", bench, drawn.seeds), (FAST, fast, drawn.seeds[:FEW])):
        for label in LABELS:
            if label == LABELS[2]:
                found = averaged(over(seeds, partial(_drawn_range, runs)))
            else:
                found = Averaged(ours=_range(runs, label), interval=())
            rows.append(
                Row("E6", f"range of the map of fastest pairs, {label}, {rates}", "S", "packet", (1826, 3035), unit="MB/s",
                    tolerance=relative(0.1) if runs is bench and label == LABELS[2] else None,
                    note=note,
                    **found)
            )  # fmt: skip
    return tuple(rows)


def least_rate_row(drawn: Draws) -> Row:
    """E9: the least of all tables and pairs of a draw, as part of a link."""
    least = np.min([found[:, 1] for found in drawn.pairs["packet"].values()], axis=0) / LINK
    return Row(
        "E9", "8536 cores, random pairs: least part of a link, worst of the tables", "S", "packet",
        tolerance=promise("≥ 0.19", lambda part: part >= 0.19), said="0.1 … 0.5",
        basis="588 of 3071 MB/s, E3's least",
        note=f"draws that are below by themselves: {int((least < 0.19).sum())} of {len(least)}", **averaged(least),
    )  # fmt: skip
