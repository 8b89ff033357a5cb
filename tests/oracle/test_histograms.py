"""Hops of all pairs, and destinations of each port between switches, against the histograms of ``ibdmchk``."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric import read
from lacis.routing.making import route

from tests.conftest import shared_data

from . import ibdmchk

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Routes


@pytest.fixture(autouse=True, scope="module")
def ibdmchk_installed() -> None:
    """Skips where ibdmchk is not installed; in CI that is a failure."""
    if ibdmchk.missing():
        reason = f"no ibdmchk: install the Debian package {ibdmchk.PACKAGE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def dumped(routes: Routes, folder: Path) -> None:
    """Tables as OpenSM's list of routes."""
    guids, table = routes.fabric.guids(), routes.table()
    blocks = []
    for switch, row in enumerate(table.tolist()):
        lines = [f"osm_ucast_mgr_dump_ucast_routes: Switch {int(guids[switch]):#018x}"]
        lines.append("LID    : Port : Hops : Optimal")
        for lid, port in enumerate(row[1:], start=1):
            lines.append(
                f"0x{lid:04X} : UNREACHABLE" if port == 255 else f"0x{lid:04X} : {port:03d}  : 00   : yes"
            )
        blocks.append("\n".join([*lines, "", ""]))
    (folder / "opensm.fdbs").write_text("".join(blocks))
    (folder / "opensm.mcfdbs").write_text("")


def destinations(routes: Routes) -> Counter[int]:
    """How many ports between switches send to how many LIDs of adapters, when each adapter sends to each other."""
    fabric = routes.fabric
    lids, guids = routes.lids()
    adapters = {int(guid) for guid in fabric.guids()[fabric.num_switches :]}
    edge, table = routes.edge_switches(), routes.table()
    far = {}
    for a, p, b, q in fabric.cables().reshape(-1, 4).tolist():
        far[a, p], far[b, q] = b, a
    ends = [int(lid) for lid, guid in zip(lids, guids, strict=True) if int(guid) - 1 in adapters]
    through: dict[tuple[int, int], set[int]] = {}
    for source in ends:
        for lid in ends:
            switch = int(edge[source])
            while source != lid and switch != edge[lid]:
                port = int(table[switch, lid])
                through.setdefault((switch, port), set()).add(lid)
                switch = far[switch, port]
    return Counter(len(lids) for lids in through.values())


@pytest.mark.parametrize("engine", ["minhop", "dfsssp", "numbered"])
def test_hops_and_destinations_of_ports_are_those_of_ibdmchk(engine: str, tmp_path: Path) -> None:
    """On OpenSM's own list of a cube of 8 switches with 4 adapters each, two cables between any two."""
    data = shared_data()
    listed = data / "cases" / "fabrics" / "opensm-subnet.lst" if data else None
    if listed is None or not listed.is_file():
        pytest.skip("no shared/data/cases/fabrics/opensm-subnet.lst at or above the checkout")
    shutil.copy(listed, tmp_path)
    routes = route(read(listed), engine, fallback=False)
    dumped(routes, tmp_path)
    # It counts cables, and Lacis switches.
    hops = {switches + 1: pairs for switches, pairs in _core.verify(routes, "hosts").hops.items()}
    assert hops == ibdmchk.histogram(tmp_path, "CA to CA : LFT ROUTE HOP HISTOGRAM")
    if engine == "minhop":
        assert hops == {2: 32 * 3, 3: 32 * 3 * 4, 4: 32 * 3 * 4, 5: 32 * 4}
    assert destinations(routes) == ibdmchk.histogram(
        tmp_path, "LFT CA to CA : SWITCH OUT PORT - NUM DLIDS HISTOGRAM"
    )
