"""The verdict on credit loops, against that of ``ibdmchk`` on the same tables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lacis import _core

from . import ibdmchk, opensm
from .fabrics import FABRICS

pytestmark = pytest.mark.oracle

LOOPS = {
    "ring-8": "minhop",
    "torus-4x4": "minhop",
    "torus-3x3x3": "minhop",
    "torus-4x4x2-parallel": "minhop",
    "torus:5x4": "minhop",
    "random-2": "minhop",
    "random-4": "minhop",
    "random-5": "minhop",
    "random-6": "minhop",
    "dragonfly:2,4,2": "minhop",
    "random:16,4,2": "minhop",
    "hypercube:4": "minhop",
}
"""Tables that have credit loops, by fabric: the engine that makes them."""

FREE = {
    "two-tier-24": "minhop",
    "three-cables-each": "ftree",
    "missing-cable": "minhop",
    "uneven-leaves": "updn",
    "hosts-on-spines": "minhop",
    "three-tier-18": "ftree",
    "three-tier-parallel": "updn",
    "damaged-three-tier-a": "updn",
    "two-directors": "updn",
    "chain-5": "minhop",
    "dual-port-two-leaves": "minhop",
    "fat-tree:4,4": "ftree",
    "pgft:3;4,3,3;1,2,2;1,2,2": "updn",
}
"""Tables that have none."""


@pytest.fixture(autouse=True, scope="module")
def ibdmchk_installed() -> None:
    """Skips where it is not installed; in CI that is a failure."""
    if ibdmchk.missing():
        reason = f"no ibdmchk: install the Debian package {ibdmchk.PACKAGE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.parametrize(("name", "engine"), [*LOOPS.items(), *FREE.items()])
def test_credit_loops_on_one_lane_are_those_that_ibdmchk_finds(
    tmp_path: Path, name: str, engine: str
) -> None:
    net = FABRICS[name]().text
    with opensm.subnet(net, tmp_path) as env:
        opensm.sweep(tmp_path, env, engine)
    theirs = opensm.outcome(tmp_path)
    assert theirs.engine == engine
    routes = _core.route(_core.read_fabric(net.encode()), engine, vls=8)
    # Other tests compare the tables entry by entry.
    assert routes.table().shape[1] == theirs.max_lid + 1
    ours = bool(_core.verify(routes, "hosts").credit_loops)
    assert ibdmchk.has_credit_loop(tmp_path) == ours == (name in LOOPS)
