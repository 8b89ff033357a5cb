"""How evenly numbered spreads the load, against the tables of the real OpenSM's nue."""

from __future__ import annotations

from pathlib import Path

import pytest
from lacis import _core

from . import opensm
from .fabrics import FABRICS, Subject, dgx_subject, spec

pytestmark = pytest.mark.oracle

ONE_LANE = (
    *("ring:16", "mesh:5x5", "torus:5x4", "torus:4x4x4", "torus:8x8x8", "hypercube:5", "dragonfly:2,4,2"),
    *("random:60,4,2", "itasca:67", "fat-tree:36,2", "fat-tree:8,3", "fat-tree:4,4"),
)
SEVERAL_LANES = (
    "torus:4x4x4",
    "torus:5x4",
    "hypercube:5",
    "dragonfly:2,4,2",
    "random:60,4,2",
    "fat-tree:8,3",
)


Balance = tuple[int, float]
"""Packets of all-to-all traffic on the busiest link between switches, and on all of them in the mean."""


def balances(subject: Subject, lanes: int) -> tuple[Balance, Balance]:
    """Ours and OpenSM's, with as many lanes; OpenSM's mean is higher where its paths are longer."""
    fabric = _core.read_fabric(subject.text.encode())
    # Without QoS OpenSM stays on one lane.
    conf = f"nue_max_num_vls {lanes}\n" + ("qos TRUE\n" if lanes > 1 else "")
    outcome = opensm.run(
        subject.text, "nue", ["-F", "@opensm.conf"], sm=subject.idents[0], files={"opensm.conf": conf}
    )
    assert outcome.engine == "nue"
    theirs = _core.verify(_core.read_lfts(fabric, outcome.dump.encode())[0], "hosts")
    ours = _core.verify(_core.route(fabric, "numbered", sm=subject.idents[0], nue_vls=lanes), "hosts")
    assert ours.good
    assert not ours.credit_loops
    assert ours.lanes <= lanes
    return ours.balance[:2], theirs.balance[:2]


def compare(subject: Subject, lanes: int) -> None:
    """The busiest link carries no more, also when divided by the mean."""
    (most, mean), (their_most, their_mean) = balances(subject, lanes)
    assert most <= their_most
    assert most / mean <= their_most / their_mean


@pytest.mark.parametrize("name", ONE_LANE)
def test_one_lane_is_no_less_even_than_opensms(name: str) -> None:
    compare(spec(name, 5), lanes=1)


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("name", SEVERAL_LANES)
def test_several_lanes_are_no_less_even_than_opensms(name: str, lanes: int) -> None:
    compare(spec(name, 5), lanes)


def test_a_real_cluster_is_routed_no_less_evenly(dgx: Path) -> None:
    compare(dgx_subject(dgx, keep_lids=False), lanes=1)


@pytest.mark.parametrize(
    "name", ["damaged-three-tier-a", "two-directors", "random-4", "random-6", "torus-3x3x3"]
)
def test_the_busiest_link_of_a_drawn_fabric_carries_no_more(name: str) -> None:
    # A bridge carries a fixed load, so fewer hops elsewhere would only lower the mean.
    (most, _), (their_most, _) = balances(FABRICS[name](), lanes=1)
    assert most <= their_most
