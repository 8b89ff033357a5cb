"""`lacis order`: files for launchers, scripts of jobs, and lists of hosts with their slots."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as library
import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.conftest import Lacis, Result

TREE = "fat-tree:4,2"
"""Four leaves of two nodes, node0001 to node0008, leaf by leaf."""
SOME = ("--hosts", "node[0001,0003]")


def written(result: Result) -> str:
    assert result.status == 0, result.err
    return result.out


@pytest.mark.parametrize(
    ("form", "text", "line"),
    [
        (
            "openmpi",
            "node0001 slots=2\nnode0003 slots=2\n",
            "mpirun --hostfile FILE --map-by slot -n 4 PROGRAM",
        ),
        (
            "openmpi-seq",
            "node0001\nnode0001\nnode0003\nnode0003\n",
            "mpirun --hostfile FILE --map-by seq -n 4 PROGRAM",
        ),
        (
            "openmpi-rankfile",
            "rank 0=node0001 slot=0\nrank 1=node0001 slot=1\nrank 2=node0003 slot=0\nrank 3=node0003 slot=1\n",
            "mpirun --rankfile FILE -n 4 PROGRAM",
        ),
        ("hydra", "node0001:2\nnode0003:2\n", "mpiexec -machinefile FILE -n 4 PROGRAM"),
        (
            "slurm",
            "node0001\nnode0001\nnode0003\nnode0003\n",
            "env SLURM_HOSTFILE=FILE srun --distribution=arbitrary -N 2 -n 4 PROGRAM",
        ),
        (
            "pbs",
            "node0001\nnode0001\nnode0003\nnode0003\n",
            "env PBS_NODEFILE=FILE mpiexec -n 4 PROGRAM",
        ),
    ],
)
def test_a_launcher_gets_its_file_and_its_line(lacis: Lacis, form: str, text: str, line: str) -> None:
    done = lacis("order", TREE, *SOME, "--as", form, "--ranks-per-host", "2")
    assert written(done) == text
    assert done.err.splitlines()[-1] == f"lacis: launch: {line}"
    found = json.loads(lacis("order", TREE, *SOME, "--as", form, "--ranks-per-host", "2", "--json").out)
    assert (found["form"], found["launch"]) == (form, line)
    assert found["ranks"] == ["node0001", "node0001", "node0003", "node0003"]


def test_a_file_s_name_is_quoted_in_the_line(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("order", TREE, "--as", "hydra", "-o", tmp_path / "a file", "--program", "./app -x")
    assert done.err == f"lacis: launch: mpiexec -machinefile '{tmp_path / 'a file'}' -n 8 ./app -x\n"


@pytest.mark.parametrize(
    ("lines", "slots"),
    [
        ("node0003 slots=2\nnode0001 slots=1\n", "node0003:2\nnode0001:1\n"),
        ("node0003:2\nnode0001\n", "node0003:2\nnode0001:1\n"),
        ("node0003:2:mlx5_0\nnode0001:1:mlx5_0\n", "node0003:2\nnode0001:1\n"),
        ("node0003\nnode0003\nnode0001\n", "node0003:2\nnode0001:1\n"),  # $PBS_NODEFILE
        (
            "node0003 slots=1 max_slots=2\nnode0001\nnode0003 slots=1\n",
            "node0003:1\nnode0001:1\nnode0003:1\n",
        ),
        (
            "rank 1=node0003 slot=1\nrank 0=node0003 slot=0\nrank 2=node0001 slot=0\n",
            "node0003:2\nnode0001:1\n",
        ),
        ("node[0001,0003] slots=2\n", "node0001:2\nnode0003:2\n"),
    ],
)
def test_slots_are_those_of_the_list(lacis: Lacis, tmp_path: Path, lines: str, slots: str) -> None:
    listed = tmp_path / "list"
    listed.write_text(lines)
    assert written(lacis("order", TREE, "--by", "host", "--list", listed, "--as", "hydra")) == slots


def test_hosts_of_a_job_stand_in_an_order_with_the_slots_that_they_have(lacis: Lacis, tmp_path: Path) -> None:
    # $PBS_NODEFILE as the scheduler has it; leaf by leaf node0002 comes before node0005.
    nodes = tmp_path / "nodes"
    nodes.write_text("node0005\nnode0005\nnode0002\nnode0005\n")
    assert (
        written(lacis("order", TREE, "--hosts", f"file:{nodes}", "--as", "hydra"))
        == "node0002:1\nnode0005:3\n"
    )
    # Fewer ranks on each host than slots, and fewer ranks than slots in all.
    assert (
        written(lacis("order", TREE, "--hosts", f"file:{nodes}", "--as", "hydra", "--total-ranks", "3"))
        == "node0002:1\nnode0005:2\n"
    )


def test_files_that_are_written_are_read_as_the_same_order(lacis: Lacis, tmp_path: Path) -> None:
    ranks = ["node0005", "node0002", "node0002", "node0005", "node0001"]
    (tmp_path / "first").write_text("\n".join(ranks) + "\n")
    for form in ("openmpi-seq", "openmpi-rankfile", "hydra", "slurm", "pbs"):
        given = ("--by", "host", "--list", tmp_path / "first", "--as", form, "-o", tmp_path / form)
        assert lacis("order", TREE, *given).status == 0
        again = lacis("order", TREE, "--by", "host", "--list", tmp_path / form, "--as", "slurm")
        assert written(again).split() == ranks


# --- names -----------------------------------------------------------------------------------------


def test_names_mean_hosts_in_any_case_and_by_their_short_names(lacis: Lacis, tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("NODE0003\nnode0001.cluster.example\n")
    given = ("--by", "host", "--list", listed)
    # Launchers get the names that the list has; OpenSM the GUIDs of the hosts that they mean.
    assert written(lacis("order", TREE, *given, "--as", "slurm")) == "NODE0003\nnode0001.cluster.example\n"
    plain = tmp_path / "plain"
    plain.write_text("node0003\nnode0001\n")
    assert written(lacis("order", TREE, *given)) == written(
        lacis("order", TREE, "--by", "host", "--list", plain)
    )
    job = lacis("job", TREE, "Node0003,node0001.cluster.example", "-R", "minhop", "--json")
    assert json.loads(job.out)["hosts"] == ["node0003", "node0001"]


def renamed(tmp_path: Path, names: dict[str, str]) -> Path:
    """The tree with other names of hosts."""
    whole = json.loads(library.read(TREE).to_json())
    for node in whole["nodes"]:
        for old, new in names.items():
            if node["description"].split(" ")[0] == old:
                node["description"] = node["description"].replace(old, new)
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(whole))
    return path


def test_a_name_that_may_mean_two_hosts_means_none(lacis: Lacis, tmp_path: Path) -> None:
    tree = renamed(tmp_path, {"node0001": "login.a", "node0002": "login.b"})
    listed = tmp_path / "list"
    listed.write_text("login.b\nlogin\n")
    given = ("--by", "host", "--list", listed)
    for form in ("slurm", "guids", "names"):
        done = lacis("order", tree, *given, "--as", form)
        assert (done.status, done.out) == (2, "")
        assert (
            done.err
            == f"lacis: {listed}:2: may be login.a or login.b, which differ in case or domain alone: login\n"
        )
    # The same name is no doubt, whatever else is like it.
    listed.write_text("login.b\n")
    assert written(lacis("order", tree, *given, "--as", "slurm")) == "login.b\n"


@pytest.mark.parametrize(
    "form", ["openmpi", "openmpi-seq", "openmpi-rankfile", "hydra", "slurm", "pbs", "mpijob", "torchrun"]
)
@pytest.mark.parametrize("name", ["a host", "a:1", "a#b", "-rf", "a,b", "a\x1b[31m", "$(a)", "ä"])
def test_a_name_that_a_launcher_cannot_hold_is_an_error(
    lacis: Lacis, tmp_path: Path, form: str, name: str
) -> None:
    whole = json.loads(library.read(TREE).to_json())
    next(node for node in whole["nodes"] if node["kind"] != "switch")["description"] = name
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps(whole))
    done = lacis("order", tree, "--as", form)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: a name that [^\n]+ cannot hold: [ -~]+\n", done.err)


def test_names_of_two_hosts_that_open_mpi_would_misread(lacis: Lacis, tmp_path: Path) -> None:
    # Tried with 4.1.4: `slots` is a key of its host files, and it refuses underscores.
    tree = renamed(tmp_path, {"node0001": "slots", "node0002": "n_2"})
    for host in ("slots", "n_2"):
        assert lacis("order", tree, "--hosts", host, "--as", "openmpi-seq").status == 2
        assert written(lacis("order", tree, "--hosts", host, "--as", "hydra")) == f"{host}:1\n"


def test_names_with_blanks_are_quoted_in_lists_of_names(lacis: Lacis, tmp_path: Path) -> None:
    whole = json.loads(library.read(TREE).to_json())
    hosts = [node for node in whole["nodes"] if node["kind"] != "switch"]
    hosts[0]["description"] = "rack 7 left"
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps(whole))
    done = lacis("order", tree, "--names", "-o", tmp_path / "names")
    name = (tmp_path / "names").read_text().splitlines()[0]
    assert name.startswith('"')
    assert "1 name with blanks in quotes, which no launcher reads" in done.err
    assert lacis("order", tree, "--by", "host", "--list", tmp_path / "names").status == 0


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "args", "said"),
    [
        ("node0009\n", (), "list: not in the fabric: node0009 (line 1; did you mean"),
        ("# none\n", (), "no host in the list"),
        ("", (), "no host in the list"),
        ("node0001 slots=2\n", ("--total-ranks", "3"), "3 ranks are more than the 2 slots of 1 host"),
        (
            "node0001 slots=3\nnode0002 slots=4\n",
            ("--ranks-per-host", "4"),
            "4 ranks on each host are more than its slots, 3: node0001",
        ),
        (
            "node0001 slots=2 max_slots=3\nnode0001 slots=2 max_slots=3\n",
            (),
            "list:2: 4 slots are beyond max_slots=3: node0001",
        ),
        ("node0001 slots=0\n", (), "no host has a slot"),
        ("node0001 slots=99999999999999\n", (), "list:1: more than 4,194,304 slots"),
        ("rank 0=node0001 slot=0\nrank 2=node0001 slot=1\n", (), "list:2: rank 1 is missing: node0001"),
        ("node[0001\n", (), "list:1: not a set of hosts"),
    ],
)
def test_a_list_that_makes_no_sense_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, text: str, args: tuple[str, ...], said: str
) -> None:
    listed = tmp_path / "list"
    listed.write_text(text)
    done = lacis("order", TREE, "--by", "host", "--list", listed, "--as", "hydra", *args)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err)
    assert said in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--names", "--as", "hydra"), "--names and --as hydra do not go together"),
        (("--script", "pbs", "--as", "hydra"), "--script holds its list of hosts"),
        (("--memory", "1G"), "--memory is for --script"),
        (("--total-ranks", "4"), "--total-ranks is about ranks, and has no meaning with --as guids"),
        (("--as", "names", "--ranks-per-host", "4"), "--ranks-per-host is about ranks"),
        (("--as", "hydra", "--rail", "1"), "--rail is about ports"),
        (("--as", "hydra", "--total-ranks", "0"), "0 is not in the range"),
        (("--as", "mpi"), "'mpi' is not one of"),
        (("--script", "slurm", "--memory", "64"), "memory is a number with K, M, G or T: 64"),
        (("--script", "slurm", "--walltime", "1:70:00"), "a time is [DAYS-]HOURS:MINUTES:SECONDS above zero"),
        (("--script", "flux", "--memory", "64G"), "Flux has no option for the memory of a host"),
        (("--script", "flux", "--launcher", "mpich"), "a script for flux launches by flux, not by mpich"),
        (("--script", "pbs", "--program", "a\nb"), "the program is empty, or has control characters"),
        (("--as", "hydra", "-o", "no/such"), "no/such: cannot be written"),
        (("--as", "hydra", "--by", "host", "--list", "absent"), "absent: no such file"),
        (("--as", "hydra", "--hosts", "file:absent"), "absent: no such file"),
    ],
)
def test_options_that_do_not_go_together_are_one_line_and_exit_2(
    lacis: Lacis, args: tuple[str, ...], said: str
) -> None:
    done = lacis("order", TREE, *args)
    assert (done.status, done.out) == (2, "")
    assert said in done.err.splitlines()[-1]


def test_slots_are_not_read_from_standard_input(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    # Which is read once, for the order; without their slots ranks would run elsewhere.
    given = ("--by", "host", "--list", "-")
    for args, status in ((("--as", "hydra"), 2), (("--as", "names"), 0)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"node0001 slots=2\n")))
        done = lacis("order", TREE, *given, *args)
        assert done.status == status
        assert done.out == ("" if status else "node0001\n")


@pytest.mark.parametrize("form", ["openmpi", "torchrun"])
def test_a_form_that_has_each_host_once_refuses_ranks_that_are_apart(
    lacis: Lacis, tmp_path: Path, form: str
) -> None:
    listed = tmp_path / "list"
    listed.write_text("node0001\nnode0002\nnode0001\nnode0002\n")
    done = lacis("order", TREE, "--by", "host", "--list", listed, "--as", form)
    assert done.status == 2
    assert "ranks of a host are apart" in done.err


# --- ftree's dump ----------------------------------------------------------------------------------


def test_the_dump_of_ftree_is_an_order_of_any_launcher(lacis: Lacis, tmp_path: Path) -> None:
    dump = tmp_path / "opensm-ftree-ca-order.dump"
    assert lacis("route", TREE, "-R", "ftree", "--ca-order", dump, "-o", tmp_path / "lfts").status == 0
    assert written(lacis("order", TREE, "--by", "ftree", "--as", "ca-order")) == dump.read_text()
    names = [line.split("\t")[1].split()[0] for line in dump.read_text().splitlines() if "DUMMY" not in line]
    assert sorted(names) == [f"node000{number}" for number in range(1, 9)]
    for given in (("--by", "host", "--list", dump), ("--by", "ftree")):
        assert written(lacis("order", TREE, *given, "--as", "slurm")).split() == names
    guids = written(lacis("order", TREE, "--by", "ftree"))
    assert written(lacis("order", TREE, "--by", "host", "--list", dump)) == guids


def test_a_dump_in_another_order_is_read_back(lacis: Lacis, tmp_path: Path) -> None:
    listed, dump = tmp_path / "list", tmp_path / "dump"
    listed.write_text("node0004\nnode0002\n")
    assert lacis("order", TREE, "--by", "host", "--list", listed, "--as", "ca-order", "-o", dump).status == 0
    assert re.fullmatch(r"0x[0-9a-f]{4}\tnode0004\n0x[0-9a-f]{4}\tnode0002\n", dump.read_text())
    dump.write_text(dump.read_text() + "0xFFFF\tDUMMY\n\n")
    assert (
        written(lacis("order", TREE, "--by", "host", "--list", dump, "--as", "slurm")) == listed.read_text()
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "0x0001\tnode0001\nnode0002\n",
            "dump:2: a LID, a tab and a node description were expected: node0002",
        ),
        ("0x0001\tother\n", "dump:1: no host of this fabric has this description: other"),
        ("0xFFFF\tDUMMY\n", "dump: no host in the list"),
    ],
)
def test_a_dump_of_something_else_is_refused(lacis: Lacis, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "dump").write_text(text)
    done = lacis("order", TREE, "--by", "host", "--list", tmp_path / "dump", "--as", "slurm")
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert said in done.err


def test_a_cn_guid_file_has_the_ports_of_the_hosts(lacis: Lacis) -> None:
    assert written(lacis("order", TREE, *SOME, "--as", "cn-guids")) == written(lacis("order", TREE, *SOME))


# --- scripts ---------------------------------------------------------------------------------------

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


# --- torchrun and Kubernetes -----------------------------------------------------------------------


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


# --- the page --------------------------------------------------------------------------------------


def test_the_page_s_commands_print_what_stands_below_them(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nodes").write_text("node0005\nnode0005\nnode0002\nnode0005\n")
    page = (ROOT / "docs" / "howto" / "launch-in-an-order.md").read_text("utf-8")
    printed: list[str] = []
    shown = 0
    for kind, block in re.findall(r"^```(sh|text)\n(.*?)^```", page, re.M | re.S):
        if kind == "sh":
            for line in block.splitlines():
                done = lacis(*shlex.split(line)[1:])
                assert done.status == 0, done.err
                written_file = re.search(r" -o (\S+)", line)
                printed = [done.out or done.err, Path(written_file[1]).read_text() if written_file else ""]
        else:
            shown += 1
            assert block in printed
    assert shown == 4
