"""Lists of jobs as the real squeue prints them, in several formats and widths."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import lacis as api
import pytest
from lacis import allocation
from lacis.errors import LacisError
from lacis.job.slurm import read_jobs
from lacis.ranks import nodesets

from . import slurm_nodes as slurm
from .slurm import PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.oracle

FORMATS = (
    (),
    ("--long",),
    ("-o", "%i|%N|%S"),
    ("-o", "%N %i"),
    ("-o", "%.12i %.8N"),
    ("-o", "%.40N %.12i %.20j %.3t"),
    ("-o", "%40N %12i %20j %3t"),
    ("-o", "%i %j %u %t %M %D %R"),
    ("-O", "JobID:12,NodeList:60,State:14"),
)


@pytest.fixture(autouse=True, scope="module")
def slurm_installed() -> None:
    """Skips where Slurm is not installed; in CI that is a failure."""
    absent = [*slurm.missing(), *(() if shutil.which("squeue") else ("squeue",))]
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.slow
def test_jobs_are_those_that_squeue_lists_in_whatever_format(tmp_path: Path) -> None:
    machine = allocation.machine_of(api.route(api.read("fat-tree:8,2"), "minhop"))
    with slurm.controller(tmp_path, machine.hosts, machine.groups) as slurmctld:
        for nodes, name in ((5, "a name  with blanks"), (3, "b"), (32, "waits")):
            asked = ("sbatch", "-N", str(nodes), "--exclusive", "-J", name, "--wrap", "sleep 1000")
            assert slurmctld.run(*asked).returncode == 0
        # The scheduler allocates once it has looked at the queue.
        for _ in range(100):
            there = slurmctld.run("squeue", "-h", "-o", "%i %N", "-t", "CF,R").stdout.split("\n")
            wanted = {
                line.split()[0]: nodesets.expand(line.split()[1]) for line in there if len(line.split()) == 2
            }
            if len(wanted) == 2:
                break
            time.sleep(0.1)
        assert sorted(map(len, wanted.values())) == [3, 5]
        for words in FORMATS:
            printed = slurmctld.run("squeue", *words).stdout
            found = {job.name: list(job.nodes) for job in read_jobs(printed.encode()).jobs}
            assert found == wanted, printed
        with pytest.raises(LacisError, match="cut off"):
            read_jobs(slurmctld.run("squeue", "-O", "JobID:12,NodeList:9").stdout.encode())
