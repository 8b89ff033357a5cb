"""The report's plots, as SVG whose colours follow the page (light, dark, print)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .svg import DASHES, Canvas, Scale, number, text_width, tick_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 518.0, 245.0
"""Of a plot [px of its own, which the page scales]."""
INK, FAINT = "var(--ink)", "var(--faint)"
SERIES = tuple(f"var(--series-{index})" for index in range(1, 9))
TITLE, TEXT, SMALL = 10.0, 9.0, 8.0
"""Sizes of texts [px]."""
_TOP, _BOTTOM, _RIGHT = 22.0, 34.0, 12.0
_ROW, _BAR = 13.0, 22.0
"""Heights of a line of a legend, and of a bar with the gap to the next [px]."""


def distribution(series: Mapping[str, Sequence[tuple[float, int]]], *, xlabel: str, title: str) -> str:
    """Cumulative distributions, one step line a series.

    Args:
        series: for each label, (value, how many flows have it), values ascending.
        xlabel: what the horizontal axis is, with its unit.
        title: what the plot shows.
    """
    canvas = Canvas(WIDTH, HEIGHT, title)
    most = max((value for values in series.values() for value, _ in values), default=1.0)
    across = Scale(0, 1.02 * max(1.0, most), 46, WIDTH - _RIGHT)
    along = Scale(0, 1.02, HEIGHT - _BOTTOM, _TOP)
    _axes(canvas, across, along, xlabel=xlabel, ylabel="share of flows at or below")
    for index, (label, values) in enumerate(series.items()):
        total = sum(count for _, count in values)
        if not total:
            continue
        shape, seen = f"M{number(across.at(0))} {number(along.at(0))}", 0
        for value, count in values:
            seen += count
            shape += f"H{number(across.at(value))}V{number(along.at(seen / total))}"
        color, dash = SERIES[index % len(SERIES)], DASHES[index % len(DASHES)]
        canvas.path(shape, color, width=1.8, dash=dash)
        _entry(canvas, label, color, dash, across.start + 8, _TOP + 8 + index * _ROW)
    return canvas.svg()


def bars(values: Mapping[str, float], *, xlabel: str, title: str) -> str:
    """Horizontal bars: one for each key of `values`, from 0."""
    left = 14 + max((text_width(name, TEXT) for name in values), default=0)
    canvas = Canvas(WIDTH, _TOP + _BAR * len(values) + _BOTTOM, title)
    across = Scale(0, 1.12 * (max(values.values(), default=0.0) or 1.0), left, WIDTH - _RIGHT)
    along = Scale(0, len(values) or 1, _TOP, _TOP + _BAR * len(values))
    _axes(canvas, across, along, xlabel=xlabel, ylabel="", has_rows=True)
    for row, (name, value) in enumerate(values.items()):
        top = along.at(row) + _BAR / 5
        canvas.text(left - 6, top + 10, name, TEXT, INK, anchor="end")
        canvas.rectangle(left, top, across.at(value) - left, 0.6 * _BAR, SERIES[0])
        canvas.text(across.at(value) + 3, top + 10, f"{value:.2f}", SMALL, INK)
    return canvas.svg()


def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    marks: Sequence[tuple[float, str]],
    *,
    xlabel: str,
    title: str,
) -> str:
    """Bars on a logarithmic scale, with lines at `marks`, explained below in columns of three."""
    rows = -(-len(marks) // 3)
    height = HEIGHT + rows * _ROW
    canvas = Canvas(WIDTH, height, title)
    across = Scale(edges[0], edges[-1], 46, WIDTH - _RIGHT)
    along = Scale(0.7, 3.0 * max(*counts, 1), HEIGHT - _BOTTOM, _TOP, is_log=True)
    _axes(canvas, across, along, xlabel=xlabel, ylabel="ordered pairs (logarithmic)")
    for (low, high), count in zip(pairwise(edges), counts, strict=True):
        if count:
            left, top = across.at(low), along.at(count)
            canvas.rectangle(left, top, across.at(high) - left, along.start - top, SERIES[0])
    for index, (value, label) in enumerate(marks):
        color = SERIES[1 + index % (len(SERIES) - 1)]
        dash = DASHES[(1 + index) % len(DASHES)]
        x = across.at(min(max(value, across.low), across.high))
        canvas.line((x, along.start), (x, along.end), color, width=1.4, dash=dash)
        column, line = index % 3, index // 3
        _entry(canvas, label, color, dash, 46 + column * (WIDTH - 58) / 3, HEIGHT + 4 + line * _ROW)
    return canvas.svg()


def _axes(
    canvas: Canvas, across: Scale, along: Scale, *, xlabel: str, ylabel: str, has_rows: bool = False
) -> None:
    """The title, the grid, the axes, and what they are; rows have names instead of values along."""
    bottom, top = max(along.start, along.end), min(along.start, along.end)
    canvas.text(across.start, top - 8, canvas.title, TITLE, INK)
    for value in across.ticks():
        x = across.at(value)
        canvas.line((x, bottom), (x, top), FAINT, width=0.4, opacity=0.6)
        canvas.text(x, bottom + 11, tick_label(value), TEXT, INK, anchor="middle")
    for value in [] if has_rows else along.ticks(5):
        y = along.at(value)
        canvas.line((across.start, y), (across.end, y), FAINT, width=0.4, opacity=0.6)
        canvas.text(across.start - 5, y + 3, tick_label(value), TEXT, INK, anchor="end")
    canvas.line((across.start, bottom), (across.end, bottom), FAINT, width=0.8)
    canvas.line((across.start, bottom), (across.start, top), FAINT, width=0.8)
    canvas.text((across.start + across.end) / 2, bottom + 26, xlabel, TEXT, INK, anchor="middle")
    if ylabel:
        canvas.text(11, (bottom + top) / 2, ylabel, TEXT, INK, anchor="middle", turn=-90)


def _entry(canvas: Canvas, label: str, color: str, dash: str, x: float, y: float) -> None:
    canvas.line((x, y), (x + 20, y), color, width=1.8, dash=dash)
    canvas.text(x + 25, y + 3, label, TEXT, INK)
