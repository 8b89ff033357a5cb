"""The drawing on the report's page in a real browser: its labels, what it is asked, and what it shows of a switch."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lacis import _core
from lacis.map.shapes import short

from tests.map_pages import PIXELS, click_box
from tests.report_pages import FABRICS, Reports

if TYPE_CHECKING:
    from lacis._core import Fabric

    from tests.browser import Browser

pytestmark = pytest.mark.slow

# As it is without the page's script.
STILL = "document.body.classList.remove('has-map')"

# What two boxes share, less a pixel of rounding.
OVERLAPS = """
const boxes = [...document.querySelectorAll("svg.drawing text")].map((it) => [it.textContent, it.getBoundingClientRect()]);
return boxes.flatMap(([name, a], n) => boxes.slice(n + 1)
  .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
  .map(([other]) => `${name} / ${other}`));
"""


@pytest.mark.parametrize("name", FABRICS)
def test_labels_of_the_drawing_never_overlap(browser: Browser, reports: Reports, name: str) -> None:
    browser.open(reports[name][1])
    browser.run(STILL)
    assert browser.run("return document.querySelectorAll('svg.drawing text').length") > 3
    assert browser.run(OVERLAPS) == []


# Labels outside boxes (which are opaque) that a line goes through, by points two pixels apart.
CROSSED = """
const boxes = [...document.querySelectorAll("svg.drawing .box rect")].map((it) => it.getBoundingClientRect());
const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const labels = [...document.querySelectorAll("svg.drawing text")].map((it) => [it.textContent, it.getBoundingClientRect()])
  .filter(([, it]) => !boxes.some((box) => inside(it, box)));
const crossed = new Set();
for (const line of document.querySelectorAll("svg.drawing .cables path, svg.drawing .deviations path")) {
  const [matrix, length] = [line.getScreenCTM(), line.getTotalLength()];
  for (let at = 0; at <= length; at += 2) {
    const point = line.getPointAtLength(at).matrixTransform(matrix);
    for (const [name, it] of labels)
      if (point.x > it.left + 1 && point.x < it.right - 1 && point.y > it.top + 1 && point.y < it.bottom - 1) crossed.add(name);
  }
}
return [...crossed];
"""


@pytest.mark.parametrize("name", FABRICS)
def test_no_line_of_the_drawing_crosses_a_label(browser: Browser, reports: Reports, name: str) -> None:
    browser.open(reports[name][1])
    browser.run(STILL)
    assert browser.run(CROSSED) == []


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", FABRICS)
def test_labels_of_the_map_never_overlap(browser: Browser, reports: Reports, name: str, width: int) -> None:
    browser.open(reports[name][1], width=width)
    seen = 0
    for zoom in (1, 1.5, 1.5):
        browser.run(
            """lacisMap.zoom(arguments[0]);
            const printed = document.getElementById("fabric-printed");
            printed.innerHTML = lacisMap.svg("");
            // Each text is written twice, the first time as what is around it.
            printed.querySelectorAll("text").forEach((it) => { if (it.style.fill === "none") it.remove(); });
            printed.firstChild.style.width = `${lacisMap.width}px`""",
            zoom,
        )
        seen += browser.run("return document.querySelectorAll('#fabric-printed text').length")
        assert browser.run(OVERLAPS.replace("svg.drawing", "#fabric-printed")) == []
    assert seen > 3 or name == "hostile"


def _ports(fabric: Fabric, switch: int) -> list[list[str]]:
    """Port, peer and the peer's port of every cable of a switch, read from the list of cables."""
    names = [*(name for name, _ in fabric.switches()), *fabric.descriptions()[fabric.num_switches :]]
    rows = []
    for a, p, b, q in fabric.cables().reshape(-1, 4).tolist():
        for here, port, there, other in ((a, p, b, q), (b, q, a, p)):
            if here == switch:
                rows.append((port, names[there], other))
    return [[str(port), name, str(other)] for port, name, other in sorted(rows)]


def _shown(browser: Browser) -> list[list[str]]:
    cells = [browser.texts(f"#panel tbody td:nth-child({n})") for n in (1, 2, 3)]
    return [list(row) for row in zip(*cells, strict=True)]


@pytest.mark.parametrize("name", ["tree", "torus", "hostile"])
def test_a_click_on_a_switch_shows_its_ports(browser: Browser, reports: Reports, name: str) -> None:
    report, page = reports[name]
    fabric = report.best.routes.fabric
    browser.open(page)
    click_box(browser, fabric.switches()[1][0])
    assert browser.texts("#panel h3") == [fabric.switches()[1][0]]
    assert _shown(browser) == _ports(fabric, 1)
    assert set(browser.texts("#panel tbody td:nth-child(4)")) == {"4xHDR"}
    # A switch that it leads to is one more click away.
    names = [switch for switch, _ in fabric.switches()]
    browser.click("#panel tbody button.link")
    assert browser.texts("#panel h3")[0] in {row[1] for row in _ports(fabric, 1)} & set(names)


def test_the_drawing_is_worked_by_keys(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.open(page)
    browser.run("document.getElementById('loads').focus()")
    browser.keys(*["\ue004"] * 5)  # Tab, past the buttons
    assert browser.run("return document.activeElement.id") == "map"
    named = "return document.getElementById('named').textContent"
    assert browser.run(named) == "core-01-01"
    browser.keys("\ue014")  # to the right
    assert browser.run(named) == "core-01-02"
    browser.keys("\ue007")  # Enter
    assert browser.texts("#panel h3") == ["core-01-02"]
    names = [name for name, _ in report.best.routes.fabric.switches()]
    assert _shown(browser) == _ports(report.best.routes.fabric, names.index("core-01-02"))
    # Closed, the panel gives the keys back; down it goes to a switch of the next level, and on to a host.
    browser.click("#panel .close")
    browser.keys("\ue015")
    assert browser.run(named).startswith("mid-")
    before = browser.run("return lacisMap.view.scale")
    browser.keys("+")
    assert browser.run("return lacisMap.view.scale") == pytest.approx(1.3 * before)
    browser.keys("0")
    assert browser.run("return lacisMap.view.scale") == pytest.approx(before)


def search(browser: Browser, *keys: str) -> None:
    browser.run("const it = document.getElementById('search'); it.value = ''; it.focus()")
    browser.keys(*keys)


def test_search_finds_switches_hosts_and_guids(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    fabric = report.best.routes.fabric
    browser.open(page)
    browser.keys("/")
    browser.keys("NODE0037")
    assert browser.texts("#found li") == ["node0037 HCA-1"]
    browser.keys("\ue007")
    # Four hosts a leaf: the 37th is the first of the tenth leaf, which is the second of the third pod.
    assert browser.texts("#panel h3") == ["leaf-03-02"]
    assert browser.texts("#panel tr.marked td:nth-child(2)") == ["node0037 HCA-1"]
    assert browser.run("return lacisMap.nodes.map((node) => lacisMap.fabric.names[node])") == ["leaf-03-02"]
    for guid in (f"{int(fabric.guids()[3]):x}", f"0x{int(fabric.guids()[3]):016x}"):
        search(browser, guid, "\ue007")
        assert browser.texts("#panel h3") == [fabric.switches()[3][0]]
    search(browser, "no such name")
    assert browser.texts("#search-said") == ["0 found"]


def test_lines_are_coloured_by_the_loads_of_the_engine_chosen(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.open(page)
    browser.choose("loads", f"load under {report.engines[0].label}")
    first = report.engines[0].routes
    nodes, ports, flows = _core.verify(first, "hosts").loads()
    most, mean = int(flows.max()), float(flows.mean())
    titles = browser.run(
        """const level = lacisMap.levels.at(-1);
        return [...level.a.keys()].map((edge) => lacisMap.titleOf({ level, edge }))"""
    )
    shown = [title.partition("fullest link carries ")[2] for title in titles]
    assert f"{most:,} ({most / mean:.2f} ×)" in shown
    above = sum(float(text.partition("(")[2].partition(" ")[0]) > 2 for text in shown)
    assert browser.texts("#loads-legend li")[5] == f"over 2.00 ×: {above} lines"
    # The pointer over a line that carries so much says so.
    fullest = browser.run(
        PIXELS
        + """const level = map.levels.at(-1), most = Math.max(...level.value);
        return [...level.value.keys()].filter((edge) => level.value[edge] === most).map((edge) => {
          const [from, to] = level.lines[edge].pieces.map((it) => map.pixel(it.at(-2), it.at(-1)));
          map.hover(from[0] * .9 + to[0] * .1, from[1] * .9 + to[1] * .1);
          return map.canvas.title;
        })"""
    )
    assert any(f"fullest link carries {most:,} " in title for title in fullest), fullest
    # The panel of the most uneven switch shows the same flows, port by port, out and in.
    by_end = dict(zip(zip(nodes.tolist(), ports.tolist(), strict=True), flows.tolist(), strict=True))
    uneven = max(set(nodes.tolist()), key=lambda switch: int(np.ptp(flows[nodes == switch])))
    click_box(browser, first.fabric.switches()[uneven][0])
    cables = report.best.routes.fabric.cables().reshape(-1, 4).tolist()
    peers = {(a, p): (b, q) for a, p, b, q in cables} | {(b, q): (a, p) for a, p, b, q in cables}
    ends = sorted(end for end in by_end if end[0] == uneven)
    assert len({by_end[end] for end in ends}) > 1
    for column, expected in ((5, ends), (6, [peers[end] for end in ends])):
        cells = [text for text in browser.texts(f"#panel tbody td:nth-child({column})") if text != "–"]
        seen = [int(text.partition(" ")[0].replace(",", "")) for text in cells]
        assert seen == [by_end[end] for end in expected]


@pytest.mark.parametrize("name", ["tree", "hostile"])
def test_the_drawing_is_saved_as_svg(browser: Browser, reports: Reports, name: str) -> None:
    report, page = reports[name]
    browser.open(page)
    path = browser.folder / "fabric.svg"
    path.unlink(missing_ok=True)
    browser.saved("#save-svg", "fabric.svg")
    root = ET.parse(path).getroot()  # noqa: S314
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # Boxes are filled, then outlined in the colour that is seen.
    styles = [it.get("style") or "" for it in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert sum("stroke:#0b6bcb" in style for style in styles) == len(report.topology.names)
    written = {it.text for it in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {short(name) for name in report.topology.names} <= written


def test_loads_of_fewer_tables_are_given_where_there_are_many_links(monkeypatch: pytest.MonkeyPatch) -> None:
    from lacis.map import wiring

    fabric = _core.generate_fabric("fat-tree:4,2")
    routes = _core.route(fabric, "minhop")
    names = [name for name, _ in fabric.switches()]
    tables = [(str(n), routes) for n in range(5)]
    # 4 leaves × 2 cables up = 16 directed links.
    for most, shown in ((16 * 5, 5), (16 * 4, 4), (3, 1)):
        monkeypatch.setattr(wiring, "MOST_NUMBERS", most)
        found: dict[str, Any] = wiring.data(fabric, names, {}, None, tables)
        assert [it["label"] for it in found["loads"]] == [str(n) for n in range(shown)]
        assert {len(it["ports"]) for it in found["loads"]} == {16}


def test_search_finds_what_is_absent(browser: Browser, reports: Reports) -> None:
    # Port 6 of each of the eight leaves led to the second spine; the tenth host was at port 2 of the third leaf.
    browser.open(reports["absent"][1])
    for name, belongs in (
        ("spine-02", [[f"leaf-0{n}", "6"] for n in range(1, 9)]),
        ("node0010", [["leaf-03", "2"]]),
    ):
        search(browser, name, "\ue007")
        assert browser.texts("#panel h3") == [name]
        cells = [browser.texts(f"#panel tbody td:nth-child({n})") for n in (1, 2)]
        assert [list(row) for row in zip(*cells, strict=True)] == belongs
    # The dashed box of the switch, and its row of the work list, lead there too.
    browser.click("#panel .close")
    click_box(browser, "spine-02")
    assert browser.texts("#panel h3") == ["spine-02"]
