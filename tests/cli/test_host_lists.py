"""Lists of hosts as launchers and schedulers write them, on a fabric that may lack some of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.conftest import shared_data

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

HOSTS = [f"node{number:04}" for number in range(1, 10)]


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    """Nine hosts, node0001 to node0009, on three leaves below a spine."""
    lines = ['Switch 8 "S-0000000000000100" # "spine" base port 0 lid 100 lmc 0']
    lines += [
        f'[{leaf + 1}] "S-00000000000000{leaf + 1:02}"[4] # "leaf{leaf}" lid {leaf + 90} 4xEDR'
        for leaf in range(3)
    ]
    for leaf in range(3):
        lines += [
            "",
            f'Switch 8 "S-00000000000000{leaf + 1:02}" # "leaf{leaf}" base port 0 lid {leaf + 90} lmc 0',
        ]
        for port in range(3):
            host = 3 * leaf + port + 1
            lines.append(
                f'[{port + 1}] "H-00000000000010{host:02}"[1] # "node{host:04} HCA-1" lid {host} 4xEDR'
            )
        lines.append(f'[4] "S-0000000000000100"[{leaf + 1}] # "spine" lid 100 4xEDR')
    for host in range(1, 10):
        leaf, port = divmod(host - 1, 3)
        lines += [
            "",
            f'Ca 1 "H-00000000000010{host:02}" # "node{host:04} HCA-1"',
            f'[1](20{host:02}) "S-00000000000000{leaf + 1:02}"[{port + 1}] # lid {host} lmc 0 "leaf{leaf}" lid {leaf + 90} 4xEDR',
        ]
    path = tmp_path / "fabric.ibnetdiscover"
    path.write_text("\n".join(lines) + "\n")
    return path


def case(name: str) -> Path:
    data = shared_data()
    path = data / "cases" / "schedulers" / name if data else None
    if path is None or not path.is_file():
        pytest.skip(f"no shared/data/cases/schedulers/{name} at or above the checkout")
    return path


@pytest.mark.parametrize(
    ("name", "by", "numbers"),
    [
        ("hostfile.mpich", "host", [1, 2, 7]),
        ("machinefile.intel", "host", [1, 2]),
        ("mv2hosts", "host", [1, 2]),
        ("rankfile", "host", [1, 2, 7]),
        ("pbs_execvnode", "host", [1, 2]),
        ("continued.conf", "slurm", range(1, 10)),
        ("topology.yaml", "slurm", range(1, 7)),
        ("scontrol-show-topology.out", "slurm", range(1, 7)),
    ],
)
def test_lists_of_launchers_and_schedulers_are_orders(
    lacis: Lacis, fabric: Path, name: str, by: str, numbers: range | list[int]
) -> None:
    path = case(name)
    result = lacis("order", fabric, "--by", by, "--list", path, "--names")
    assert result.status == 0, result.err
    assert result.out.split() == [f"node{number:04}" for number in numbers]
    # The same files name hosts wherever a set does.
    job = lacis("job", fabric, f"file:{path}", "-R", "minhop", "--json")
    assert job.status == 0, job.err
    assert json.loads(job.out)["hosts"] == [f"node{number:04}" for number in numbers]


@pytest.mark.parametrize(
    "hosts",
    [
        "node0001:48,node0002:48,node0007:48",
        "node0001:48:mlx5_0,node0002:48:mlx5_0,node0007:4:mlx5_0",
        "(node0001:ncpus=48:mpiprocs=48)+(node0002:ncpus=48:mpiprocs=48)+(node0007:ncpus=1)",
        "node0001/0*48+node0002/0*48+node0007/1",
    ],
)
def test_the_same_lists_are_read_as_arguments(lacis: Lacis, fabric: Path, hosts: str) -> None:
    result = lacis("job", fabric, hosts, "-R", "minhop", "--json")
    assert result.status == 0, result.err
    assert json.loads(result.out)["hosts"] == ["node0001", "node0002", "node0007"]


def test_hosts_that_the_dump_lacks_are_named_and_left_out_on_request(
    lacis: Lacis, fabric: Path, tmp_path: Path
) -> None:
    wanted = "node[0001-0009,0011,0012]"
    for command in (
        ("job", fabric, wanted, "-R", "minhop"),
        ("predict", fabric, "-R", "minhop", "--hosts", wanted),
    ):
        refused = lacis(*command)
        assert refused.status == 2
        assert "2 of 11 are no host" in refused.err
        assert "of this fabric: node[0011-0012]" in refused.err
        assert "--skip-absent leaves them out" in refused.err
        left = lacis(*command, "--skip-absent")
        assert left.status == 0, left.err
        assert "2 of 11 hosts are not in the fabric, left out: node[0011-0012]" in left.err
    # In files, and by Slurm's lists.
    (tmp_path / "hosts").write_text("node0012:4\nnode0002:4\nnode0001:4\n")
    for args in (
        ("--by", "host", "--list", tmp_path / "hosts"),
        ("--by", "slurm", "--nodes", "node[0012,0002,0001]"),
    ):
        assert lacis("order", fabric, *args, "--names").status == 2
        left = lacis("order", fabric, *args, "--names", "--skip-absent")
        assert (left.status, left.out.split()) == (0, ["node0002", "node0001"]), left.err
        assert "1 of 3 hosts is not in the fabric, left out: node0012" in left.err
    # A command without the option does not advise it.
    for line in (
        ("trace", str(fabric), wanted, "node0001"),
        ("rails", "nccl", str(fabric), "--hosts", wanted),
    ):
        refused = lacis(*line)
        assert (refused.status, "2 of 11 are no host" in refused.err) == (2, True)
        assert "--skip-absent" not in refused.err
        assert lacis(*line, "--skip-absent").status == 2
    # Where none is left, that is an error.
    none = lacis("job", fabric, "node[0021-0022]", "-R", "minhop", "--skip-absent")
    assert none.status == 2
    assert "no host in the list" in none.err


def test_ranks_of_a_rank_file_that_are_missing_are_an_error(
    lacis: Lacis, fabric: Path, tmp_path: Path
) -> None:
    (tmp_path / "ranks").write_text("rank 0=node0001 slot=0\nrank 2=node0002 slot=0\n")
    result = lacis("job", fabric, f"file:{tmp_path / 'ranks'}", "-R", "minhop")
    assert (result.status, len(result.err.splitlines())) == (2, 1)
    assert "ranks:2: rank 1 is missing: node0002" in result.err


GUID = "0x0000000000002005"
"""Of the port of node0005."""
BY_GUID = {
    "job": ("job", "FABRIC", "HOSTS", "-R", "minhop", "--json"),
    "fit": ("fit", "FABRIC", "--nodes", "1", "--free", "HOSTS", "-R", "minhop", "--json"),
    "predict": ("predict", "FABRIC", "-R", "minhop", "--hosts", "HOSTS", "--patterns", "2", "--json"),
    "topology": ("topology", "FABRIC", "--as", "slurm-tree", "--hosts", "HOSTS"),
    "measure plan": ("measure", "plan", "FABRIC", "-R", "minhop", "--hosts", "HOSTS", "--json"),
    "rails nccl": ("rails", "nccl", "FABRIC", "-R", "minhop", "--hosts", "HOSTS", "--json"),
}


@pytest.mark.parametrize("command", BY_GUID)
@pytest.mark.parametrize("form", ["set", "file"])
def test_a_guid_of_a_port_stands_for_its_host(
    lacis: Lacis, fabric: Path, tmp_path: Path, command: str, form: str
) -> None:
    answers = []
    for hosts in (["node0001", "node0005"], ["node0001", GUID]):
        (tmp_path / "hosts").write_text("\n".join(hosts) + "\n")
        text = ",".join(hosts) if form == "set" else f"file:{tmp_path / 'hosts'}"
        line = [{"FABRIC": str(fabric), "HOSTS": text}.get(word, word) for word in BY_GUID[command]]
        done = lacis(*line)
        assert done.status in (0, 1), done.err
        assert "node0005" in done.out or command == "predict"
        answers.append((done.status, done.out.replace(text, "")))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("command", BY_GUID)
def test_a_guid_of_no_port_is_one_line_that_names_the_option(
    lacis: Lacis, fabric: Path, command: str
) -> None:
    # A node's GUID is not that of a port.
    for guid in ("0x0000000000001005", "0xdead"):
        line = [{"FABRIC": str(fabric), "HOSTS": guid}.get(word, word) for word in BY_GUID[command]]
        done = lacis(*line)
        flag = {"job": "HOSTS", "fit": "--free"}.get(command, "--hosts")
        assert done.status == 2
        assert done.err == f"lacis: {flag}: no port of a host has this GUID: {guid}\n"


def test_an_error_about_free_hosts_names_the_option(lacis: Lacis, fabric: Path) -> None:
    done = lacis("fit", fabric, "--nodes", "1", "--free", "node[0001")
    assert (done.status, done.err.startswith("lacis: --free: not a set of hosts")) == (2, True)
