"""Events for all readers of the page, as text/event-stream: made once, and written to each reader at once where it is ready."""

from __future__ import annotations

import asyncio
import json
import types
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator

    from starlette.types import Receive, Scope, Send

READERS = 200
"""Readers of events at once."""
WAITING = 64
"""Events that a reader may be behind; one that is further behind is asked to load all afresh."""
BEAT = 15.0
"""Seconds after which a reader without events gets a comment, so that a lost one is noticed."""


_GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it are spread evenly between whole numbers, however many are taken."""


class Events:
    """Sends each event to all readers. A reader that is too far behind loses what it missed, and gets `again` instead."""

    def __init__(self) -> None:
        self._readers: list[_Reader] = []
        self._events = 0
        self._over = asyncio.Event()

    def __len__(self) -> int:
        return len(self._readers)

    def send(self, kind: str, content: object) -> None:
        """Gives every reader an event."""
        self._give(_event(kind, content))

    async def beat(self) -> None:
        """Sends every reader a comment now and then, until it is cancelled: a reader that is lost is noticed so."""
        while True:
            await asyncio.sleep(BEAT)
            self._give(b": still here\n\n")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one reader, as ASGI says, until it leaves."""
        is_full = len(self._readers) >= READERS
        kind = b"text/plain; charset=utf-8" if is_full else b"text/event-stream; charset=utf-8"
        head = {
            "type": "http.response.start",
            "status": 503 if is_full else 200,
            "headers": [(b"content-type", kind)],
        }
        await send(head)
        if is_full or scope["method"] == "HEAD":
            body = b"too many readers\n" if is_full and scope["method"] != "HEAD" else b""
            await send({"type": "http.response.body", "body": body})
            return
        reader = _Reader(send)
        self._readers.append(reader)
        try:
            reader.give(b"retry: 2000\n\n")
            await self._left_or_over(receive)
        finally:
            self._readers.remove(reader)
            reader.close()
        if self._over.is_set():
            await send({"type": "http.response.body", "body": b""})

    def close(self) -> None:
        """Ends what all readers get: the server ends."""
        self._over.set()

    async def _left_or_over(self, receive: Receive) -> None:
        async def left() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        waiting = {asyncio.ensure_future(left()), asyncio.ensure_future(self._over.wait())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    def _give(self, event: bytes) -> None:
        # Each time another one is the first: of many readers none is always the last.
        self._events += 1
        first = int(self._events * _GOLDEN % 1 * len(self._readers))
        for reader in self._readers[first:] + self._readers[:first]:
            reader.give(event)


class _Reader:
    """One reader: ready, or behind; then a task writes what it still has to get.

    What is written to a reader that is ready is written here and now: a task for each of many readers would take
    longer than writing does.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._late: deque[bytes] = deque()
        self._task: asyncio.Task[None] | None = None

    def give(self, event: bytes) -> None:
        """Writes an event, or keeps it until those before it are written."""
        if self._task is None:
            writing: Any = self._send(_body(event))
            try:
                awaited = writing.send(None)
            except StopIteration:
                return
            except OSError:
                return  # it has left, which the server says next
            self._task = asyncio.ensure_future(self._catch_up(writing, awaited))
        elif len(self._late) >= WAITING:
            self._late.clear()
            self._late.append(_event("again", None))
        else:
            self._late.append(event)

    def close(self) -> None:
        """Writes no more."""
        if self._task is not None:
            self._task.cancel()

    async def _catch_up(self, writing: Coroutine[Any, Any, None], awaited: Any) -> None:
        await _rest(writing, awaited)
        while self._late:
            await self._send(_body(self._late.popleft()))
        self._task = None


@types.coroutine
def _rest(begun: Coroutine[Any, Any, None], awaited: Any) -> Generator[Any, Any, None]:
    """The rest of a coroutine that was begun outside of any task, and waits for something."""
    try:
        while True:
            awaited = begun.send((yield awaited))
    except StopIteration:
        return


def _body(content: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": True}


def _event(kind: str, content: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(content)}\n\n".encode()
