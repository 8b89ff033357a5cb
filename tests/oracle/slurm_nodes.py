"""The real `slurmctld` (Debian package ``slurmctld``), which chooses nodes that do not exist.

Hosts are in state CLOUD, so that none has to answer. Nodes that are not free are those of a reservation. Which nodes a job
would get is what ``sbatch --test-only`` prints, which leaves the state as it was.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import numpy as np
from lacis.ranks import nodesets

from .slurm import CONF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lacis.allocation.groups import LeafGroups

CLOUD = "NodeAddr=127.0.0.1 CPUs=8 State=CLOUD"
"""Nodes that are there when they are needed, as the manager believes."""


def missing() -> list[str]:
    """What this machine lacks of it."""
    return [name for name in ("slurmctld", "scontrol", "sbatch") if shutil.which(name) is None]


def topology(hosts: Sequence[str], groups: LeafGroups) -> str:
    """The lines of a topology.conf: a switch for each leaf group, and one for each unit above."""
    lines = [
        f"SwitchName=g{group} Nodes={nodesets.fold(hosts[host] for host in np.flatnonzero(groups.of == group).tolist())}"
        for group in range(len(groups))
    ]
    below, name = np.arange(len(groups)), "g"
    for level, units in enumerate(groups.units):
        for unit in range(int(units.max()) + 1):
            inside = sorted(set(below[units == unit].tolist()))
            lines.append(f"SwitchName=u{level}x{unit} Switches={','.join(f'{name}{one}' for one in inside)}")
        below, name = units, f"u{level}x"
    return "\n".join(lines) + "\n"


class Controller:
    """A running slurmctld."""

    def __init__(self, conf: Path) -> None:
        self._environment = os.environ | {"SLURM_CONF": str(conf)}

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of Slurm's."""
        return subprocess.run(
            args, env=self._environment, capture_output=True, text=True, check=False, timeout=60
        )

    def wait_for_jobs(self, count: int) -> None:
        """Waits until so many jobs have nodes."""
        for _ in range(300):
            given = self.run("squeue", "--noheader", "-o", "%N").stdout.split()
            if len(given) == count:
                return
            time.sleep(0.1)
        raise AssertionError(self.run("squeue").stdout)

    def choose(self, nodes: int, busy: Sequence[str]) -> list[str]:
        """The nodes that a job would get while others are busy."""
        if busy:
            reserved = self.run(
                "scontrol", "create", "reservation", "reservationname=busy", "starttime=now",
                "duration=1-0", f"user={getpass.getuser()}", "flags=ignore_jobs",
                f"nodes={nodesets.fold(busy)}",
            )  # fmt: skip
            assert reserved.returncode == 0, reserved.stderr
        try:
            asked = self.run("sbatch", "--test-only", "-N", str(nodes), "--exclusive", "--wrap", "sleep 100")
        finally:
            if busy:
                self.run("scontrol", "delete", "reservationname=busy")
        found = re.search(r"on nodes (\S+) in partition", asked.stderr)
        assert found, asked.stderr
        return nodesets.expand(found[1])


@contextlib.contextmanager
def controller(folder: Path, hosts: Sequence[str], groups: LeafGroups) -> Iterator[Controller]:
    """A slurmctld with these hosts, whose files are in a folder."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "topology.conf").write_text(topology(hosts, groups))
    conf = folder / "slurm.conf"
    # Slurm takes no port 0: another program may take a free one before it does, hence the repeats.
    for _ in range(5):
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            two.bind(("127.0.0.1", 0))
            port, other = one.getsockname()[1], two.getsockname()[1]
        user, nodes = getpass.getuser(), nodesets.fold(hosts)
        conf.write_text(
            CONF.format(port=port, slurmd=other, user=user, folder=folder, nodes=f"NodeName={nodes} {CLOUD}")
        )
        with (folder / "out").open("wb") as out:
            process = subprocess.Popen(["slurmctld", "-D", "-f", str(conf)], stdout=out, stderr=out)
        try:
            asked = Controller(conf)
            if _answers(asked, process):
                yield asked
                return
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    raise AssertionError((folder / "out").read_text(errors="replace")[-2000:])


def _answers(asked: Controller, process: subprocess.Popen[bytes]) -> bool:
    """Whether it comes to answer."""
    for _ in range(300):
        if process.poll() is not None:
            return False
        if "is UP" in asked.run("scontrol", "ping").stdout and "idle" in asked.run("sinfo").stdout:
            return True
        time.sleep(0.1)
    return False
