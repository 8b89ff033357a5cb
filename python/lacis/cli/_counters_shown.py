"""How `lacis counters` shows a sweep: ports with errors first, then the busiest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..facts.words import count, quantity
from ._output import console, echo, new_table, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..counters import Growth, Readings, Unread
    from ..counters.names import PortNames

_NAMED = 12
"""Ports without an answer that are named before the rest are counted."""


def heading(readings: Readings, *, is_timed: bool) -> str:
    """What was read, in a line; with the time that reading took where that is known."""
    nodes = len(np.unique(readings.guids))
    took = (readings.ended - readings.started) / 1e9
    line = f"{count(len(readings), 'port')} of {count(nodes, 'node')}"
    if is_timed and readings.ended > readings.started:
        line += f" read in {quantity(took, 's')}"
    if readings.source:
        line += f" from {readings.source}"
    return line


def print_sweep(
    readings: Readings,
    growth: Growth | None,
    names: PortNames,
    *,
    top: int | None,
    uncleared: Sequence[Unread] | None,
    before: Readings | None = None,
    is_timed: bool = True,
) -> None:
    """Prints a sweep; `top` is how many ports are shown, all where it is none."""
    echo(heading(readings, is_timed=is_timed))
    shown = _Totals(readings) if growth is None else _Rates(readings, growth)
    links = _Links(readings, growth, before)
    rows = np.lexsort((-shown.busy, -shown.errors, -links.gravity))
    if links.not_up:
        echo(f"{count(links.not_up, 'port')} whose link is not up")
    faulty = int((shown.errors > 0).sum())
    echo(f"{count(faulty, 'port')} with errors{shown.since}")
    if readings.only_faulty:
        echo("ports without errors are not in what was read")
    echo()
    _print_table(readings, shown, links, names, rows if top is None else rows[:top])
    left = 0 if top is None else max(0, len(rows) - top)
    if left:
        echo(f"… and {count(left, 'port')} more (--all)")
    _print_unread(readings.unread, names, "gave no answer", every=top is None)
    if uncleared is not None:
        cleared = len(readings) - len(uncleared)
        echo(f"counters of {count(cleared, 'port')} set to zero")
        _print_unread(uncleared, names, "not cleared", every=top is None)


class _Links:
    """What links do."""

    def __init__(self, readings: Readings, growth: Growth | None, before: Readings | None) -> None:
        from ..counters import LinkState
        from ..counters.links import changes, rates

        self.is_known = bool(readings.states.any())
        self._states, self._rates = readings.states, rates(readings)
        self._names = {state.value: state.name.lower() for state in LinkState}
        none = np.zeros(len(readings), np.uint8)
        self._changes = none if before is None or growth is None else changes(before, readings, growth)
        is_down = (readings.states != LinkState.UNKNOWN) & (readings.states != LinkState.ACTIVE)
        self.not_up = int(is_down.sum())
        self.gravity: NDArray[np.int64] = 2 * is_down + (self._changes > 0)

    def cell(self, row: int) -> str:
        """State or rate of a link, and what has happened to it."""
        from ..counters import LinkState
        from ..counters.links import Change

        state = int(self._states[row])
        if state == LinkState.UNKNOWN:
            return ""
        is_up = state == LinkState.ACTIVE
        words = [self._rates[row] or "active"] if is_up else [self._names[state]]
        happened = int(self._changes[row])
        said = {Change.WAS_DOWN: "was down", Change.CAME_UP: "came up", Change.SLOWER: "slower"}
        return ", ".join(words + [word for change, word in said.items() if change & happened])


class _Totals:
    """What counters have counted since they were cleared."""

    headings = ("sent", "received", "waited")
    since = " since their counters were cleared"

    def __init__(self, readings: Readings) -> None:
        self._readings = readings
        self.counts = {
            name: np.where(readings.known[name], values, 0) for name, values in readings.values.items()
        }
        self.errors = _errors(self.counts, len(readings))
        data = [self.counts[name] for name in ("XmitData", "RcvData") if name in self.counts]
        self.busy = _greatest(data, len(readings))
        self._unit = readings.unit

    def cells(self, row: int) -> tuple[str, str, str]:
        """Data in both directions, and ticks of waiting."""
        return (
            self._data("XmitData", row),
            self._data("RcvData", row),
            f"{int(self.counts['XmitWait'][row]):,}" if self._is_known("XmitWait", row) else "",
        )

    def is_full(self, name: str, row: int) -> bool:
        """Whether a counter stands at its greatest value."""
        from ..counters import FIELDS

        bits = FIELDS[name].bits
        narrow = bits > 0 and not self._readings.wide[name][row]
        return narrow and int(self.counts[name][row]) >= (1 << bits) - 1

    def _is_known(self, name: str, row: int) -> bool:
        return name in self.counts and bool(self._readings.known[name][row])

    def _data(self, name: str, row: int) -> str:
        return (
            quantity(float(self.counts[name][row]) * self._unit, "bytes") if self._is_known(name, row) else ""
        )


class _Rates:
    """How fast counters have grown."""

    headings = ("sends", "receives", "waits /s")

    def __init__(self, readings: Readings, growth: Growth) -> None:
        from ..counters import Lost

        keys = np.zeros(len(growth), readings.keys.dtype)
        keys["guid"], keys["port"], keys["plane"] = growth.guids, growth.ports, growth.planes
        rows = np.searchsorted(keys, readings.keys)
        self._full = {name: lost[rows] == Lost.FULL for name, lost in growth.lost.items()}
        self.counts = {name: values[rows] for name, values in growth.values.items()}
        self.errors = _errors(self.counts, len(readings))
        wanted = ("XmitData", "RcvData", "XmitWait")
        self._rates = {name: growth.per_second(name)[rows] for name in wanted if name in growth.values}
        data = [np.nan_to_num(self._rates[name]) for name in wanted[:2] if name in self._rates]
        self.busy = _greatest(data, len(readings))
        seconds = growth.seconds
        self.since = (
            f" in {quantity(float(np.nanmedian(seconds)), 's')}" if np.isfinite(seconds).any() else ""
        )

    def cells(self, row: int) -> tuple[str, str, str]:
        """Rates in both directions, and ticks of waiting a second."""
        return self._rate("XmitData", row), self._rate("RcvData", row), self._plain("XmitWait", row)

    def is_full(self, name: str, row: int) -> bool:
        """Whether a counter stands at its greatest value."""
        return bool(self._full[name][row])

    def _rate(self, name: str, row: int) -> str:
        rate = float(self._rates[name][row]) if name in self._rates else np.nan
        return quantity(rate, "bytes/s") if np.isfinite(rate) else "?"

    def _plain(self, name: str, row: int) -> str:
        rate = float(self._rates[name][row]) if name in self._rates else np.nan
        return f"{rate:,.0f}" if np.isfinite(rate) else "?"


def _errors(counts: dict[str, NDArray[np.uint64]], size: int) -> NDArray[np.float64]:
    """The sum of each port's counters of errors."""
    total = np.zeros(size)
    for name in _error_names(counts):
        total += counts[name]
    return total


def _error_names(counts: dict[str, NDArray[np.uint64]]) -> list[str]:
    from ..counters import FIELDS, Sort

    sorts = (Sort.LINK, Sort.RECEIVER, Sort.SENDER, Sort.SETTING)
    return [name for name, field in FIELDS.items() if field.sort in sorts and name in counts]


def _greatest(columns: Sequence[NDArray[np.float64] | NDArray[np.uint64]], size: int) -> NDArray[np.float64]:
    return np.max([column.astype(np.float64) for column in columns], axis=0) if columns else np.zeros(size)


def _print_table(
    readings: Readings, shown: _Totals | _Rates, links: _Links, names: PortNames, rows: NDArray[np.intp]
) -> None:
    states = ("link",) if links.is_known else ()
    table = new_table(
        *("port", "other end", *states, *shown.headings, "errors"),
        words=("port", "other end", "link"),
        prose=("errors",),
    )
    errors = _error_names(shown.counts)
    for row in rows.tolist():
        guid, port = int(readings.guids[row]), int(readings.ports[row])
        plane = f" plane {readings.planes[row]}" if readings.planes[row] else ""
        grown = [
            f"{name} {'≥ ' * shown.is_full(name, row)}{int(shown.counts[name][row]):,}"
            for name in errors
            if shown.counts[name][row] or (isinstance(shown, _Rates) and shown.is_full(name, row))
        ]
        table.add_row(
            names.port(guid, port) + plane,
            names.peer(guid, port) or "",
            *([links.cell(row)] if states else []),
            *shown.cells(row),
            ", ".join(grown),
        )
    print_table(console(), table)


def _print_unread(unread: Sequence[Unread], names: PortNames, what: str, *, every: bool) -> None:
    """Names ports, some of them or all."""
    if not unread:
        return
    echo()
    echo(f"{count(len(unread), 'port')} {what}:")
    listed = unread if every else unread[:_NAMED]
    for one in listed:
        detail = f" ({one.detail})" if one.detail else ""
        echo(f"  {names.port(one.guid, one.port)}  {one.reason}{detail}")
    if len(listed) < len(unread):
        echo(f"  … and {count(len(unread) - len(listed), 'port')} more (--all)")
