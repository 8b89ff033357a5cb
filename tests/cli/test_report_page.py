"""The report's page in a real browser: what can be done with it, and what must not happen on it."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pytest
from lacis import _core
from lacis.documents.report import AdaptiveComparison, AdaptiveRow, EngineFailures, FlowRates, HotLink
from lacis.fabric.ports import ports_of
from lacis.facts.found.cabling import Apart, CableEnd, CableWork, Missing
from lacis.report import collect
from lacis.report.page import render
from lacis.serve.session import Session

from tests import browser as browsers
from tests.served import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.report.content import Report

    from tests.browser import Browser

pytestmark = pytest.mark.slow

# Names as a site could have them, and as someone could set them who means harm. Two leaves, one spine.
HOSTILE = (
    "</script><script>document.title='broken'</script>",
    '"><img src=x onerror=document.title="broken">',
    'leaf\'with &amp; "quotes" and a name that is as long as a description can be 64',
    "ブレード-スイッチ-日本語の長い名前-東京第一データセンター",
    "switch 🚀🚀🚀 {{ 7 * 7 }} ${1+1} </style>",
)
HOSTILE_NET = "\n".join(
    [
        *(
            f'switchguid=0x{s + 1:x}\nSwitch 8 "S-{s + 1:x}" # "{name}" base port 0 lid 0 lmc 0\n'
            + "".join(
                f'[{t + 1}] "S-{t + 3:x}"[{s + 1}] # "x" lid 0 4xHDR\n' for t in range(3 if s < 2 else 0)
            )
            + "".join(
                f'[{t + 1}] "S-{t + 1:x}"[{s - 1}] # "x" lid 0 4xHDR\n' for t in range(2 if s >= 2 else 0)
            )
            + (f'[8] "H-{s + 16:x}"[1] # "x" lid 0 4xHDR\n' if s < 2 else "")
            for s, name in enumerate(n.replace('"', "'") for n in HOSTILE)
        ),
        *(
            f'caguid=0x{s + 16:x}\nCa 1 "H-{s + 16:x}" # "{name} HCA-1"\n[1] "S-{s + 1:x}"[8] # lid 0 lmc 0 "x" lid 0 4xHDR\n'
            for s, name in enumerate(("<b>node</b>1", "node2"))
        ),
    ]
)

FABRICS = {
    "tree": "fat-tree:8,3",
    "directors": "itasca:67",
    "torus": "torus:4x4x3",
    "grid": "mesh:3x5",
    "absent": "fat-tree:8,2",
    "hostile": "",
}


def _fabric(name: str) -> Fabric:
    if name == "hostile":
        return _core.read_fabric(HOSTILE_NET.encode())
    fabric = _core.generate_fabric(FABRICS[name])
    if name == "absent":
        return fabric.without(["spine-02", "node0010"])
    return fabric.without(["random-cables=3%,seed=1"]) if name == "tree" else fabric


def _fill(report: Report) -> None:
    """Every section with something to say, names as long as they come."""
    here = CableEnd("leaf-02-04", "0x0002c90200400000", 7)
    there = CableEnd("mid-02-02 <i>", "0x0002c90200400040", 12)
    report.cabling = [
        CableWork(
            "plug in",
            here,
            there,
            "A09 – A10",
            "UPLINK_MISSING",
            "warning",
            Missing(0, 1),
            "no cable where its peers have 1",
        ),
        CableWork(
            "check",
            there,
            None,
            "",
            "LINK_SPEED_LOW",
            "warning",
            Apart(1),
            "4xHDR where its peers run at 4xNDR",
        ),
        CableWork(
            "move",
            CableEnd("leaf-01-01", "", 10),
            here,
            "A09",
            "CABLE_UNEXPECTED",
            "warning",
            Apart(1),
            "x" * 90,
        ),
    ]
    row = AdaptiveRow("minhop", FlowRates(34.7e9, 12.4e9), FlowRates(48.9e9, 42.5e9))
    report.adaptive = AdaptiveComparison(
        "HDR switches, assumed", "8 MB, permutation", [row], "Adaptive routing helps."
    )
    report.failures = [EngineFailures("eventree", "no manager", 10, 572, 9, "spine-4 dies", 34776, 0.0)]
    report.hot = [HotLink("1", "a[1]", "b[2]", 100, 2.5, ["node0001", "node2?"])]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Report, Path]]:
    """Each fabric's report, and its page."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name in FABRICS:
        report = collect.collect(_fabric(name), name, lambda _: None)
        _fill(report)
        page = folder / f"{name}.html"
        page.write_text(render(report), "utf-8")
        made[name] = (report, page)
    return made


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from browsers.start(tmp_path_factory.mktemp("browser"))


Reports = dict[str, "tuple[Report, Path]"]


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", FABRICS)
def test_a_page_fits_its_window_and_has_no_errors(
    browser: Browser, reports: Reports, name: str, width: int
) -> None:
    browser.open(reports[name][1], width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.click("g.box rect")
    assert not browser.run("return document.getElementById('panel').hidden")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.errors() == []
    assert browser.run("return document.title") == name


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
    assert browser.run("return document.querySelectorAll('svg.drawing text').length") > 3
    assert browser.run(OVERLAPS) == []


# Labels outside boxes (which are opaque) that a line goes through, by points two pixels apart.
CROSSED = """
const boxes = [...document.querySelectorAll("svg.drawing rect.switch")].map((it) => it.getBoundingClientRect());
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
    assert browser.run(CROSSED) == []


def test_search_finds_what_is_absent(browser: Browser, reports: Reports) -> None:
    # Port 6 of each of the eight leaves led to the second spine; the tenth host was at port 2 of the third leaf.
    browser.open(reports["absent"][1])
    for name, belongs in (
        ("spine-02", [[f"leaf-0{n}", "6"] for n in range(1, 9)]),
        ("node0010", [["leaf-03", "2"]]),
    ):
        browser.run("const it = document.getElementById('search'); it.value = ''; it.focus()")
        browser.keys(name, "\ue007")
        assert browser.texts("#panel h3") == [name]
        cells = [browser.texts(f"#panel tbody td:nth-child({n})") for n in (1, 2)]
        assert [list(row) for row in zip(*cells, strict=True)] == belongs
    # The dashed box of the switch, and its row of the work list, lead there too.
    browser.click("#panel .close")
    browser.click("g.box.gone rect")
    assert browser.texts("#panel h3") == ["spine-02"]


def test_errors_and_repairs_are_in_the_first_box_by_name(browser: Browser, reports: Reports) -> None:
    browser.open(reports["absent"][1])
    [error] = browser.texts(".summary .verdicts li.error")
    assert "spine-02" in error
    assert "leaf-01, leaf-02, leaf-03 and 5 more" in error
    # Steps are on the page once.
    titles = [text for text in browser.texts("summary b") if "instead of" in text]
    assert len(set(titles)) == len(titles)


# The contrast of each visible text with what is painted below it, as WCAG 2.2 defines it; backgrounds may be
# half transparent, so a canvas mixes them.
CONTRAST = """
const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
const mix = (colors) => {
  pen.clearRect(0, 0, 1, 1);
  for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
const poor = new Set();
let seen = 0;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const it = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || !it.checkVisibility() || /SCRIPT|STYLE|TITLE|OPTION/i.test(it.nodeName)) continue;
  const backs = [];
  for (let at = it; at; at = at.parentElement) backs.unshift(getComputedStyle(at).backgroundColor);
  const style = getComputedStyle(it);
  const [front, back] = [mix([...backs, it.closest("svg") ? style.fill : style.color]), mix(backs)].map(light);
  seen++;
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  if (ratio < 4.5) poor.add(`${ratio.toFixed(2)} ${it.nodeName} .${it.getAttribute("class")} ${walk.currentNode.data.trim().slice(0, 30)}`);
}
return [seen, [...poor]];
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(browser: Browser, reports: Reports, scheme: str) -> None:
    browser.open(reports["tree"][1], scheme=scheme)
    browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
    browser.click("g.box rect")
    seen, poor = browser.run(CONTRAST)
    assert seen > 200
    assert poor == []


def test_a_table_sorts_by_its_headings(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.open(page)
    browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true; })")

    def column() -> list[str]:
        return browser.texts("table.more-engines tbody:first-of-type td:nth-child(4)")

    found = column()
    assert len(found) > 3
    by_value = sorted(found, key=float)
    assert by_value != found
    browser.click("table.more-engines th:nth-child(4) button")
    assert column() == by_value
    browser.click("table.more-engines th:nth-child(4) button")
    assert column() == by_value[::-1]
    assert (
        browser.run("return document.querySelector('table.more-engines th:nth-child(4)').ariaSort")
        == "descending"
    )

    # Lacis' own engines stay apart, and the heading of a group stays above its rows, in whatever order these are.
    def first_column() -> list[str]:
        return browser.texts("table.more-engines tbody:first-of-type tr > :first-child")

    group, *engines = first_column()
    assert group == "In OpenSM"
    browser.click("table.more-engines th:nth-child(1) button")
    assert first_column() == [group, *sorted(engines)]
    browser.click("table.more-engines th:nth-child(1) button")
    assert first_column() == [group, *sorted(engines, reverse=True)]
    # Ports are numbers: 7 before 10 before 12.
    browser.click("table.cabling th:nth-child(4) button")
    assert browser.texts("table.cabling td:nth-child(4)") == ["7", "10", "12"]
    assert len(report.cabling) == 3


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
    browser.click("g.box[data-members='1'] rect")
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
    browser.run("document.querySelector('g.box').focus()")
    first = browser.run("return document.activeElement.getAttribute('aria-label')")
    browser.keys("\ue014")  # to the right
    second = browser.run("return document.activeElement.getAttribute('aria-label')")
    assert (first, second) == ("core-01-01", "core-01-02")
    browser.keys("\ue007")  # Enter
    assert browser.texts("#panel h3") == ["core-01-02"]
    names = [name for name, _ in report.best.routes.fabric.switches()]
    assert _shown(browser) == _ports(report.best.routes.fabric, names.index("core-01-02"))
    assert browser.run("return document.querySelectorAll('g.box[tabindex=\"0\"]').length") == 1


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
    assert (
        browser.run("return document.querySelector('g.box.chosen').getAttribute('aria-label')")
        == "leaf-03-02: 4 adapters"
    )
    for guid in (f"{int(fabric.guids()[3]):x}", f"0x{int(fabric.guids()[3]):016x}"):
        browser.run("const it = document.getElementById('search'); it.value = ''; it.focus()")
        browser.keys(guid, "\ue007")
        assert browser.texts("#panel h3") == [fabric.switches()[3][0]]
    browser.run("const it = document.getElementById('search'); it.value = ''; it.focus()")
    browser.keys("no such name")
    assert browser.texts("#search-said") == ["0 found"]


def test_lines_are_coloured_by_the_loads_of_the_engine_chosen(browser: Browser, reports: Reports) -> None:
    report, page = reports["tree"]
    browser.open(page)
    browser.run(
        "const it = document.getElementById('loads');"
        "it.value = [...it.options].find((option) => option.textContent === 'load under ' + arguments[0])?.value;"
        "it.dispatchEvent(new Event('change'))",
        report.engines[0].label,
    )
    first = report.engines[0].routes
    nodes, ports, flows = _core.verify(first, "hosts").loads()
    most, mean = int(flows.max()), float(flows.mean())
    titles = browser.texts("svg.drawing .cables title")
    shown = [title.partition("fullest link carries ")[2] for title in titles]
    assert f"{most:,} ({most / mean:.2f} ×)" in shown
    assert browser.run("return document.querySelectorAll('.cables path.load-5').length") == sum(
        float(text.partition("(")[2].partition(" ")[0]) > 2 for text in shown
    )
    # The panel of the most uneven switch shows the same flows, port by port, out and in.
    by_end = dict(zip(zip(nodes.tolist(), ports.tolist(), strict=True), flows.tolist(), strict=True))
    uneven = max(set(nodes.tolist()), key=lambda switch: int(np.ptp(flows[nodes == switch])))
    browser.click(f"g.box[data-members='{uneven}'] rect")
    cables = report.best.routes.fabric.cables().reshape(-1, 4).tolist()
    peers = {(a, p): (b, q) for a, p, b, q in cables} | {(b, q): (a, p) for a, p, b, q in cables}
    ends = sorted(end for end in by_end if end[0] == uneven)
    assert len({by_end[end] for end in ends}) > 1
    for column, expected in ((5, ends), (6, [peers[end] for end in ends])):
        cells = [text for text in browser.texts(f"#panel tbody td:nth-child({column})") if text != "–"]
        seen = [int(text.partition(" ")[0].replace(",", "")) for text in cells]
        assert seen == [by_end[end] for end in expected]


def test_the_work_list_is_copied_as_text(browser: Browser, reports: Reports) -> None:
    browser.open(reports["tree"][1])
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    browser.click("button[data-copy]")
    head, first, *_ = browser.run("return window.copied").splitlines()
    assert head.split("\t")[1:4] == ["do", "switch", "port"]
    assert first.split("\t")[1:7] == ["plug in", "leaf-02-04", "7", "mid-02-02 <i>", "12", "A09 – A10"]


@pytest.mark.parametrize("name", ["tree", "hostile"])
def test_the_drawing_is_saved_as_svg(browser: Browser, reports: Reports, name: str) -> None:
    report, page = reports[name]
    browser.open(page)
    path = browser.folder / "fabric.svg"
    path.unlink(missing_ok=True)
    browser.saved("#save-svg", "fabric.svg")
    root = ET.parse(path).getroot()  # noqa: S314
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    rects = [it for it in root.iter("{http://www.w3.org/2000/svg}rect") if it.get("class") == "switch"]
    assert len(rects) == len(report.topology.names)
    assert all("stroke: rgb" in (it.get("style") or "") for it in rects)


def test_hostile_names_are_shown_as_they_are(browser: Browser, reports: Reports) -> None:
    report, page = reports["hostile"]
    browser.open(page)
    names = [name for name, _ in report.best.routes.fabric.switches()]
    assert any("<script>" in name for name in names)
    for number, name in enumerate(names):
        browser.click(f"g.box[data-members='{number}'] rect")
        assert browser.texts("#panel h3") == [name]
    assert browser.run("return document.title") == "hostile"
    assert browser.run("return document.images.length") == 0


def test_what_is_printed_is_the_work_list_alone_where_that_is_asked(
    browser: Browser, reports: Reports
) -> None:
    browser.open(reports["tree"][1])
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    visible = "return [...document.querySelectorAll('main table')].filter((it) => it.checkVisibility()).map((it) => it.className)"
    assert len(browser.run(visible)) >= 3
    browser.run("document.body.classList.add('print-list')")
    assert browser.run(visible) == ["sortable cabling"]
    headings = "return [...document.querySelectorAll('h1, h2, h3, .summary')].filter((it) => it.checkVisibility()).map((it) => it.textContent.trim())"
    assert browser.run(headings) == ["tree", "Cables and findings", "Work list for the machine room"]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


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


@pytest.fixture(scope="module")
def faulty() -> Report:
    """A tree that lacks a cable: a finding, work at both of its ends, and links that are hot."""
    fabric = _core.generate_fabric("fat-tree:8,2").without(["leaf-03--spine-02"])
    return collect.collect(fabric, "tree", lambda _: None)


def hrefs(page: str) -> set[str]:
    return set(re.findall(r'href="(https?:[^"]*)"', page))


def test_cables_and_findings_lead_to_the_map_where_one_is_served(browser: Browser, faulty: Report) -> None:
    fabric = _core.generate_fabric("fat-tree:8,2").without(["leaf-03--spine-02"])
    assert hrefs(render(faulty)) == set()
    session = Session(fabric, ports_of(fabric), "tree", None, _core.route(fabric, "minhop"))
    with served(session) as running:
        page = render(faulty, running.address + "#measure=used")
        leads = hrefs(page)
        assert leads
        assert {lead.partition("#")[0] for lead in leads} == {running.address}
        (finding,) = [one for one in faulty.health.findings if one.code == "UPLINK_MISSING"]
        guids = {end.guid for end in finding.ends}
        assert len(guids) == 2
        # The finding and the work name both switches, the hottest links their sending ports.
        assert all(any(guid in lead for lead in leads) for guid in guids)
        hottest = {f"{running.address}#port={quote(link.source, safe='')}" for link in faulty.hottest}
        assert hottest <= leads
        said: list[str] = []
        for lead in sorted(leads):
            browser.open("about:blank")
            browser.open(html.unescape(lead))
            browser.wait("document.body.dataset.ready")
            browser.wait(
                "!document.getElementById('panel').hidden || document.getElementById('trouble').textContent"
            )
            said += browser.texts("#trouble")
        # The cable is missing there, and so each end of it is a port without one. Of a leaf ports 1 to 4 go down.
        assert sorted(filter(None, said)) == ["leaf-03[6] has no cable", "spine-02[3] has no cable"]
        # Nothing is loaded from there: the page is as complete without it.
        assert not re.search(rf"(src|url\()[^>]*{re.escape(running.address)}", page)
