"""Pictures of a measurement: what goes into them."""

from __future__ import annotations

import numpy as np
import pytest
from lacis.explain.figures import block_means, histogram_edges


def test_blocks_are_means_of_what_is_known() -> None:
    values = np.arange(25.0).reshape(5, 5)
    values[0, 1] = np.nan
    values[4, 4] = np.nan
    cells, size = block_means(values, 3)
    assert size == 2
    # By hand: (0 + 5 + 6) / 3, the mean of 2, 3, 7, 8, the last column alone, and nothing in the last cell.
    assert cells[0].tolist() == pytest.approx([11 / 3, 5, 6.5])
    assert cells[1].tolist() == pytest.approx([13, 15, 16.5])
    assert cells[2, :2].tolist() == pytest.approx([20.5, 22.5])
    assert np.isnan(cells[2, 2])


def test_few_hosts_are_shown_one_by_one() -> None:
    values = np.eye(4)
    assert block_means(values, 4)[0] is values


def test_bars_are_whole_steps_of_rounded_values() -> None:
    values = np.repeat(np.round(np.arange(1.0, 2.0, 0.01), 2), 5)
    edges = histogram_edges(values, 1.0, 1.99, most=50)
    assert np.diff(edges) == pytest.approx(0.02)
    counts, _ = np.histogram(values, edges)
    assert set(counts.tolist()) == {10}


def test_bars_hold_every_value() -> None:
    values = np.random.default_rng(1).standard_normal(1000)
    counts, _ = np.histogram(values, histogram_edges(values, values.min(), values.max()))
    assert counts.sum() == 1000
    assert len(counts) in (120, 121)
