"""The real slurmctld, which reads a topology.conf without any node, munge or database: what it logs, and what it understood."""

from __future__ import annotations

import getpass
import re
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PACKAGES = "slurmctld slurm-client"
CONF = """ClusterName=lacis
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={slurmd}
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmctldDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
TopologyPlugin=topology/tree
SchedulerType=sched/backfill
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=600
ResumeTimeout=3600
ReturnToService=2
PrivateData=cloud
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=EXCLUSIVE
"""
_SECONDS = 30
"""Until slurmctld answers; it takes one."""


class Switch(NamedTuple):
    """A switch as `scontrol show topology` shows it."""

    level: int
    nodes: frozenset[str]
    switches: frozenset[str]


class Answer(NamedTuple):
    """What slurmctld makes of a topology.conf.

    Attributes:
        started: whether it went on.
        complaints: lines of its log that are errors or warnings about the topology.
        switches: by name.
    """

    started: bool
    complaints: list[str]
    switches: dict[str, Switch]


def missing() -> list[str]:
    """Programs that are not installed."""
    return [name for name in ("slurmctld", "scontrol") if shutil.which(name) is None]


def ask(folder: Path, topology: str, nodes: Sequence[str]) -> Answer:
    """Starts slurmctld with a topology.conf and these nodes, and stops it again."""
    for _ in range(5):  # another program may take a port between its choice and its use
        answer = _ask_once(folder, topology, nodes)
        if answer is not None:
            return answer
    raise AssertionError("no free port for slurmctld")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _ask_once(folder: Path, topology: str, nodes: Sequence[str]) -> Answer | None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "state").mkdir(parents=True)
    (folder / "spool").mkdir()
    port, slurmd = _free_ports(2)
    defined = "\n".join(f"NodeName={node} NodeAddr=127.0.0.1 CPUs=8 State=CLOUD" for node in nodes)
    conf = folder / "slurm.conf"
    conf.write_text(
        CONF.format(port=port, slurmd=slurmd, user=getpass.getuser(), folder=folder, nodes=defined)
    )
    (folder / "topology.conf").write_text(topology)
    log = folder / "slurmctld.log"
    with (folder / "out").open("wb") as out:
        program = subprocess.Popen(["slurmctld", "-D", "-f", str(conf)], stdout=out, stderr=out)
        try:
            shown = _shown(program, conf, log)
        finally:
            program.kill()
            program.wait()
    text = log.read_text(errors="replace") if log.exists() else ""
    text += (folder / "out").read_text(errors="replace")
    if re.search("Address already in use", text):
        return None
    return Answer(shown is not None, _complaints(text), _switches(shown or "", conf))


_OF_ANY_START = re.compile(
    r"Configured MailProg is invalid|mpi/pmix_v4|Could not open \w+ state file|NOTE: Trying backup state save file|"
    r"High latency for \d+ calls|very large processing time"
)
"""What slurmctld says whenever it starts without mail, PMIx and an earlier state, or on a busy machine."""


def _complaints(text: str) -> list[str]:
    """Errors and warnings, without when they were said and by which of its processes."""
    lines = (re.sub(r"^(?:\[[^\]]*\]|slurmctld:)\s*", "", line) for line in text.splitlines())
    found = (line for line in lines if re.search(r"\b(?:error|fatal|warning)(?::| --)", line, re.IGNORECASE))
    return list(dict.fromkeys(line for line in found if not _OF_ANY_START.search(line)))


def _shown(program: subprocess.Popen[bytes], conf: Path, log: Path) -> str | None:
    """What `scontrol show topology` prints; None where slurmctld has ended."""
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and program.poll() is None:
        # Asked of a controller that does not listen, scontrol tries for nine seconds.
        if not log.exists() or "Running as primary controller" not in log.read_text(errors="replace"):
            time.sleep(0.02)
            continue
        done = _scontrol(conf, "show", "topology")
        if done.returncode == 0 and "SwitchName" in done.stdout:
            return done.stdout
        time.sleep(0.05)
    if program.poll() is None:
        raise AssertionError("slurmctld does not answer")
    return None


def _scontrol(conf: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"SLURM_CONF": str(conf), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    return subprocess.run(["scontrol", *words], env=environment, capture_output=True, text=True, check=False)


def _switches(shown: str, conf: Path) -> dict[str, Switch]:
    found = {}
    for line in shown.splitlines():
        keys = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "SwitchName" in keys:
            lists = [frozenset(_names(keys.get(key, ""), conf)) for key in ("Nodes", "Switches")]
            found[keys["SwitchName"]] = Switch(int(keys["Level"]), *lists)
    return found


def _names(text: str, conf: Path) -> list[str]:
    """The names of a list, as Slurm's own expansion has them."""
    return _scontrol(conf, "show", "hostnames", text).stdout.split() if text else []
