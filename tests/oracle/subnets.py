"""Programs in the subnet of ibsim, and the fabrics that readers of counters and of links are tried on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING

import pytest

from tests.conftest import ROOT, shared_data

from . import fabrics, nets, opensm
from .daemon import daemon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .daemon import Daemon

Port = tuple[str, int]
"""Node, by the name of the net, and port."""


def two_rails() -> nets.Net:
    """Two leaves, and hosts with a port on each."""
    net = nets.Net(11)
    for name in ("left", "right"):
        net.switch(name, 12)
    net.cable("left", "right", 2)
    for host in range(4):
        net.host(f"host{host}", "left", "right")
    return net


soak = pytest.mark.skipif(os.environ.get("LACIS_SOAK") != "1", reason="minutes: LACIS_SOAK=1")
FABRICS: dict[str, Callable[[], nets.Net]] = {
    "tree": lambda: nets.tree2(3, 2, 2, seed=5),
    "two rails": two_rails,
    "irregular": lambda: nets.irregular(5, 3, 2, seed=7),
}
MANY = (
    *("two-tier-144", "two-cables-each", "dual-port-two-leaves", "hosts-on-spines"),
    *("three-tier-18", "torus-3x3x3", "mesh-4x4", "two-directors"),
    *("dgx-2025", "selene-2021"),
)


_COUNTERS = (sys.executable, "-c", "from lacis.cli import main; main()", "counters")


@contextlib.contextmanager
def managed(net: str, engines: str = "minhop", *, life_s: float = 300.0) -> Iterator[tuple[Daemon, Path]]:
    """A subnet after the first sweep of its manager, and its fabric as ibnetdiscover finds it."""
    with daemon(net, engines, life_s=life_s) as d:
        d.served(sweep=False)
        yield d, discovered(d)


def run(d: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    """A program in the subnet."""
    return subprocess.run(
        words, env=d.env, cwd=d.workdir, capture_output=True, text=True, check=False, timeout=60
    )


def program(name: str) -> str:
    found = opensm.program(name)
    assert found, name
    return found


def counters(d: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    """`lacis counters` in the subnet."""
    d.env["PYTHONPATH"] = str(ROOT / "python")
    return run(d, *_COUNTERS, *words)


@contextlib.contextmanager
def sweeps_of(d: Daemon, *words: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """The same while it sweeps again and again, and what it prints; it ends as by Ctrl-C."""
    d.env["PYTHONPATH"] = str(ROOT / "python")
    with subprocess.Popen(
        [*_COUNTERS, *words], env=d.env, cwd=d.workdir, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout
        yield running, running.stdout
        running.send_signal(signal.SIGINT)
        running.communicate()


def discovered(d: Daemon) -> Path:
    """The fabric, as ibnetdiscover finds it."""
    file = d.workdir / "found.ibnetdiscover"
    file.write_text(run(d, program("ibnetdiscover")).stdout)
    return file


def cabled(net: nets.Net) -> list[Port]:
    return [(node.name, port) for node in net.nodes.values() for port in sorted(node.cables)]


def as_simulated(name: str) -> str:
    """The net file of a fabric that is drawn, or of a real one."""
    if name in fabrics.FABRICS:
        return fabrics.FABRICS[name]().text
    folder = shared_data()
    file = folder / f"{name}.ibnetdiscover" if folder else None
    if file is None or not file.is_file():
        pytest.skip(f"no shared/data/{name}.ibnetdiscover at or above the checkout")
    return opensm.as_simulated(file.read_text())
