"""A watch of the real OpenSM: its log and its dump of tables, while a cable fails and returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis as api
import pytest
from lacis import watch
from lacis.fabric.ports import ports_of
from lacis.facts.watch import ManagerFellBack, TablesChanged

from . import opensm
from .daemon import daemon

if TYPE_CHECKING:
    from lacis.watch import Event

LEAF = "S-0002c90200400000"
"""leaf-01 of fat-tree:4,2, whose port 3 leads to a spine."""


@pytest.mark.slow
def test_a_fallback_and_its_tables_open_conditions_that_close_when_the_cable_is_back() -> None:
    fabric = api.read("fat-tree:4,2")
    with daemon(opensm.as_simulated(fabric.to_net()), "ftree") as manager:
        assert manager.first().engine == "ftree"
        log, dump = (str(manager.workdir / name) for name in ("osm.log", "opensm-lfts.dump"))
        looking = watch.Watch(
            ports_of(fabric), log=watch.ManagerLog(log), tables=watch.WatchedTables(dump, fabric)
        )

        def said() -> list[Event]:
            # Files count once they are at rest, which the second look finds.
            return [*looking.step(), *looking.step()]

        assert said() == []
        manager.unlink(LEAF, 3)
        assert manager.sweep().engine == "minhop"
        by_kind = {type(event.condition): event for event in said()}
        assert set(by_kind) == {ManagerFellBack, TablesChanged}
        assert by_kind[ManagerFellBack].condition == ManagerFellBack(log, ("ftree",), "minhop")
        assert all(event.opened for event in by_kind.values())
        manager.sweep()
        assert said() == []
        manager.relink(LEAF, 3)
        assert manager.sweep().engine == "ftree"
        assert {(type(event.condition), event.opened) for event in said()} == {
            (ManagerFellBack, False),
            (TablesChanged, False),
        }
