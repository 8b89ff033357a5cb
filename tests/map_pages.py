"""Maps in a browser: on the page of `lacis serve`, and on that of a report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lacis import _core

if TYPE_CHECKING:
    from lacis._core import Fabric

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


PIXELS = """
const map = lacisMap;
map.paint();
const ends = (row) => {
  const [a, b] = map.endsOf(row), f = map.fabric, line = map.lineOf(a, b);
  return line ? [line.pieces[0], line.pieces.at(-1)].map((it) => map.pixel(it.at(-2), it.at(-1))) : [a, b].map((node) => map.pixel(f.x[node], f.y[node]));
};
const onPage = ([x, y]) => {
  map.canvas.scrollIntoView({block: "center"});
  map.canvas.parentElement.scrollLeft = x - map.canvas.parentElement.clientWidth / 2;
  const box = map.canvas.getBoundingClientRect();
  return [box.x + x, box.y + y];
};
"""
"""For scripts: both ends of a cable on the canvas, by the row of a port, and a point of the canvas on the page."""


def click_at(browser: Browser, point: str, *given: object) -> None:
    """A real click at a point of the canvas, which a script returns."""
    x, y = browser.run(f"{PIXELS} return onPage({point})", *given)
    for kind in ("mousePressed", "mouseReleased"):
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def click_box(browser: Browser, name: str) -> None:
    """A real click on the box of a switch, or of one that is absent."""
    click_at(browser, "(({x, y}) => [x, y])(map.drawn.find((it) => it.box?.name === arguments[0]))", name)


def in_racks(spec: str, racks: int) -> Fabric:
    """A fabric whose nodes are dealt out to so many racks, by their numbers in it."""
    made = json.loads(_core.generate_fabric(spec).to_json())
    for number, node in enumerate(made["nodes"]):
        node["description"] = f"r{number % racks + 1}-{node['description']}"
    return _core.read_fabric(json.dumps(made).encode())
