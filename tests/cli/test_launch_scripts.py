"""`lacis order`: scripts of jobs, and what torchrun and Kubernetes run, obeyed by programs that print what they are given."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.launched import SOME, TREE, written

if TYPE_CHECKING:
    from tests.conftest import Lacis


ASKED = ("--ranks-per-host", "2", "--memory", "64G", "--walltime", "1-02:30:00", "--program", "./app -n 1")


@pytest.mark.parametrize(
    ("scheduler", "lines", "launch"),
    [
        (
            "pbs",
            [
                "#PBS -N ordered",
                "#PBS -l select=1:host=node0001:ncpus=2:mpiprocs=2:mem=64gb+1:host=node0003:ncpus=2:mpiprocs=2:mem=64gb",
                "#PBS -l place=scatter:excl",
                "#PBS -l walltime=26:30:00",
            ],
            'mpirun --hostfile "$hosts" --map-by seq -n 4 ./app -n 1',
        ),
        (
            "slurm",
            [
                "#SBATCH --job-name=ordered",
                "#SBATCH --nodes=2",
                "#SBATCH --ntasks=4",
                "#SBATCH --ntasks-per-node=2",
                "#SBATCH --nodelist=node[0001,0003]",
                "#SBATCH --exclusive",
                "#SBATCH --mem=64G",
                "#SBATCH --time=1-02:30:00",
            ],
            'SLURM_HOSTFILE="$hosts" srun --distribution=arbitrary -N 2 -n 4 ./app -n 1',
        ),
        (
            "flux",
            [
                "#flux: --job-name=ordered",
                "#flux: --nodes=2",
                "#flux: --exclusive",
                "#flux: --requires=hosts:node[0001,0003]",
                "#flux: --time-limit=95400s",
            ],
            'flux run -N 2 -n 4 --taskmap=hostfile:"$hosts" ./app -n 1',
        ),
    ],
)
def test_a_script_asks_for_what_was_asked_and_launches(
    lacis: Lacis, tmp_path: Path, scheduler: str, lines: list[str], launch: str
) -> None:
    asked = [word for word in ASKED if scheduler != "flux" or word not in ("--memory", "64G")]
    script = tmp_path / "job"
    done = lacis("order", TREE, *SOME, "--script", scheduler, *asked, "-o", script)
    submit = {"pbs": "qsub", "slurm": "sbatch", "flux": "flux batch"}[scheduler]
    assert (done.status, done.err) == (0, f"lacis: launch: {submit} {script}\n")
    found = script.read_text().splitlines()
    assert found[0] == "#!/bin/bash"
    assert [line for line in found if line.startswith(lines[0].split()[0])] == lines
    assert found[-1] == launch
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


@pytest.mark.parametrize("scheduler", ["slurm", "flux"])
def test_a_script_writes_the_launcher_s_list_itself(lacis: Lacis, tmp_path: Path, scheduler: str) -> None:
    # With launchers that print what they are given.
    for name in ("srun", "flux"):
        (tmp_path / name).write_text('#!/bin/sh\necho "$@"\ncat "${SLURM_HOSTFILE:-/dev/null}"\n')
        (tmp_path / name).chmod(0o755)
    script = written(lacis("order", TREE, *SOME, "--script", scheduler, "--ranks-per-host", "2"))
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    [hosts] = tmp_path.glob("ordered.*.hosts")
    assert hosts.read_text().split() == ["node0001", "node0001", "node0003", "node0003"]
    if scheduler == "slurm":
        assert ran.split("\n", 1) == ["--distribution=arbitrary -N 2 -n 4 ./program", hosts.read_text()]
    else:
        assert ran == f"run -N 2 -n 4 --taskmap=hostfile:{hosts} ./program\n"


@pytest.mark.parametrize(
    ("scheduler", "launcher", "settings"),
    [
        # Report E of `lacis reproduce`, as the site's users had them.
        ("pbs", "platform", ["MPI_MAX_REMSH=16", "MPI_MAX_MPID_WAITING=64", "MPI_BUNDLE_MPIDS=N"]),
        (
            "pbs",
            "openmpi",
            [
                "OMPI_MCA_plm_rsh_num_concurrent=8",
                "OMPI_MCA_routed_radix=64",
                "PRTE_MCA_plm_ssh_num_concurrent=8",
            ],
        ),
        ("pbs", "mpich", ["ulimit"]),
        ("pbs", "intel", ["I_MPI_HYDRA_BRANCH_COUNT=16"]),
        ("slurm", "srun", ["PMI_TIME=1000", "PMI_FANOUT=64", "SLURM_PMIX_TIMEOUT=600"]),
    ],
)
def test_above_1024_ranks_a_script_has_what_large_launches_need(
    lacis: Lacis, scheduler: str, launcher: str, settings: list[str]
) -> None:
    found = []
    for ranks in ("1024", "1025"):
        given = ("--launcher", launcher, "--ranks-per-host", "200", "--total-ranks", ranks)
        script = written(lacis("order", TREE, "--script", scheduler, *given))
        lines = [line.split()[:2] for line in script.splitlines() if line.startswith(("export ", "ulimit "))]
        found.append([word if first == "export" else first for first, word in lines])
    # 1,025 ranks are on 6 of the 8 hosts.
    assert found == [[], [setting.replace("concurrent=8", "concurrent=6") for setting in settings]]


def test_a_script_for_platform_mpi_has_a_line_for_each_host(lacis: Lacis) -> None:
    script = written(lacis("order", TREE, *SOME, "--script", "pbs", "--launcher", "platform", *ASKED))
    assert "\n-h node0001 -np 2 ./app -n 1\n-h node0003 -np 2 ./app -n 1\nHOSTS\n" in script
    assert script.endswith('mpirun -f "$hosts"\n')


@pytest.mark.parametrize(
    ("host", "rank"), [("node0003", 0), ("node0001", 1), ("node0001.cluster.example", 1)]
)
def test_every_node_of_torchrun_finds_its_rank(lacis: Lacis, tmp_path: Path, host: str, rank: int) -> None:
    listed = tmp_path / "list"
    listed.write_text("node0003 slots=4\nnode0001 slots=4\n")
    done = lacis(
        "order", TREE, "--by", "host", "--list", listed, "--as", "torchrun", "-o", tmp_path / "nodes"
    )
    line = re.search(r"^lacis: launch: (.*)$", done.err, re.M)
    assert line
    assert "with --rdzv-backend c10d it would sort them by their addresses" in done.err
    (tmp_path / "torchrun").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "hostname").write_text(
        f'#!/bin/sh\n[ "$1" = -s ] && echo {host.split(".")[0]} || echo {host}\n'
    )
    for name in ("torchrun", "hostname"):
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(["sh", "-c", line[1]], env=env, capture_output=True, text=True, check=True).stdout
    assert ran == (
        f"--nnodes=2 --nproc-per-node=4 --node-rank={rank} --master-addr=node0003 --master-port=29500 PROGRAM\n"
    )


def test_the_launcher_of_an_mpijob_orders_workers_by_their_nodes(lacis: Lacis, tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("node0003\nnode0001\nnode0001\nnode0003\n")
    text = written(lacis("order", TREE, "--by", "host", "--list", listed, "--as", "mpijob"))
    assert "\n  nodes: |\n    node0003\n    node0001\n    node0001\n    node0003\n---\n" in text
    assert '\n                    - "node0003"\n                    - "node0001"\n' in text
    # The script of the launcher, with workers that the operator has numbered the other way about.
    lines = text[text.index("            - |\n") :].splitlines()[1:]
    body = [
        line[14:] for line in lines[: next(at for at, line in enumerate(lines) if "volumeMounts" in line)]
    ]
    script = "\n".join(body)
    for old, new in (
        ("/etc/mpi/hostfile", "hostfile"),
        ("/etc/lacis/nodes", "list"),
        ("/tmp/", f"{tmp_path}/"),  # noqa: S108
    ):
        assert old in script
        script = script.replace(old, new)
    (tmp_path / "hostfile").write_text("w-0.w.ns.svc slots=2\nw-1.w.ns.svc slots=2\n")
    # In place of ssh: worker 0 is on node0001, worker 1 on node0003.
    (tmp_path / "ssh").write_text(
        '#!/bin/sh\ncase "$2" in w-0*) echo node0001 ;; w-1*) echo node0003 ;; esac\n'
    )
    (tmp_path / "mpirun").write_text('#!/bin/sh\ncat "$2"\n')
    for name in ("ssh", "mpirun"):
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["sh", "-ec", script], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert ran.split() == ["w-1.w.ns.svc", "w-0.w.ns.svc", "w-0.w.ns.svc", "w-1.w.ns.svc"]
