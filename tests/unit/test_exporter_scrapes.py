"""Scrapes of the exporter that come at a time: what they share, and for how long."""

from __future__ import annotations

import asyncio
import gc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from lacis.exporter import Page, Swept, server
from lacis.exporter.server import Server


class Parts(list[bytes]):
    """The pieces of a page, of which it can be seen whether anything still has them."""


class Counting(Page):
    """A page that counts how often it is written."""

    def __init__(self) -> None:
        super().__init__("0")
        self.written = 0

    def parts(self, *_: Any, **__: Any) -> Parts:
        self.written += 1
        return Parts([f"page {self.written}".encode()])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The server's clock, which stands still until a test sets it."""
    made = SimpleNamespace(now=100.0)
    monkeypatch.setattr(
        server, "time", SimpleNamespace(monotonic=lambda: made.now, time_ns=lambda: round(made.now * 1e9))
    )
    return made


def server_of(page: Page) -> Server:
    sweeper: Any = SimpleNamespace(swept=Swept())
    return Server(page, sweeper)


def test_scrapes_within_half_a_second_share_a_page_of_their_format(clock: SimpleNamespace) -> None:
    page = Counting()
    made = server_of(page)
    found = []

    async def scrape() -> None:
        # Later ones do not make a page last longer; one in another format is a page of its own, and takes the place of the other.
        for later, openmetrics in (
            (0.0, False),
            (0.25, False),
            (0.5, False),
            (0.625, False),
            (0.625, True),
            (0.75, True),
            (0.75, False),
        ):
            clock.now = 100 + later
            (part,) = await made._parts(openmetrics=openmetrics)
            found.append(part[-1:])

    asyncio.run(scrape())
    assert b"".join(found) == b"1112334"


def test_a_page_is_let_go_when_it_answers_no_more_scrapes(
    clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server_of(Counting())

    async def scrape() -> tuple[weakref.ref[Parts], float, Any]:
        later: list[tuple[float, Any]] = []
        with monkeypatch.context() as context:
            context.setattr(
                asyncio.get_running_loop(), "call_later", lambda delay, call: later.append((delay, call))
            )
            parts: Any = await made._parts(openmetrics=False)
        ((delay, forget),) = later
        return weakref.ref(parts), delay, forget

    page, delay, forget = asyncio.run(scrape())
    clock.now += 0.5
    forget()
    gc.collect()
    assert page() is not None
    clock.now = 100 + delay
    forget()
    gc.collect()
    assert page() is None
