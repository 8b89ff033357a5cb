"""What `lacis top` and `lacis serve` take: a first screen, a refresh, a page of a large fabric, and many readers at once.

    python -m benchmarks.live [FABRIC]

FABRIC is selene-2021 unless given: `lacis top` shows a store of its counters. The page is that of fat-tree:36,3, 11,664 hosts;
it needs the Debian packages chromium and chromium-driver. Script times are those of software rendering.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import pty
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import numpy as np

from tests import browser as browsers
from tests import retold
from tests.ports_read import read
from tests.served import served

from .measure import LACIS, ROOT, Figure, Table, shared_file

if TYPE_CHECKING:
    from lacis.counters import Readings
    from lacis.fabric.ports import Ports

REPEATS = 5
SWEEPS = 10
LARGE = "fat-tree:36,3"
FRAMES = 400
READERS = 50
EVENTS = 40
EVERY = 0.25
"""Seconds between events."""

PAINT = """
const map = lacisMap, marks = [], script = [], titles = new Set();
for (let n = 0; n < arguments[0]; n++) {
  const at = n % 50, node = (Math.floor(n / 50) * 97) % map.fabric.switches;
  if (at === 0) map.whole();
  else if (at < 20) map.zoom(1.25, ...map.pixel(map.fabric.x[node], map.fabric.y[node]));
  else map.move(n % 2 ? 45 : -30, n % 4 ? 9 : -20);
  map.paint(); marks.push(map.marks); script.push(map.script); titles.add(map.level.title);
}
return {marks, script, titles: [...titles]}
"""
"""Eight times from the whole to a switch, then to and fro there."""


def kept(ports: Ports, folder: Path) -> str:
    """A store of sweeps a minute apart, in which every port sends."""
    from lacis.counters.store import CounterStore

    rng = np.random.default_rng(1)
    words = rng.integers(1, 1 << 36, len(ports))
    with CounterStore(folder / "store") as store:
        for number in range(SWEEPS):
            values = dict(enumerate((words * (number + 1)).tolist()))
            store.append(read(ports, 1_760_000_000 + 60 * number, {"XmitData": values, "XmitPkts": values}))
    return str(folder / "store")


def first_screen(source: str, store: str) -> tuple[float, float]:
    """Wall and CPU seconds from the start of `lacis top` until its summary is drawn in a terminal of 80 columns."""
    words = [LACIS, "top", source, "--store", store]
    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24")
        os.execv(words[0], words)  # noqa: S606
    shown = b""
    while b"between switches" not in shown:
        shown += os.read(terminal, 1 << 16)
    wall = time.perf_counter() - began
    stat = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return wall, cpu


def refreshes(source: str, store: str) -> dict[str, list[float]]:
    """CPU seconds of a refresh by view: new counters read from the store, and the screen drawn."""
    import lacis
    from lacis.counters.store import CounterStore
    from lacis.fabric.ports import ports_of
    from lacis.live import Stored
    from lacis.top.app import Top
    from lacis.top.state import State

    ports = ports_of(lacis.read(source))
    store_ = CounterStore(store)
    found: dict[str, list[float]] = {}

    async def drive() -> None:
        app = Top(State(ports, Stored(store_.span, store_.growth, store)))
        async with app.run_test(size=(80, 24)) as pilot:
            for _ in range(4):
                for _ in range(REPEATS):
                    app.state.timeline = Stored(store_.span, store_.growth, store)
                    began = time.process_time()
                    app.state.refreshed()
                    app.draw()
                    await pilot.pause()
                    found.setdefault(app.state.view.value, []).append(time.process_time() - began)
                await pilot.press("enter")
                await pilot.pause()

    asyncio.run(drive())
    return found


def page(table: Table, folder: Path) -> None:
    """The page of a large fabric: until it can be used, marks and script of each frame."""
    call = f"{LACIS} serve {LARGE}"
    with retold.serving(call, folder) as address:
        for browser in browsers.start(folder):
            ready = []
            for _ in range(REPEATS):
                browser.open("about:blank")
                browser.open(f"{address}#measure=modelled")
                browser.wait("document.body.dataset.ready", 120)
                first = browser.run("return performance.getEntriesByType('navigation')[0].responseStart")
                ready.append((float(browser.run("return document.body.dataset.ready")) - first) / 1000)
            seen = browser.run(PAINT, FRAMES)
    table.add(f"page of {LARGE}: from its first byte until it can be used", Figure(ready, "s"), most=2)
    table.add("… marks of a frame, median", Figure([statistics.median(seen["marks"])], "marks"))
    table.add("… marks of a frame, the most", Figure([max(seen["marks"])], "marks"), most=2001)
    table.add(
        f"… script of a frame, median of {FRAMES}", Figure([statistics.median(seen["script"])], "ms"), most=10
    )
    table.remark(f"Drawings that these frames show: {', '.join(sorted(seen['titles']))}.")
    table.add("… script of a frame, the longest", Figure([max(seen["script"])], "ms"))


def listened(address: str, readers: int) -> list[list[float]]:
    """Seconds from each event's sweep until a reader has it, by reader. A line on standard output says that all listen.

    50 readers share a process, which notes when bytes come and looks into them at the end: their own work is no delay.
    """
    parts = urlsplit(address)
    where = parts.hostname or "", parts.port or 0
    poll, sockets = select.epoll(), {}
    came: dict[int, list[tuple[bytes, float]]] = {}
    for _ in range(readers):
        one = socket.create_connection(where)
        one.sendall(f"GET {parts.path}events HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        while b"retry: 2000" not in one.recv(4096):
            pass
        poll.register(one, select.EPOLLIN)
        sockets[one.fileno()], came[one.fileno()] = one, []
    print("listening", flush=True)
    until = time.monotonic() + 10 * EVENTS * EVERY
    while min(map(len, came.values())) < EVENTS and time.monotonic() < until:
        for number, _ in poll.poll(1):
            came[number].append((sockets[number].recv(4096), time.time()))
    for one in sockets.values():
        one.close()
    return [
        [
            at - float(line[6:])
            for data, at in some
            for line in data.split(b"\n")
            if line.startswith(b"data: ") and b"null" not in line
        ][:EVENTS]
        for some in came.values()
    ]


def events(readers: int) -> list[list[float]]:
    """Delays of events at readers in a process of their own, by reader."""
    import lacis
    from lacis.fabric.ports import ports_of
    from lacis.live import Swept
    from lacis.serve.session import Session

    fabric = lacis.read("fat-tree:4,2")
    ports = ports_of(fabric)
    is_open = threading.Event()

    def sweep() -> Readings:
        is_open.wait()
        now = time.time_ns()
        made = read(ports, now // 10**9, {})
        made.times[:] = now
        return replace(made, started=now, ended=now)

    with served(Session(fabric, ports, "tree", Swept(sweep, "live"), None), every=EVERY) as running:
        words = [sys.executable, "-m", "benchmarks.live", "--read", running.address, str(readers)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as listening:
            heard = cast("IO[str]", listening.stdout)
            heard.readline()
            is_open.set()
            delays: list[list[float]] = json.loads(heard.read())
    return delays


def compressed() -> float:
    """KB of everything that a browser loads for the page, compressed as the server sends it."""
    from lacis.serve.app import ASSETS

    files: list[Any] = [path for path in ASSETS.iterdir() if path.suffix in (".js", ".css", ".html")]
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) / 1000


def main() -> int:
    """Measures all, and prints a table."""
    import lacis
    from lacis.fabric.ports import ports_of

    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(listened(sys.argv[2], int(sys.argv[3]))))
        return 0
    given = sys.argv[1] if len(sys.argv) > 1 else shared_file("selene-2021.ibnetdiscover")
    if given is None:
        print(
            "no shared/data/selene-2021.ibnetdiscover at or above the checkout: name a fabric",
            file=sys.stderr,
        )
        return 2
    source, table = str(given), Table("Live views")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ports = ports_of(lacis.read(source))
        store = kept(ports, folder)
        name = f"lacis top, {Path(source).stem}, {int((ports.far >= 0).sum()):,} ports"
        walls, cpus = zip(*(first_screen(source, store) for _ in range(REPEATS)), strict=True)
        table.add(f"{name}: first screen, wall", Figure(list(walls), "s"), most=1)
        table.add("… CPU", Figure(list(cpus), "s"))
        for view, times in refreshes(source, store).items():
            table.add(f"… refresh of view {view}, CPU", Figure(times, "s"), most=0.2)
        page(table, folder)
    table.add("… its files, compressed", Figure([compressed()], "kB"), most=300)
    alone, together = events(1), events(READERS)
    lost = READERS * EVENTS - sum(map(len, together))
    medians = [statistics.median(one) for one in together if one]
    one = statistics.median(alone[0])
    table.say(f"{READERS} readers of {EVENTS} events: lost", str(lost), "0", met=lost == 0)
    table.add("… delay of one reader alone", Figure([1e3 * one], "ms"))
    table.add("… delay of the slowest of all, over it", Figure([max(medians) / one], "×"), most=1.5)
    lasts = [max(event) for event in zip(*together, strict=False)]
    table.add(
        "… delay until the last has an event, over it", Figure([statistics.median(lasts) / one], "×"), most=2
    )
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
