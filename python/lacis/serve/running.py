"""The server: listens, says where, and ends with Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import secrets
import socket
from typing import TYPE_CHECKING

import uvicorn

from ..errors import LacisError
from ..io.files import reason_of
from .app import application
from .events import READERS, Events

if TYPE_CHECKING:
    from collections.abc import Callable

    from .session import Session

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEAD = 16 << 10
"""Bytes of a request's head."""


class Server(uvicorn.Server):
    """A server that ends without complaint while there are readers of events, and closes every connection."""

    def __init__(self, config: uvicorn.Config, events: Events) -> None:
        super().__init__(config)
        self._events = events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the events first: other answers end by themselves."""
        self._events.close()
        # Only connections that the loop has handed over are closed: no more are accepted, and it hands over the last ones.
        loop = asyncio.get_running_loop()
        for listening in (each for server in self.servers for each in server.sockets):
            loop.remove_reader(listening.fileno())
        await asyncio.sleep(0.01)
        await super().shutdown(sockets)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address.

    Raises:
        LacisError: when the address is not this machine's, or taken.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)
    except OSError as error:
        raise LacisError(f"{host}:{port}: cannot listen: {reason_of(error)}") from None
    return made


def address(listening: socket.socket, host: str, token: str) -> str:
    """Where the page is."""
    port = listening.getsockname()[1]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/{token}/"


def serve(
    session: Session,
    host: str,
    port: int,
    say: Callable[[str], None],
    *,
    every: float | None,
    names: tuple[str, ...] = (),
    token: str | None = None,
    newer: Callable[[], Session | None] | None = None,
) -> None:
    """Serves the page until it is interrupted.

    Args:
        session: what is shown.
        host: the address to listen at.
        port: 0 for any that is free.
        say: is given where the page is.
        every: seconds between looks for more readings; none where nothing comes.
        names: other names under which browsers may ask for it.
        token: with which paths begin; a random one unless given.
        newer: what is shown since the fabric has changed, none as long as it has not.

    Raises:
        LacisError: when the address cannot be listened at.
    """
    token = token or secrets.token_urlsafe(16)
    listening = bound(host, port)
    called = {f"[{host}]" if ":" in host else host, *LOOPBACK, *names}
    events = Events()
    app = application(session, token, sorted(called), every, newer, events)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=2 * READERS,
        h11_max_incomplete_event_size=_HEAD,
        http="h11",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    say(address(listening, host, token))
    Server(config, events).run(sockets=[listening])
