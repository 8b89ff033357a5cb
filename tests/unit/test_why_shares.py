"""Shares of a link: least squares without negative components beside scipy's, and jobs that cannot be separated."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from lacis.why.shares import bounds, is_number, nnls, shares


@pytest.mark.parametrize("seed", range(40))
def test_least_squares_without_negative_components_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 30)), int(rng.integers(1, 8))
    matrix = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 7)
    if seed % 2:
        matrix = np.abs(matrix)
    values = rng.normal(size=rows) * 10.0 ** rng.integers(0, 10)
    wanted, residual = scipy.optimize.nnls(matrix, values)
    found = nnls(matrix, values)
    assert (found >= 0).all()
    assert np.linalg.norm(matrix @ found - values) == pytest.approx(
        residual, rel=1e-6, abs=1e-9 * np.abs(values).max()
    )
    if rows >= columns:
        assert found == pytest.approx(wanted, rel=1e-5, abs=1e-6 * max(wanted.max(), 1e-300))


def test_nothing_and_zeros_have_a_solution() -> None:
    assert nnls(np.zeros((3, 0)), np.ones(3)).shape == (0,)
    assert nnls(np.zeros((3, 2)), np.ones(3)).tolist() == [0, 0]
    assert nnls(np.array([[1.0], [1.0]]), np.array([-3.0, -3.0])).tolist() == [0]


LINKS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
"""A host of the first job, one of the second, and a link on which both are: twice and once what the host sends."""
HOSTS = np.array([True, True, False])


def test_shares_follow_from_what_each_job_sends_and_puts_there() -> None:
    # 10 and 20 are sent: 20 and 20 on the third link.
    first, second = shares(LINKS, np.array([10.0, 20.0, 40.0]), 2, HOSTS)
    assert {first.jobs, second.jobs} == {(0,), (1,)}
    assert [first.share, second.share] == pytest.approx([0.5, 0.5])
    # 60 more are of traffic that is not known; what hosts send is not misled by it.
    shown = {one.jobs: one.share for one in shares(LINKS, np.array([10.0, 20.0, 100.0]), 2, HOSTS)}
    assert shown == {(0,): pytest.approx(0.2), (1,): pytest.approx(0.2)}


def test_shares_that_are_uncertain_add_up_to_the_link_and_never_to_more() -> None:
    # Each job has two hosts that send 8 and 12, so that 20 and 20 are as likely as others nearby; the link carried 36.
    loads = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [2.0, 2.0]])
    hosts = np.array([True, True, True, True, False])
    [both] = shares(loads, np.array([8.0, 12.0, 8.0, 12.0, 36.0]), 4, hosts)
    assert both.jobs == (0, 1)
    assert both.share == pytest.approx(1.0)
    # What is far more than they can have sent is other traffic.
    assert sum(
        one.share for one in shares(loads, np.array([8.0, 12.0, 8.0, 12.0, 400.0]), 4, hosts)
    ) == pytest.approx(0.1)


def test_jobs_with_the_same_loads_are_one_and_a_link_without_a_rate_has_no_shares() -> None:
    alike = np.array([[1.0, 2.0], [2.0, 4.0]])
    [both] = shares(alike, np.array([3.0, 6.0]), 1, np.array([False, False]))
    assert both.jobs == (0, 1)
    assert both.share == pytest.approx(1.0)
    # Of the second job only the link in question was measured: any part of it could be the second's.
    partly = shares(LINKS[[0, 2]] * [[1, 0], [1, 1]], np.array([np.nan, 40.0]), 1, np.array([True, False]))
    assert [one.jobs for one in partly] == [(0, 1)]
    assert shares(LINKS, np.array([10.0, 20.0, np.nan]), 2, HOSTS) == ()
    assert shares(LINKS, np.zeros(3), 2, HOSTS) == ()


@pytest.mark.parametrize(
    ("within", "number", "between"),
    [
        (0.0, True, (0.3, 0.3)),
        (0.1, True, (0.2, 0.4)),
        (0.2, False, (0.1, 0.5)),
        (0.9, False, (0, 1)),
        (None, False, (0, 1)),
    ],
)
def test_a_share_that_is_known_badly_lies_between_two_numbers(
    within: float | None, number: bool, between: tuple[float, float]
) -> None:
    assert is_number(within) is number
    assert bounds(0.3, within) == pytest.approx(between)


def test_an_interval_has_the_share_in_all_but_one_of_a_hundred_jobs_whose_flows_differ() -> None:
    # A job of 12 hosts, whose 6 flows on the link in question each send their own: normal, a tenth of their average. What a host
    # sends is that of 12 flows. Another job, which sends as much, has half of the link.
    rng = np.random.default_rng(7)
    hosts, flows = 12, 6
    rows = 2 * hosts
    loads = np.zeros((rows + 1, 2))
    loads[:hosts, 0] = loads[hosts:rows, 1] = hosts
    loads[rows] = flows
    trusted = np.arange(rows + 1) < rows
    missed = 0
    for _ in range(1000):
        sent = rng.normal(1, 0.1, (rows, hosts)).sum(axis=1)
        mine, theirs = (rng.normal(1, 0.1, flows).sum() for _ in range(2))
        found = shares(loads, np.append(sent, mine + theirs), rows, trusted)
        share = {one.jobs: one for one in found}[0,]
        missed += abs(share.share - mine / (mine + theirs)) > share.within
    assert missed <= 10
