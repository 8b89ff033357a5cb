"""The report's page in a real browser: what can be done with it, and what must not happen on it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.report import collect
from lacis.report.page import render
from lacis.serve.session import Session

from tests.map_pages import click_box
from tests.report_pages import FABRICS, Reports
from tests.served import served

if TYPE_CHECKING:
    from lacis.report.content import Report

    from tests.browser import Browser

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", FABRICS)
def test_a_page_fits_its_window_and_has_no_errors(
    browser: Browser, reports: Reports, name: str, width: int
) -> None:
    browser.open(reports[name][1], width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    click_box(browser, reports[name][0].topology.names[0])
    assert not browser.run("return document.getElementById('panel').hidden")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.errors() == []
    assert browser.run("return document.title") == name


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
    click_box(browser, reports["tree"][0].topology.names[0])
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


def test_the_work_list_is_copied_as_text(browser: Browser, reports: Reports) -> None:
    browser.open(reports["tree"][1])
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    browser.click("button[data-copy]")
    head, first, *_ = browser.run("return window.copied").splitlines()
    assert head.split("\t")[1:4] == ["do", "switch", "port"]
    assert first.split("\t")[1:7] == ["plug in", "leaf-02-04", "7", "mid-02-02 <i>", "12", "A09 – A10"]


def test_hostile_names_are_shown_as_they_are(browser: Browser, reports: Reports) -> None:
    report, page = reports["hostile"]
    browser.open(page)
    names = [name for name, _ in report.best.routes.fabric.switches()]
    assert any("<script>" in name for name in names)
    for name in names:
        click_box(browser, name)
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
