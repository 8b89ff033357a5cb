"""`lacis counters`: a fabric behind a libibumad of our own, recordings, and what is refused."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from lacis.counters import recording
from lacis.counters.mad import building, discovery
from lacis.documents.counters import CountersDocument

from tests.cli import samples
from tests.unit.mad import mads
from tests.unit.mad.mads import FIRST, SWITCH, Fake, number

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Fake:
    return mads.compiled(tmp_path_factory.mktemp("fake"))


@pytest.fixture
def star(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a switch with four hosts that answer."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(fake.path.parent))
    monkeypatch.setattr(building, "LIBRARY", str(fake.path))
    file = tmp_path / "star.ibnetdiscover"
    file.write_text(fake.star(4))
    return file


def test_a_sweep_is_one_object(lacis: Lacis, star: Path) -> None:
    done = lacis("counters", star, "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["schema"] == "lacis.counters/1"
    assert [(row["node"], row["port"], row["peer"], row["lid"]) for row in found["ports"]] == [
        *(("leaf", port, f"node{port - 1:04}[1]", SWITCH) for port in (1, 2, 3, 4)),
        *((f"node{host:04}", 1, f"leaf[{host + 1}]", FIRST + host) for host in range(4)),
    ]
    assert found["ports"][5]["counters"]["XmitData"] == number(FIRST + 1, 1, 8, 8)
    assert found["ports"][5]["counters"]["LinkDowned"] == number(FIRST + 1, 1, 7)
    assert set(found["wide"]) == {
        *("XmitData", "RcvData", "XmitPkts", "RcvPkts"),
        *("UnicastXmitPkts", "UnicastRcvPkts", "MulticastXmitPkts", "MulticastRcvPkts"),
    }
    assert found["unread"] == found["remarks"] == []


def test_ports_with_errors_come_first(lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def row(port: int, sent: int, **errors: int) -> str:
        counters = json.dumps({"XmitData": sent, "RcvData": 0, **errors})
        return (
            f'{{"node": "leaf", "guid": "0x000000000000a000", "port": {port}, "peer": null, "lid": 1, "time": 5, '
            f'"state": "unknown", "counters": {counters}}}'
        )

    rows = [row(1, 10), row(2, 99), row(3, 1, LinkDowned=255), row(4, 5, SymbolErrors=7, RcvErrors=1)]
    file = tmp_path / "one.jsonl"
    file.write_text(
        '{"schema": "lacis.counters/1", "source": "x", "started": 0, "ended": 5, "unit": 4, "wide": [], "only_faulty": '
        f'false, "ports": [{",".join(rows)}], "unread": [], "remarks": []}}\n'
    )
    monkeypatch.setenv("COLUMNS", "120")
    lines = lacis("counters", "--from", file).out.splitlines()
    assert lines[1] == "2 ports with errors since their counters were cleared"
    # Errors first: 255 before 8; then the busiest. LinkDowned has 8 bits and counts no further.
    shown = [line for line in lines if line.startswith("leaf[")]
    assert [line.split()[0] for line in shown] == ["leaf[3]", "leaf[4]", "leaf[2]", "leaf[1]"]
    assert shown[0].rstrip().endswith("LinkDowned ≥ 255")
    assert shown[1].rstrip().endswith("SymbolErrors 7, RcvErrors 1")
    assert "396 B" in shown[2]
    less = lacis("counters", "--from", file, "--top", "1").out
    assert "… and 3 ports more (--all)" in less
    assert lacis("counters", "--from", file, "--top", "1", "--all").out.count("leaf[") == 4


def test_files_of_other_tools_do_not_say_how_long_reading_took(
    lacis: Lacis, star: Path, tmp_path: Path
) -> None:
    # 2 ** 62 words of four bytes are 1.845e19 bytes.
    for lid, at in ((FIRST, 1_000), (FIRST + 1, 1_060)):
        file = tmp_path / f"read-{at}"
        file.write_text(
            f"# Port extended counters: Lid {lid} port 1 (CapMask: 0x5300)\nPortSelect:......................1\n"
            f"PortXmitData:....................{2**62}\nPortRcvData:.....................{250 * 10**10}\n"
        )
        os.utime(file, (at, at))
    out = lacis("counters", star, "--from", tmp_path / "read-1000", "--from", tmp_path / "read-1060").out
    assert out.splitlines()[0].startswith("2 ports of 2 nodes from ")
    assert "18.45 EB" in out
    assert "10 TB" in out


def test_two_sweeps_of_a_recording_have_rates(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    file = tmp_path / "sweeps.jsonl"
    file.write_text(samples.SWEEPS)
    found = json.loads(lacis("counters", "--from", file, "--json").out)
    # 2e9 bytes in two seconds, in words of four bytes.
    (row,) = found["ports"]
    assert (row["seconds"], row["sends"], row["grown"]) == (
        2.0,
        1e9,
        {"XmitData": 500_000_000, "SymbolErrors": 2},
    )
    out = lacis("counters", "--from", file).out
    assert "1 port with errors in 2 s" in out
    assert "leaf-01[1]   node0001[1]   1 GB/s" in out
    assert "SymbolErrors 2" in out


def test_a_recording_is_read_as_it_was_written(lacis: Lacis, star: Path, tmp_path: Path) -> None:
    out = tmp_path / "two.jsonl"
    done = lacis("counters", star, "--every", "10ms", "--count", "3", "-o", out, "--json")
    assert done.status == 0, done.err
    lines = out.read_text().splitlines()
    assert done.out.splitlines() == lines
    assert len(lines) == 3
    first, *_, last = recording.read(out.read_bytes()).sweeps
    assert np.array_equal(first.keys, last.keys)
    assert (first.times < last.times).all()
    decoded = msgspec.json.decode(lines[2], type=CountersDocument)
    assert all(row.seconds and not row.grown for row in decoded.ports)
    assert {name: values.tolist() for name, values in first.values.items()} == {
        name: values.tolist() for name, values in last.values.items()
    }
    assert first.wide["XmitData"].all()
    assert not first.wide["SymbolErrors"].any()


def test_what_json_prints_is_read_again(lacis: Lacis, star: Path, tmp_path: Path) -> None:
    printed = lacis("counters", star, "--json").out
    file = tmp_path / "printed.json"
    file.write_text(printed)
    again = json.loads(lacis("counters", "--from", file, "--json").out)
    assert again["ports"] == json.loads(printed)["ports"]
    file.write_text(printed[:-9])
    done = lacis("counters", "--from", file)
    assert (done.status, done.err.count("\n")) == (2, 1)


def test_ports_without_an_answer_are_named_and_the_status_is_1(lacis: Lacis, star: Path, fake: Fake) -> None:
    fake.agent(FIRST).is_silent = 1
    done = lacis("counters", star, "--timeout", "10ms", "--retries", "0")
    assert done.status == 1
    assert "1 port gave no answer:" in done.out
    assert "  node0000[1]  timeout" in done.out


def test_moved_lids_are_named(lacis: Lacis, star: Path, fake: Fake) -> None:
    fake.agent(FIRST).guid = 0xC000
    done = lacis("counters", star)
    assert done.status == 1
    assert "1 node no longer has the LID that the fabric says, such as 0x000000000000b000" in done.err
    assert "  node0000[1]  moved" in done.out


def test_clearing_is_done_after_reading_and_said(lacis: Lacis, star: Path, fake: Fake) -> None:
    assert fake.agent(SWITCH).sets == 0
    done = lacis("counters", star, "--clear", "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["uncleared"] == []
    assert fake.agent(SWITCH).sets == 8
    assert "counters of 8 ports set to zero" in lacis("counters", star, "--clear").out


def test_ctrl_c_ends_repeated_sweeps_well(
    lacis: Lacis, star: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    out = tmp_path / "rec.jsonl"
    done = lacis("counters", star, "--every", "1h", "-o", out)
    assert done.status == 0, done.err
    assert len(recording.read(out.read_bytes()).sweeps) == 1


def test_ctrl_c_in_the_first_of_repeated_sweeps_is_an_end_too(
    lacis: Lacis, star: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lacis.cli.counters._sweeps", interrupted)
    done = lacis("counters", star, "--every", "1h", "--json")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert lacis("counters", star).status == 130


def test_sweeps_end_after_their_time(lacis: Lacis, star: Path) -> None:
    # The second would begin after the time.
    done = lacis("counters", star, "--every", "1s", "--for", "0.5s", "--json")
    assert len(done.out.splitlines()) == 1


def test_discovery_is_kept_and_asked_for_once(
    lacis: Lacis, star: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ibnetdiscover"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ncat {star}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    for more in ((), (), ("--fresh",), ("--device", "mlx5_1", "--port", "2")):
        done = lacis("counters", "--discover", *more, "--json")
        assert done.status == 0, done.err
        assert len(json.loads(done.out)["ports"]) == 8
    assert (tmp_path / "calls").read_text() == "\n\n-C mlx5_1 -P 2\n"
    # What is damaged is discovered again.
    discovery.kept_at().write_text("no fabric")
    assert lacis("counters", "--discover").status == 0


@pytest.mark.slow
def test_a_node_that_is_down_has_the_fabric_discovered_once_and_moved_lids_at_once(
    lacis: Lacis, star: Path, fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ibnetdiscover"
    program.write_text(f"#!/bin/sh\necho >> {tmp_path}/calls\ncat {star}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    calls = tmp_path / "calls"
    words = ("counters", "--discover", "--timeout", "10ms", "--retries", "0")

    fake.agent(FIRST).is_silent = 1
    assert [lacis(*words).status for _ in range(2)] == [1, 1]
    assert calls.read_text() == "\n"
    # What is kept is old: a sign of change is worth a discovery.
    long_ago = time.time() - 3600
    os.utime(discovery.kept_at(), (long_ago, long_ago))
    assert lacis(*words).status == 1
    assert calls.read_text() == "\n\n"
    fake.agent(FIRST).is_silent = 0
    fake.agent(FIRST).guid = 0xC000
    assert lacis(*words).status == 1
    assert calls.read_text() == "\n\n\n"


def test_without_ibnetdiscover_a_line_says_what_to_install(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(discovery, "_FOLDERS", str(tmp_path))
    done = lacis("counters", "--discover")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "no ibnetdiscover, which finds the fabric: apt-get install infiniband-diags" in done.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "the fabric is given once: FABRIC, or --discover"),
        (("fat-tree:4,2", "--discover"), "the fabric is given once"),
        (("fat-tree:4,2",), "says no LIDs, by which counters are read"),
        (("--from", "a.jsonl", "--every", "1s"), "--from reads files"),
        (("fat-tree:4,2", "--count", "3"), "--count and --for end --every"),
        (("fat-tree:4,2", "--fresh"), "--fresh is about --discover"),
        (("fat-tree:4,2", "--every", "1s", "--clear"), "--every reads on"),
        (("fat-tree:4,2", "--every", "1 week"), "'1 week' is not a time"),
        (("fat-tree:4,2", "--every", "2d"), "0.01 s to 86,400 s are allowed"),
        (("--from", "absent.jsonl"), "absent.jsonl: no such file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = lacis("counters", *words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert reason in done.err


GOOD = samples.SWEEPS.splitlines()[0]


@pytest.mark.parametrize(
    "line",
    [
        '{"schema": "lacis.counters/1"}',
        GOOD[:-20],
        GOOD.replace('"port": 1', '"port": 70000'),
        GOOD.replace('"port": 1', '"port": -1'),
        GOOD.replace('"XmitData": 250000000', '"XmitData": 18446744073709551616'),
        GOOD.replace('"XmitData": 250000000', '"XmitData": "many"'),
        GOOD.replace("0x000000000000a000", "leaf"),
        GOOD.replace('"unknown"', '"dancing"'),
        GOOD.replace('"time": 1000000000', '"time": 1e400'),
        GOOD.replace("lacis.counters/1", "lacis.route/1"),
    ],
)
def test_a_damaged_line_of_a_recording_is_named(lacis: Lacis, tmp_path: Path, line: str) -> None:
    file = tmp_path / "damaged.jsonl"
    file.write_text(f"{GOOD}\n{line}\n")
    done = lacis("counters", "--from", file)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert f"{file}:2: no sweep of counters: " in done.err


def test_a_device_that_is_a_path_is_no_name(lacis: Lacis, star: Path) -> None:
    for name in ("../../etc", "mlx5_0\x1b", "x" * 64):
        done = lacis("counters", star, "--device", name)
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert "no name of an adapter, such as mlx5_0" in done.err
        assert "\x1b" not in done.err


def test_names_that_terminals_obey_are_shown_harmless(lacis: Lacis, star: Path, tmp_path: Path) -> None:
    hostile = "\x1b[31mre\x07d\x9b[/bold]"
    star.write_text(star.read_text().replace("node0002", hostile))
    out = tmp_path / "rec.jsonl"
    shown = [lacis("counters", star, "-o", out).out, lacis("counters", "--from", out).out]
    sweep = out.read_text("utf-8").replace("leaf", "\\u001b[31mleaf")
    out.write_text(sweep, "utf-8")
    shown.append(lacis("counters", "--from", out).out)
    for text in shown:
        assert not any(char in text for char in "\x1b\x07\x9b")
        assert "[/bold]" in text


def test_a_counter_of_a_later_version_is_left_out(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "later.jsonl"
    file.write_text(GOOD.replace('"SymbolErrors"', '"SomethingNew"') + "\n")
    done = lacis("counters", "--from", file, "--json")
    assert json.loads(done.out)["ports"][0]["counters"] == {"XmitData": 250_000_000}


def test_an_encoding_without_a_character_gets_it_escaped(
    lacis: Lacis, star: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    star.write_text(star.read_text().replace("node0002", "nöde"))
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
    lacis("counters", star, "--every", "1s", "--count", "1", "--json")
    sys.stdout.flush()
    assert "nöde" in {row["node"] for row in json.loads(out.getvalue())["ports"]}
