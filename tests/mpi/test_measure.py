"""`lacis measure`: launch lines, a real launch, truncated files, and rounds that distinguish links."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lacis import LacisError, measure, measured, read, route
from lacis.measure import campaign

from . import launch as mpi

if TYPE_CHECKING:
    from tests.conftest import Lacis

pytestmark = pytest.mark.slow

SAMPLE = '"test": "nxn", "what": "latency", "bytes": 0, "unit": "s"'
LINES = (
    '{"record": "run", "schema": "lacis.mpi/1", "ranks": 4, "nodes": 4, "oversubscribed": false}',
    '{"record": "round", "test": "nxn", "round": 1, "of": 3}',
    f'{{"record": "summary", {SAMPLE}, "class": "same leaf", "pairs": 2, "min": 1e-6, "mean": 2e-6, "median": 2e-6, "max": 3e-6}}',
    '{"record": "round", "test": "nxn", "round": 2, "of": 3}',
)


@pytest.fixture
def launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Launchers that only say who they are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, said in (("mpiexec", "mpiexec (OpenRTE) 4.1.4"), ("hydra/mpiexec", "HYDRA build details:")):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{said}'\n")
        path.chmod(0o755)
    (folder / "mpicc").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_a_dry_run_prints_launch_line_and_files(lacis: Lacis, launchers: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    dry = ("measure", "nxn", "--dry-run", "-o", out, "--hosts", "n[1-2]", "--ranks-per-host", "3")
    args = ("--", "--one-at-a-time")
    # Open MPI and hydra (MPICH) read different files of hosts: slots=N, and HOST:N.
    said = lacis(*dry, *args)
    assert said.status == 0
    built = measure.location()  # where the run would build it, as the test of building sees
    assert built.is_relative_to(tmp_path / "cache")
    assert said.out == (
        f"# {out}.hosts\nn1 slots=3\nn2 slots=3\n"
        f"mpiexec --hostfile {out}.hosts -n 6 {built} nxn -o {out} --one-at-a-time\n"
    )
    assert " -n 6 lacis-mpi nxn " in lacis(*dry, "--mpicc", "absent").out
    hydra = str(launchers / "hydra" / "mpiexec")
    assert (
        f"# {out}.hosts\nn1:3\nn2:3\n{hydra} -machinefile {out}.hosts -n 6 "
        in lacis(*dry, "--launcher", hydra).out
    )
    srun = lacis(*dry, "--launcher", "srun", "--program", "/p").out
    assert srun == f"srun -N 2 -n 6 --ntasks-per-node=3 -w 'n[1-2]' /p nxn -o {out}\n"
    flux = lacis(*dry, "--launcher", "flux", "--program", "/p").out
    assert flux == f"flux run -N 2 -n 6 '--requires=hosts:n[1-2]' /p nxn -o {out}\n"
    assert not out.exists()
    assert json.loads(lacis(*dry, "--json").out)["complete"] is None


@pytest.mark.parametrize(
    ("form", "each"),
    [("openmpi", 2), ("openmpi-seq", 2), ("openmpi-rankfile", 2), ("hydra", 2), ("names", 1)],
)
def test_hosts_are_those_of_the_files_that_lacis_order_writes(
    lacis: Lacis, launchers: Path, tmp_path: Path, form: str, each: int
) -> None:
    assert launchers.is_dir()
    file, out = tmp_path / "file", tmp_path / "x.jsonl"
    per_host = ("--ranks-per-host", "2") if each > 1 else ()
    asked = ("--hosts", "node[0001,0003]", "--as", form, *per_host)
    assert lacis("order", "fat-tree:4,2", *asked, "-o", file).status == 0
    dry = ("measure", "nxn", "--dry-run", "-o", out, "--program", "/p", "--hosts", f"file:{file}")
    hosts = f"# {out}.hosts\nnode0001 slots={each}\nnode0003 slots={each}\n"
    assert lacis(*dry).out == f"{hosts}mpiexec --hostfile {out}.hosts -n {2 * each} /p nxn -o {out}\n"
    assert "node0001 slots=3\nnode0003 slots=3\n" in lacis(*dry, "--ranks-per-host", "3").out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\nb\na\n", "ranks are counted host by host, and those of a host are apart"),
        ("a slots=2\nb\n", "hosts have different numbers of slots"),
        ("a slots=0\n", "hosts have different numbers of slots, or none"),
        ("", "no host in the list"),
        ("a slots=2 max_slots=1\n", "2 slots are beyond max_slots=1: a"),
    ],
)
def test_a_file_of_hosts_that_cannot_be_measured_is_refused(
    lacis: Lacis, launchers: Path, tmp_path: Path, text: str, said: str
) -> None:
    assert launchers.is_dir()
    (tmp_path / "hosts").write_text(text)
    done = lacis("measure", "nxn", "--dry-run", "--program", "/p", "--hosts", f"file:{tmp_path / 'hosts'}")
    assert (done.status, done.out) == (2, "")
    assert said in done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("listed", "compiler", "option"),
    [
        # As Slurm 23 prints it, as Slurm 17 does (on standard error), and a Cray.
        (
            "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4",
            "open",
            "pmix",
        ),
        (
            "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4",
            "other",
            "pmi2",
        ),
        ("srun: MPI types are...\nsrun: pmi2\nsrun: openmpi\nsrun: none", "open", "pmi2"),
        ("srun: MPI types are...\nsrun: pmix_v2\nsrun: pmix_v3\nsrun: none", "open", "pmix_v3"),
        ("MPI plugin types are...\n\tcray_shasta\n\tpmi2\n\tnone", "other", "cray_shasta"),
        ("MPI plugin types are...\n\tnone", "open", None),
    ],
)
def test_srun_knows_of_an_interface_that_the_site_has(
    lacis: Lacis,
    launchers: Path,
    monkeypatch: pytest.MonkeyPatch,
    listed: str,
    compiler: str,
    option: str | None,
) -> None:
    (launchers / "srun").write_text(f"#!/bin/sh\nprintf '%s\\n' '{listed}' >&2\n")
    shown = "echo 'mpicc: Open MPI 4.1.4 (Language: C)'" if compiler == "open" else "exit 1"
    (launchers / "mycc").write_text(f"#!/bin/sh\n{shown}\n")
    for name in ("srun", "mycc"):
        (launchers / name).chmod(0o755)
    monkeypatch.delenv("SLURM_MPI_TYPE", raising=False)
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[01-02,07]")
    words = ("measure", "nxn", "--dry-run", "--launcher", "srun", "--program", "/p", "--mpicc", "mycc")
    said = lacis(*words)
    assert said.status == 0, said.err
    line = said.out
    # The hosts are those of the job.
    assert "-N 3 -n 3 --ntasks-per-node=1 -w 'n[01-02,07]'" in line
    assert ("--mpi=" in line) == (option is not None)
    assert option is None or f" --mpi={option} " in line
    assert lacis(*words, "--launcher-args", "--mpi=none").out.count("--mpi=") == 1
    monkeypatch.setenv("SLURM_MPI_TYPE", "pmix")
    assert "--mpi=" not in lacis(*words).out
    monkeypatch.delenv("SLURM_JOB_NODELIST")
    assert lacis(*words).status == 2


@pytest.mark.usefixtures("launchers")
def test_the_file_of_leaves_has_the_fabric_s_leaves(lacis: Lacis) -> None:
    fabric = read("fat-tree:8,2")
    names = [d for d, kind in zip(fabric.descriptions(), fabric.kinds(), strict=True) if kind != "switch"]
    text, unknown = measure.launch.leaf_file(
        fabric, ["absent", f"{names[0].split()[0]}.site.org", names[1].split()[0]]
    )
    assert unknown == ["absent"]
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    assert len(rows) == 2
    assert rows[0][1] == rows[1][1]  # each leaf has four hosts
    said = lacis("measure", "nxn", "--dry-run", "--hosts", "absent,b", "--fabric", "fat-tree:8,2")
    assert "lacks 2 hosts" in said.err


@pytest.mark.parametrize("library", mpi.LIBRARIES)
def test_it_builds_launches_and_sums_up(
    library: str, lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi.need(library)
    for name, value in mpi.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LACIS_RESULTS", str(tmp_path / "store"))
    out = tmp_path / "out.jsonl"
    hosts = "localhost"
    extra = " ".join(mpi.line(library, 2, tmp_path)[1:-3])
    done = lacis(
        *("measure", "nxn,alltoall", "--hosts", hosts, "--ranks-per-host", "2", "-o", out, "--json"),
        *("--launcher", shutil.which(f"mpiexec.{library}") or "", "--mpicc", f"mpicc.{library}"),
        *(("--launcher-args", extra) if extra else ()),
        *("--counters", "sh -c 'echo $LACIS_TEST $LACIS_ROUND $LACIS_WHEN'"),
        *("--", "--bytes", "64", "--min", "1", "--max", "1"),
    )
    assert done.status == 0, done.err
    said = json.loads(done.out)
    assert said["complete"]
    assert [test["test"] for test in said["tests"]] == ["nxn", "alltoall"]
    assert {(row["what"], row["count"]) for row in said["rows"] if row["pairs"] == "overall"} == {
        ("latency", 1),
        ("bandwidth", 2),
    }
    # The run is kept, with the values of the file that it came from.
    [run] = measured.Store(tmp_path / "store").runs()[0]
    assert (run.id, run.name) == (said["kept"], "nxn,alltoall")
    assert run.values().equals(measured.read([out]).frame)
    assert "lacis-mpi nxn,alltoall" in run.manifest.facts["launch line"]
    assert [Path(file.name) for file in run.manifest.files] == [out]
    kept = {path.name: path.read_text() for path in (tmp_path / "out.jsonl.counters").iterdir()}
    assert kept == {
        f"{test}-1-{when}.txt": f"{test} 1 {when}\n"
        for test in ("nxn", "alltoall")
        for when in ("before", "after")
    }


def test_a_run_that_ends_early_is_kept_as_far_as_it_came(
    lacis: Lacis, launchers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACIS_RESULTS", str(tmp_path / "store"))
    sample = f'{{"record": "sample", {SAMPLE}, "round": 1, "from": 0, "to": 1, "values": [1e-6, 2e-6]}}'
    ranks = (f'{{"record": "rank", "rank": {n}, "host": "n{n}"}}' for n in range(2))
    (tmp_path / "lines").write_text("\n".join([LINES[0], *ranks, LINES[1], sample, '{"record": "sam']))
    # A launcher that dies in the middle of the output.
    (launchers / "mpiexec").write_text(f"#!/bin/sh\ncp {tmp_path}/lines {tmp_path}/x.jsonl\nexit 3\n")
    asked = ("measure", "nxn", "--hosts", "n[0-1]", "--program", "/p", "-o", tmp_path / "x.jsonl")
    done = lacis(*asked, "--save", "night")
    assert done.status == 1
    assert "the run ended in round 1 of 3 of nxn with status 3" in done.err
    [run] = measured.Store(tmp_path / "store").find("night")
    assert run.values().select("source", "destination", "value").rows() == [
        ("n0", "n1", 1e-6),
        ("n0", "n1", 2e-6),
    ]
    assert run.manifest.facts["complete"] == "false"
    assert any("stopped early" in note.text for note in run.manifest.notes)
    assert lacis(*asked, "--no-save").status == 1
    assert len(measured.Store(tmp_path / "store").runs()[0]) == 1
    # A run without values is not kept; the command says so.
    (tmp_path / "lines").write_text(LINES[0] + "\n")
    none = lacis(*asked)
    assert (none.status, "no run is kept" in none.err) == (1, True)
    both = lacis(*asked, "--save", "a", "--no-save")
    assert (both.status, "--save and --no-save do not go together" in both.err) == (2, True)


def test_a_cut_off_file_says_how_far_it_came(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(LINES) + '\n{"record": "sam')
    said = lacis("measure", "show", path)
    assert said.status == 1
    assert "nxn came to round 2 of 3" in said.out
    assert "the last line is cut off" in said.out
    content = json.loads(lacis("measure", "show", path, "--json").out)
    assert (content["complete"], content["torn"], content["rows"][0]["max"]) == (False, True, 3e-6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no file of lacis-mpi: it has no whole line"),
        ("1 2 3\n", "1: no record of lacis-mpi: 1 2 3"),
        ('{"record": "round"}\n', "1: no file of lacis-mpi: its first record has no schema lacis.mpi/1"),
        (LINES[0] + "\n[]\n", "2: no record of lacis-mpi: []"),
    ],
)
def test_what_is_no_file_of_lacis_mpi_is_one_line(
    lacis: Lacis, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    said = lacis("measure", "show", path)
    assert said.status == 2
    assert said.err in (f"lacis: {path}:{reason}\n", f"lacis: {path}: {reason}\n")


@pytest.mark.parametrize(
    "args",
    [
        ("measure", "nxm", "--hosts", "a,b"),
        ("measure", "nxn", "--hosts", "a,a"),
        ("measure", "nxn", "--hosts", "a", "--launcher", "xargs"),
        ("measure", "nxn", "--hosts", "a", "--launcher", "/absent/mpiexec"),
        ("measure", "nxn", "--hosts", "a", "--mpicc", "/absent/mpicc"),
        ("measure", "plan", "fat-tree:8,2", "--hosts", "absent"),
        ("measure", "plan", "fat-tree:8,2", "--rail", "7"),
    ],
)
def test_bad_arguments_are_one_line(lacis: Lacis, args: tuple[str, ...]) -> None:
    said = lacis(*args)
    assert (said.status, said.err.count("\n")) == (2, 1)


def test_a_plan_distinguishes_all_links_of_a_tree(lacis: Lacis, tmp_path: Path) -> None:
    rounds = tmp_path / "rounds"
    said = lacis("measure", "plan", "fat-tree:36,2", "-R", "ftree", "-o", rounds, "--json")
    assert said.status == 0
    found = json.loads(said.out)
    # 648 hosts on 36 leaves of 18, 18 spines: 2 × 648 directed links of hosts, as many between switches.
    assert found["suspects"] == found["finest"] == found["classes"] == 4 * 648
    assert found["inseparable"] == []
    assert found["least_crossings"] >= 4
    assert len(found["rounds"]) <= 16
    assert all(one["contention"] == 1 for one in found["rounds"])
    # The file says the same, and given as measured anyway it leaves nothing to add.
    again = json.loads(
        lacis("measure", "plan", "fat-tree:36,2", "-R", "ftree", "--given", rounds, "--json").out
    )
    assert (again["given"], len(again["rounds"])) == (len(found["rounds"]), len(found["rounds"]))
    assert again["classes"] == found["classes"]


def test_a_plan_leaves_out_adapters_without_a_hosts_name(lacis: Lacis, tmp_path: Path) -> None:
    fabric, dump = tmp_path / "a.json", tmp_path / "a.net"
    assert lacis("fabric", "fat-tree:4,2", "-o", fabric).status == 0
    name = lacis("order", fabric, "--names").out.split()[0]
    text = fabric.read_text()
    assert text.count(f'"{name} ') == 1
    start = text.index(f'"{name} ')
    fabric.write_text(
        f'{text[:start]}"MT4123 ConnectX6   Mellanox Technologies"{text[text.index(chr(34), start + 1) + 1 :]}'
    )
    said = lacis("measure", "plan", fabric, "-R", "minhop", "-o", dump, "--json")
    assert said.status in (0, 1), said.err
    [left] = json.loads(said.out)["skipped"]
    assert len(left.split()) > 1
    assert "1 adapter without a host's name left out" in said.err
    assert name not in dump.read_text().split()
    assert (
        len(
            {
                word
                for line in dump.read_text().splitlines()
                if not line.startswith("#")
                for word in line.split()[1:]
            }
        )
        == 7
    )


def test_too_few_rounds_are_said(lacis: Lacis) -> None:
    said = lacis("measure", "plan", "fat-tree:8,2", "-R", "ftree", "--rounds", "1")
    assert said.status == 1
    assert "classes of links that more rounds would separate" in said.out


@pytest.mark.parametrize(
    ("text", "line"),
    [("1 a b\n2 a\n", 2), ("1 a b\n1 a c\n", 2), ("1 a b\n1 c b\n", 2), ("x a b\n", 1), ("1 a a\n", 1)],
)
def test_rounds_that_are_none_are_refused_with_their_line(text: str, line: int) -> None:
    with pytest.raises(LacisError) as error:
        campaign.read_rounds(text.encode())
    assert error.value.line == line


def test_a_plan_is_the_same_each_time() -> None:
    routes = route(read("fat-tree:8,2"), "ftree")
    assert measure.plan(routes) == measure.plan(routes)
