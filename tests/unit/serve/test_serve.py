"""What the server of `lacis serve` answers, and what it refuses."""

from __future__ import annotations

import base64
import http.client
import json
import shutil
import struct
import time
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.counters.store import CounterStore
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.live import Stored
from lacis.serve import answers
from lacis.serve.session import MEASURES, Session
from lacis.serve.shown import Changes, Shown

from ...ports_read import cable, read
from ...served import START, TOKEN, served

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric

    from ...served import Served


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
