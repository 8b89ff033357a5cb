"""The rows of each view, as text: what a table shows, whatever draws it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len

from ..counters import FIELDS
from ..counters.fields import Sort
from ..facts.words import harmless
from ..live import CATEGORIES, Criterion, Direction, buckets, figures, focus
from ..live.groups import BUCKETS, senders
from .state import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..live import PortGroupFigures, Usage
    from .behind import Behind
    from .state import State

_MB = 1e6
_LISTED = 500
"""Ports of a list: more than a reader looks through, and few enough to draw at once."""
_BLOCKS = " ▁▂▃▄▅▆▇█"
_UNKNOWN = "-"


@dataclass(frozen=True)
class Table:
    """What a view shows.

    Attributes:
        columns: headings; a column of numbers begins with a blank, and is set to the right.
        rows: cells.
        keys: what each row stands for, as `State.choose` takes it; none for rows that stand for nothing.
    """

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    keys: list[int | None]

    def widths(self) -> tuple[int, ...]:
        """Columns of the terminal that each column needs."""
        cells = zip(*([heading.strip() for heading in self.columns], *self.rows), strict=True)
        return tuple(max(map(cell_len, column)) for column in cells)


def table(state: State, behind: Behind | None = None) -> Table:
    """What the view that is shown has."""
    now = state.now()
    match state.view:
        case View.SUMMARY:
            return _summary(state, now)
        case View.BUCKETS:
            return _buckets(state, now)
        case View.FOCUS:
            return _focus(state, now)
    return _port(state, now, behind)


def _summary(state: State, now: Usage) -> Table:
    rows: list[tuple[str, ...]] = []
    for group in state.groups:
        for direction in Direction:
            found = figures(now, group, direction)
            errors = [
                _worst(now, category, senders(now.ports, group, direction))
                for category in ("integrity", "congestion")
            ]
            rows.append((group.name, direction.value, *_figures(found), *errors))
    columns = ("group", "traffic", " ports", " MB/s", " mean", " most", " kP/s", " integ", " cong")
    return Table(columns, rows, list(range(len(rows))))


def _figures(found: PortGroupFigures) -> tuple[str, ...]:
    rates = (found.total / _MB, found.mean / _MB, found.most / _MB, found.packets / 1e3)
    return (f"{found.ports:,}", *(_number(rate) if found.ports else "" for rate in rates))


def _worst(now: Usage, category: str, rows: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.intp]]) -> str:
    """Errors of a category at the worst port of some."""
    values = now.errors(category)[rows]
    known = values[~np.isnan(values)]
    return _number(float(known.max())) if len(known) else (_UNKNOWN if len(rows) else "")


def _buckets(state: State, now: Usage) -> Table:
    rows = []
    for group in state.groups:
        for direction in Direction:
            counts = buckets(now, group, direction)
            rows.append((group.name, direction.value, *(f"{count:,}" if count else "." for count in counts)))
    columns = ("group", "traffic", *(f" {10 * tenth}+%" for tenth in range(BUCKETS)))
    return Table(columns, rows, list(range(len(rows))))


def _focus(state: State, now: Usage) -> Table:
    group = state.groups[state.group]
    ports = now.ports
    by_errors = state.criterion.value in CATEGORIES
    rows: list[tuple[str, ...]] = []
    keys: list[int | None] = []
    found = focus(now, group, state.criterion, _LISTED, state.text, nonzero=by_errors)
    for number, one in enumerate(found, 1):
        far = int(ports.far[one.port])
        rows.append(
            (
                f"{number}",
                _value(state.criterion, one.value),
                _rate(now, one.port),
                harmless(ports.name(one.port)),
            )
        )
        keys.append(one.port)
        rows.append(("", "", "", f"<-> {harmless(ports.name(far))}" if far >= 0 else "<-> nothing"))
        keys.append(one.port)
    return Table((" #", f" {_heading(state.criterion)}", " MB/s", "port"), rows, keys)


def _heading(criterion: Criterion) -> str:
    match criterion:
        case Criterion.HIGH | Criterion.LOW:
            return "used"
        case Criterion.PACKETS:
            return "kP/s"
        case Criterion.WAITING:
            return "waited"
    return str(criterion.value)


def _value(criterion: Criterion, value: float) -> str:
    match criterion:
        case Criterion.HIGH | Criterion.LOW | Criterion.WAITING:
            return f"{100 * value:.1f} %"
        case Criterion.PACKETS:
            return _number(value / 1e3)
    return _number(value)


def _rate(now: Usage, port: int) -> str:
    return _number(float(now.sent[port]) / _MB)


def _port(state: State, now: Usage, behind: Behind | None) -> Table:
    ports, here = now.ports, state.port
    far = int(ports.far[here])
    ends = [here, far] if far >= 0 else [here]
    rows: list[tuple[str, ...]] = [
        ("port", *(harmless(ports.name(end)) for end in ends)),
        ("cable carries", f"{_number(float(ports.rates[here]) / _MB)} MB/s each way"),
        ("sends", *(f"{_rate(now, end)} MB/s, {_percent(float(now.share[end]))}" for end in ends)),
        ("packets", *(f"{_number(float(now.packets[end]) / 1e3)} k/s" for end in ends)),
        ("waited", *(f"{_percent(float(now.waited[end]))} (tick assumed)" for end in ends)),
        ("before", *(history(state, end) for end in ends)),
    ]
    for name, column in now.counts.items():
        if FIELDS[name].sort in (Sort.DATA, Sort.PACKETS, Sort.WAITING):
            continue
        values = [float(column[end]) for end in ends]
        if any(value > 0 or math.isnan(value) for value in values):
            rows.append(
                (name, *(f"+{value:,.0f}" if not math.isnan(value) else _UNKNOWN for value in values))
            )
    if behind is not None:
        rows += (tuple(map(harmless, row)) for row in behind.rows(now, here, state.pairs))
    width = max(len(row) for row in rows)
    return Table(
        ("", "this end", "the other end")[:width],
        [(*row, *[""] * (width - len(row))) for row in rows],
        [far if far >= 0 else None] * len(rows),
    )


def history(state: State, port: int, count: int = 24) -> str:
    """What a port sent in the instants up to the one that is shown, a block each, as a share of its cable's rate."""
    last = state.number
    shares = [state.share(number, port) for number in range(max(0, last - count + 1), last + 1)]
    return "".join(
        "·" if math.isnan(one) else _BLOCKS[min(8, math.ceil(8 * min(one, 1.0)))] for one in shares
    )


def _percent(value: float) -> str:
    return _UNKNOWN if math.isnan(value) else f"{100 * value:.1f} %"


def _number(value: float) -> str:
    """A number in at most seven characters."""
    if math.isnan(value):
        return _UNKNOWN
    if value and abs(value) < 10:
        return f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) < 1e6 else f"{value:.2e}"
