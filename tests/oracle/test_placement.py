"""Which nodes Slurm takes, by the real slurmctld: Lacis' imitation of its tree, and the best nodes beside its choice."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import lacis as api
import numpy as np
import pytest
from lacis import allocation
from lacis.allocation.rivals import slurm_tree
from lacis.errors import LacisError
from lacis.job.slurm import read_jobs
from lacis.ranks import nodesets

from tests.conftest import shared_data

from . import slurm_nodes as slurm
from .slurm import PACKAGES
from .test_tables import SOAK

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.allocation import Machine

pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True, scope="module")
def slurm_installed() -> None:
    """Skips where Slurm is not installed; in CI that is a failure."""
    absent = slurm.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def machine_of(source: str) -> Machine:
    return allocation.machine_of(api.route(api.read(source), "minhop"))


def states(machine: Machine, sizes: tuple[int, ...], count: int, share: float) -> list[tuple[int, list[int]]]:
    """Sizes of jobs and free hosts, drawn at random."""
    rng = random.Random(1)
    hosts = range(len(machine.hosts))
    drawn = []
    for state in range(count):
        nodes = sizes[state % len(sizes)]
        free = max(nodes, round(len(hosts) * share * rng.uniform(0.8, 1.2)))
        drawn.append((nodes, sorted(rng.sample(hosts, min(len(hosts), free)))))
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["fat-tree:8,3", "itasca:6"])
def test_slurms_tree_takes_the_nodes_that_slurmctld_takes(spec: str, tmp_path: Path) -> None:
    machine = machine_of(spec)
    with slurm.controller(tmp_path, machine.hosts, machine.groups) as slurmctld:
        for nodes, free in states(machine, (3, 5, 17, 40), 200 if SOAK else 8, 0.5):
            busy = [name for host, name in enumerate(machine.hosts) if host not in set(free)]
            ours = slurm_tree(machine.groups, np.array(free), nodes)
            assert ours is not None
            assert machine.names(ours) == tuple(sorted(slurmctld.choose(nodes, busy))), (nodes, free)


@pytest.mark.slow
def test_on_selene_the_best_nodes_are_in_no_more_groups_than_slurmctlds_and_no_slower(tmp_path: Path) -> None:
    folder = shared_data()
    if folder is None:
        pytest.skip("no shared/data at or above the checkout (LACIS_SHARED names its parent)")
    machine = machine_of(str(folder / "selene-2021.ibnetdiscover"))
    judge = machine.judge("shifts")
    with slurm.controller(tmp_path, machine.hosts, machine.groups) as slurmctld:
        for nodes, free in states(machine, (8, 64, 256), 100 if SOAK else 3, 0.55):
            busy = [name for host, name in enumerate(machine.hosts) if host not in set(free)]
            theirs = machine.indices(slurmctld.choose(nodes, busy))
            found = allocation.fit(machine, nodes, [machine.hosts[host] for host in free]).best
            assert found.score is not None
            assert found.groups <= len(np.unique(machine.groups.of[theirs]))
            assert found.score.worst >= judge.score(theirs).worst * (1 - 1e-9)


@pytest.mark.slow
def test_squeues_own_output_is_read_in_every_format(tmp_path: Path) -> None:
    machine = machine_of("fat-tree:8,2")
    formats: dict[tuple[str, ...], bool] = {
        (): True,
        ("--long",): True,
        ("--noheader", "-o", "%i %D %N"): True,
        ("-o", "%i %D %L %N"): True,
        ("-o", "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %N"): True,
        ("-O", "JobID,NumNodes,NodeList:200"): True,
        # Nine characters of a list of nodes are not the list.
        ("-o", "%i %D %9N"): False,
    }
    with slurm.controller(tmp_path, machine.hosts, machine.groups) as slurmctld:
        expected = {}
        for nodes in ("node[0001-0003,0007]", "node0005"):
            count = str(len(nodesets.expand(nodes)))
            asked = slurmctld.run(
                "sbatch", "--parsable", "-N", count, "-w", nodes, "--exclusive", "-J", "my job", "--wrap", "sleep 999"
            )  # fmt: skip
            expected[asked.stdout.strip()] = tuple(nodesets.expand(nodes))
        slurmctld.run("sbatch", "-N", "32", "--exclusive", "--wrap", "sleep 999")
        slurmctld.wait_for_jobs(len(expected))
        for options, is_whole in formats.items():
            printed = slurmctld.run("squeue", *options).stdout
            if not is_whole:
                with pytest.raises(LacisError, match="cut off"):
                    read_jobs(printed.encode())
                continue
            listed = read_jobs(printed.encode())
            assert {one.name: one.nodes for one in listed.running} == expected, printed
            assert listed.pending == 1, printed
