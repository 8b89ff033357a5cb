"""Two managers on one subnet: when the master ends, the standby takes over with Lacis' engine, as the how-to promises."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..conftest import Lacis
from . import opensm
from .fabrics import FABRICS

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]

CONF = "sminfo_polling_timeout 500\nsweep_interval 1\nforce_log_flush TRUE\n"
LIMIT = 40.0
"""Seconds that a manager may take to reach its state; it takes about three."""
TRIES = 3
"""ibsim sometimes loses an answer, and a manager then waits forever, with and without the plugin."""


class HungError(AssertionError):
    """A manager that did not reach its state."""


@dataclass(frozen=True)
class Manager:
    """A running OpenSM, and the folder of its cache, dumps and log."""

    folder: Path
    process: subprocess.Popen[bytes]

    def log(self) -> str:
        file = self.folder / "osm.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + LIMIT
        while text not in self.log():
            assert self.process.poll() is None, self.log()[-800:]
            if time.monotonic() > end:
                raise HungError(f"no {text!r} in {self.log()[-800:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def manager(folder: Path, env: dict[str, str], node: str, priority: int, conf: str) -> Iterator[Manager]:
    """An OpenSM on a node of the simulated subnet."""
    program = opensm.program("opensm")
    assert program
    folder.mkdir()
    (folder / "opensm.conf").write_text(CONF + conf)
    words = (
        f"{program} -F opensm.conf -f osm.log -e --dump_files_dir . -D {opensm.DUMPS_AND_INFO} -p {priority}"
    )
    with (folder / "opensm.out").open("wb") as out:
        process = subprocess.Popen(
            ["timeout", "-s", "KILL", "200", *words.split()],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={
                **env,
                "SIM_HOST": node,
                "OSM_CACHE_DIR": str(folder),
                "OSM_TMP_DIR": str(folder),
                "LD_LIBRARY_PATH": str(opensm.PLUGIN.parent),
            },
            start_new_session=True,
        )
    running = Manager(folder, process)
    try:
        yield running
    finally:
        if process.poll() is None:
            running.stop()


def read_back(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """The files that ``ibnetdiscover`` and ``dump_lfts`` write of the subnet as it is."""
    files = {}
    for name in ("ibnetdiscover", "dump_lfts"):
        program = opensm.program(name)
        assert program
        done = subprocess.run([program], env=env, cwd=folder, capture_output=True, check=True, timeout=LIMIT)
        files[name] = str(folder / name)
        (folder / name).write_bytes(done.stdout)
    return files


def test_a_standby_with_the_plugin_takes_over_and_lids_stay(tmp_path: Path, lacis: Lacis) -> None:
    for trial in range(TRIES):
        folder = tmp_path / str(trial)
        folder.mkdir()
        try:
            takes_over(folder, lacis)
        except HungError:
            if trial == TRIES - 1:
                raise
        else:
            return


def takes_over(tmp_path: Path, lacis: Lacis) -> None:
    net = FABRICS["two-tier-24"]().text
    adapters = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', net, re.M)
    first, last = adapters[0], adapters[-1]
    plugged = f"routing_engine lacis-eventree,minhop\n{opensm.PLUGIN_CONF}"
    with (
        opensm.subnet(net, tmp_path) as env,
        manager(tmp_path / "master", env, first, 10, "routing_engine minhop\n") as master,
    ):
        master.wait_for("SUBNET UP")
        before = opensm.parse_guid2lid((master.folder / "guid2lid").read_text())
        with manager(tmp_path / "standby", env, last, 5, plugged) as standby:
            standby.wait_for("Entering STANDBY state")
            assert "routing engines, lacis-minhop and others" in standby.log()
            assert opensm.USED.findall(standby.log()) == []
            master.stop()
            standby.wait_for("SUBNET UP")
            assert opensm.USED.findall(standby.log()) == ["lacis-eventree"]
            after = opensm.parse_guid2lid((standby.folder / "guid2lid").read_text())
            programmed = read_back(tmp_path, {**env, "SIM_HOST": first})
    assert after == before
    answer = lacis("verify", programmed["ibnetdiscover"], "--lfts", programmed["dump_lfts"], "--json")
    found = json.loads(answer.out)
    assert (answer.status, found["pairs"], found["credit_loops"]) == (0, found["verdicts"]["delivered"], [])
    assert found["pairs"] == len(adapters) * (len(adapters) - 1)
