"""The script that `lacis order` writes for Slurm, taken by the real slurmctld."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import lacis as library
import pytest
from lacis import allocation

from . import slurm_nodes as slurm
from .slurm import PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

pytestmark = pytest.mark.oracle
TREE = "fat-tree:4,2"


@pytest.fixture(autouse=True, scope="module")
def slurm_installed() -> None:
    """Skips where Slurm is not installed; in CI that is a failure."""
    absent = slurm.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.slow
def test_slurm_gives_a_script_the_hosts_that_it_asks_for(lacis: Lacis, tmp_path: Path) -> None:
    machine = allocation.machine_of(library.route(library.read(TREE), "minhop"))
    script, folder = tmp_path / "job", tmp_path / "slurm"
    folder.mkdir()
    asked = ("--hosts", "node[0002-0003,0006]", "--ranks-per-host", "2", "--walltime", "1-02:30:00")
    assert lacis("order", TREE, *asked, "--script", "slurm", "-o", script).status == 0
    with slurm.controller(folder, machine.hosts, machine.groups) as controller:
        taken = controller.run("sbatch", str(script))
        assert taken.returncode == 0, taken.stderr
        for _ in range(300):  # until the scheduler has looked at it
            found = controller.run("squeue", "-a", "-h", "-o", "%D %N %j %n %C %l").stdout.strip()
            if found.startswith("3 node"):
                break
            time.sleep(0.1)
    # Whole nodes of eight cores each.
    nodes = "node[0002-0003,0006]"
    assert found == f"3 {nodes} ordered {nodes} 24 1-02:30:00"
