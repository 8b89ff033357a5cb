"""Flows on the links that tables give them, round by round, as arrays: which flows share a link.

| here   | meaning                                                    |
|--------|------------------------------------------------------------|
| cell   | a link in a round, with the flows that cross it then         |
| `rows` | links of each flow, padded with -1: from its host first, to its destination last |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_MEASURING = 1.15
"""Up to so many times the rate of a link, what its flows got is within what measuring adds."""


@dataclass(frozen=True)
class Cells:
    """Flows on the links that the tables give them, round by round.

    Attributes:
        rows: links of each flow, shape `(flows, longest)`, padded with -1: from its host first, to its destination last.
        rounds: of each flow.
        to: the destination of each flow.
        nodes: by link: the node that it leaves.
        rates: by link; NaN where that is not known.
    """

    rows: Ints
    rounds: Ints
    to: Ints
    nodes: Ints
    rates: Floats

    @cached_property
    def cell(self) -> Ints:
        """The cell at each step of each flow, -1 where `rows` is."""
        there = self.rows >= 0
        out = np.full(self.rows.shape, -1, np.int64)
        keys = self.rounds[:, None] * len(self.nodes) + self.rows
        out[there] = np.unique(keys[there], return_inverse=True)[1].reshape(-1)
        return out

    @cached_property
    def load(self) -> Ints:
        """Flows of each cell."""
        count: Ints = np.bincount(self.cell[self.cell >= 0])
        return count

    @cached_property
    def rate(self) -> Floats:
        """The rate of each cell's link, that of most links where it is not known."""
        usual = float(np.nanmedian(self.rates)) if np.isfinite(self.rates).any() else 1.0
        out = np.zeros(len(self.load))
        there = self.cell >= 0
        out[self.cell[there]] = np.nan_to_num(self.rates, nan=usual)[self.rows[there]]
        return out

    @cached_property
    def last(self) -> Ints:
        """The last step of each flow, which leads to its destination; -1 without a route."""
        last: Ints = (self.rows >= 0).sum(axis=1) - 1
        return last

    @cached_property
    def _by_cell(self) -> tuple[Ints, Ints]:
        """Flows cell after cell, and where those of each begin."""
        flow, step = np.nonzero(self.cell >= 0)
        own = self.cell[flow, step]
        order = np.argsort(own, kind="stable")
        return flow[order], np.concatenate([[0], np.cumsum(self.load)])

    def on(self, cells: Ints) -> tuple[Ints, Ints]:
        """The flows of some cells: the index of the cell among these, and the flow."""
        flows, starts = self._by_cell
        return ranges(flows, starts, cells)

    def overfull(self, got: Floats) -> Bools:
        """By flow: whether a link of it cannot have carried what its flows got, in whatever order.

        Flows of one size that begin together have all of a link in turn at best: when the k-th of them ends, k have been sent, so
        that its rate is a k-th of the link's at most.

        Args:
            got: the rate of each flow, in the unit of `rates`.
        """
        flow, starts = self._by_cell
        cell = np.repeat(np.arange(len(self.load)), self.load)
        rate = np.nan_to_num(got[flow])
        order = np.lexsort((-rate, cell))
        ended = np.arange(len(flow)) - np.repeat(starts[:-1], self.load) + 1
        needed = np.zeros(len(self.load))
        np.maximum.at(needed, cell, ended * rate[order] / self.rate[cell])
        beyond = needed > _MEASURING
        out: Bools = np.zeros(len(self.cell), bool)
        out[flow[np.repeat(beyond, self.load)]] = True
        return out

    def least(self, flows: Ints, gone: Ints | None = None) -> Floats:
        """The least share that the links of flows leave them; `gone`: flows less at each of their steps."""
        cells = self.cell[flows]
        load = self.load[cells] - (0 if gone is None else gone)
        share = self.rate[cells] / np.maximum(load, 1)
        out: Floats = np.where(cells >= 0, share, np.inf).min(axis=1)
        return out


def ranges(values: Ints, starts: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Values of rows that lie one after another: the index of the row among `rows`, and the value."""
    count = starts[rows + 1] - starts[rows]
    which = np.repeat(np.arange(len(rows)), count)
    within = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return which, values[starts[rows][which] + within]
