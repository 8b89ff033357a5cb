"""The map of `lacis serve` by racks, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.serve.session import Session

from tests.map_pages import click_at, in_racks, painted, shown
from tests.served import served, session_of

if TYPE_CHECKING:
    from tests.browser import Browser

pytestmark = pytest.mark.slow


def test_the_map_is_arranged_by_racks(browser: Browser) -> None:
    # 14 nodes in 3 racks: rack 1 has nodes 0, 3, 6, 9, 12, of which the first two are switches.
    fabric = in_racks("fat-tree:4,2", 3)
    with served(Session(fabric, ports_of(fabric), "racks", None, _core.route(fabric, "minhop"))) as running:
        shown(browser, running, "measure=modelled")
        before = browser.run("return [...lacisMap.fabric.x]")
        browser.choose("by", "racks")
        browser.wait("location.hash.includes('by=racks')")
        # 14 nodes, 16 cables, 3 blocks.
        assert painted(browser)["marks"] == 33
        assert browser.run("return [...lacisMap.fabric.x]") != before
        assert browser.run("return lacisMap.fabric.group_names") == ["R1", "R2", "R3"]
        # A click into a block, below its nodes, shows what is in it; the address leads there again.
        click_at(browser, "((c) => map.pixel(c[0] + 1, c[3] - .3))(map.fabric.corners)")
        browser.wait("!document.getElementById('panel').hidden")
        assert browser.texts("#panel h2") == ["R1: 2 switches, 3 hosts"]
        assert len(browser.texts("#panel tr")) == 5
        shown(browser, running, browser.run("return location.hash").removeprefix("#"))
        assert browser.texts("#panel h2") == ["R1: 2 switches, 3 hosts"]
        assert painted(browser)["marks"] == 33
        assert browser.violations() == []
        assert browser.errors() == []


def test_names_without_racks_are_said_to_have_none(browser: Browser) -> None:
    with served(session_of(_core.generate_fabric("fat-tree:4,2"))) as server:
        shown(browser, server, "by=racks")
        assert browser.texts("#by option")[1] == "racks (names give none)"
        assert browser.texts("#arranged") == ["Names give no racks: arranged by cables."]
        assert painted(browser)["marks"] == 30
        browser.choose("by", "")
        assert browser.texts("#arranged") == [""]


def test_many_racks_are_drawn_in_few_marks(browser: Browser) -> None:
    fabric = in_racks("fat-tree:16,3", 90)  # 1,024 hosts, 320 switches
    with served(Session(fabric, ports_of(fabric), "racks", None, None)) as running:
        shown(browser, running, "by=racks")
        seen = browser.run(
            """const map = lacisMap, seen = [];
            for (let n = 0; n < 60; n++) { n % 3 ? map.move(25, -10) : map.zoom(n < 30 ? 1.3 : 0.8); map.paint(); seen.push([map.marks, map.level.title]); }
            return seen"""
        )
        assert max(marks for marks, _ in seen) <= 2000
        assert seen[0][1] == "racks"
        browser.run("lacisMap.reveal(0); lacisMap.zoom(3); lacisMap.paint()")
        assert painted(browser)["title"] == "nodes"
        assert browser.errors() == []
