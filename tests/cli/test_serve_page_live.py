"""The page of `lacis serve` in a real browser while readings come, and while they do not."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.live import Swept
from lacis.serve.session import Session

from tests.map_pages import shown
from tests.ports_read import cable, read
from tests.served import START, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lacis.counters import Readings
    from lacis.fabric.ports import Ports

    from tests.browser import Browser


def full_then(ports: Ports, share: float) -> tuple[Callable[[], Readings], threading.Event]:
    """Sweeps of a second each: a cable is full between the first two, and has a share of that from when the event is set."""
    here, _, rate = cable(ports)
    number, gate = iter(range(1, 10_000)), threading.Event()

    def sweep() -> Readings:
        at = next(number)
        if at > 2:
            gate.wait(60)
        sent = rate / 4 * (at if at <= 2 else 2 + (at - 2) * share)
        return read(ports, START + at, {"XmitData": {here: round(sent)}})

    return sweep, gate


def test_new_readings_come_by_themselves_and_a_lost_server_is_said(browser: Browser) -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    ports = ports_of(fabric)
    sweep, gate = full_then(ports, 0.25)
    with served(Session(fabric, ports, "live", Swept(sweep, "live"), None), every=0.05) as running:
        time.sleep(0.5)
        shown(browser, running)
        browser.wait("document.querySelector('#top td.n')?.textContent === '100.0 %'")
        gate.set()
        browser.wait("document.querySelector('#top td.n')?.textContent === '25.0 %'")
    browser.wait("document.getElementById('trouble').textContent.includes('does not answer')")


@contextmanager
def reader_who_types(browser: Browser) -> Iterator[threading.Event]:
    """A page with a full cable, in whose panel a reader has typed `node`; the cable is used to 12.5 % from when the event is set."""
    fabric = _core.generate_fabric("fat-tree:4,2")
    ports = ports_of(fabric)
    sweep, gate = full_then(ports, 0.125)
    here, _, _ = cable(ports)
    session = Session(fabric, ports, "live", Swept(sweep, "live"), _core.route(fabric, "minhop"))
    with served(session, every=0.05) as running:
        shown(browser, running, f"port={ports.name(here)}")
        browser.wait("document.getElementById('panel').textContent.includes('used100.0 %')")
        browser.click("#panel section input")
        browser.keys(*"node")
        yield gate


def test_what_comes_takes_no_keys_from_a_reader_who_types(browser: Browser) -> None:
    with reader_who_types(browser) as gate:
        gate.set()
        browser.wait("document.getElementById('panel').textContent.includes('used12.5 %')")
        browser.keys(*"0001")
        browser.wait("document.querySelector('#panel section p')?.textContent.includes('3 of 6 pairs')")
        assert browser.run("return document.activeElement.value") == "node0001"
        assert browser.errors() == []


def test_an_answer_that_fails_takes_no_keys_from_a_reader_who_types(browser: Browser) -> None:
    with reader_who_types(browser) as gate:
        browser.run(
            "window.asked = window.fetch;"
            "window.fetch = (url, ...rest) => String(url).includes('port.json')"
            " ? Promise.reject(new Error('no answer')) : window.asked(url, ...rest)"
        )
        gate.set()
        browser.wait("document.querySelector('#panel .error')?.textContent.includes('no answer')")
        browser.keys(*"0001")
        assert browser.run("return document.activeElement.value") == "node0001"
        browser.run("window.fetch = window.asked")
        browser.wait("document.getElementById('panel').textContent.includes('used12.5 %')")
        assert browser.run("return document.activeElement.value") == "node0001"


def test_a_browser_that_slept_loads_all_afresh(browser: Browser) -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    ports = ports_of(fabric)
    here, _, rate = cable(ports)
    number, gate, is_through = iter(range(1, 10_000)), threading.Event(), threading.Event()

    def sweep() -> Readings:
        at = next(number)
        if at > 2:
            gate.wait(60)
        if at > 12:
            is_through.set()
        sent = rate / 4 * (at if at <= 2 else 2 + (at - 2) / 4)
        return read(ports, START + at, {"XmitData": {here: round(sent)}})

    with served(Session(fabric, ports, "live", Swept(sweep, "live"), None), every=0.05) as running:
        shown(browser, running)
        browser.wait("document.querySelector('#top td.n')?.textContent === '100.0 %'")
        browser.run("lacisEvents.close()")  # asleep: what happens now is lost
        gate.set()
        assert is_through.wait(60)
        assert browser.texts("#top tr:first-child td.n") == ["100.0 %"]
        # Awake: the lost connection is noticed, then there is one again.
        browser.run("lacisEvents.dispatchEvent(new Event('error'))")
        assert "does not answer" in browser.texts("#trouble")[0]
        browser.run("lacisEvents.dispatchEvent(new Event('open'))")
        browser.wait("document.querySelector('#top td.n')?.textContent === '25.0 %'")
        browser.wait("document.getElementById('trouble').textContent === ''")
        assert browser.run("return Number(document.getElementById('time').max)") >= 10
    assert browser.errors() == []
