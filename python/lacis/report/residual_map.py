"""The fabric's drawing with what measured flows lack on each link, as a figure."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, health
from ..map.layout import draw
from ..map.shapes import short
from ..map.topology import topology

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .._core import Routes
    from ..explain import Explanation
    from ..map.shapes import Drawing

NAMED = 5
"""Links that are named: those that lack most."""
LEAST_SCALE = 5.0
"""The scale ends at no less [%], so that noise does not look like a fault."""


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


def residual_map(routes: Routes, found: Explanation, ink: str = "black") -> Figure | None:
    """A figure with text in the colour `ink`; none where the fabric has no drawing or no flow crosses a link.

    Suspects are coloured, by the median of what the flows over them lack: a line for cables, a leaf's box for links of its
    hosts. All other links that flows cross are grey: those beside a slow link share its flows, and are no slower for it.
    """
    from matplotlib.figure import Figure
    from matplotlib.text import Text

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
    figure = Figure(figsize=(drawing.width / 100, max(3.2, drawing.height / 100 + 1.2)), layout="constrained")
    axes = figure.subplots()
    _lines(axes, drawing, lines, np.isfinite(crossed), most)
    scale = _boxes(axes, drawing, boxes, most)
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_axis_off()
    one = found.series
    flows = f"{len(found.core) - found.core.unrouted:,} flows"
    axes.set_title(
        f"{one.test} {one.what}: median of what the flows over each link lack, {flows}, measured", fontsize=10
    )
    figure.colorbar(scale, ax=axes, orientation="horizontal", shrink=0.5, aspect=40, pad=0.02,
                    label=f"{'longer' if is_time else 'less'} than expected by [%]; a line: a suspected cable, a box: a leaf with a suspected host; grey: not suspected; dotted: no flow")  # fmt: skip
    _name_suspects(axes, routes, losses)
    for text in figure.findobj(Text):
        text.set_color(ink)
    return figure


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


def _lines(axes: Axes, drawing: Drawing, lines: Any, crossed: Any, most: float) -> None:
    from matplotlib.patches import PathPatch

    order = np.argsort(np.nan_to_num(lines, nan=-np.inf), kind="stable")  # the worst on top
    shares = np.clip(np.nan_to_num(lines), 0, most) / most
    colors = _colors(lines, most)
    for index in order.tolist():
        is_suspect = np.isfinite(lines[index])
        axes.add_patch(
            PathPatch(
                _path(drawing.lines[index].path),
                fill=False,
                edgecolor=colors[index] if is_suspect else "#c0c0c0",
                linewidth=1.6 + 2.4 * shares[index] if is_suspect else 0.6,
                linestyle="-" if crossed[index] else ":",
            )
        )


def _boxes(axes: Axes, drawing: Drawing, boxes: Any, most: float) -> ScalarMappable:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    colors = _colors(boxes, most)
    for box, loss, color in zip(drawing.boxes, boxes, colors, strict=True):
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        face = color if np.isfinite(loss) else "none"
        axes.add_patch(
            Rectangle(corner, box.width, box.height, facecolor=face, edgecolor="#31688e", linewidth=0.8)
        )
        for label in box.labels:
            across = "left" if label.anchor == "start" and not label.turn else "center"
            along = ("top" if label.turn > 0 else "bottom") if label.turn else "baseline"
            axes.text(label.x, label.y, label.text, rotation=-label.turn, fontsize=6, ha=across, va=along)
    return ScalarMappable(Normalize(0, most), _scale())


def _scale() -> Colormap:
    """From a grey that shows on paper to brown: clear without red and green, and darker is worse."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(
        "losses", ["#d5d2c8", "#fdc45c", "#e5720b", "#993404", "#4d1c02"]
    )


def _colors(values: Any, most: float) -> Any:
    return _scale()(np.clip(np.nan_to_num(values), 0, most) / most)


def _name_suspects(axes: Axes, routes: Routes, losses: _Losses) -> None:
    """Writes the names of the suspected links that lack most below the drawing, a line each."""
    fabric = routes.fabric
    names = fabric.descriptions()
    order = np.argsort(-np.nan_to_num(losses.percent, nan=-np.inf), kind="stable")
    order = order[np.isfinite(losses.percent[order])][:NAMED]
    rows = [
        f"{short(names[losses.node[i]])} port {losses.port[i]} → {short(names[losses.peer[i]])}: "
        f"{losses.percent[i]:.1f} %, {losses.flows[i]:,} flows"
        for i in order.tolist()
    ]
    if rows:
        axes.text(0.0, -0.01, "\n".join(rows), transform=axes.transAxes, fontsize=6.5, va="top")


def _path(text: str) -> Any:
    """An SVG path of moves, lines and quadratic curves."""
    from matplotlib.path import Path

    points: list[tuple[float, float]] = []
    codes = []
    for command, body in re.findall(r"([MLQ])([^MLQ]*)", text):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", body)]
        some = list(zip(numbers[::2], numbers[1::2], strict=True))
        points += some
        codes += {"M": [Path.MOVETO], "L": [Path.LINETO], "Q": [Path.CURVE3, Path.CURVE3]}[command]
    return Path(points, codes)
