"""nue's promises on every fabric that is compared with OpenSM, by the verification, which knows no engine."""

from __future__ import annotations

import pytest
from lacis import _core

from ..oracle.fabrics import FABRICS


@pytest.mark.parametrize("name", FABRICS)
def test_nue_reaches_every_pair_without_credit_loops_on_any_number_of_lanes(name: str) -> None:
    fabric = _core.read_fabric(FABRICS[name]().text.encode())
    for lanes in (1, 2, 4, 8):
        found = _core.verify(_core.route(fabric, "nue", nue_vls=lanes, fallback=False), "hosts")
        assert found.good, lanes
        assert not found.credit_loops, lanes
        assert found.lanes <= lanes
