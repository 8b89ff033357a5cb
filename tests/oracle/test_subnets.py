"""Planes have an OpenSM each; Lacis routes them together, with the same tables."""

from __future__ import annotations

import re

import lacis
import pytest
from lacis import _core

from . import opensm
from .scores import ENGINES, Count, Scores

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spec", ["fat-tree:8,2:rails=2", "fat-tree:4,3:rails=2", "article:rails=3"])
def test_each_rail_is_routed_as_its_own_opensm_would(spec: str, engine: str, scores: Scores) -> None:
    net = opensm.as_simulated(lacis.read(spec).shuffle_guids(5).to_net())
    fabric = _core.read_fabric(net.encode())
    routes = _core.route(fabric, engine)
    # LIDs are unique over all planes in Lacis, and within one in OpenSM, so they are matched by port GUID.
    column = dict(zip(routes.lids()[1].tolist(), routes.lids()[0].tolist(), strict=True))
    rows = dict(zip(fabric.guids().tolist(), routes.table(), strict=False))
    switches = re.findall(r'^Switch\s+\d+\s+"(S-[0-9a-f]+)"', net, re.M)
    cached = routes.to_guid2lid().split("\n\n")
    seen: set[int] = set()
    missing = 0
    for manager in switches:
        if int(manager[2:], 16) in seen:
            continue
        theirs = opensm.run(net, engine, sm=manager)
        if engine == "nue":  # its tables depend on LIDs, which each plane's OpenSM assigns separately
            own = [line for line in cached if line and int(line.split()[0], 16) in theirs.lids]
            theirs = opensm.run(net, engine, sm=manager, guid2lid="\n\n".join(own) + "\n\n")
        assert theirs.engine == routes.engine_used
        seen |= theirs.tables.keys()
        same = 0
        for switch, table in theirs.tables.items():
            expected = [table.get(lids[0], 255) for lids in theirs.lids.values()]
            same += sum(rows[switch][[column[guid] for guid in theirs.lids]] == expected)
            missing += expected.count(255)
        entries = len(theirs.tables) * len(theirs.lids)
        scores.add(spec, engine, Count(runs=1, entries=entries, equal=same))
        assert same == entries
    assert len(seen) == len(switches)
    assert sum(routes.unrouted()) == missing
