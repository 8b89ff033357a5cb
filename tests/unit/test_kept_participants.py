"""The hosts that take part are kept for the next tables of a fabric: whatever was asked for before, nothing else comes out."""

from __future__ import annotations

import lacis
from lacis import _core


def _fabric() -> lacis.Fabric:
    """Two equal trees, which lack some cables: hosts of two rails."""
    return lacis.read("fat-tree:4,3:rails=2").edit(["random-cables=10%,seed=3"])


def test_what_was_asked_for_before_changes_no_choice() -> None:
    """Each choice twice in two sequences, so that some are kept and some no longer; fabrics of their own have nothing kept."""
    kept = _fabric()
    guids = kept.guids().tolist()
    tables = [
        ("minhop", {}),
        ("minhop", {"sm": f"0x{guids[kept.num_switches + 5]:016x}"}),
        ("eventree", {"roots": guids[:1]}),
        ("eventree", {"roots": guids[4:5]}),
    ]
    # The tables change soonest, while a choice for those before is still kept.
    choices = [
        (table, order, rail)
        for order in ("topology", "eventree", "lid")
        for rail in ("all", "2", "each")
        for table in range(len(tables))
    ]
    fresh = {}
    for choice in choices:
        table, order, rail = choice
        engine, options = tables[table]
        routes = _core.route(_fabric(), engine, **options)
        fresh[choice] = _core.participants(routes, order=order, rail=rail).guids().tolist()
    # LIDs, as another manager gives them, and roots make a difference.
    assert fresh[0, "lid", "all"] != fresh[1, "lid", "all"]
    assert fresh[2, "eventree", "all"] != fresh[3, "eventree", "all"]
    made = [_core.route(kept, engine, **options) for engine, options in tables]
    for table, order, rail in [*choices, *reversed(choices)]:
        for _ in range(2):
            found = _core.participants(made[table], order=order, rail=rail)
            assert found.guids().tolist() == fresh[table, order, rail], (table, order, rail)


def test_hosts_that_a_list_names_are_not_those_of_another_list() -> None:
    fabric = lacis.read("fat-tree:4,2")
    routes = _core.route(fabric, "minhop")
    names = _core.participants(routes).hosts
    assert len(names) > 2
    for name in [None, names[0], names[1], None]:
        only = [] if name is None else [(1, name)]
        assert _core.participants(routes, only=only).hosts == (names if name is None else [name])
