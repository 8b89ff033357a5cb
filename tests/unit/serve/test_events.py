"""Events of `lacis serve`: each reader gets each, in order, and a reader or a source that hangs hinders no other."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.live import Swept
from lacis.serve import app
from lacis.serve.events import WAITING, Events
from lacis.serve.session import Session

from ...ports_read import read
from ...served import START, TOKEN, served

if TYPE_CHECKING:
    from lacis._core import Fabric
    from lacis.counters import Readings

    from ...served import Served


def events(
    port: int, kinds: set[str], count: int, out: list[tuple[str, str]], ready: threading.Event
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/{TOKEN}/events")
    answer = connection.getresponse()
    kind = ""
    while len(out) < count:
        line = answer.readline().decode().rstrip()
        if line.startswith("retry"):
            ready.set()
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: ") and kind in kinds:
            out.append((kind, line[6:]))
    connection.close()


@pytest.mark.slow
def test_fifty_readers_lose_no_event(fabric: Fabric) -> None:
    ports = ports_of(fabric)
    gate = threading.Event()
    number = iter(range(1, 10_000))

    def sweep() -> Readings:
        gate.wait(60)
        return read(ports, START + next(number), {})

    session = Session(fabric, ports, "live", Swept(sweep, "live"), None)
    with served(session, every=0.02) as running:
        got: list[list[tuple[str, str]]] = [[] for _ in range(50)]
        ready = [threading.Event() for _ in got]
        threads = [
            threading.Thread(target=events, args=(running.port, {"instant"}, 30, out, one), daemon=True)
            for out, one in zip(got, ready, strict=True)
        ]
        for thread in threads:
            thread.start()
        assert all(one.wait(60) for one in ready)
        gate.set()
        for thread in threads:
            thread.join(60)
    assert {len(out) for out in got} == {30}
    assert all([float(data) for _, data in out] == [float(START + n) for n in range(1, 31)] for out in got)


def test_a_source_that_hangs_or_fails_is_said_and_the_page_stays(
    fabric: Fabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "HANGS", 0.05)
    ports = ports_of(fabric)
    hang, calls = threading.Event(), iter(range(1000))

    def sweep() -> Readings:
        if next(calls) == 0:
            hang.wait(60)
        raise LacisError("no answer from the device")

    session = Session(fabric, ports, "live", Swept(sweep, "live"), None)
    out: list[tuple[str, str]] = []
    with served(session, every=0.02) as running:
        ready = threading.Event()
        thread = threading.Thread(target=events, args=(running.port, {"trouble"}, 1, out, ready), daemon=True)
        thread.start()
        thread.join(60)
        assert "has not answered for" in out[0][1]
        assert running.ask("fabric.json").status == 200
        hang.set()
        until = time.monotonic() + 60
        while json.loads(running.ask("instants.json").body)["trouble"] != "no answer from the device":
            assert time.monotonic() < until
            time.sleep(0.02)


class Reader:
    """A reader of events as a server has it, which takes what is written while it may."""

    def __init__(self, events: Events) -> None:
        self.got: list[bytes] = []
        self.may = asyncio.Event()
        self.may.set()
        self.gone = asyncio.Event()
        self.task = asyncio.ensure_future(
            events({"type": "http", "method": "GET"}, self._receive, self._send)
        )

    async def _receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.may.wait()
        if message["type"] == "http.response.body":
            self.got.append(message["body"])


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_reader_that_is_too_far_behind_is_asked_to_load_all_afresh() -> None:
    async def main() -> None:
        events = Events()
        slow, quick = Reader(events), Reader(events)
        await settled()
        slow.may.clear()
        # One is being written, as many as are kept wait, and two more come.
        for number in range(WAITING + 3):
            events.send("instant", number)
        assert slow.got == [b"retry: 2000\n\n"]
        assert len(quick.got) == WAITING + 4  # at once, and all
        slow.may.set()
        await settled()
        assert slow.got[1:] == [
            b"event: instant\ndata: 0\n\n",
            b"event: again\ndata: null\n\n",
            b"event: instant\ndata: %d\n\n" % (WAITING + 2),
        ]
        # It has caught up, and gets what comes at once again.
        events.send("instant", 1000)
        assert slow.got[-1] == quick.got[-1] == b"event: instant\ndata: 1000\n\n"

    asyncio.run(main())


def test_a_reader_that_catches_up_loses_nothing() -> None:
    async def main() -> None:
        events = Events()
        slow = Reader(events)
        await settled()
        for number in range(3):
            slow.may.clear()
            for at in range(20):
                events.send("instant", 20 * number + at)
            slow.may.set()
            await settled()
            await settled()
            await settled()
        assert slow.got[1:] == [b"event: instant\ndata: %d\n\n" % at for at in range(60)]

    asyncio.run(main())


def test_a_reader_that_left_is_forgotten() -> None:
    async def main() -> None:
        events = Events()
        one, other = Reader(events), Reader(events)
        await settled()
        assert len(events) == 2
        one.may.clear()
        events.send("instant", 1)  # is being written when it leaves
        one.gone.set()
        await settled()
        assert len(events) == 1
        assert one.task.done()
        events.send("instant", 2)
        assert other.got[1:] == [b"event: instant\ndata: 1\n\n", b"event: instant\ndata: 2\n\n"]

    asyncio.run(main())


@pytest.mark.slow
def test_it_ends_without_complaint_while_there_are_readers() -> None:
    words = ["serve", "fat-tree:4,2", "--listen", "127.0.0.1:0"]
    program = [sys.executable, "-c", "from lacis.cli import main; main()", *words]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        address = running.stderr.readline().split()[-1]
        try:
            with urllib.request.urlopen(f"{address}events", timeout=60) as stream:  # noqa: S310 - http alone
                assert stream.readline() == b"retry: 2000\n"
                running.send_signal(signal.SIGINT)
                assert stream.read() == b"\n"  # the end, and no more
            said = running.stderr.read()
            assert running.wait(60) == 130
        finally:
            running.kill()
    assert said == "lacis: interrupted\n"


def test_no_reader_is_always_the_last() -> None:
    async def main() -> None:
        events = Events()
        order: list[int] = []
        readers = [Reader(events) for _ in range(10)]
        await settled()
        for number, reader in enumerate(readers):

            class Noted(list[bytes]):
                def __init__(self, number: int) -> None:
                    self.number = number

                def append(self, _: bytes) -> None:
                    order.append(self.number)

            reader.got = Noted(number)
        for number in range(100):
            events.send("instant", number)
        # The first and the last of 10, a hundred times: each of them about ten times.
        for at in (0, 9):
            turns = [order[at::10].count(number) for number in range(10)]
            assert sum(turns) == 100
            assert all(8 <= count <= 12 for count in turns)

    asyncio.run(main())


def test_one_reader_too_many_is_refused(monkeypatch: pytest.MonkeyPatch, fabric: Fabric) -> None:
    monkeypatch.setattr("lacis.serve.events.READERS", 0)
    with served(Session(fabric, ports_of(fabric), "tree", None, None)) as running:
        answer = running.ask("events")
        assert (answer.status, answer.body) == (503, b"too many readers\n")


def test_a_look_at_the_head_of_events_ends(server: Served) -> None:
    answer = server.ask("events", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["x-content-type-options"] == "nosniff"


def test_readers_get_a_comment_when_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lacis.serve.events.BEAT", 0.01)

    async def main() -> None:
        events = Events()
        reader = Reader(events)
        beat = asyncio.create_task(events.beat())
        try:
            until = time.monotonic() + 60
            while len(reader.got) < 2:
                assert time.monotonic() < until
                await asyncio.sleep(0.01)
        finally:
            beat.cancel()
        assert reader.got[1] == b": still here\n\n"

    asyncio.run(main())
