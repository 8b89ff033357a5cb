"""A real Prometheus 2.42 and its promtool, as oracles: on this machine alone, on a free port, in a folder of the test's own."""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import subprocess
import time
import urllib.parse
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = "prometheus"
LIMIT = 60.0
"""Seconds in which it must have started, and have scraped what is asked for."""
_LISTENING = "0A"


def missing() -> list[str]:
    """What is not installed."""
    return [name for name in ("prometheus", "promtool") if shutil.which(name) is None]


def promtool(*words: str, cwd: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs promtool."""
    return subprocess.run(["promtool", *words], cwd=cwd, input=given, capture_output=True, check=False)


class Prometheus:
    """A server that runs."""

    def __init__(self, host: str, port: int) -> None:
        self._where = host, port

    def is_ready(self) -> bool:
        """Whether it answers queries: it listens before it does."""
        client = http.client.HTTPConnection(*self._where, timeout=LIMIT)
        with contextlib.closing(client):
            client.request("GET", "/-/ready")
            return client.getresponse().status == HTTPStatus.OK

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What an expression gives now."""
        words = urllib.parse.urlencode({"query": expression}).encode()
        client = http.client.HTTPConnection(*self._where, timeout=LIMIT)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        with contextlib.closing(client):
            client.request("POST", "/api/v1/query", words, headers)
            found = json.load(client.getresponse())
        assert found["status"] == "success", found
        rows: list[dict[str, Any]] = found["data"]["result"]
        return rows

    def awaited(self, expression: str) -> list[dict[str, Any]]:
        """What an expression gives as soon as that is anything."""
        until = time.monotonic() + LIMIT
        while not (found := self.query(expression)):
            assert time.monotonic() < until, f"nothing for {expression}"
            time.sleep(0.1)
        return found


@contextlib.contextmanager
def running(folder: Path, configuration: str) -> Iterator[Prometheus]:
    """A Prometheus with this configuration, on a free port."""
    (folder / "prometheus.yml").write_text(configuration)
    words = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(["prometheus", *words], cwd=folder, stdout=log, stderr=log)
    try:
        until = time.monotonic() + LIMIT
        while (port := _port_of(server.pid)) is None:
            has_failed = server.poll() is not None or time.monotonic() > until
            assert not has_failed, (folder / "log").read_text()
            time.sleep(0.05)
        prometheus = Prometheus("127.0.0.1", port)
        while not prometheus.is_ready():
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.05)
        yield prometheus
    finally:
        server.terminate()
        server.wait()


def _port_of(pid: int) -> int | None:
    """The port on which a process listens, as the system has it: Prometheus prints the 0 that it was asked for."""
    sockets = set()
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(str(entry.readlink()))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == _LISTENING and f"socket:[{words[9]}]" in sockets:
                return int(words[1].rpartition(":")[2], 16)
    return None
