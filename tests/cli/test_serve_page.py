"""The page of `lacis serve` in a real browser: each view and each action, as a user would."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.serve.session import Session

from tests.map_pages import PIXELS, click_at, painted, shown
from tests.ports_read import cable, row_of
from tests.served import START, served, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.browser import Browser
    from tests.conftest import Lacis
    from tests.served import Served

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def session() -> Session:
    return session_of(_core.generate_fabric("fat-tree:4,2"))


@pytest.fixture(scope="module")
def server(session: Session) -> Iterator[Served]:
    with served(session) as running:
        yield running


def test_the_map_is_coloured_by_what_ports_do(browser: Browser, server: Served, session: Session) -> None:
    here, _, _ = cable(session.ports)
    shown(browser, server)
    assert browser.texts("#name") == ["tree"]
    # 6 switches and 8 hosts, 16 cables: all are drawn one by one.
    assert painted(browser) == {"marks": 30, "title": "nodes", "chosen": -1, "measure": "used"}
    assert browser.texts("#top tr:first-child td") == [session.ports.name(here), "50.0 %"]
    assert "up to 20.0 %" in browser.texts("#legend li")[1]
    # The pixel in the middle of that cable has the colour of its step, 40 to 60 %.
    colour = browser.run(
        PIXELS
        + """const [[ax, ay], [bx, by]] = ends(arguments[0]);
        return [...map.context.getImageData((ax * .75 + bx * .25) * map.dense, (ay * .75 + by * .25) * map.dense, 1, 1).data].slice(0, 3)""",
        here,
    )
    assert colour == [0x7A, 0x5C, 0xC0]
    assert browser.errors() == []


def test_a_click_on_a_link_shows_both_ends_and_the_curve(
    browser: Browser, server: Served, session: Session
) -> None:
    here, far, _ = cable(session.ports)
    shown(browser, server)
    browser.click("#top tr:first-child button")
    browser.wait("document.querySelector('#panel .uplot canvas')")
    (heading,) = browser.texts("#panel h2")
    assert heading == f"{session.ports.name(here)} ↔ {session.ports.name(far)}"
    rows = browser.texts("#panel tbody tr")
    assert any(row.startswith("SymbolErrors") and row.endswith("+3") for row in rows)
    assert any(row.startswith("used50.0 %") for row in rows)
    assert "port=leaf-01" in browser.run("return location.hash")
    # A click on the map does the same.
    browser.click("#panel > button")
    assert browser.run("return document.getElementById('panel').hidden")
    click_at(
        browser,
        "(([[ax, ay], [bx, by]]) => [ax * .8 + bx * .2, ay * .8 + by * .2])(ends(arguments[0]))",
        here,
    )
    browser.wait("!document.getElementById('panel').hidden")
    assert browser.texts("#panel h2") == [heading]
    assert browser.errors() == []


def test_pairs_behind_a_link_are_listed_and_found(browser: Browser) -> None:
    evil = "<img src=x onerror=document.body.dataset.evil=1>"
    text = _core.generate_fabric("fat-tree:4,2").to_json().replace("node0002", evil)
    fabric = _core.read_fabric(text.encode())
    session = Session(fabric, ports_of(fabric), "tree", None, _core.route(fabric, "minhop"))
    with served(session) as running:
        shown(browser, running, "measure=modelled&port=leaf-01[3]")
        browser.wait("document.querySelectorAll('#panel section table').length === 2")
        # Two hosts send to six others over two cables.
        assert browser.texts("#panel section p") == [
            "sent by leaf-01[3]: 6 pairs of all hosts to all others",
            "sent by spine-01[1]: 6 pairs of all hosts to all others",
        ]
        rows = browser.texts("#panel section tbody tr")
        assert sum(row.startswith("node0001 HCA-1node000") for row in rows[:6]) == 3
        assert all(row.endswith("16.7 %") for row in rows)
        # A pair leads to its route, which goes by this port.
        browser.click("#panel section tbody button")
        browser.wait("lacisMap.route.there?.length === 4")
        row = browser.run("return lacisMap.chosen")
        assert row in browser.run("return lacisMap.route.there")
        browser.click("#panel section input")
        browser.keys(*"node0001")
        browser.wait("document.querySelector('#panel section p')?.textContent.includes('3 of 6 pairs')")
        browser.wait("location.hash.includes('pairs=node0001')")
        shown(browser, running, browser.run("return location.hash").removeprefix("#"))
        browser.wait("document.querySelector('#panel section p')?.textContent.includes('3 of 6 pairs')")
        assert browser.violations() == []
        browser.run(
            "const it = document.querySelector('#panel section input'); it.value = 'img'; it.dispatchEvent(new Event('input'))"
        )
        browser.wait(f"document.querySelector('#panel section td')?.textContent.includes('{evil}')")
        assert browser.run("return document.body.dataset.evil ?? null") is None
        assert browser.errors() == []


def test_time_is_walked_and_compared(browser: Browser, server: Served, session: Session) -> None:
    shown(browser, server)
    set_to = "const it = document.getElementById(arguments[0]); it.value = arguments[1]; it.dispatchEvent(new Event('input'))"
    browser.run(set_to, "time", 0)
    browser.wait("document.querySelector('#top td.n').textContent === '100.0 %'")
    assert f"at={START + 1}" in browser.run("return location.hash")
    assert browser.run("return document.getElementById('live').getAttribute('aria-pressed')") == "false"
    browser.click("#live")
    browser.wait("document.querySelector('#top td.n').textContent === '50.0 %'")
    browser.click("#compares")
    browser.wait("document.getElementById('shown').textContent.startsWith('difference')")
    least = browser.run("return Math.min(...lacisMap.level.value)")
    assert least == pytest.approx(-0.5, abs=1e-4)
    # What is less has its sign in the list, and gaps on the map.
    assert browser.texts("#top tr:first-child td.n") == ["-50.0 %"]
    assert browser.texts("#legend li")[-1] == "dashed: less than then"
    along = browser.run(
        PIXELS
        + """const seen = new Set(), [[ax, ay], [bx, by]] = ends(arguments[0]);
        const { width, height } = map.canvas, pixels = map.context.getImageData(0, 0, width, height).data;
        for (let t = .2; t < .5; t += .002) {
          const at = 4 * (Math.round((ay + t * (by - ay)) * map.dense) * width + Math.round((ax + t * (bx - ax)) * map.dense));
          seen.add(pixels.slice(at, at + 3).join());
        }
        return [...seen]""",
        cable(session.ports)[0],
    )
    assert "122,92,192" in along  # the step of 40 to 60 %
    assert "0,0,0" in along  # nothing is drawn there
    assert browser.errors() == []


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("node=node0008", ""),  # a part of a name is enough
        ("node=absent", "no node is called absent"),
        ("rack=A09", "no rack is called A09"),
        ("port=absent[1]", "no port is called absent[1]"),
        ("at=yesterday&minus=9e99&measure=best&view=1,x,3&by=colour&cut=", ""),
        ("at=1&minus=1", ""),
        ("view=0,0,-1,5", ""),
    ],
)
def test_addresses_that_were_mistyped_show_the_fabric(
    browser: Browser, server: Served, view: str, said: str
) -> None:
    shown(browser, server, view)
    assert browser.texts("#trouble") == [said]
    assert painted(browser)["marks"] > 0
    assert browser.errors() == []


def test_a_view_is_shown_when_its_address_is_entered(browser: Browser, server: Served) -> None:
    shown(browser, server)
    browser.run("lacisMap.zoom(3); lacisMap.move(40, 10)")
    browser.wait("location.hash.includes('view=')")
    view, scale = browser.run("return [location.hash, lacisMap.view.scale]")
    browser.run("document.getElementById('map').focus()")
    browser.keys("0")
    browser.wait("!location.hash.includes('view=')")
    assert browser.run("return lacisMap.view.scale") < scale
    browser.run("location.hash = arguments[0]", view)
    browser.wait(f"Math.abs(lacisMap.view.scale / {scale} - 1) < 1e-4")
    assert browser.errors() == []


def test_measures_search_and_keys(browser: Browser, server: Served) -> None:
    shown(browser, server)
    browser.choose("measure", "modelled")
    browser.wait("lacisMap.measure === 'modelled'")
    assert "modelled" in browser.texts("#shown")[0]
    browser.run("document.activeElement.blur()")
    browser.keys("/", *"node0008")
    browser.keys("\ue007")
    browser.wait("!document.getElementById('panel').hidden")
    assert browser.texts("#panel h2") == ["node0008 HCA-1"]
    browser.keys("\ue00c")  # Escape
    assert browser.run("return document.getElementById('panel').hidden")
    assert "node=" not in browser.run("return location.hash")
    browser.run("document.getElementById('map').focus()")
    before = browser.run("return lacisMap.view.scale")
    browser.keys("+", "\ue014")
    assert browser.run("return lacisMap.view.scale") > before
    browser.wait("location.hash.includes('view=')")
    browser.keys("0")
    browser.wait("!location.hash.includes('view=')")
    assert browser.errors() == []


def test_nodes_are_reached_by_keys(browser: Browser, server: Served) -> None:
    shown(browser, server)
    browser.run("lacisMap.paint(); document.getElementById('whole').focus()")
    browser.keys("\ue004", "\ue004")  # Tab, past the button that saves
    while browser.run("return document.activeElement.id") != "map":
        browser.keys("\ue004")
    assert browser.texts("#named") == ["spine-01"]
    browser.keys("\ue014")  # to the right
    assert browser.texts("#named") == ["spine-02"]
    browser.keys("\ue015")  # down
    assert browser.texts("#named")[0].startswith("leaf-0")
    browser.keys("\ue007")  # Enter
    browser.wait("!document.getElementById('panel').hidden")
    assert browser.texts("#panel h2")[0] in browser.texts("#named")[0]
    before = browser.run("return [lacisMap.view.x, lacisMap.view.y]")
    browser.run(
        "lacisMap.canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true }))"
    )
    x, y = browser.run("return [lacisMap.view.x, lacisMap.view.y]")
    assert (x > before[0], y) == (True, before[1])
    assert browser.errors() == []


def test_what_is_seen_is_saved_as_svg(browser: Browser, server: Served) -> None:
    shown(browser, server)
    path = browser.folder / "fabric.svg"
    path.unlink(missing_ok=True)
    browser.saved("#save", "fabric.svg")
    root = ET.parse(path).getroot()  # noqa: S314
    # The cable that carries half of its rate has the colour of its step.
    styles = [it.get("style") or "" for it in root.iter("{http://www.w3.org/2000/svg}path")]
    assert sum("stroke:#7a5cc0" in style for style in styles) == 1
    assert "leaf-01" in {it.text for it in root.iter("{http://www.w3.org/2000/svg}text")}


def test_routes_there_and_back(browser: Browser, server: Served) -> None:
    shown(browser, server, "from=node0001&to=node0008")
    (said,) = browser.wait(
        "[document.getElementById('route-said').textContent].filter(Boolean)[0] && [document.getElementById('route-said').textContent]"
    )
    assert said.startswith("there (delivered): node0001 HCA-1 → leaf-01 → spine-")
    assert browser.run("return document.getElementById('route-said').checkVisibility()")
    assert browser.run("return [lacisMap.route.there.length, lacisMap.route.back.length]") == [4, 4]
    browser.run("document.querySelector('#route').parentElement.open = true")
    browser.click("#no-route")
    assert browser.run("return lacisMap.route") == {}
    shown(browser, server, "from=absent&to=node0008")
    browser.wait("document.getElementById('route-said').textContent.includes('absent')")


def test_what_would_be_is_drawn_beside_what_is(browser: Browser, server: Served, session: Session) -> None:
    shown(browser, server, "cut=leaf-01--spine-01")
    browser.wait("!document.getElementById('beside').hidden")
    assert "no pairs lost of 56" in browser.texts("#whatif-said")[0]
    assert "12 flows" in browser.texts("#whatif-said")[0]
    # The pointer over a cable of the second map says what it would carry: 12 of the 96 flows that 14 links share.
    hovered = browser.run(
        PIXELS
        + """const canvas = document.getElementById("map-if"), box = canvas.getBoundingClientRect();
        const [[ax, ay], [bx, by]] = ends(arguments[0]);
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.x + ax * .8 + bx * .2, clientY: box.y + ay * .8 + by * .2 }));
        return canvas.title""",
        row_of(session.ports, "leaf-01[4]"),
    )
    assert hovered.startswith("spine-02 – leaf-01: ")
    assert hovered.endswith(f" {12 / (96 / 14):.2f} ×")
    # Both move together.
    browser.run("lacisMap.zoom(2)")
    assert browser.run("return document.getElementById('map-if').width > 0")
    browser.run("document.querySelector('#whatif').parentElement.open = true")
    browser.click("#no-whatif")
    browser.wait("document.getElementById('beside').hidden")
    shown(browser, server, "cut=absent--leaf-01")
    browser.wait("document.getElementById('whatif-said').textContent.includes('absent')")
    (error,) = browser.errors()
    assert "status of 400" in error


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_hinders_readers(browser: Browser, server: Served, scheme: str, width: int) -> None:
    shown(browser, server, "cut=leaf-01--spine-01&port=leaf-01[3]", scheme=scheme, width=width)
    browser.wait("!document.getElementById('panel').hidden && !document.getElementById('beside').hidden")
    browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
    assert browser.violations() == []
    # Nothing is cut off at the right.
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_findings_and_work_lead_to_the_map(browser: Browser) -> None:
    fabric = _core.generate_fabric("fat-tree:4,2").without(["leaf-01--spine-01"])
    with served(Session(fabric, ports_of(fabric), "hurt", None, None)) as running:
        shown(browser, running, "measure=modelled")
        assert browser.texts("#work-head") == ["Work at cables (1)"]
        (work,) = browser.texts("#work li")
        assert work.startswith("plug in: ")
        browser.run("document.getElementById('work-list').open = true")
        browser.click("#work li button")
        browser.wait("!document.getElementById('panel').hidden")
        assert browser.texts("#panel h2")[0] in ("leaf-01", "spine-01")
        assert browser.errors() == []


def test_large_fabrics_are_drawn_in_few_marks(browser: Browser) -> None:
    fabric = _core.generate_fabric("fat-tree:24,3")  # 3,456 hosts
    session = Session(fabric, ports_of(fabric), "large", None, None)
    with served(session) as running:
        shown(browser, running)
        assert painted(browser)["title"] != "nodes"
        marks = browser.run(
            """const map = lacisMap, seen = [];
            for (let n = 0; n < 60; n++) { n % 3 ? map.move(25, -10) : map.zoom(n < 30 ? 1.25 : 0.8); map.paint(); seen.push(map.marks); }
            return seen"""
        )
        assert max(marks) <= 2000
        assert painted(browser)["marks"] > 0
        browser.run(
            "lacisMap.reveal(lacisMap.fabric.names.indexOf('leaf-05-03')); lacisMap.zoom(3); lacisMap.paint()"
        )
        assert painted(browser)["title"] == "nodes"
        assert browser.errors() == []


def test_hostile_names_are_shown_as_they_are(browser: Browser) -> None:
    evil = "<img src=x onerror=document.body.dataset.evil=1>"
    text = _core.generate_fabric("fat-tree:4,2").to_json().replace("leaf-01", evil)
    fabric = _core.read_fabric(text.encode())
    with served(Session(fabric, ports_of(fabric), evil, None, _core.route(fabric, "minhop"))) as running:
        shown(browser, running, "measure=modelled")
        browser.click("#top tr:first-child button")
        browser.wait("!document.getElementById('panel').hidden")
        assert browser.texts("#name") == [evil]
        assert browser.run("return document.body.dataset.evil ?? null") is None
        assert browser.run("return document.querySelectorAll('img').length") == 0


def test_what_if_switches_chose(browser: Browser, server: Served) -> None:
    shown(browser, server, "adaptive=1&cut=leaf-01--spine-01")
    browser.wait("!document.getElementById('beside').hidden")
    (said,) = browser.texts("#whatif-said")
    assert "switches choose among shortest paths" in said
    assert "carries 12 flows" in said
    browser.run("document.querySelector('#whatif').parentElement.open = true")
    assert browser.run("return document.querySelector('#whatif [name=adaptive]').checked")
    browser.click("#whatif [name=adaptive]")
    browser.click("#whatif button")
    browser.wait("!document.getElementById('whatif-said').textContent.includes('choose')")
    assert "adaptive" not in browser.run("return location.hash")


def test_a_fabric_that_changed_is_offered(
    browser: Browser, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacis.serve.app.LOOKS", 0.05)
    fabric = _core.generate_fabric("fat-tree:4,2").without(["spine-02"])
    later: list[Session] = []
    with served(session, newer=lambda: later.pop() if later else None) as running:
        shown(browser, running)
        assert browser.run("return document.getElementById('changed').hidden")
        later.append(Session(fabric, ports_of(fabric), "smaller", session.timeline, None))
        browser.wait("!document.getElementById('changed').hidden")
        assert browser.texts("#name") == ["tree"]
        # What the old page asks is not answered with numbers of other ports.
        assert running.ask("moment?of=0").status == 409
        assert running.ask("moment?of=1").status == running.ask("moment").status == 200
        browser.click("#reload")
        browser.wait(
            "document.getElementById('name').textContent === 'smaller' && document.body.dataset.ready"
        )
        assert browser.texts("#source")[0].startswith("5 switches")
        assert browser.run("return document.getElementById('changed').hidden")


def test_the_command_reads_a_file_that_changed_again(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my.json"
    fabric = _core.generate_fabric("fat-tree:4,2")
    path.write_text(fabric.to_json())
    seen: list[object] = []

    def serve(*_: object, newer: Callable[[], Session | None], **__: object) -> None:
        with ThreadPoolExecutor(1) as other:  # as a server does
            seen.append(other.submit(newer).result())
            path.write_text(fabric.without(["spine-02"]).to_json())
            found = other.submit(newer).result()
            assert found is not None
            assert found.jobs is not None
            seen.extend([found.fabric.num_switches, list(found.jobs.names), found.routes is not None])
            path.write_text("broken")
            with pytest.raises(LacisError, match=r"my\.json"):
                other.submit(newer).result()

    monkeypatch.setattr("lacis.serve.running.serve", serve)
    done = lacis("serve", path, "--job", "one=node0001,node0003", "--listen", "127.0.0.1:0")
    assert done.status == 0, done.err
    assert seen == [None, 5, ["one"], True]
