"""What the server of `lacis serve` answers, and what it refuses."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.counters.store import CounterStore
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.live import Stored, Swept
from lacis.serve import answers, app
from lacis.serve.events import WAITING, Events
from lacis.serve.session import MEASURES, Session
from lacis.serve.shown import Changes, Shown

from ...ports_read import cable, read
from ...served import START, TOKEN, served, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.counters import Readings

    from ...served import Served


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    """Four leaves with two hosts each below two spines."""
    return _core.generate_fabric("fat-tree:4,2")


@pytest.fixture(scope="module")
def session(fabric: Fabric) -> Session:
    return session_of(fabric)


@pytest.fixture(scope="module")
def server(session: Session) -> Iterator[Served]:
    with served(session) as running:
        yield running


def values(
    body: bytes, ports: int
) -> tuple[float, float, dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]]]:
    begin, end = struct.unpack_from("<dd", body)
    columns = np.frombuffer(body, "<f4", offset=16).reshape(len(MEASURES), ports)
    return begin, end, dict(zip(MEASURES, columns, strict=True))


# --- what it refuses --------------------------------------------------------------------------------


def test_an_address_without_its_token_gets_nothing(server: Served) -> None:
    root = f"http://127.0.0.1:{server.port}"
    for path in ("/", "/wrong/", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/fabric.json", "//", "/%2e%2e/etc/passwd"):
        assert server.raw(root + path).status == 403
    assert server.ask().status == 200


def test_other_hosts_and_other_pages_get_nothing(server: Served) -> None:
    # DNS rebinding: the browser asks this address under another's name.
    assert server.ask(Host="evil.example").status == 400
    assert server.ask(Host=f"localhost:{server.port}").status == 200
    assert server.ask(Origin="http://evil.example").status == 403
    assert server.ask(Origin="null").status == 403
    assert server.ask(Origin=f"http://127.0.0.1:{server.port}").status == 200


def test_it_only_shows(server: Served) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert server.ask(method=method).status == 405


def test_long_addresses_and_heads_are_refused(server: Served) -> None:
    assert server.ask("x" * 5000).status == 414
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", f"/{TOKEN}/", headers={"X-Long": "x" * 200_000})
        assert connection.getresponse().status in (400, 431)
    except (ConnectionError, http.client.RemoteDisconnected):
        pass  # closed before all was sent
    finally:
        connection.close()


@pytest.mark.parametrize(
    "path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "assets/page.css", ".hidden", "absent.js"]
)
def test_files_outside_are_not_given(server: Served, path: str) -> None:
    assert server.ask(path).status in (403, 404)


def test_answers_forbid_what_pages_do_not_need(server: Served) -> None:
    for path in ("", "app.js", "fabric.json"):
        headers = {name.lower(): value for name, value in server.ask(path).headers.items()}
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("moment?at=yesterday", "at is no time"),
        ("moment?at=-1", "at is no time"),
        ("moment?at=1e400", "at is no time"),
        ("moment?at=nan", "at is no time"),
        ("port.json?guid=zz&port=1", "no port"),
        ("port.json?guid=0x1&port=1", "the fabric has no such port"),
        ("port.json?guid=0xffffffffffffffffff&port=1", "no port"),
        ("route.json?from=absent+node0001&to=node0002", "absent node0001"),
        ("whatif.json?cut=absent--leaf-01", "absent"),
        ("whatif.json?engine=best", "best"),
        ("whatif.json?" + "&".join(["cut=leaf-01--spine-01"] * 33), "more than 32 selectors"),
    ],
)
def test_bad_questions_get_one_line(server: Served, path: str, words: str) -> None:
    answer = server.ask(path)
    assert answer.status == 400
    assert words in json.loads(answer.body)["error"]


# --- what it answers -------------------------------------------------------------------------------


def test_a_moment_has_a_number_for_each_port_by_measure(server: Served, session: Session) -> None:
    here, far, rate = cable(session.ports)
    begin, end, last = values(server.ask("moment").body, len(session.ports))
    assert (begin, end) == (START + 1, START + 2)
    assert last["used"][here] == pytest.approx(0.5, rel=1e-5)
    assert last["errors"][far] == 3
    _, _, first = values(server.ask(f"moment?at={START + 1}").body, len(session.ports))
    assert first["used"][here] == pytest.approx(1.0, rel=1e-5)
    _, _, less = values(server.ask(f"moment?at={START + 2}&minus={START + 1}").body, len(session.ports))
    assert less["used"][here] == pytest.approx(-0.5, rel=1e-5)
    # All to all of 8 hosts under minhop: their mean between switches is 1.
    between = ~np.isnan(last["modelled"])
    assert last["modelled"][between].mean() == pytest.approx(1.0, rel=1e-5)
    assert between.sum() == 16  # 8 cables between switches, both ways
    assert rate == 25e9


def test_a_port_has_both_ends_counters_and_its_curve(server: Served, session: Session) -> None:
    here, far, _ = cable(session.ports)
    guid = f"0x{int(session.ports.guids[here]):016x}"
    found = json.loads(server.ask(f"port.json?guid={guid}&port={session.ports.numbers[here]}").body)
    assert found["names"] == [session.ports.name(here), session.ports.name(far)]
    assert found["share"][0] == pytest.approx(0.5, rel=1e-5)
    assert found["counters"]["SymbolErrors"] == [0, 3]
    assert found["curve"]["times"] == [START + 1, START + 2]
    assert found["curve"]["shares"][0] == pytest.approx([1.0, 0.5], rel=1e-5)


def test_pairs_behind_a_link(server: Served, session: Session, fabric: Fabric) -> None:
    here, far, _ = cable(session.ports)

    def asked(where: Served, query: str = "") -> Any:
        guid = f"0x{int(session.ports.guids[here]):016x}"
        answer = where.ask(f"pairs.json?guid={guid}&port={session.ports.numbers[here]}&{query}")
        return json.loads(answer.body)

    # The job is node0001 and node0003, on leaf-01 and leaf-02: one flow up, one down, over one spine.
    found = asked(server)
    assert found["of_jobs"]
    assert [end["name"] for end in found["ends"]] == [session.ports.name(here), session.ports.name(far)]
    flows = session.jobs.loads[[here, far], 0].tolist() if session.jobs else []
    assert [end["total"] for end in found["ends"]] == flows
    # Without jobs all hosts send to all others: 6 of 12 flows leave by each cable up.
    alone = Session(fabric, session.ports, "tree", None, session.routes)
    with served(alone) as running:
        found = asked(running, "text=node0001")
        assert not found["of_jobs"]
        # node0001 sends three of those; down the cable goes all that is for one of the two hosts.
        assert [end["total"] for end in found["ends"]] == [6, 6]
        assert found["ends"][0]["found"] == 3
        assert found["ends"][1]["found"] in (0, 6)
        one = found["ends"][0]["pairs"][0]
        assert (one["source"], one["job"], one["rate"]) == ("node0001 HCA-1", "", None)
        assert one["share"] == pytest.approx(1 / 6)
        assert running.ask("pairs.json?guid=0x1&port=1").status == 400
    # Switches that choose: of each of 12 flows half leaves by each cable.
    with served(Session(fabric, session.ports, "tree", None, session.routes, adaptive=True)) as running:
        found = asked(running)
        assert found["adaptive"]
        assert found["ends"][0]["total"] == 12
        assert {one["part"] for one in found["ends"][0]["pairs"]} == {0.5}
        chosen = values(running.ask("moment").body, len(session.ports))[2]["modelled"]
        assert chosen[~np.isnan(chosen)] == pytest.approx(1.0)
    with served(Session(fabric, session.ports, "tree", None, None)) as running:
        assert asked(running)["error"].startswith("there are no tables")


def test_routes_lead_there_and_back(server: Served, session: Session) -> None:
    (found,) = json.loads(server.ask("route.json?from=node0001&to=node0008").body)["rails"]
    assert found["there"]["verdict"] == found["back"]["verdict"] == "delivered"
    assert len(found["there"]["rows"]) == 4  # host, leaf, spine, leaf
    first = found["there"]["rows"][0]
    assert session.ports.name(first).startswith("node0001")


def test_a_host_with_several_adapters_has_a_route_on_each_rail(dgx: Path) -> None:
    fabric = lacis.read(dgx)
    routes = _core.route(fabric, "minhop")
    shown = Session(fabric, ports_of(fabric), "dgx", None, routes)
    found = answers.route(shown, "a06-p1-dgx-02-c02", "b06-p1-dgx-06-c02")["rails"]
    assert [one["rail"] for one in found] == [1, 2, 3, 4]
    for one in found:
        for way in ("there", "back"):
            assert one[way]["verdict"] == "delivered"
            assert min(one[way]["rows"]) >= 0
        assert one["there"]["nodes"][0] == one["back"]["nodes"][-1]


def test_what_would_be_is_beside_what_is(server: Served, fabric: Fabric) -> None:
    found = json.loads(server.ask("whatif.json?cut=leaf-01--spine-01").body)
    # Two hosts of a leaf with one cable left: each of 6 others from 2 hosts, both over one cable.
    assert (found["lost"], found["most"]) == (0, 12)
    assert found["most_before"] == _core.verify(_core.route(fabric, "minhop"), "hosts").balance[0]
    refused = json.loads(server.ask("whatif.json?engine=ftree,updn&cut=leaf-01--spine-01").body)
    assert refused["engine"] in ("ftree", "updn")
    gone = json.loads(server.ask("whatif.json?cut=spine-01&cut=spine-02").body)
    assert gone["lost"] == 8 * 6


def test_adaptive_switches_spread_what_tables_do_not(server: Served, session: Session) -> None:
    ports = session.ports

    def relative(query: str) -> tuple[dict[str, float], float]:
        found = json.loads(server.ask(f"whatif.json?{query}").body)
        values = np.frombuffer(base64.b64decode(found["values"]), "<f4")
        rows = [row for row in range(len(ports)) if np.isfinite(values[row])]
        return {ports.name(row): float(values[row]) for row in rows}, found["most"]

    # Whole: 12 flows leave each leaf, 6 by each of two cables.
    whole, most = relative("adaptive=1")
    assert most == pytest.approx(6)
    assert list(whole.values()) == pytest.approx([1.0] * 16)
    # Without leaf-01's cable to spine-01: its 12 flows go by the other one. Of each of three other leaves 4 go there, over spine-02
    # alone, and 8 elsewhere, half over each spine: 8 over spine-02, 4 over spine-01. In all 48 up, as many down, over 14 links.
    cut, most = relative("adaptive=1&cut=leaf-01--spine-01")
    mean = 96 / 14
    assert most == pytest.approx(12)
    up = sorted(value * mean for name, value in cut.items() if name.startswith("leaf"))
    assert up == pytest.approx([4, 4, 4, 8, 8, 8, 12], rel=1e-5)


# --- sources with faults ---------------------------------------------------------------------------


def store_of(folder: Path, fabric: Fabric) -> CounterStore:
    """A store of three sweeps, a minute apart, in which the first cable up sends."""
    ports = ports_of(fabric)
    here, _, rate = cable(ports)
    with CounterStore(folder) as store:
        for number in range(3):
            values = {"XmitData": {here: round(15 * rate * number / 4)}}
            store.append(read(ports, START + 60 * number, values))
    return CounterStore(folder)


def shown(fabric: Fabric, store: CounterStore, folder: Path) -> Session:
    def damage() -> str:
        return f"{store.damaged[0].reason}" if store.damaged else ""

    kept = Stored(store.span, store.growth, str(folder), damage=damage)
    return Session(fabric, ports_of(fabric), "tree", kept, None)


def trouble(running: Served) -> str:
    return str(json.loads(running.ask("instants.json").body)["trouble"])


def test_a_store_of_another_fabric_is_said(fabric: Fabric, tmp_path: Path) -> None:
    store = store_of(tmp_path, fabric.shuffle_guids(7))
    with served(shown(fabric, store, tmp_path)) as running:
        # 16 cables, two ends each.
        assert trouble(running).endswith("32 of 32 ports are not in this fabric: is it of another one?")
        assert running.ask("moment").status == 200
    with served(shown(fabric.shuffle_guids(7), store, tmp_path)) as running:
        assert trouble(running) == ""


def test_a_damaged_store_is_said_and_the_rest_is_shown(fabric: Fabric, tmp_path: Path) -> None:
    store = store_of(tmp_path, fabric)
    newest = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size > 100)[-1]
    session = shown(fabric, store, tmp_path)
    newest.write_bytes(newest.read_bytes()[:50])
    with served(session) as running:
        assert trouble(running) != ""
        for path in ("moment", "fabric.json", "findings.json"):
            assert running.ask(path).status in (200, 400)
    # A store that is gone while it is shown.
    shutil.rmtree(tmp_path)
    with served(session, every=0.02) as running:
        until = time.monotonic() + 60
        while not trouble(running):
            assert time.monotonic() < until
            time.sleep(0.02)
        assert running.ask("fabric.json").status == 200


def test_a_store_that_is_being_written_shows_what_comes(fabric: Fabric, tmp_path: Path) -> None:
    store_of(tmp_path, fabric)
    reader = CounterStore(tmp_path)
    ports = ports_of(fabric)
    with served(shown(fabric, reader, tmp_path), every=0.02) as running, CounterStore(tmp_path) as writer:
        for number in range(3, 8):
            writer.append(read(ports, START + 60 * number, {}))
            until = time.monotonic() + 60
            while json.loads(running.ask("instants.json").body)["ends"][-1] != START + 60 * number:
                assert time.monotonic() < until
                time.sleep(0.02)
            assert trouble(running) == ""


def test_findings_name_nodes(session: Session, fabric: Fabric) -> None:
    hurt = fabric.without(["leaf-01--spine-01"])
    shown = Session(hurt, ports_of(hurt), "hurt", None, None)
    with served(shown) as running:
        found = json.loads(running.ask("findings.json").body)["findings"]
        assert found
        assert all(one["text"] and one["severity"] for one in found)
        # The cable that is missing: of a leaf ports 1 and 2 go down, 3 to spine-01, whose port 1 is that of leaf-01.
        (work,) = json.loads(running.ask("findings.json").body)["work"]
        assert work["action"] == "plug in"
        assert {end["name"] for end in work["ends"]} == {"leaf-01[3]", "spine-01[1]"}
        body = running.ask("moment").body
        assert np.isnan(values(body, len(shown.ports))[2]["used"]).all()
        assert json.loads(running.ask("route.json?from=node0001&to=node0002").body)["error"].startswith(
            "there are no tables"
        )
    assert not session.health.findings


# --- events ----------------------------------------------------------------------------------------


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


def test_hostile_names_are_data() -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    text = _core.generate_fabric("fat-tree:4,2").to_json().replace("leaf-01", evil)
    fabric = _core.read_fabric(text.encode())
    with served(Session(fabric, ports_of(fabric), evil, None, None)) as running:
        assert evil in json.loads(running.ask("fabric.json").body)["names"]
        assert evil.encode() not in running.ask().body


def test_a_file_that_changes_is_seen_once(tmp_path: Path) -> None:
    path = tmp_path / "my.fabric"
    path.write_text("one")
    changes = Changes(str(path))
    assert not changes.seen()
    path.write_text("another")
    assert changes.seen()
    assert not changes.seen()
    path.unlink()
    assert not changes.seen()  # it is being written
    path.write_text("a third one")
    assert changes.seen()


def test_a_changed_fabric_that_cannot_be_read_is_said_and_the_old_one_stays(session: Session) -> None:
    def newer() -> Session | None:
        raise LacisError("no fabric", source="my.fabric", line=3)

    shown = Shown(session, newer)
    assert not shown.look()
    assert (shown.session, shown.number) == (session, 0)
    assert "my.fabric:3: no fabric" in shown.trouble


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
