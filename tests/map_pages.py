"""The page of `lacis serve`, opened in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .browser import Browser
    from .served import Served


def shown(browser: Browser, server: Served, view: str = "", **how: Any) -> None:
    """Opens the page at a view, and waits until it is there."""
    browser.open("about:blank")
    browser.open(f"{server.address}#{view}", **how)
    browser.wait("document.body.dataset.ready")


def painted(browser: Browser) -> dict[str, Any]:
    found: dict[str, Any] = browser.run(
        "lacisMap.paint(); return {marks: lacisMap.marks, title: lacisMap.level.title, chosen: lacisMap.chosen, measure: lacisMap.measure}"
    )
    return found
