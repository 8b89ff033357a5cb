"""Files and scripts of `lacis order`, obeyed by the real launchers of Open MPI and MPICH on hosts that do not exist.

Instead of ssh they call a script that runs what it is given here, and says as which host.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .launch import LIBRARIES, environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Lacis

TREE = "fat-tree:4,3"
HOSTS = [f"node{number:04}" for number in range(1, 17)]
SEEDS = 50 if os.environ.get("LACIS_SOAK") == "1" else 2
"""Orders that are drawn for each form."""
CORES = min(2, os.cpu_count() or 1)
"""Ranks of a host that a rank file can bind on any machine: all hosts are this one."""

LAUNCHES = 10
HUNG = 124
"""The status of `timeout` where it ended what it ran."""

REMOTE = """\
#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    -x|-q|-n|-T) shift ;;
    -*) shift ;;
    *) break ;;
  esac
done
AS_HOST=$1
export AS_HOST
shift
# Open MPI may miss the end of a shell that ends before it looks.
sleep 0.1
exec sh -c "$*"
"""
SHOW = '#!/bin/sh\necho "rank ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $AS_HOST"\n'


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def launchers(tmp_path: Path) -> dict[str, str]:
    """An environment in which mpirun is Open MPI's, mpiexec MPICH's, and hosts that do not exist answer."""
    found = {"mpirun": "mpirun.openmpi", "mpiexec": "mpiexec.mpich"}
    absent = [program for program in found.values() if shutil.which(program) is None]
    if absent:
        packages = " ".join(packages.split()[0] for packages in LIBRARIES.values())
        reason = f"no {', '.join(absent)}: install the Debian packages {packages}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, program in found.items():
        # Not a link: Hydra looks for its proxy beside the program that was called.
        executable(programs / name, f'#!/bin/sh\nexec {shutil.which(program)} "$@"\n')
    remote = str(executable(programs / "remote", REMOTE))
    executable(programs / "show", SHOW)
    open_mpi = {
        "plm_rsh_agent": remote,
        "plm_rsh_no_tree_spawn": "1",
        "oob_tcp_if_include": "lo",
        "btl": "self,tcp",
        "btl_tcp_if_include": "lo",
        "rmaps_base_oversubscribe": "1",
        # Daemons that look up hosts which do not exist may never report.
        "if_base_do_not_resolve": "1",
    }
    hydra = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": remote, "HYDRA_IFACE": "lo"}
    return environment(
        PATH=f"{programs}:{os.environ['PATH']}",
        **{f"OMPI_MCA_{key}": value for key, value in open_mpi.items()},
        **hydra,
    )


def run(command: list[str], env: dict[str, str], folder: Path) -> list[str]:
    """The host of each rank, as the ranks say.

    Open MPI's daemons of several hosts, all on this one, sometimes do not find each other, and the launch hangs before any rank
    runs: that says nothing about the file, and it is launched again.
    """
    for _ in range(LAUNCHES):
        done = subprocess.run(
            ["timeout", "-k", "5", "6", *command],
            env=env,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != HUNG or done.stdout:
            break
    assert done.returncode == 0, done.stderr
    ran = {int(rank): host for rank, host in re.findall(r"^rank (\d+) (\S+)$", done.stdout, re.M)}
    assert sorted(ran) == list(range(len(ran)))
    return [ran[rank] for rank in sorted(ran)]


def host_by_host(rng: random.Random) -> tuple[list[str], list[str]]:
    """Lines of a list with slots, and the host of each rank."""
    hosts = rng.sample(HOSTS, rng.randint(2, 8))
    slots = {host: rng.randint(1, CORES) for host in hosts}
    return [f"{host} slots={slots[host]}" for host in hosts], [
        host for host in hosts for _ in range(slots[host])
    ]


def any_order(rng: random.Random) -> tuple[list[str], list[str]]:
    """The same, with ranks of a host apart: a line a rank."""
    ranks = host_by_host(rng)[1]
    rng.shuffle(ranks)
    return ranks, ranks


DRAWN = {
    "openmpi": host_by_host,
    "openmpi-seq": any_order,
    "openmpi-rankfile": any_order,
    "hydra": any_order,
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("form", DRAWN)
def test_every_rank_runs_on_the_host_that_the_order_gives_it(
    lacis: Lacis, tmp_path: Path, launchers: dict[str, str], form: str, seed: int
) -> None:
    draw: Callable[[random.Random], tuple[list[str], list[str]]] = DRAWN[form]
    lines, expected = draw(random.Random(f"{form} {seed}"))
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    listed = ("--by", "host", "--list", tmp_path / "list")
    done = lacis("order", TREE, *listed, "--as", form, "-o", tmp_path / "file", "--program", "show")
    assert done.status == 0, done.err
    line = re.search(r"^lacis: launch: (.*)$", done.err, re.M)
    assert line
    assert run(["sh", "-c", line[1]], launchers, tmp_path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("launcher", ["openmpi", "mpich"])
def test_a_script_launches_in_its_order(
    lacis: Lacis, tmp_path: Path, launchers: dict[str, str], launcher: str, seed: int
) -> None:
    lines, expected = any_order(random.Random(f"script {launcher} {seed}"))
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    asked = ("--script", "pbs", "--launcher", launcher, "--program", "show", "-o", tmp_path / "job.sh")
    done = lacis("order", TREE, "--by", "host", "--list", tmp_path / "list", *asked)
    assert done.status == 0, done.err
    env = launchers | {"PBS_O_WORKDIR": str(tmp_path)}
    assert run(["bash", str(tmp_path / "job.sh")], env, tmp_path) == expected


@pytest.mark.slow
def test_mpirun_gives_the_host_on_which_it_runs_the_first_ranks(
    lacis: Lacis, tmp_path: Path, launchers: dict[str, str]
) -> None:
    # What the remark on host files says, and why a list for --map-by seq is better: the map, without launching.
    here = socket.gethostname()
    (tmp_path / "hosts").write_text(f"node0002 slots=1\n{here} slots=1\n")
    command = ["mpirun", "--hostfile", "hosts", "--map-by", "slot", "-n", "2"]
    done = subprocess.run(
        [*command, "--do-not-launch", "--display-map", "true"],
        env=launchers,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert re.findall(r"Data for node: (\S+)", done.stdout) == [here, "node0002"]
    said = lacis("order", TREE, "--as", "openmpi", "-o", tmp_path / "file").err
    assert "lacis: mpirun gives the host on which it runs the first ranks" in said
    assert "mpirun gives" not in lacis("order", TREE, "--as", "openmpi-seq", "-o", tmp_path / "file").err
