"""Every example in the help of a command runs as it stands there, and every command has one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lacis.cli import COMMANDS, SECTIONS, cli, run
from lacis.cli._examples import EXAMPLES
from lacis.cli._man import leaves

from tests import hosts
from tests.cli import samples
from tests.conftest import ROOT
from tests.why_readings import AT

if TYPE_CHECKING:
    from tests.conftest import Lacis

WHOLE = "fat-tree:8,2"
HOSTS = [f"node{n:04}" for n in range(1, 33)]
NOT_HERE = {
    "opensm build": "minutes; tests/package runs it",
    "measure show": "what MPI wrote; tests/mpi runs it",
    "top": "a terminal; tests/unit/top drives it",
    "serve": "until it is interrupted; test_serve_page.py asks it",
}
"""Commands whose examples are only parsed: they do not run in a moment, or not without what they read."""
SAYS_NO = {
    "lacis diff before.net after.net": "a cable is gone",
    "lacis rails doctor job.log fat-tree:8,2 -R updn": "the log has a failure",
    "lacis opafm opafm.xml": "fattree does not know its tiers",
    EXAMPLES["explain"][0]: "a host is slow",
    EXAMPLES["results diff"][0]: "a host became slower",
    EXAMPLES["watch"][0]: "the manager fell back",
}
"""Examples whose exit status is 1, as the answer is no."""

pytestmark = pytest.mark.usefixtures("once_a_fabric")
LONG = {"replay", "reproduce", "results diff", "results history"}
"""Commands whose examples take long."""
EVERY = [(path, line) for path, lines in EXAMPLES.items() for line in lines]


def matrix(slowest: float) -> str:
    """Bandwidths of all pairs [MB/s], where one host sends slowly."""
    rows = [
        ",".join(
            [
                a,
                *(
                    f"{10_000 * (slowest if a == 'node0006' else 1) + 7 * i + j:.1f}"
                    for j in range(len(HOSTS))
                ),
            ]
        )
        for i, a in enumerate(HOSTS)
    ]
    return "\n".join([",".join(["host", *HOSTS]), *rows]) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that examples read, under the names that they have there."""
    made = tmp_path_factory.mktemp("examples")
    (made / "nxn.csv").write_text(matrix(0.7))
    hosts.host(made / "n017")
    hosts.adapter(made / "n017")
    (made / "slower.csv").write_text(matrix(0.3))
    (made / "squeue.txt").write_text("12 8 node[0005-0012]\n13 3 node[0001,0015,0020]\n")
    (made / "trace.swf").write_text(
        "".join(
            f"{n} {9 * n} -1 60 {1 + n % 9} -1 -1 {1 + n % 9} 90" + " -1" * 9 + "\n" for n in range(1, 20)
        )
    )
    (made / "nodefile").write_text("".join(f"node{n:04} slots=4\n" for n in range(1, 33)))
    (made / "opensm.conf").write_text("routing_engine updn\n")
    (made / "job.sh").write_text("export PSM2_MULTIRAIL=1\n")
    (made / "sweeps.jsonl").write_text(samples.SWEEPS)
    (made / "opensm.log").write_text(samples.LOG)
    (made / "job.log").write_text("node0001: NCCL WARN NET/IB : No device found.\n")
    (made / "opafm.xml").write_text(
        "<Config><Common><Shared></Shared><Sm><RoutingAlgorithm>fattree</RoutingAlgorithm></Sm></Common></Config>\n"
    )
    # The job of the list runs: what it has is its hosts and when it began, a minute before the last sweep.
    samples.counters(made / "counters", WHOLE)
    (made / "jobs.txt").write_text(f"JobID|NodeList|Start|End\n4711|node[0001-0008]|{AT + 540}|Unknown\n")
    before = Path.cwd()
    os.chdir(made)
    try:
        assert run(["fabric", WHOLE, "-o", "before.net"]) == 0
        assert run(["fabric", WHOLE, "--without", "leaf-03--spine-02", "-o", "after.net"]) == 0
        assert run(["route", WHOLE, "-R", "sssp", "-o", "opensm-lfts.dump"]) == 0
        assert run(["topology", WHOLE, "--as", "slurm-tree", "-o", "topology.conf"]) == 0
        for file, name in (("nxn.csv", "monday"), ("slower.csv", "tuesday")):
            given = ("--test", "nxn", "--what", "bandwidth", "--unit", "MB/s", "--name", name)
            assert run(["results", "import", file, *given]) == 0
    finally:
        os.chdir(before)
    return made


def test_every_command_has_an_example() -> None:
    assert set(EXAMPLES) == {path.removeprefix("lacis ") for path, _ in leaves(cli, "lacis")}
    for path, lines in EXAMPLES.items():
        for line in lines:
            words = "lacis measure nxn" if path == "measure test" else f"lacis {path.removesuffix(' show')}"
            assert line.startswith(words)
            assert len(line) <= 98, f"wider than a help of 100 columns: {line}"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        pytest.param(path, line, marks=pytest.mark.slow if path in LONG else (), id=line)
        for path, line in EVERY
    ],
)
def test_an_example_runs(
    lacis: Lacis, folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, line: str
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(line)[1:]
    if path in NOT_HERE or (path == "measure test" and shutil.which("mpiexec") is None):
        command = dict(leaves(cli, "lacis"))[f"lacis {path}"]
        command.make_context(path, words[len(path.split()) :])
        return
    done = lacis(*words)
    assert done.status == (line in SAYS_NO), done.err
    assert done.out or "-o" in words


@pytest.mark.parametrize("path", EXAMPLES)
def test_examples_stand_in_the_help_as_they_are_typed(
    lacis: Lacis, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for option in ("--help", "--help-all"):
        lines = lacis(*path.split(), option).out.splitlines()
        assert [f"  {line}" for line in EXAMPLES[path]] == [
            line for line in lines if line[2:] in EXAMPLES[path]
        ]


def test_every_command_has_a_page_under_what_a_user_wants() -> None:
    listed = (ROOT / "docs/reference/cli.md").read_text().partition("```{toctree}")
    groups = "".join(listed[1:]).split("```{toctree}\n:caption: ")[1:]
    found = {
        title: re.findall(r"^cli/(.+)$", body, re.M) for title, _, body in (g.partition("\n") for g in groups)
    }
    assert found == {title: list(commands) for title, commands in SECTIONS.items()}
    pages = {path.stem: path.read_text() for path in (ROOT / "docs/reference/cli").iterdir()}
    assert pages.keys() == COMMANDS.keys()
    for name, page in pages.items():
        assert f".. click:: lacis_commands:{name}\n   :prog: lacis {name}\n" in page


def test_commands_stand_under_what_a_user_wants(lacis: Lacis) -> None:
    text = lacis("--help").out
    offsets = [text.index(f"\n{title}:\n") for title in SECTIONS]
    assert offsets == sorted(offsets)
    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)
    for (title, commands), start in zip(SECTIONS.items(), offsets, strict=True):
        part = text[start:].partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in part.splitlines() if line[2] != " "] == list(commands)
