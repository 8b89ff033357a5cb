"""`lacis diff` on tables of the real OpenSM: they equal their engine's, and `--which-engine` finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from lacis import _core, difference, read, read_tables, route

from . import opensm
from .compare import Run

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle


def _net(spec: str, without: list[str]) -> str:
    return opensm.as_simulated(read(spec).without(without).shuffle_guids(3).to_net())


TREE = ("fat-tree:8,2", ["random-cables=3,seed=4"])
"""A lopsided tree: its engines make tables that differ."""
WHOLE = ("fat-tree:8,2", ["random-hosts=5,seed=1"])
"""One that ftree routes: only hosts are missing."""


def _top(fabric: _core.Fabric) -> list[int]:
    levels = fabric.levels()
    assert levels is not None
    return [int(guid) for guid, level in zip(fabric.guids(), levels[0], strict=False) if level == 1]


@pytest.mark.parametrize(
    ("engine", "settings", "said"),
    [
        ("minhop", {}, ()),
        ("minhop", {"scatter": 3}, ("--scatter-ports 3",)),
        ("minhop", {"port_shifting": True}, ("--port-shifting",)),
        (
            "updn",
            {"connect_roots": True, "roots": [], "scatter": 7},
            ("-a", "--connect-roots", "--scatter-ports 7"),
        ),
        ("dnup", {"lmc": 1}, ()),
        ("ftree", {}, ()),
        ("sssp", {}, ()),
    ],
)
def test_tables_of_the_real_opensm_lead_back_to_its_engine_and_options(
    tmp_path: Path, engine: str, settings: RouteOptions, said: tuple[str, ...]
) -> None:
    net = _net(*(WHOLE if engine == "ftree" else TREE))
    fabric = _core.read_fabric(net.encode())
    options: RouteOptions = {**settings}
    if "roots" in options:
        options["roots"] = _top(fabric)
    ident = next(line.split('"')[1] for line in net.splitlines() if line.startswith("Ca"))
    theirs = Run(engine, ident, options).opensm(net)
    assert theirs.engine.startswith(engine)
    dump = tmp_path / "opensm-lfts.dump"
    dump.write_text(theirs.dump)
    found, _ = read_tables(fabric, dump)

    given_lids = cast("RouteOptions", {**difference.lids_of(found), **options})
    ours = route(fabric, engine, **given_lids)
    assert difference.tables(ours, found).differing == 0

    ranking = difference.which_engine(found, seconds=60)
    best = ranking.candidates[0]
    assert best.equal == best.compared > 0
    exact = {(c.engine, c.options) for c in ranking.candidates if c.equal == c.compared}
    assert any(e == engine and all(any(w in o for o in options) for w in said) for e, options in exact), exact
