"""The exporter's server in a thread, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from typing import TYPE_CHECKING, Any

from lacis.exporter import Page, Sweeper
from lacis.exporter.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lacis import Fabric

    from tests.counted import Given


@contextlib.contextmanager
def served(page: Page, sweeper: Sweeper, **bounds: Any) -> Iterator[tuple[str, int]]:
    """A server on a free port of this machine; yields its address and port."""
    ready: queue.Queue[tuple[str, int]] = queue.Queue()
    stop: list[Callable[[], object]] = []

    async def run() -> None:
        server = Server(page, sweeper, **bounds)
        task = asyncio.ensure_future(server.serve("127.0.0.1", 0, lambda *where: ready.put(where)))
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(task.cancel))
        with contextlib.suppress(asyncio.CancelledError):
            await task

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        yield ready.get(timeout=60)
    finally:
        stop[0]()
        thread.join(60)


def sweeper_of(source: Given, sweeps: int = 1) -> Sweeper:
    """A sweeper that has swept so often, and does so no more by itself."""
    made = Sweeper(source, 3600, lambda _: None)
    for _ in range(sweeps):
        made.sweep()
    return made


def page_of(fabric: Fabric) -> Page:
    """A page that knows the cables of a fabric."""
    made = Page("0.1.0")
    made.cabled(fabric)
    return made
