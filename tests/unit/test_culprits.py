"""What is reached on a link to blame, with the interval of 95 %."""

from __future__ import annotations

import math

import pytest
from lacis.explain.culprits import interval, of_expected


def test_a_loss_is_the_logarithm_of_what_is_missing() -> None:
    # Half of a rate, and twice a time, are both a loss of ln 2.
    assert of_expected(math.log(2), is_time=False) == pytest.approx(0.5)
    assert of_expected(math.log(2), is_time=True) == pytest.approx(2.0)


def test_the_true_share_lies_in_the_interval_with_95_percent() -> None:
    # A normal variable is within 1.96 deviations of its mean with 95 %: exp(-0.5 - 0.196) and exp(-0.5 + 0.196).
    low, high = interval(0.5, 0.1, is_time=False)
    assert [low, high] == pytest.approx([0.49858, 0.73786], abs=1e-5)
    # Of times the same, the other way round: exp(0.5 - 0.196) and exp(0.5 + 0.196).
    low, high = interval(0.5, 0.1, is_time=True)
    assert [low, high] == pytest.approx([1.35527, 2.00571], abs=1e-5)
    assert list(interval(0.5, 0.0, is_time=False)) == pytest.approx([math.exp(-0.5)] * 2)
