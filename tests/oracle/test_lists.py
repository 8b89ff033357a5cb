"""Lists of engines: the counts that a failed engine leaves for the next, against the real OpenSM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core

from .compare import Run, differences
from .fabrics import FABRICS
from .scores import Count

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle

TOO_FEW_LANES = ("torus:8x8", "random:100,3,1")
"""Fabrics on which dfsssp fails, having counted paths."""

LISTS = (
    *("dfsssp,minhop", "dfsssp,updn", "dfsssp,dnup", "dfsssp,dor", "dfsssp,ftree,minhop", "dfsssp,lash"),
    *("dfsssp,sssp", "dfsssp,dfsssp", "updn,dfsssp,dor", "ftree,dfsssp,updn,minhop"),
)


def ask(name: str, engines: str, options: RouteOptions | None = None) -> _core.Routes:
    """Compares LIDs, tables and refusals; returns Lacis' routes."""
    subject = FABRICS[name]()
    run = Run(engines, subject.idents[0], options or {})
    assert not differences(subject.text, run, Count())
    return run.lacis(_core.read_fabric(subject.text.encode()))


@pytest.mark.parametrize("engines", LISTS)
@pytest.mark.parametrize("name", TOO_FEW_LANES)
def test_the_next_engine_goes_on_with_the_counts_of_a_failed_dfsssp(name: str, engines: str) -> None:
    routes = ask(name, engines)
    assert "dfsssp" in [one.engine for one in routes.refusals]


@pytest.mark.parametrize(
    "options",
    [{"lmc": 1}, {"port_shifting": True}, {"scatter": 7}, {"count_switches": True}],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize("name", TOO_FEW_LANES)
def test_the_counts_go_on_whatever_the_options(name: str, options: RouteOptions) -> None:
    ask(name, "dfsssp,minhop", options)


@pytest.mark.parametrize("name", TOO_FEW_LANES)
def test_ignored_ports_are_not_counted_by_a_failed_dfsssp_either(name: str) -> None:
    guids = FABRICS[name]().switch_guids
    ask(name, "dfsssp,minhop", {"ignore": [(guid, port) for guid in guids for port in (1, 3)]})


@pytest.mark.parametrize("name", TOO_FEW_LANES)
def test_the_counts_matter(name: str) -> None:
    fabric = _core.read_fabric(FABRICS[name]().text.encode())
    after, alone = (_core.route(fabric, engines).table() for engines in ("dfsssp,minhop", "minhop"))
    assert (after != alone).any()


@pytest.mark.parametrize(
    "engines", ["ftree,updn", "updn,ftree", "lash,updn,dor", "updn,lash", "ftree,dnup,minhop"]
)
@pytest.mark.parametrize("name", ["ring-8", "random-4", "missing-cable", "torus-3x3x3"])
def test_other_engines_leave_nothing_behind(name: str, engines: str) -> None:
    ask(name, engines)
