"""The report's plots: matplotlib, inlined as SVG whose colours follow the page (light, dark, print)."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Matplotlib writes these colours; the page replaces them by its own. Any distinct values would do.
INK, FAINT = "#010203", "#040506"
SERIES = ["#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04", "#0a0b05", "#0a0b06", "#0a0b07", "#0a0b08"]
_STYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3))]


def distribution(
    name: str, series: Mapping[str, Sequence[tuple[float, int]]], *, xlabel: str, title: str
) -> str:
    """Cumulative distributions, one step line a series.

    Args:
        name: unique among the plots of one page.
        series: for each label, (value, how many flows have it), values ascending.
        xlabel: what the horizontal axis is, with its unit.
        title: what the plot shows.
    """
    figure, axes = _figure((7.2, 3.4))
    for index, (label, values) in enumerate(series.items()):
        total = sum(count for _, count in values)
        if not total:
            continue
        xs, ys, seen = [0.0], [0.0], 0
        for value, count in values:
            xs += [value, value]
            ys += [seen / total, (seen + count) / total]
            seen += count
        style = _STYLES[index % len(_STYLES)]
        axes.plot(xs, ys, color=SERIES[index % len(SERIES)], linestyle=style, linewidth=1.8, label=label)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(xlabel)
    axes.set_ylabel("share of flows at or below")
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="upper left")
    return inline(name, figure)


def bars(
    name: str, values: Mapping[str, Sequence[float]], labels: Sequence[str], *, xlabel: str, title: str
) -> str:
    """Horizontal bars: for each key of `values`, one bar a label."""
    figure, axes = _figure((7.2, 0.7 + 0.22 * len(values) * (len(labels) + 0.6)))
    height = 0.8 / len(labels)
    for series, label in enumerate(labels):
        ys = [row + series * height for row in range(len(values))]
        widths = [numbers[series] for numbers in values.values()]
        axes.barh(ys, widths, height * 0.92, color=SERIES[series], label=label)
        for y, width in zip(ys, widths, strict=True):
            axes.text(width, y, f" {width:.2f}", va="center", fontsize=8, color=INK)
    axes.set_yticks([row + 0.4 - height / 2 for row in range(len(values))], list(values))
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel(xlabel)
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    if len(labels) > 1:
        axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower right")
    return inline(name, figure)


def histogram(
    name: str,
    edges: Sequence[float],
    counts: Sequence[int],
    marks: Sequence[tuple[float, str]],
    *,
    xlabel: str,
    title: str,
) -> str:
    """Bars on a logarithmic scale, with lines at `marks`, explained in the legend."""
    figure, axes = _figure((7.2, 3.4))
    widths = [b - a for a, b in pairwise(edges)]
    axes.bar(list(edges[:-1]), list(counts), widths, align="edge", color=SERIES[0], log=True)
    for index, (at, label) in enumerate(marks[: len(SERIES) - 1], 1):
        style = _STYLES[index % len(_STYLES)]
        axes.axvline(at, color=SERIES[index], linestyle=style, linewidth=1.4, label=label)
    axes.set_ylim(0.7, 3 * max(*counts, 1))
    axes.set_xlabel(xlabel)
    axes.set_ylabel("ordered pairs (logarithmic)")
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    figure.legend(frameon=False, fontsize=9, labelcolor=INK, loc="outside lower center", ncols=3)
    return inline(name, figure)


def load() -> None:
    """Loads matplotlib, which takes half a second."""
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401


def _figure(size: tuple[float, float]) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.subplots()
    axes.patch.set_alpha(0)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)
    axes.tick_params(colors=INK, labelsize=9)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(color=FAINT, linewidth=0.4, alpha=0.5)
    axes.set_axisbelow(True)
    return figure, axes


def inline(name: str, figure: Figure) -> str:
    """A figure as SVG for the page: its ids begin with `name`, which no other plot has; `INK` and `FAINT` become the page's colours."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": name}
    ):  # text stays text, in the page's font
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", svg, count=1)
    svg = re.sub(r'<svg ([^>]*?)height="[^"]*"', r'<svg class="plot" \1', svg, count=1)
    svg = re.sub(r"font: ([0-9.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = svg.replace(INK, "var(--ink)").replace(FAINT, "var(--faint)")
    for index, color in enumerate(SERIES):
        svg = svg.replace(color, f"var(--series-{index + 1})")
    # Ids are unique within a plot; make them unique within the page.
    return re.sub(r'(\bid|xlink:href|clip-path)="(?!data:)(#|url\(#)?', rf'\1="\2{name}-', svg)
