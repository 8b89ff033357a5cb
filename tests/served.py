"""A server of `lacis serve` in a thread, for tests that ask it."""

from __future__ import annotations

import contextlib
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, NamedTuple

import uvicorn
from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.live import Recorded, jobs_on_ports
from lacis.serve.app import application
from lacis.serve.events import Events
from lacis.serve.running import LOOPBACK, Server, bound
from lacis.serve.session import Session

from tests.ports_read import cable, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lacis._core import Fabric

TOKEN = "token"  # noqa: S105 - that of tests


START = 1_700_000_000
"""When the first sweep of a session was, in seconds since 1970."""


def session_of(fabric: Fabric) -> Session:
    """A session with three sweeps: the first cable up from a leaf carries all, then half of its rate, each for a second."""
    ports = ports_of(fabric)
    here, far, rate = cable(ports)
    readings = [
        read(
            ports,
            START + number,
            {"XmitData": {here: round(sent * rate / 4)}, "SymbolErrors": {far: 3 * number}},
        )
        for number, sent in enumerate((0, 1, 1.5))
    ]
    routes = _core.route(fabric, "minhop")
    jobs = jobs_on_ports(routes, ports, {"one": ["node0001", "node0003"]})
    return Session(fabric, ports, "tree", Recorded(readings, "by hand"), routes, jobs)


class Answer(NamedTuple):
    """What a server answers."""

    status: int
    body: bytes
    headers: dict[str, str]


class Served(NamedTuple):
    """A server that runs."""

    port: int

    @property
    def address(self) -> str:
        """Of the page."""
        return f"http://127.0.0.1:{self.port}/{TOKEN}/"

    def ask(self, path: str = "", *, method: str = "GET", **headers: str) -> Answer:
        """Asks below the page's address."""
        return self.raw(f"{self.address}{path}", method=method, **headers)

    def raw(self, address: str, *, method: str = "GET", **headers: str) -> Answer:
        """Asks an address."""
        request = urllib.request.Request(address, method=method, headers=headers)  # noqa: S310 - http alone
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return Answer(answer.status, answer.read(), dict(answer.headers))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), dict(error.headers))


@contextlib.contextmanager
def served(
    session: Session, every: float | None = None, newer: Callable[[], Session | None] | None = None
) -> Iterator[Served]:
    """Serves a session on a free port."""
    listening = bound("127.0.0.1", 0)
    events = Events()
    config = uvicorn.Config(
        application(session, TOKEN, LOOPBACK, every, newer, events),
        log_level="critical",
        http="h11",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = Server(config, events)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield Served(listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
