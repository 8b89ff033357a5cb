"""`lacis order`: files for launchers, lists of hosts with their slots, and what is wrong with them."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.launched import SOME, TREE, written

if TYPE_CHECKING:
    from tests.conftest import Lacis


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
        (  # $PE_HOSTFILE
            "node0003 2 all.q@node0003 UNDEFINED\nnode0001 1 all.q@node0001 UNDEFINED\n",
            "node0003:2\nnode0001:1\n",
        ),
        ('LSB_MCPU_HOSTS="node0003 2 node0001 1"\n', "node0003:2\nnode0001:1\n"),
        ("node0003 node0003 node0001\n", "node0003:2\nnode0001:1\n"),
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
