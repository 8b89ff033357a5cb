"""numbered's promises on every fabric that is compared with OpenSM, by the verification, which knows no engine."""

from __future__ import annotations

import pytest
from lacis import _core

from ..oracle.fabrics import FABRICS


@pytest.mark.slow
@pytest.mark.parametrize("name", FABRICS)
def test_numbered_reaches_every_pair_without_credit_loops_on_any_number_of_lanes(name: str) -> None:
    fabric = _core.read_fabric(FABRICS[name]().text.encode())
    for lanes in (1, 2, 4, 8):
        found = _core.verify(_core.route(fabric, "numbered", nue_vls=lanes, fallback=False), "hosts")
        assert found.good, lanes
        assert not found.credit_loops, lanes
        assert found.lanes <= lanes


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["torus:4x4x4", "torus:5x4", "random:40,4,2", "dragonfly:2,4,2", "mesh:5x5"])
def test_more_lanes_are_never_worse_than_one(spec: str) -> None:
    # Worse is a busier link, or longer ways: a hundredth of these for six hundredths of that.
    def badness(lanes: int) -> float:
        routes = _core.route(_core.generate_fabric(spec), "numbered", nue_vls=lanes)
        most, mean, *_ = _core.verify(routes, "hosts").balance
        return float(most * mean**6)

    one = badness(1)
    assert all(badness(lanes) <= one * (1 + 1e-9) for lanes in (2, 4, 8))
