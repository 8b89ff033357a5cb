"""The exporter: its page line by line, sweeps on their own clock, and a server that bounds what a client may cost."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis.counters import FIELDS
from lacis.counters.readings import SPEEDS
from lacis.errors import LacisError
from lacis.exporter import Page, Sweeper, Swept, serve, write_once
from lacis.exporter.families import COUNTERS
from lacis.exporter.page import wants_openmetrics
from lacis.fabric.ports import ports_of

from tests import counted
from tests.offering import page_of, served, sweeper_of

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.counters import Readings

AT = 1_700_000_000
LIMIT = 60.0
"""Seconds after which a test that waits has failed."""
LEAF, SPINE = "0x0002c90200400000", "0x0002c90200400020"
"""GUIDs of leaf-01 and spine-01 of fat-tree:4,2: 4 leaves, then 2 spines, 8 apart."""


def text(swept: Swept, page: Page | None = None, *, late: float = 0, openmetrics: bool = False) -> list[str]:
    """The lines of a page."""
    page = page or page_of(api.read("fat-tree:4,2"))
    now = round((AT + late) * counted.SECOND)
    return b"".join(page.parts(swept, now, openmetrics=openmetrics)).decode().splitlines()


def first_of(lines: list[str], name: str) -> list[str]:
    return [line for line in lines if re.match(rf"{name}[ {{]", line)]


def test_a_port_has_its_counters_state_age_peer_and_rate() -> None:
    fabric = api.read("fat-tree:4,2")
    values = {"leaf-01[3]": {"XmitData": 5, "XmitPkts": 6, "SymbolErrors": 7}}
    read = counted.read(fabric, AT, values, down=["leaf-01[3]"])
    lines = text(Swept().after(read), late=2.5)
    port = f'{{guid="{LEAF}",port="3"}}'
    for line in (
        f"lacis_port_transmitted_bytes_total{port} 20",  # words of 4 bytes
        f"lacis_port_transmitted_packets_total{port} 6",
        f"lacis_port_symbol_errors_total{port} 7",
        f"lacis_port_link_downed_total{port} 0",
        f"lacis_port_state{port} 1",
        f"lacis_port_reading_age_seconds{port} 2.500",
        f"lacis_port_rate_bytes_per_second{port} 25000000000",
        f'lacis_port_info{{guid="{LEAF}",port="3",node="leaf-01",kind="switch",peer="spine-01",peer_kind="switch",'
        f'peer_guid="{SPINE}",peer_port="1"}} 1',
        f'lacis_port_info{{guid="{SPINE}",port="1",node="spine-01",kind="switch",peer="leaf-01",peer_kind="switch",'
        f'peer_guid="{LEAF}",peer_port="3"}} 1',
    ):
        assert line in lines
    # 8 cables to hosts and 8 between switches have 32 ends.
    assert len(first_of(lines, "lacis_port_info")) == len(first_of(lines, "lacis_port_state")) == 32


def test_what_links_do_has_series_where_it_is_known() -> None:
    fabric = api.read("fat-tree:4,2")
    read = counted.read(fabric, AT)
    row = [*zip(read.guids.tolist(), read.ports.tolist(), strict=True)].index((int(LEAF, 16), 3))
    # One lane of HDR instead of four: a quarter of 25 GB/s.
    read.physical[row], read.lanes[row], read.speeds[row] = 5, 1, SPEEDS.index("HDR")
    lines = text(Swept().after(read))
    port = f'{{guid="{LEAF}",port="3"}}'
    for line in (
        f"lacis_port_physical_state{port} 5",
        f"lacis_port_lanes{port} 1",
        f"lacis_port_active_rate_bytes_per_second{port} 6250000000",
    ):
        assert line in lines
        assert len(first_of(lines, line.partition("{")[0])) == 1


def test_what_is_not_known_has_no_series() -> None:
    fabric = api.read("fat-tree:4,2")
    read = counted.read(fabric, AT, names=("SymbolErrors", "LinkDowned"))
    read.known["SymbolErrors"][:31] = False
    read = replace(read, states=np.zeros(32, np.uint8))
    lines = text(Swept().after(read))
    assert len(first_of(lines, "lacis_port_symbol_errors_total")) == 1
    assert len(first_of(lines, "lacis_port_link_downed_total")) == 32
    assert first_of(lines, "lacis_port_state") == first_of(lines, "lacis_port_transmitted_bytes_total") == []
    assert not any(line.startswith("# TYPE lacis_port_state ") for line in lines)


def test_every_counter_has_a_series_of_its_own() -> None:
    assert list(COUNTERS) == list(FIELDS)
    assert len({family.series for family in COUNTERS.values()}) == len(FIELDS)


def test_data_beyond_64_bits_is_not_cut() -> None:
    fabric = api.read("fat-tree:4,2")
    read = replace(counted.read(fabric, AT, {"leaf-01[3]": {"XmitData": 2**64 - 1}}), unit=8)
    (line,) = [
        one for one in text(Swept().after(read)) if f'transmitted_bytes_total{{guid="{LEAF}",port="3"' in one
    ]
    assert line.split()[-1] == str(8 * (2**64 - 1))


def test_counters_at_their_greatest_value_are_counted() -> None:
    fabric = api.read("fat-tree:4,2")
    values = {
        "leaf-01[1]": {"SymbolErrors": 65535, "LinkDowned": 254},
        "leaf-01[3]": {"SymbolErrors": 65535, "XmitPkts": 2**32 - 1},  # which have 64 bits here
    }
    lines = text(Swept().after(counted.read(fabric, AT, values)))
    assert 'lacis_full_counters{counter="SymbolErrors"} 2' in lines
    assert 'lacis_full_counters{counter="LinkDowned"} 0' in lines
    assert 'lacis_full_counters{counter="XmitPkts"} 0' in lines


def test_planes_are_distinguished_by_a_label() -> None:
    read = counted.read(api.read("fat-tree:4,2"), AT, {"leaf-01[1]": {"LinkDowned": 4}}).taken(np.arange(1))
    planes = [replace(read, planes=np.array([plane], np.uint8)) for plane in (1, 2)]
    both = api_joined(planes)
    found = first_of(text(Swept().after(both)), "lacis_port_link_downed_total")
    assert found == [
        f'lacis_port_link_downed_total{{guid="{LEAF}",port="1",plane="{plane}"}} 4' for plane in (1, 2)
    ]


def api_joined(parts: list[Readings]) -> Readings:
    from lacis.counters import joined

    return joined(parts)


def test_names_are_escaped_and_show_no_control_character() -> None:
    fabric = api.read("fat-tree:4,2")
    ports = ports_of(fabric)
    names = ['a\\b"c\nd\x1b[31m%d\u202e', *ports.names[1:]]
    page = Page('1"0')
    page.wired(replace(ports, names=names))
    lines = text(Swept().after(counted.read(fabric, AT)), page)
    escaped = 'a\\\\b\\"c\ufffdd\ufffd[31m%d\ufffd'
    assert len([line for line in lines if f'node="{escaped}"' in line]) == 4
    assert len([line for line in lines if f'peer="{escaped}"' in line]) == 4
    assert 'lacis_build_info{version="1\\"0"} 1' in lines


def test_a_port_that_lost_its_cable_keeps_its_last_peer() -> None:
    fabric = api.read("fat-tree:4,2")
    page = page_of(fabric)
    page.cabled(fabric.without(["leaf-01--spine-01"]))
    lines = text(Swept().after(counted.read(fabric, AT)), page)
    (line,) = [one for one in first_of(lines, "lacis_port_info") if f'guid="{LEAF}",port="3"' in one]
    assert 'peer="spine-01"' in line


def test_a_port_without_a_cable_and_one_of_no_known_node_have_what_is_known() -> None:
    fabric = api.read("fat-tree:4,2:radix=5")
    read = counted.read(fabric, AT).taken(np.arange(2))
    read = replace(read, guids=np.array([int(LEAF, 16), 7], np.uint64), ports=np.array([5, 1], np.uint16))
    lines = first_of(text(Swept().after(read), page_of(fabric)), "lacis_port_info")
    assert f'lacis_port_info{{guid="{LEAF}",port="5",node="leaf-01",kind="switch"}} 1' in lines
    assert 'lacis_port_info{guid="0x0000000000000007",port="1"} 1' in lines


def test_the_sweep_says_how_long_it_took_and_what_it_lost() -> None:
    fabric = api.read("fat-tree:4,2")
    read = counted.read(fabric, AT, silent=["leaf-01[1]", "leaf-01[3]"])
    lost = [(int(LEAF, 16), 1, "timeout"), (int(LEAF, 16), 3, "timeout"), (9, 1, 'odd "%d"')]
    swept = Swept().after(counted.read(fabric, AT)).after(counted.unread(read, *lost)).after_failure()
    lines = text(swept)
    for line in (
        "lacis_sweep_duration_seconds 0.250000",
        f"lacis_sweep_ended_timestamp_seconds {AT}.000",
        "lacis_sweeps_total 2",
        "lacis_sweeps_failed_total 1",
        "lacis_sweep_success 0",
        "lacis_sweep_lost_readings_total 3",
        "lacis_sweep_ports 30",
        'lacis_sweep_unread_ports{reason="timeout"} 2',
        'lacis_sweep_unread_ports{reason="status"} 0',
        'lacis_sweep_unread_ports{reason="odd \\"%d\\""} 1',
        f'lacis_port_unread{{guid="{LEAF}",port="3",reason="timeout"}} 1',
    ):
        assert line in lines


def test_a_port_that_gives_no_answer_keeps_its_reading_which_grows_old() -> None:
    fabric = api.read("fat-tree:4,2")
    then = counted.read(fabric, AT - 60, {"leaf-01[1]": {"LinkDowned": 3}})
    now = counted.read(fabric, AT, silent=["leaf-01[1]", "leaf-01[2]"])
    swept = Swept().after(then).after(counted.unread(now, (int(LEAF, 16), 1, "timeout")))
    lines = text(swept)
    port = f'{{guid="{LEAF}",port="1"}}'
    assert f"lacis_port_link_downed_total{port} 3" in lines
    assert f"lacis_port_reading_age_seconds{port} 60.000" in lines
    # The other was not to be read any more, and is gone.
    assert not [
        line for line in lines if line.startswith("lacis_port_state{") and f'{LEAF}",port="2"' in line
    ]
    assert len(first_of(lines, "lacis_port_state")) == 31


def test_before_the_first_sweep_there_are_the_cables() -> None:
    lines = text(Swept())
    assert "lacis_sweep_success 0" in lines
    assert len(first_of(lines, "lacis_port_info")) == 32
    assert first_of(lines, "lacis_sweep_ports") == []


def test_openmetrics_names_families_and_has_an_end() -> None:
    lines = text(Swept().after(counted.read(api.read("fat-tree:4,2"), AT)), openmetrics=True)
    assert lines[-1] == "# EOF"
    for line in (
        "# TYPE lacis_port info",
        "# TYPE lacis_port_symbol_errors counter",
        "# UNIT lacis_port_transmitted_bytes bytes",
        f'lacis_port_symbol_errors_total{{guid="{LEAF}",port="1"}} 0',
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", True),
        ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", False),
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", True),
        ("application/openmetrics-text;version=2.0.0,text/plain", False),
        ("text/plain, application/openmetrics-text; q=0.2", False),
        ("application/openmetrics-text;q=much", False),
        ("*/*", False),
        ("", False),
    ],
)  # fmt: skip
def test_the_format_is_the_one_that_is_asked_for(accept: str, wanted: bool) -> None:
    assert wants_openmetrics({"accept": accept}) is wanted


# --- sweeps ----------------------------------------------------------------------------------------


def wait_for(condition: Any) -> None:
    until = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_sweeps_go_on_after_one_that_failed() -> None:
    said: list[str] = []
    read = counted.read(api.read("fat-tree:4,2"), AT)
    sweeper = Sweeper(counted.Given(read, LacisError("the adapter is gone"), read), 0.01, said.append)
    sweeper.start()
    wait_for(lambda: sweeper.swept.sweeps >= 3)
    sweeper.stop()
    assert sweeper.swept.failed == 1
    assert said == ["a sweep failed: the adapter is gone"]


class Slow(counted.Given):
    """A source whose sweeps wait until they are let go."""

    def __init__(self, read: Readings) -> None:
        super().__init__(read)
        self.begun, self.let_go, self.ended = threading.Event(), threading.Event(), False

    def sweep(self) -> Readings:
        self.begun.set()
        self.let_go.wait(LIMIT)
        self.ended = True
        return super().sweep()


def test_the_sweep_that_runs_ends_before_its_source_may_be_closed() -> None:
    source = Slow(counted.read(api.read("fat-tree:4,2"), AT))
    sweeper = Sweeper(source, 3600, lambda _: None)
    sweeper.start()
    source.begun.wait(LIMIT)
    threading.Timer(0.01, source.let_go.set).start()
    sweeper.stop()
    assert source.ended


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    fabric, file = api.read("fat-tree:4,2"), tmp_path / "lacis.prom"
    file.write_text("before\n")
    failing = Sweeper(counted.Given(LacisError("no adapter")), 1, lambda _: None)
    with pytest.raises(LacisError, match="no adapter"):
        write_once(page_of(fabric), failing, str(file))
    assert file.read_text() == "before\n"
    good = Sweeper(counted.Given(counted.read(fabric, AT)), 1, lambda _: None)
    write_once(page_of(fabric), good, str(file))
    assert "lacis_sweep_ports 32\n" in file.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["lacis.prom"]


# --- the server ------------------------------------------------------------------------------------


def asked(where: tuple[str, int], request: bytes) -> tuple[str, dict[str, str], bytes]:
    """The answer to a request: status, headers in small letters, content."""
    with socket.create_connection(where, timeout=LIMIT) as client:
        with contextlib.suppress(OSError):  # what is too long may be cut off while it is sent
            client.sendall(request)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    head, _, content = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = {key.lower(): value for key, value in (line.split(": ", 1) for line in lines)}
    return status.removeprefix("HTTP/1.1 "), headers, content


@pytest.fixture
def sweeper() -> Sweeper:
    return sweeper_of(counted.Given(counted.read(api.read("fat-tree:4,2"), AT)))


GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_scrape_gets_the_page_and_sweeps_nothing(sweeper: Sweeper) -> None:
    with served(page_of(api.read("fat-tree:4,2")), sweeper) as where:
        for _ in range(3):
            status, headers, content = asked(where, GET)
            assert (status, headers["content-type"]) == ("200 OK", "text/plain; version=0.0.4; charset=utf-8")
            assert int(headers["content-length"]) == len(content)
            assert b"\nlacis_sweeps_total 1\n" in content
        accept = b"GET /metrics?x=y HTTP/1.1\r\naccept:application/openmetrics-text\r\n\r\n"
        status, headers, content = asked(where, accept)
        assert headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
        assert content.endswith(b"# EOF\n")
        status, headers, content = asked(where, GET.replace(b"GET", b"HEAD"))
        assert (status, content) == ("200 OK", b"")
        assert int(headers["content-length"]) > 10_000
        assert b'href="/metrics"' in asked(where, b"GET / HTTP/1.0\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"GET /etc/passwd HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/../x HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /metrics\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
        (b"\x16\x03\x01\x00\xff\xfe\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nx: " + b"y" * 100_000, "431 Request Header Fields Too Large"),
    ],
)
def test_other_requests_are_refused(sweeper: Sweeper, request_: bytes, status: str) -> None:
    with served(page_of(api.read("fat-tree:4,2")), sweeper) as where:
        assert asked(where, request_)[0] == status
        assert asked(where, GET)[0] == "200 OK"


@pytest.mark.parametrize(
    ("request_", "allowed", "reason"),
    [
        (b"POST / HTTP/1.1\r\n\r\n", "GET, HEAD", b"GET and HEAD alone\n"),
        (b"GET /x HTTP/1.1\r\n\r\n", None, b"/metrics and / alone\n"),
        (b"HEAD /x HTTP/1.1\r\n\r\n", None, b""),
    ],
)
def test_a_refusal_says_why_unless_only_the_head_is_asked_for(
    sweeper: Sweeper, request_: bytes, allowed: str | None, reason: bytes
) -> None:
    with served(page_of(api.read("fat-tree:4,2")), sweeper) as where:
        _, headers, content = asked(where, request_)
    assert (headers.get("allow"), content) == (allowed, reason)


def test_a_client_that_sends_too_much_is_heard_out_and_gets_its_answer(sweeper: Sweeper) -> None:
    with (
        served(page_of(api.read("fat-tree:4,2")), sweeper, seconds_to_ask=LIMIT) as where,
        socket.create_connection(where, timeout=LIMIT) as client,
    ):
        client.sendall(bytes(32 << 20))  # more than sockets keep
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert answer.endswith(b"\r\n\r\nmore than 8192 bytes\n")


def test_a_client_that_asks_nothing_is_answered_all_the_same(sweeper: Sweeper) -> None:
    with served(page_of(api.read("fat-tree:4,2")), sweeper, seconds_to_ask=0.05) as where:
        assert asked(where, b"GET /metr")[::2] == ("408 Request Timeout", b"the request took too long\n")


def test_more_connections_than_there_may_be_are_refused(sweeper: Sweeper) -> None:
    with served(page_of(api.read("fat-tree:4,2")), sweeper, connections=1, seconds_to_ask=LIMIT) as where:
        with socket.create_connection(where, timeout=LIMIT):
            assert asked(where, GET)[::2] == ("503 Service Unavailable", b"too many connections\n")
        wait_for(lambda: asked(where, GET)[0] == "200 OK")


class Endless(Page):
    """A page of 64 MB, more than any socket keeps."""

    def parts(self, *_: object, **__: object) -> list[bytes]:
        return [bytes(64 << 20)]


def test_a_client_that_takes_nothing_is_let_go_and_gets_no_more(sweeper: Sweeper) -> None:
    bounds = {"connections": 1, "seconds_to_ask": LIMIT, "seconds_to_answer": 0.05}
    with served(Endless("0"), sweeper, **bounds) as where, socket.create_connection(where) as client:
        client.settimeout(LIMIT)
        client.sendall(GET)
        wait_for(lambda: asked(where, b"GET / HTTP/1.1\r\n\r\n")[0] == "200 OK")
        got = 0
        while piece := client.recv(1 << 20):
            got += len(piece)
    assert 0 < got < 64 << 20


def test_an_address_that_is_taken_is_an_error_of_one_line(sweeper: Sweeper) -> None:
    page = page_of(api.read("fat-tree:4,2"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LacisError) as raised:
            serve(page, sweeper, "127.0.0.1", port)
    assert str(raised.value) == f"127.0.0.1:{port}: cannot listen: address already in use"


def test_many_scrapes_at_a_time_are_answered(sweeper: Sweeper) -> None:
    found: list[str] = []
    with served(page_of(api.read("fat-tree:4,2")), sweeper) as where:
        threads = [threading.Thread(target=lambda: found.append(asked(where, GET)[0])) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["200 OK"] * 12
