"""The fabric's drawing with what measured flows lack on each link, as SVG."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, health
from ..map.layout import draw
from ..map.shapes import short
from ..map.topology import topology
from .svg import SOLID, Canvas, Scale, text_width, tick_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Routes
    from ..explain import Explanation
    from ..map.shapes import Drawing

NAMED = 5
"""Links that are named: those that lack most."""
LEAST_SCALE = 5.0
"""The scale ends at no less [%], so that noise does not look like a fault."""
SCALE = ("#d5d2c8", "#fdc45c", "#e5720b", "#993404", "#4d1c02")
"""From a grey that shows on paper to brown: clear without red and green, and darker is worse."""
NOT_SUSPECTED, EDGE = "#c0c0c0", "#31688e"
_HEAD, _ROW = 30.0, 15.0
"""Heights of the title and of a line of text below the drawing [px]."""


@dataclass(frozen=True)
class _Losses:
    """What measured flows lack on each directed link that some cross; arrays of shape `(links,)`."""

    link: NDArray[np.uint32]
    """Its number."""
    node: NDArray[np.uint32]
    port: NDArray[np.uint8]
    """Egress port."""
    peer: NDArray[np.uint32]
    flows: NDArray[np.uint32]
    median: NDArray[np.float64]
    """Natural logarithm of expected over measured, or of measured over expected for times."""
    percent: NDArray[np.float64]
    """The median as a share of what is expected [%]."""


def residual_map(routes: Routes, found: Explanation, ink: str = "#000000") -> str | None:
    """A picture as SVG, with text in the colour `ink`; none where the fabric has no drawing or no flow crosses a link.

    Suspects are coloured, by the median of what the flows over them lack: a line for cables, a leaf's box for links of its
    hosts. All other links that flows cross are grey: those beside a slow link share its flows, and are no slower for it.
    """
    fabric = routes.fabric
    drawing = draw(topology(fabric, health.examine(fabric)), (), fabric.systems().tolist())
    is_time = found.series.unit == "s"
    losses = _losses(routes, found, is_time=is_time)
    if drawing is None or not len(losses.node):
        return None
    losses = _of_suspects(losses, found)
    crossed, _ = _worst(
        drawing, dataclasses.replace(losses, percent=np.zeros(len(losses.node))), fabric.num_switches
    )
    lines, boxes = _worst(drawing, losses, fabric.num_switches)
    known = np.concatenate([lines, boxes])
    most = max(LEAST_SCALE, float(np.nanmax(known))) if np.isfinite(known).any() else LEAST_SCALE
    one = found.series
    flows = f"{len(found.core) - found.core.unrouted:,} flows"
    title = f"{one.test} {one.what}: median of what the flows over each link lack, {flows}, measured"
    suspects = _suspects(routes, losses)
    canvas = Canvas(drawing.width, _HEAD + drawing.height + _ROW * (len(suspects) + 5), title)
    canvas.text(drawing.width / 2, 18, title, 14, ink, anchor="middle")
    _lines(canvas, drawing, lines, np.isfinite(crossed), most)
    _boxes(canvas, drawing, boxes, most, ink)
    below = _HEAD + drawing.height
    for row, text in enumerate(suspects, 1):
        canvas.text(14, below + row * _ROW, text, 10, ink)
    _legend(canvas, below + _ROW * (len(suspects) + 1), most, ink, is_time=is_time)
    return canvas.svg()


def _losses(routes: Routes, found: Explanation, *, is_time: bool) -> _Losses:
    links = _core.link_losses(routes, found.core)
    median = links["median"].astype(np.float64)
    return _Losses(
        link=links["link"],
        node=links["node"],
        port=links["port"],
        peer=links["peer"],
        flows=links["flows"],
        median=median,
        percent=100 * (np.expm1(median) if is_time else -np.expm1(-median)),
    )


def _of_suspects(losses: _Losses, found: Explanation) -> _Losses:
    """What the links of suspects lack; not a number on all others."""
    links = [link for one in found.culprits.found for link in one.suspect.links]
    links += [link for one in found.culprits.partly for link in one.suspects[0].links]
    return dataclasses.replace(losses, percent=np.where(np.isin(losses.link, links), losses.percent, np.nan))


def _worst(drawing: Drawing, losses: _Losses, switches: int) -> tuple[Any, Any]:
    """The greatest loss of each line and of each box's host links [%]; not a number without a flow."""
    box = np.array([drawing.box_of.get(switch, -1) for switch in range(switches)] + [-1])
    percent = losses.percent
    ends = [np.minimum(end.astype(np.int64), switches) for end in (losses.node, losses.peer)]
    is_switch = [end < switches for end in ends]
    a, b = (box[end] for end in ends)
    lines = np.full(len(drawing.lines), -np.inf)
    size = len(drawing.boxes)
    number = {low * size + high: n for n, (low, high) in enumerate(line.ends for line in drawing.lines)}
    between = is_switch[0] & is_switch[1] & (a >= 0) & (b >= 0)
    keys = np.minimum(a, b) * size + np.maximum(a, b)
    unique, inverse = np.unique(keys[between], return_inverse=True)
    line_of = np.array([number.get(int(key), -1) for key in unique], dtype=np.int64)
    drawn = line_of[inverse] >= 0 if len(unique) else np.zeros(0, dtype=bool)
    np.fmax.at(lines, line_of[inverse][drawn], percent[between][drawn])
    boxes = np.full(size, -np.inf)
    for own, other, of in ((0, 1, a), (1, 0, b)):
        hosts = is_switch[own] & ~is_switch[other] & (of >= 0)
        np.fmax.at(boxes, of[hosts], percent[hosts])
    return np.where(np.isfinite(lines), lines, np.nan), np.where(np.isfinite(boxes), boxes, np.nan)


def _lines(canvas: Canvas, drawing: Drawing, lines: Any, crossed: Any, most: float) -> None:
    order = np.argsort(np.nan_to_num(lines, nan=-np.inf), kind="stable")  # the worst on top
    canvas.begin(0, _HEAD)
    for index in order.tolist():
        is_suspect = np.isfinite(lines[index])
        share = min(max(lines[index], 0.0), most) / most if is_suspect else 0.0
        canvas.path(
            drawing.lines[index].path,
            _color(lines[index], most) if is_suspect else NOT_SUSPECTED,
            width=2.2 + 3.3 * share if is_suspect else 0.8,
            dash=SOLID if crossed[index] else "1 2",
        )
    canvas.end()


def _boxes(canvas: Canvas, drawing: Drawing, boxes: Any, most: float, ink: str) -> None:
    canvas.begin(0, _HEAD)
    for box, loss in zip(drawing.boxes, boxes.tolist(), strict=True):
        fill = _color(loss, most) if np.isfinite(loss) else "none"
        canvas.rectangle(
            box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, fill, edge=EDGE, line=1.1
        )
        for label in box.labels:
            canvas.text(label.x, label.y, label.text, 9, ink, anchor=label.anchor, turn=label.turn)
    canvas.end()


def _legend(canvas: Canvas, y: float, most: float, ink: str, *, is_time: bool) -> None:
    """The scale of colours, and what lines and boxes mean."""
    width, steps = 360.0, 60
    left = (canvas.width - width) / 2
    for step in range(steps):
        color = _color((step + 0.5) / steps * most, most)
        canvas.rectangle(left + step * width / steps, y, width / steps + 0.5, 10, color)
    scale = Scale(0, most, left, left + width)
    for value in scale.ticks():
        canvas.text(scale.at(value), y + 23, tick_label(value), 10, ink, anchor="middle")
    what = (
        f"{'longer' if is_time else 'less'} than expected by [%]; a line: a suspected cable, a box: a leaf with a "
        "suspected host; grey: not suspected; dotted: no flow"
    )
    size = min(11.0, 11.0 * (canvas.width - 20) / text_width(what, 11.0))
    canvas.text(canvas.width / 2, y + 40, what, size, ink, anchor="middle")


def _color(value: float, most: float) -> str:
    """The colour of a loss, between those of `SCALE` that are next to it."""
    place = value / most * (len(SCALE) - 1)
    known = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in SCALE])
    mixed = (np.interp(place, np.arange(len(SCALE)), channel) for channel in known.T)
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def _suspects(routes: Routes, losses: _Losses) -> list[str]:
    """The suspected links that lack most, a line each."""
    fabric = routes.fabric
    names = fabric.descriptions()
    order = np.argsort(-np.nan_to_num(losses.percent, nan=-np.inf), kind="stable")
    order = order[np.isfinite(losses.percent[order])][:NAMED]
    return [
        f"{short(names[losses.node[i]])} port {losses.port[i]} → {short(names[losses.peer[i]])}: "
        f"{losses.percent[i]:.1f} %, {losses.flows[i]:,} flows"
        for i in order.tolist()
    ]
