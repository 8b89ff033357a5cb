"""The script that `lacis order` writes for Slurm, taken by the real slurmctld, whose nodes do not exist.

Nodes are those of a cloud that never come up: the controller takes the job, chooses its nodes and waits for them.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Lacis

CONF = """\
ClusterName=lacis
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SlurmctldPort={port}
SlurmdPort={other}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=600
ResumeTimeout=3600
PrivateData=cloud
NodeName=node[0001-0008] NodeAddr=127.0.0.1 CPUs=8 RealMemory=128000 State=CLOUD
PartitionName=all Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE State=UP
"""
STARTS, LIMIT = 5, 30.0
"""Controllers that are started until one has its port, and the seconds that each may take."""


def free_ports() -> list[int]:
    """Two ports that no program has now."""
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a controller that runs."""
    absent = [program for program in ("slurmctld", "sbatch", "squeue") if not shutil.which(program)]
    if absent or os.geteuid():
        reason = (
            f"no {', '.join(absent)}: install the Debian packages slurmctld slurm-client" if absent else ""
        )
        if absent and os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason or "slurmctld runs as root here")
    (tmp_path / "state").mkdir()
    conf = tmp_path / "slurm.conf"
    env = os.environ | {"SLURM_CONF": str(conf)}
    for _ in range(STARTS):
        port, other = free_ports()
        conf.write_text(CONF.format(port=port, other=other, folder=tmp_path))
        with (tmp_path / "log").open("wb") as log:
            controller = subprocess.Popen(
                ["slurmctld", "-D", "-f", str(conf)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        end = time.monotonic() + LIMIT
        while controller.poll() is None and time.monotonic() < end:
            if (
                subprocess.run(["scontrol", "ping"], env=env, capture_output=True, check=False).returncode
                == 0
            ):
                try:
                    yield env
                finally:
                    controller.kill()
                    controller.wait()
                return
            time.sleep(0.1)
        controller.kill()
        controller.wait()
    pytest.fail((tmp_path / "log").read_text(errors="replace")[-800:])


@pytest.mark.slow
def test_slurm_gives_a_script_the_hosts_that_it_asks_for(
    lacis: Lacis, tmp_path: Path, slurm: dict[str, str]
) -> None:
    asked = ("--ranks-per-host", "2", "--memory", "64G", "--walltime", "1-02:30:00")
    script = tmp_path / "job"
    hosts = ("--hosts", "node[0002-0003,0006]")
    assert lacis("order", "fat-tree:4,2", *hosts, "--script", "slurm", *asked, "-o", script).status == 0
    subprocess.run(["sbatch", str(script)], env=slurm, cwd=tmp_path, capture_output=True, check=True)
    fields = "%j %n %C %l %m"
    end = time.monotonic() + LIMIT
    while True:
        line = subprocess.run(
            ["squeue", "-a", "-h", "-o", f"%D %N {fields}"],
            env=slurm,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        if "node" in line.split(" ordered ")[0] or time.monotonic() > end:
            break
        time.sleep(0.1)
    # Whole nodes of eight cores each.
    nodes = "node[0002-0003,0006]"
    assert line == f"3 {nodes} ordered {nodes} 24 1-02:30:00 64G"
