"""Lanes: OpenSM's tables from service levels to lanes, and credit loops lane by lane as ``ibdmchk`` finds them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from lacis import _core

from . import ibdmchk, opensm
from .fabrics import FABRICS
from .nets import grid

pytestmark = pytest.mark.oracle


def manager(net: str) -> str:
    """An adapter to run the subnet manager on."""
    found = re.search(r'^Ca\s+\d+\s+"([^"]+)"(?=[^\n]*\n\[1\])', net, re.M)
    assert found
    return found[1]


@pytest.mark.parametrize("engine", ["minhop", "lash", "dfsssp"])
@pytest.mark.parametrize(
    "name",
    ["ring-8", "many-ports-nodes-first", "three-tier-shuffled-ports", "dual-port-one-open", "one-switch"],
)
def test_lanes_by_service_level_are_opensms(name: str, engine: str) -> None:
    check_lanes(FABRICS[name]().text, engine)


@pytest.mark.parametrize("engine", ["minhop", "lash", "dfsssp"])
@pytest.mark.parametrize("seed", range(3))
def test_switches_and_adapters_are_in_one_order_by_their_guids(seed: int, engine: str) -> None:
    net = grid([3, 3], 2, wrap=True, seed=seed)
    net.mixed_guids()
    check_lanes(net.text(), engine)


def check_lanes(net: str, engine: str) -> None:
    """Compares the dumps of lanes."""
    theirs = opensm.run(net, engine, ["-Q"], sm=manager(net))
    routes = _core.route(_core.read_fabric(net.encode()), engine, sm=manager(net))
    pieces: list[bytes] = []
    routes.dump_sl2vl(pieces.append)
    assert b"".join(pieces).decode() == theirs.dumps["opensm-sl2vl.dump"]


def levels(net: str, routes: _core.Routes, fixed: int | None = None) -> str:
    """The service level of every path between adapters, as ``ibdmchk`` reads them."""
    table = routes.service_levels()
    number = {
        guid: row for row, guid in enumerate(routes.fabric.guids()[: routes.fabric.num_switches].tolist())
    }
    ends: dict[int, int] = {}
    for block in re.split(r"\n(?=switchguid=)", net):
        if m := re.search(r"^switchguid=0x([0-9a-f]+)", block, re.M):
            found = re.findall(r'^\[\d+\]\s*"H-[^"]*"\[\d+\]\(([0-9a-f]+)\)', block, re.M)
            ends |= dict.fromkeys((int(guid, 16) for guid in found), number[int(m[1], 16)])
    lids = {guid: lid for lid, guid in zip(*(c.tolist() for c in routes.lids()), strict=True)}
    lines = []
    for source, edge_switch in ends.items():
        for target in ends:
            if target != source:
                sl = (
                    int(table[edge_switch, lids[target]])
                    if fixed is None and table is not None
                    else fixed or 0
                )
                # `ibdmchk` wants the GUID of the node; ibsim's ports have that plus their number.
                lines.append(f"0x{source - 1:016x} {lids[target]} {sl}\n")
    return "".join(lines)


CASES = {
    "ring-8": ("dfsssp", "lash"),
    "ring-5": ("dfsssp", "lash"),
    "torus-4x4": ("dfsssp", "lash"),
    "torus-3x3x3": ("dfsssp", "lash"),
    "mesh-4x4": ("dfsssp", "lash"),
    "random-2": ("dfsssp", "lash"),
    "random-5": ("dfsssp", "lash"),
    "hypercube:4": ("dfsssp", "lash"),
    "dragonfly:2,4,2": ("dfsssp", "lash"),
}


@pytest.fixture
def with_ibdmchk() -> None:
    """Skips where it is not installed; in CI that is a failure."""
    if ibdmchk.missing():
        reason = f"no ibdmchk: install the Debian package {ibdmchk.PACKAGE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.usefixtures("with_ibdmchk")
@pytest.mark.parametrize(("name", "engine"), [(n, e) for n, engines in CASES.items() for e in engines])
def test_lanes_break_every_credit_loop_for_ibdmchk_too(tmp_path: Path, name: str, engine: str) -> None:
    net = FABRICS[name]().text
    with opensm.subnet(net, tmp_path) as env:
        env["SIM_HOST"] = manager(net)
        opensm.sweep(tmp_path, env, engine)
    theirs = opensm.outcome(tmp_path)
    assert theirs.engine == engine
    fabric = _core.read_fabric(net.encode())
    routes = _core.route(fabric, engine, sm=manager(net))
    assert routes.table().shape[1] == theirs.max_lid + 1
    assert not _core.verify(routes, "hosts").credit_loops
    assert not ibdmchk.has_credit_loop(tmp_path, levels(net, routes))
    # The same paths, all on one lane, have loops.
    written = tmp_path / "one-lane"
    pieces: list[bytes] = []
    routes.dump(pieces.append)
    written.write_bytes(b"".join(pieces))
    one_lane, _ = _core.read_lfts(fabric, written.read_bytes())
    ours = bool(_core.verify(one_lane, "hosts").credit_loops)
    assert ibdmchk.has_credit_loop(tmp_path, levels(net, routes, fixed=0)) == ours
    lanes, _ = routes.lane_census() or (1, [])
    assert ours or lanes == 1 or engine == "dfsssp"
