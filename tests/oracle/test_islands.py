"""Islands: an engine may refuse one and route another, and each starts its random choices from the seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core

from .compare import Run
from .nets import Net, grid, tree2, tree3

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle

LIDS_MATTER = ("nue",)
"""Engines whose tables depend on LIDs, which each island's OpenSM assigns separately."""


def _uneven() -> Net:
    # A leaf with one uplink less: ftree refuses it without roots.
    net = tree2(4, 3, 3, seed=401)
    net.cut("l1", "s2")
    return net


def _ring() -> Net:
    return grid((6,), 2, wrap=True, seed=402)


def _whole(seed: int = 403) -> Net:
    return tree2(4, 2, 3, seed=seed)


def _star() -> Net:
    return tree2(1, 0, 5, seed=404)


CASES: dict[str, tuple[str, RouteOptions, list[Net]]] = {
    "ftree-refuses-one": ("ftree", {}, [_whole(), _uneven()]),
    "ftree-refuses-the-first": ("ftree", {}, [_uneven(), _whole()]),
    "a-list-ends-elsewhere": ("ftree,updn", {}, [_whole(), _uneven(), _ring()]),
    "updn-finds-no-roots-in-one": ("updn", {}, [_whole(), _ring()]),
    "scattered-where-it-falls-back": ("ftree", {"scatter": 7}, [_whole(), _uneven(), _ring()]),
    "scattered-in-all": ("minhop", {"scatter": 3}, [_whole(), _whole(405), tree3(2, 2, 2, seed=406)]),
    "scattered-updn": ("updn", {"scatter": 11}, [_ring(), _whole(), _uneven()]),
    "a-switch-alone": ("ftree", {}, [_whole(), _star()]),
    "lash-lanes": ("lash", {}, [_ring(), _whole()]),
    "sssp": ("sssp", {}, [_ring(), _whole(), _star()]),
    "dfsssp": ("dfsssp", {}, [_uneven(), _ring()]),
    "nue": ("nue", {"nue_vls": 2}, [_ring(), _whole()]),
}


@pytest.mark.parametrize("name", CASES)
def test_each_island_is_routed_by_its_own_opensm(name: str) -> None:
    engines, settings, nets = CASES[name]
    text = "\n".join(net.text() for net in nets)
    fabric = _core.read_fabric(text.encode())
    rows = {guid: row for row, guid in enumerate(fabric.guids()[: fabric.num_switches].tolist())}
    for net in nets:
        manager = net.adapters()[0].ident
        options: RouteOptions = {**settings, "sm": manager}
        routes = _core.route(fabric, engines, **options)
        asked = settings.copy()
        if engines in LIDS_MATTER:
            known = {a: (int(a, 16), int(b, 16), int(c, 16)) for a, b, c in _lines(routes.to_guid2lid())}
            asked["guid2lid"] = [entry for entry in known.values() if entry[0] in net.port_guids()]
        theirs = Run(engines, manager, asked).opensm(text)
        # The engine of the manager's own island is named first.
        assert routes.engine_used.split(",")[0] == theirs.engine
        column = dict(zip(routes.lids()[1].tolist(), routes.lids()[0].tolist(), strict=True))
        assert len(theirs.tables) == len(net.switches())
        for switch, table in theirs.tables.items():
            ours = routes.table()[rows[switch]]
            for guid, lids in theirs.lids.items():
                assert ours[column[guid]] == table.get(lids[0], 255), (name, hex(switch), hex(guid))


def _lines(cache: str) -> list[tuple[str, str, str]]:
    return [tuple(line.split()) for line in cache.splitlines() if line]  # type: ignore[misc]


def test_where_one_island_refuses_and_none_may_fall_back_there_are_no_tables() -> None:
    text = "\n".join(net.text() for net in (_whole(), _uneven()))
    with pytest.raises(Exception, match=r"ftree refuses: .*\(in the subnet of switch \"l"):
        _core.route(_core.read_fabric(text.encode()), "ftree", fallback=False)
