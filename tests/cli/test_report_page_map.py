"""The map on the report's page in a real browser: the one of `lacis serve`, by racks too, printed, and without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.report import collect
from lacis.report.page import render
from lacis.serve.session import Session

from tests.map_pages import click_at, click_box, in_racks, painted, shown
from tests.report_pages import Reports
from tests.served import served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def racks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 14 nodes in 3 racks: rack 1 has nodes 0, 3, 6, 9 and 12, of which the first two are switches."""
    page: Path = tmp_path_factory.mktemp("racks") / "racks.html"
    page.write_text(render(collect.collect(in_racks("fat-tree:4,2", 3), "racks", lambda _: None)), "utf-8")
    return page


# Of one size, in the colours' names: what is drawn, whatever the page.
SAME_SIZE = """
const map = lacisMap;
Object.assign(map.canvas.style, { width: "1000px", height: "600px", minWidth: "0", maxWidth: "none", flex: "none", aspectRatio: "auto" });
Object.assign(map, { measure: null });
map.resize();
map.whole();
return map.svg("", true);
"""


@pytest.mark.parametrize("by", ["", "racks"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_pages_draw_the_same(browser: Browser, racks: Path, by: str, scheme: str) -> None:
    browser.open(racks, scheme=scheme)
    if by:
        browser.choose("by", "racks")
    drawn = browser.run(SAME_SIZE)
    colours = browser.run("return lacisMap.colours")
    fabric = in_racks("fat-tree:4,2", 3)
    with served(Session(fabric, ports_of(fabric), "racks", None, None)) as running:
        shown(browser, running, f"by={by}", scheme=scheme)
        assert browser.run(SAME_SIZE) == drawn
        assert browser.run("return lacisMap.colours") == colours
    # 14 nodes and 16 cables, with the names of what there is.
    assert drawn.count("<rect") >= 14
    assert (">R1: 2 switches, 3 hosts<" in drawn) == bool(by)
    assert all(colours.values())


def test_the_map_is_arranged_by_racks(browser: Browser, racks: Path) -> None:
    browser.open(racks)
    assert browser.run("return document.getElementById('by').checkVisibility()")
    browser.choose("by", "racks")
    assert painted(browser)["marks"] == 33
    assert browser.run("return lacisMap.fabric.group_names") == ["R1", "R2", "R3"]
    click_at(browser, "((c) => map.pixel(c[0] + 1, c[3] - .3))(map.fabric.corners)")
    assert browser.texts("#panel h3") == ["R1: 2 switches, 3 hosts"]
    assert len(browser.texts("#panel li")) == 2
    browser.click("#panel li button")
    assert browser.texts("#panel h3") == ["r1-leaf-01"]
    # Back by cables, the switch stays chosen.
    browser.choose("by", "")
    assert painted(browser)["marks"] == 30
    assert browser.run("return lacisMap.nodes") == [0]
    assert browser.errors() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_hinders_readers_of_the_map(browser: Browser, racks: Path, width: int, scheme: str) -> None:
    browser.open(racks, width=width, scheme=scheme)
    browser.choose("by", "racks")
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_names_without_racks_offer_no_racks(browser: Browser, reports: Reports) -> None:
    browser.open(reports["tree"][1])
    assert not browser.run("return document.getElementById('by').checkVisibility()")


def test_the_wheel_moves_the_page_and_with_ctrl_the_map(browser: Browser, reports: Reports) -> None:
    browser.open(reports["tree"][1])
    turned = """
    const event = new WheelEvent("wheel", { deltaY: -100, ctrlKey: arguments[0], cancelable: true, bubbles: true });
    const before = lacisMap.view.scale;
    lacisMap.canvas.dispatchEvent(event);
    return [event.defaultPrevented, lacisMap.view.scale > before]"""
    assert browser.run(turned, False) == [False, False]
    assert browser.run(turned, True) == [True, True]
    before = browser.run("return lacisMap.view.scale")
    browser.click("#nearer")
    assert browser.run("return lacisMap.view.scale") == pytest.approx(1.4 * before)
    browser.click("#whole")
    assert browser.run("return lacisMap.view.isWhole")
    # A search for what is out of sight shows all.
    browser.run("lacisMap.zoom(20); document.getElementById('search').focus()")
    browser.keys("leaf-01-01", "\ue007")
    assert browser.run("return lacisMap.view.isWhole")


def test_a_map_of_more_than_it_draws_says_so(browser: Browser, racks: Path) -> None:
    # 404 switches with 8 cables to others each are more than a circle shows, and more lines than are drawn at once.
    fabric = _core.generate_fabric("random:404,8,1")
    lines = len(fabric.bundles().reshape(-1, 3))
    session = Session(fabric, ports_of(fabric), "random", None, None)
    note = "return new DOMParser().parseFromString(lacisMap.svg(''), 'text/html').querySelector('svg').textContent.includes(arguments[0])"
    browser.open(racks)
    assert not browser.run(note, "lines are drawn")
    with served(session) as running:
        shown(browser, running)
        assert painted(browser)["marks"] <= 2000
        assert browser.run(note, f"1,000 of {lines + 404:,} lines are drawn: nearer there are all")
        browser.run("lacisMap.reveal(0); lacisMap.zoom(2)")
        assert painted(browser)["title"] == "nodes"
        assert not browser.run(note, "lines are drawn")


VISIBLE = "return ['#map', '.still svg', '#fabric-printed svg'].filter((it) => document.querySelector(it)?.checkVisibility())"


def test_what_is_seen_is_printed_as_lines(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.open(page)
    assert browser.run(VISIBLE) == ["#map"]
    browser.choose("loads", "0")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.run(VISIBLE) == ["#fabric-printed svg"]
    texts = set(browser.texts("#fabric-printed text"))
    assert set(report.topology.names) <= texts
    # The colour of the highest step, dark on paper.
    strokes = browser.run(
        "return [...document.querySelectorAll('#fabric-printed path')].map((it) => getComputedStyle(it).stroke)"
    )
    assert "rgb(179, 0, 27)" in strokes
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run(VISIBLE) == ["#map"]


def test_without_its_script_the_page_has_its_drawing(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(page)
        assert browser.run(VISIBLE) == [".still svg"]
        assert set(report.topology.names) <= set(browser.texts(".still text"))
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_names_on_the_map_and_in_its_file_are_shown_as_they_are(browser: Browser, reports: Reports) -> None:
    report, page = reports["hostile"]
    browser.open(page)
    names = [name for name, _ in report.best.routes.fabric.switches()]
    assert browser.run("return lacisMap.fabric.shapes.boxes.map((box) => box.name).sort()") == sorted(names)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.title") == "hostile"
    assert (
        browser.run(
            "return document.images.length + document.querySelectorAll('#fabric-printed script').length"
        )
        == 0
    )


def test_a_switch_that_control_characters_name_has_its_box(browser: Browser) -> None:
    evil = "a\x1b[31m\x07 <b>"
    text = _core.generate_fabric("fat-tree:4,2").to_json().replace("leaf-01", "a\\u001b[31m\\u0007 <b>")
    fabric = _core.read_fabric(text.encode())
    with served(Session(fabric, ports_of(fabric), "tree", None, _core.route(fabric, "minhop"))) as running:
        shown(browser, running, "measure=modelled")
        assert painted(browser)["marks"] == 30
        name = fabric.switches()[0][0]
        assert "<b>" in name
        assert name == evil or "\x1b" not in name
        click_box(
            browser,
            browser.run("return lacisMap.fabric.shapes.boxes.find((box) => box.members[0] === 0).name"),
        )
        browser.wait("!document.getElementById('panel').hidden")
        assert browser.run("return document.querySelectorAll('b').length") == 0
        assert browser.errors() == []
