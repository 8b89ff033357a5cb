"""Analyses of latency matrices that are sums of known components."""

from __future__ import annotations

import numpy as np
import pytest
from lacis.explain.latency_matrix import analyse


def made(
    blocks: list[int], gap: float = 10e-9, sending: float = 0.0, receiving: float = 0.0, seed: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix of 1 µs, less `gap` inside blocks of these sizes, and what nodes add."""
    number = np.repeat(np.arange(len(blocks)), blocks)
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1, 1, (2, len(number)))
    a, b = sending * (a - a.mean()), receiving * (b - b.mean())
    matrix = 1e-6 - gap * (number[:, None] == number) + a[:, None] + b
    return matrix, a, b


@pytest.mark.parametrize("blocks", [[4] * 12, [2] * 12, [3, 3, 3], [4, 4, 4, 2]])
def test_blocks_of_any_size_are_found_without_noise(blocks: list[int]) -> None:
    found = analyse(made(blocks)[0])
    assert np.bincount(found.blocks).tolist() == blocks
    assert found.gap == pytest.approx(10e-9, rel=0.25)


def test_nodes_that_are_slower_by_more_than_the_gap_hide_no_block() -> None:
    matrix, a, b = made([4] * 8, sending=40e-9, receiving=25e-9)
    found = analyse(matrix)
    assert np.bincount(found.blocks).tolist() == [4] * 8
    assert found.gap == pytest.approx(10e-9, rel=1e-6)
    assert found.sending * found.level == pytest.approx(a, abs=1e-10)
    assert found.receiving * found.level == pytest.approx(b, abs=1e-10)


def test_without_blocks_none_is_found() -> None:
    even = np.full((16, 16), 1e-6)
    noise = np.random.default_rng(3).uniform(-5e-9, 5e-9, (16, 16))
    for matrix in (even, even + noise, even + (noise + noise.T) / 2):
        found = analyse(matrix)
        assert (found.gap, found.blocks.tolist()) == (0, list(range(16)))


def test_the_diagonal_is_not_looked_at() -> None:
    matrix = made([4] * 4)[0]
    np.fill_diagonal(matrix, np.nan)
    assert np.bincount(analyse(matrix).blocks).tolist() == [4] * 4


def test_asymmetry_and_jitter_are_what_was_put_in() -> None:
    # One pair 20 ns slower there than back; three repeats 0, +3 and -3 ns off.
    matrix = np.full((6, 6), 1e-6)
    matrix[1, 4] += 20e-9
    found = analyse(matrix + np.array([0, 3e-9, -3e-9])[:, None, None])
    level = 1e-6 + 20e-9 / 30
    assert found.level == pytest.approx(level)
    expected = np.zeros((6, 6))
    expected[1, 4], expected[4, 1] = 20e-9 / level, -20e-9 / level
    off = ~np.eye(6, dtype=bool)
    assert found.asymmetry[off] == pytest.approx(expected[off], abs=1e-12)
    assert found.jitter == pytest.approx((-3e-9 / level, 3e-9 / level))


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (5,), (2, 3, 4), (1, 2, 3, 3)])
def test_what_is_no_matrix_of_latencies_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected \(repeats, n, n\), n ≥ 3"):
        analyse(np.ones(shape))


def test_an_unknown_latency_is_refused() -> None:
    matrix = made([4] * 4)[0]
    matrix[2, 3] = np.nan
    with pytest.raises(ValueError, match="all but the diagonal known"):
        analyse(matrix)
