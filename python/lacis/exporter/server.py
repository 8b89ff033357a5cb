"""An HTTP server for one page: `GET` and `HEAD` of `/metrics` and `/`, and nothing else.

What a client may cost is bounded: the size of its request, the time that it takes to send it and to read the answer, and how many
connections there are at a time. Each connection serves one request.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, NamedTuple

from .page import OPENMETRICS, TEXT, wants_openmetrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .page import Page
    from .sweeping import Sweeper

LARGEST = 8192
"""Bytes of a request, headers included: Prometheus' own has some 300."""
SECONDS_TO_ASK = 5.0
SECONDS_TO_ANSWER = 60.0
"""In which a client has to send its request, and to take the answer: that of a large fabric has some 35 MB."""
CONNECTIONS = 16
"""At a time; what comes beyond them is refused."""
_REFUSED = 4
"""Times as many are refused in words; what comes beyond them is cut off."""
_SECONDS_SHARED = 0.5
"""For so long a page answers other scrapes too, so that many at a time cost the memory of one."""

_INDEX = b"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Lacis exporter</title></head>
<body><h1>Lacis exporter</h1><p><a href="/metrics">Counters of the fabric's ports</a>, for Prometheus</p></body></html>
"""


class Answer(NamedTuple):
    """What a request gets."""

    status: str
    kind: str
    parts: Sequence[bytes]
    also: str = ""


class Server:
    """Offers the page of what a sweeper reads.

    Args:
        page: which writes it.
        sweeper: what was read so far.
    """

    def __init__(
        self,
        page: Page,
        sweeper: Sweeper,
        *,
        connections: int = CONNECTIONS,
        seconds_to_ask: float = SECONDS_TO_ASK,
        seconds_to_answer: float = SECONDS_TO_ANSWER,
    ) -> None:
        self._page = page
        self._sweeper = sweeper
        self._most = connections
        self._open = 0
        self._to_ask, self._to_answer = seconds_to_ask, seconds_to_answer
        self._writing = asyncio.Lock()
        self._written: dict[bool, tuple[float, Sequence[bytes]]] = {}

    async def serve(self, host: str, port: int, ready: Callable[[str, int], object]) -> None:
        """Serves until it is cancelled.

        Args:
            host: the address to listen on.
            port: its port; 0 for any that is free.
            ready: called with the address and the port as soon as connections are taken.

        Raises:
            OSError: when the address cannot be listened on.
        """
        server = await asyncio.start_server(self._connected, host, port, limit=LARGEST, backlog=CONNECTIONS)
        async with server:
            ready(*server.sockets[0].getsockname()[:2])
            await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= _REFUSED * self._most:
            writer.transport.abort()
            return
        self._open += 1
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                await self._converse(reader, writer)
        finally:
            self._open -= 1
            # What a client has not taken by now it does not get: a close that waits would wait for it.
            if writer.transport.get_write_buffer_size():
                writer.transport.abort()
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        only_head = False
        if self._open > self._most:
            answer = _refusal("503 Service Unavailable", "too many connections")
        else:
            try:
                async with asyncio.timeout(self._to_ask):
                    request = await reader.readuntil(b"\r\n\r\n")
            except TimeoutError:
                answer = _refusal("408 Request Timeout", "the request took too long")
            except asyncio.LimitOverrunError:
                answer = _refusal("431 Request Header Fields Too Large", f"more than {LARGEST} bytes")
            else:
                answer, only_head = await self._answer(request)
        async with asyncio.timeout(self._to_answer):
            size = sum(map(len, answer.parts))
            writer.write(
                f"HTTP/1.1 {answer.status}\r\nContent-Type: {answer.kind}\r\nContent-Length: {size}\r\n"
                f"X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n{answer.also}Connection: close\r\n\r\n".encode()
            )
            for part in () if only_head else answer.parts:
                writer.write(part)
                await writer.drain()
            writer.write_eof()
            await self._until_closed(reader)

    async def _until_closed(self, reader: asyncio.StreamReader) -> None:
        """Waits until the client has closed its side: closed before, the system would throw away what is on its path."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._to_ask):
                while await reader.read(LARGEST):
                    pass

    async def _answer(self, request: bytes) -> tuple[Answer, bool]:
        """What a request gets, and whether without its content."""
        first, *lines = request.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return _refusal("400 Bad Request", "no request of HTTP/1"), False
        method, target, _ = words
        if method not in ("GET", "HEAD"):
            return _refusal("405 Method Not Allowed", "GET and HEAD alone", "Allow: GET, HEAD\r\n"), False
        path = target.partition("?")[0]
        if path == "/metrics":
            headers = {
                key.strip().lower(): value.strip()
                for key, colon, value in (line.partition(":") for line in lines)
                if colon
            }
            openmetrics = wants_openmetrics(headers)
            parts = await self._parts(openmetrics=openmetrics)
            return Answer(
                "200 OK", OPENMETRICS if openmetrics else TEXT, parts, "Vary: Accept\r\n"
            ), method == "HEAD"
        if path == "/":
            return Answer("200 OK", "text/html; charset=utf-8", [_INDEX]), method == "HEAD"
        return _refusal("404 Not Found", "/metrics and / alone"), method == "HEAD"

    async def _parts(self, *, openmetrics: bool) -> Sequence[bytes]:
        """The page, written in a thread so that other connections go on, one at a time."""
        async with self._writing:
            written, parts = self._written.get(openmetrics, (-1.0, ()))
            if not parts or time.monotonic() - written > _SECONDS_SHARED:
                self._written.clear()
                parts = await asyncio.to_thread(
                    self._page.parts, self._sweeper.swept, time.time_ns(), openmetrics=openmetrics
                )
                self._written[openmetrics] = time.monotonic(), parts
            asyncio.get_running_loop().call_later(2 * _SECONDS_SHARED, self._forget)
            return parts

    def _forget(self) -> None:
        """Lets go of pages that answer no more scrapes: that of a large fabric has some 35 MB."""
        now = time.monotonic()
        self._written = {
            form: kept for form, kept in self._written.items() if now - kept[0] <= _SECONDS_SHARED
        }


def _refusal(status: str, reason: str, also: str = "") -> Answer:
    return Answer(status, "text/plain; charset=utf-8", [f"{reason}\n".encode()], also)
