"""The jobs behind a link: what each sends by the measured rates, and which cannot be separated; figures by hand."""

from __future__ import annotations

from dataclasses import replace

import lacis
import numpy as np
import pytest
from lacis.fabric.ports import ports_of
from lacis.live import Usage, usage
from lacis.live.jobs import JobsOnPorts

PORTS = ports_of(lacis.read("fat-tree:4,2"))


def sending(rates: list[float]) -> Usage:
    """What ports did: the first ones sent at these rates [bytes/s], of the others it is not known."""
    sent = np.full(len(PORTS), np.nan)
    sent[: len(rates)] = rates
    return replace(usage(PORTS, None), sent=sent)


def jobs(*loads: tuple[float, float]) -> JobsOnPorts:
    """Jobs one and two, by the flows that each puts on the first ports."""
    every = np.zeros((len(PORTS), 2))
    every[: len(loads)] = loads
    return JobsOnPorts(["one", "two"], every, np.zeros(len(PORTS), np.bool_))


def test_rates_are_those_of_links_that_are_known() -> None:
    # 3 flows at 2 GB/s, one at 5 GB/s, and both together; of the last link nothing is known.
    both = jobs((3, 0), (0, 1), (3, 1), (1, 1))
    now = sending([6e9, 5e9, 11e9])
    assert both.rates(now).tolist() == pytest.approx([2e9, 5e9])
    assert both.predicted(now)[:4].tolist() == pytest.approx([6e9, 5e9, 11e9, 7e9])


def test_jobs_that_are_on_the_same_links_name_each_other_and_have_no_share() -> None:
    alike = jobs((2, 4), (1, 2), (3, 6))
    found = alike.there(sending([10e9, 5e9, 15e9]), 0)
    # Job two has twice as many flows there, so that it comes first.
    assert [(one.name, one.flows, one.share, one.beside) for one in found] == [
        ("two", 4, None, ("one",)),
        ("one", 2, None, ("two",)),
    ]


def test_jobs_that_are_on_different_links_have_shares() -> None:
    apart = jobs((1, 1), (1, 0), (0, 1))
    # 3 and 1 GB/s on links of their own, 4 GB/s on the one that they share.
    found = apart.there(sending([4e9, 3e9, 1e9]), 0)
    assert [(one.name, one.beside) for one in found] == [("one", ()), ("two", ())]
    assert [one.share for one in found] == pytest.approx([0.75, 0.25])
