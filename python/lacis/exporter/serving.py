"""Sweeping and serving until the program is asked to end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..io import files
from .server import Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from .page import Page
    from .sweeping import Sweeper


def serve(
    page: Page, sweeper: Sweeper, host: str, port: int, ready: Callable[[str, int], object] = lambda *_: None
) -> None:
    """Sweeps and serves the page until SIGTERM; an interrupt ends it as it ends any program.

    Args:
        page: which writes what the sweeper reads.
        sweeper: which is started, and stopped in the end.
        host: the address to listen on.
        port: its port; 0 for any that is free.
        ready: called with the address and the port as soon as connections are taken.

    Raises:
        LacisError: when the address cannot be listened on.
    """

    def begin(address: str, number: int) -> None:
        sweeper.start()
        ready(address, number)

    async def run() -> None:
        task = asyncio.ensure_future(Server(page, sweeper).serve(host, port, begin))
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    try:
        asyncio.run(run())
    except OSError as error:
        # asyncio's own sentence repeats the address and the number of the error.
        reason = (error.strerror or str(error)).rpartition(": ")[2]
        raise LacisError(
            f"cannot listen: {reason[:1].lower()}{reason[1:]}", source=_address(host, port)
        ) from None
    finally:
        sweeper.stop()


def write_once(page: Page, sweeper: Sweeper, path: str) -> None:
    """Sweeps once and writes the page to a file, whole or not at all: for node_exporter's collector `textfile`.

    Raises:
        LacisError: when nothing can be read, or the file cannot be written.
    """
    sweeper.sweep(strict=True)
    with files.writing(path) as out:
        out.writelines(page.parts(sweeper.swept, time.time_ns()))


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
