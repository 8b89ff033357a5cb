"""The real OpenSM 3.3.23 as a daemon: sweep after sweep, with cables cut and nodes removed in between.

OpenSM sweeps only on a command in its console: neither by the clock nor on traps. So
the changes between two sweeps are known, and OpenSM sees all of them at once. ibsim's console removes
and restores the cables.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import opensm
from .opensm import OracleError, Tables

QUIET = "sweep_interval 0\nsweep_on_trap FALSE\nforce_log_flush TRUE\n"
SWEEP_LIMIT = 120.0
"""Seconds that a sweep may take."""


@dataclass(frozen=True)
class State:
    """The results of a sweep."""

    engine: str | None
    """The engine that made the tables; none where all failed, or where the tables are from the cache."""
    failed: tuple[str, ...]
    tables: Tables
    """Of the switches that OpenSM sees."""
    lids: dict[int, range]
    cached: bool
    """Whether no engine ran: the tables are from the unicast cache."""


class Daemon:
    """A subnet with its manager. Cables are named by the quoted node id and port of one end."""

    def __init__(
        self, workdir: Path, console: IO[bytes], manager: subprocess.Popen[bytes], env: dict[str, str]
    ) -> None:
        self.workdir = workdir
        self.env = env
        self._console = console
        self._manager = manager
        self._read = 0
        self._cached = False

    def unlink(self, node: str, port: int) -> None:
        """Cuts a cable."""
        self._simulate(f'Unlink "{node}"[{port}]')

    def forget_lid(self, switch: str) -> None:
        """Takes a switch's LID away, as switching it off does."""
        self._simulate(f'Baselid "{switch}"[0] 0')

    def relink(self, node: str, port: int) -> None:
        """Restores a cable that was cut."""
        self._simulate(f'ReLink "{node}"[{port}]')

    def count(self, settings: Sequence[tuple[str, int, str, int]]) -> None:
        """Sets counters: node, port, attribute and field such as `PortCounters.VL15Dropped`, value."""
        for begin in range(0, len(settings), 500):
            some = settings[begin : begin + 500]
            lines = (f'PerformanceSet "{node}"[{port}] {name}={value}' for node, port, name, value in some)
            self._simulate("\n".join(lines), len(some))

    def lose(self, node: str, percent: int) -> None:
        """Drops so many of the datagrams that cross a node."""
        self._simulate(f'Error "{node}" {percent}')

    def _simulate(self, command: str, commands: int = 1) -> None:
        # ibsim answers every command with its prompt.
        out = self.workdir / "ibsim.out"
        with out.open("rb") as printed:
            printed.seek(0, os.SEEK_END)
            before = printed.tell()
            self._console.write(command.encode() + b"\n")
            self._console.flush()
            end = time.monotonic() + 10
            while printed.read().count(b"sim>") < commands:
                if time.monotonic() > end:
                    raise OracleError(
                        f"ibsim does not answer {command}: {out.read_text(errors='replace')[-400:]}"
                    )
                time.sleep(0.002)
                printed.seek(before)

    def pid(self) -> int:
        """The process of OpenSM, which `timeout` runs."""
        children = Path(f"/proc/{self._manager.pid}/task/{self._manager.pid}/children").read_text()
        return int(children.split()[0])

    def first(self) -> State:
        """The sweep by which OpenSM takes the subnet over."""
        return self._state()

    def sweep(self, during: Callable[[], None] = lambda: None) -> State:
        """Triggers a heavy sweep, and returns its results."""
        self._resweep()
        during()
        return self._state()

    def served(self, sweep: bool = True) -> str | None:
        """The engine that made the tables of a heavy sweep, triggered now, or of the running first sweep. Reads no tables."""
        if sweep:
            self._resweep()
        return self._wait()[0]

    def _resweep(self) -> None:
        assert self._manager.stdin
        self._manager.stdin.write(b"resweep heavy\n")
        self._manager.stdin.flush()

    def _state(self) -> State:
        engine, failed = self._wait()
        tables, _ = opensm.parse_tables((self.workdir / "opensm-lfts.dump").read_text(errors="replace"))
        lids = opensm.parse_guid2lid((self.workdir / "guid2lid").read_text())
        return State(engine, failed, tables, lids, self._cached)

    def _wait(self) -> tuple[str | None, tuple[str, ...]]:
        log = self.workdir / "osm.log"
        end = time.monotonic() + SWEEP_LIMIT
        while True:
            text = log.read_text(errors="replace") if log.exists() else ""
            new = text[self._read :]
            if "SUBNET UP" in new or "Errors during initialization" in new:
                break
            if self._manager.poll() is not None or time.monotonic() > end:
                tail = (self.workdir / "opensm.out").read_text(errors="replace")[-400:]
                raise OracleError(f"OpenSM does not finish its sweep: {new[-800:]} {tail}")
            time.sleep(0.005)
        # Whole lines only: the rest of the last line comes with the next read.
        self._read = text.rindex("\n") + 1
        used = opensm.USED.findall(new)
        self._cached = opensm.CACHED in new
        return used[-1] if used else None, tuple(opensm.FAILED.findall(new))


@contextmanager
def daemon(
    net: str,
    engines: str,
    conf: str = "",
    *,
    sm: str | None = None,
    files: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    life_s: float = 300.0,
    log_flags: str = opensm.DUMPS_AND_INFO,
    plugins: Path | None = None,
) -> Iterator[Daemon]:
    """A simulated subnet with OpenSM on it, in its first sweep; ``plugins`` is a folder with more event plugins."""
    program = opensm.program("opensm")
    if program is None:
        raise OracleError(f"opensm is not installed (Debian packages {opensm.PACKAGES})")
    with tempfile.TemporaryDirectory(prefix="lacis-oracle-", dir=opensm.SCRATCH) as temp:
        workdir = Path(temp)
        for file, text in {**(files or {}), "opensm.conf": QUIET + conf}.items():
            opensm.write_file(workdir, file, text)
        reader, writer = os.pipe()
        with (
            os.fdopen(writer, "wb") as console,
            os.fdopen(reader, "rb") as commands,
            opensm.subnet(net, workdir, life_s=life_s, console=commands.fileno()) as env,
            (workdir / "opensm.out").open("wb") as out,
        ):
            env["LD_LIBRARY_PATH"] = ":".join(map(str, filter(None, (opensm.PLUGIN.parent, plugins))))
            if sm is not None:
                env["SIM_HOST"] = sm
            words = f"timeout -s KILL {life_s} {program} -q local -F opensm.conf -f osm.log -e --dump_files_dir . "
            words += f"-D {log_flags} -R {engines}"
            manager = subprocess.Popen(
                [*words.split(), *options],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=workdir,
                env=env,
                start_new_session=True,
            )
            try:
                yield Daemon(workdir, console, manager, env)
            finally:
                os.killpg(manager.pid, signal.SIGKILL)
                manager.wait()
                if manager.stdin:
                    manager.stdin.close()
