"""`lacis exporter`: its page as a file, what comes with it, a service that begins and ends, and bad input."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli import samples

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"


@pytest.fixture
def sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a recording of two sweeps of one port."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweeps.jsonl").write_text(samples.SWEEPS)
    return tmp_path


def test_a_page_is_written_for_node_exporter(lacis: Lacis, sweeps: Path) -> None:
    done = lacis("exporter", TREE, "--from", "sweeps.jsonl", "--textfile", "lacis.prom")
    assert (done.status, done.out, done.err) == (0, "", "")
    page = (sweeps / "lacis.prom").read_text()
    # The first sweep was at second 1, when 10⁹/4 words of 4 bytes had been sent and one error counted.
    port = '{guid="0x000000000000a000",port="1"}'
    assert f"\nlacis_port_transmitted_bytes_total{port} 1000000000\n" in page
    assert f"\nlacis_port_symbol_errors_total{port} 1\n" in page
    assert "\nlacis_sweep_ended_timestamp_seconds 1.000\n" in page
    assert page.count("\nlacis_port_info{") == 33  # the ends of 16 cables, and the port that was read


def test_what_comes_with_it_is_printed(lacis: Lacis) -> None:
    rules = lacis("exporter", "--rules").out
    assert rules.count("- alert: ") == 11
    panels = json.loads(lacis("exporter", "--dashboard").out)["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) == 15
    named = {
        name for panel in panels for one in panel["targets"] for name in re.findall(r"lacis_\w+", one["expr"])
    }
    page = set(re.findall(r"(?<![\w:])lacis_\w+", rules)) | named
    from lacis.exporter import families

    series = {one.series for one in vars(families).values() if isinstance(one, families.Family)}
    assert page <= series | {one.series for one in families.COUNTERS.values()}
    written = lacis("exporter", "--scrape-config", "--listen", "10.0.0.1:99", "--every", "2m").out
    assert 'targets: ["10.0.0.1:99"]' in written
    assert "scrape_interval: 120s\n    scrape_timeout: 80s\n" in written


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "the fabric is given once: FABRIC, or --discover"),
        ((TREE, "--discover"), "the fabric is given once: FABRIC, or --discover"),
        ((TREE, "--from", "sweeps.jsonl", "--store", "kept"), "--from and --store are two sources"),
        (("--discover", "--from", "sweeps.jsonl"), "--from and --store need a FABRIC"),
        ((TREE, "--from", "absent", "--textfile", "p"), "absent: no such file or directory"),
        ((TREE, "--store", "absent", "--textfile", "p"), "absent: holds no readings of counters"),
        ((TREE, "--from", "sweeps.jsonl", "--textfile", "no/p"), "no/p: cannot be written: no such file"),
        ((TREE, "--listen", "9683"), "'9683': expected ADDRESS:PORT, such as 127.0.0.1:9683 or [::1]:9683"),
        ((TREE, "--listen", "::1:9683"), "'::1:9683': expected ADDRESS:PORT"),
        ((TREE, "--listen", "localhost:70000"), "'localhost:70000': expected ADDRESS:PORT"),
        ((TREE, "--listen", "192.0.2.1:0", "--from", "sweeps.jsonl"), "192.0.2.1:0: cannot listen: "),
        ((TREE, "--listen", "no.invalid:0", "--from", "sweeps.jsonl"), "no.invalid:0: cannot listen: "),
        ((TREE, "--every", "never"), "'never' is not a time"),
        ((TREE,), "says no LIDs, by which counters are read"),
    ],
)
def test_bad_input_is_one_line(lacis: Lacis, sweeps: Path, words: tuple[str, ...], error: str) -> None:
    done = lacis("exporter", *words)
    assert (done.status, done.out) == (2, "")
    assert error in done.err
    assert "[Errno" not in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in sweeps.iterdir()) == ["sweeps.jsonl"]


@pytest.mark.slow
@pytest.mark.usefixtures("sweeps")
def test_a_service_says_where_it_listens_and_ends_when_it_is_asked_to() -> None:
    words = ["exporter", TREE, "--from", "sweeps.jsonl", "--every", "10ms", "--listen", "127.0.0.1:0"]
    program = [sys.executable, "-c", "from lacis.cli import main; main()", *words]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        said = re.fullmatch(
            r"lacis: listening on http://127\.0\.0\.1:(\d+)/metrics\n", service.stderr.readline()
        )
        assert said is not None
        client = http.client.HTTPConnection("127.0.0.1", int(said[1]), timeout=60)
        client.request("GET", "/metrics")
        assert b"\nlacis_sweep_success " in client.getresponse().read()
        client.close()
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) == 0
        assert service.stderr.read() == ""
