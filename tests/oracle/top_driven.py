"""`lacis top` with its own source, driven by keys, for a test that sets counters in between.

    python -m tests.oracle.top_driven FABRIC

It says `read` when two sweeps are shown and no more come, and waits for a line of JSON: names of ports. Then it sweeps, goes to
the interval in which counters grew, and prints as JSON what the views show of these ports, and lists by errors.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import lacis.top.app
from lacis.cli.top import command
from lacis.live import Criterion
from lacis.top.app import Top
from lacis.top.state import View
from textual.widgets import DataTable, Static

EVERY = "300ms"
LIMIT = 60.0
"""Seconds until a sweep must have come."""


async def until_shown(app: Top, pilot: Any, instants: int) -> None:
    """Waits until so many instants are there, then pauses, and until no sweep runs."""
    async with asyncio.timeout(LIMIT):
        while len(app.state.timeline.instants()) < instants:
            await pilot.pause(0.05)
    await pilot.press("p")
    await app.workers.wait_for_complete()
    await pilot.pause()


async def sorted_by(app: Top, pilot: Any, criterion: Criterion) -> None:
    while app.state.criterion is not criterion:
        await pilot.press("s")


def cells(app: Top) -> list[list[str]]:
    table = app.query_one(DataTable)
    return [[str(cell) for cell in table.get_row_at(number)] for number in range(table.row_count)]


async def seen(app: Top, pilot: Any) -> None:
    await until_shown(app, pilot, 2)
    print("read", flush=True)
    ports = json.loads(await asyncio.to_thread(sys.stdin.readline))
    first = len(app.state.timeline.instants())
    await pilot.press("p")
    await until_shown(app, pilot, first + 1)
    while app.state.number > first:
        await pilot.press("r")
    shown: dict[str, Any] = {"head": str(app.query_one("#head", Static).content), "ports": {}, "lists": {}}
    await sorted_by(app, pilot, Criterion.LOW)  # it lists ports that send nothing, too
    for port in ports:
        await pilot.press("slash", "end", "ctrl+u", *port, "enter")
        at = next(number for number, row in enumerate(cells(app)) if row[3] == port)
        app.query_one(DataTable).move_cursor(row=at)
        await pilot.press("enter")
        assert app.state.view is View.PORT
        shown["ports"][port] = {row[0]: row[1] for row in cells(app)}
        await pilot.press("u")
    await pilot.press("slash", "end", "ctrl+u", "enter")
    for criterion in (Criterion.INTEGRITY, Criterion.CONGESTION, Criterion.SMA_CONGESTION):
        await sorted_by(app, pilot, criterion)
        shown["lists"][criterion.value] = [[row[3], row[1]] for row in cells(app)[::2]]
    print(json.dumps(shown), flush=True)


def run(app: Top) -> None:
    """In place of the terminal: keys of a pilot."""

    async def main() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await seen(app, pilot)

    asyncio.run(main())


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.isatty = lambda: True  # type: ignore[method-assign]
    lacis.top.app.Top.run = run  # type: ignore[method-assign, assignment]
    command.main([sys.argv[1], "--every", EVERY])
