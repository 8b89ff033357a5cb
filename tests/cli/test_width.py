"""Every command keeps the width of the terminal, piped or not, and cuts nothing off."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lacis.cli import COMMANDS

from tests import hosts as kept_hosts
from tests.cli.samples import SWEEPS, counters

if TYPE_CHECKING:
    from tests.conftest import Lacis

WIDTHS = (60, 80, 120, 200)
WHOLE = "fat-tree:8,2"
RAILS = "fat-tree:8,2:rails=2"
CUT = (WHOLE, "--without", "random-cables=8%,seed=3", "--without", "spine-02")
MATRIX = ("--test", "pairs", "--what", "bandwidth", "--unit", "MB/s")

pytestmark = pytest.mark.usefixtures("once_a_fabric")

PRINTED: dict[str, list[tuple[str, ...]]] = {
    "report": [("report", *CUT, "-o", "page.html"), ("report", *CUT, "--full", "-o", "page.html")],
    "advise": [("advise", *CUT), ("advise", "torus:4x4")],
    "fabric": [("fabric", *CUT, "--why-levels"), ("fabric", RAILS, "--without", "node0003 HCA-2")],
    "verify": [
        ("verify", *CUT),
        ("verify", "torus:4x4", "-R", "minhop"),
        ("verify", *CUT, "--topology", WHOLE),
    ],
    "trace": [("trace", RAILS, "node0001", "node0020"), ("trace", "fat-tree:8,3", "node0001", "node0100")],
    "diff": [("diff", "whole.json", "cut.json", "--all"), ("diff", "--fabric", WHOLE, "a.lfts", "b.lfts")],
    "job": [("job", WHOLE, "node[0001-0009]"), ("job", RAILS, "node*")],
    "fit": [("fit", RAILS, "--nodes", "6", "--squeue", "queue.txt", "--how-long", "24")],
    "fragmentation": [("fragmentation", *CUT, "--squeue", "queue.txt")],
    "replay": [("replay", "fat-tree:4,2", "--share", "0")],
    "rails": [
        ("rails", RAILS, "--without", "node0003 HCA-2"),
        ("rails", "show", RAILS, "--all"),
        ("rails", "nccl", RAILS),
        ("rails", "check", "env.sh", RAILS),
        ("rails", "doctor", "job.log"),
    ],
    "predict": [
        ("predict", RAILS, "--hosts", "*"),
        ("predict", *CUT, "--traffic", "shift:3", "--model", "fluid"),
        ("predict", WHOLE, "--traffic", "allreduce:ring", "--model", "fluid", "--bytes", "1MB"),
    ],
    "simulate": [("simulate", "fat-tree:4,2", "--traffic", "shift:1", "--bytes", "64KiB")],
    "measure": [("measure", "plan", WHOLE)],
    "explain": [
        ("explain", "fat-tree:4,2", "--measured", "pairs.csv", *MATRIX),
        ("explain", "--measured", "pairs.csv", *MATRIX),
    ],
    "whatif": [("whatif", WHOLE, "--cut", "leaf-01--spine-01", "--drop", "spine-02")],
    "opafm": [("opafm", "opafm.xml")],
    "tune": [("tune", "fat-tree:4,2", "--steps", "20")],
    "survive": [("survive", *CUT, "--top", "5")],
    "host": [("host", "--root", "n017")],
    "capture": [("capture", "fat-tree:4,2", "--root", "n017", "-o", "kept.tar.gz")],
    "counters": [("counters", "--from", "sweeps.jsonl")],
    "why": [("why", "fat-tree:4,2", "node[0001-0004]", "--counters", "counters", "--last", "1m")],
    "results": [
        ("results", "list", "--store", "store"),
        ("results", "show", "first", "--store", "store"),
        ("results", "diff", "first", "second", "--all", "--store", "store"),
        ("results", "history", "pairs", "--store", "store"),
    ],
}
DATA = {
    "route": "tables, for files",
    "order": "a list of GUIDs, for a file",
    "permute": "hosts, for a launcher",
    "topology": "a file for a scheduler",
    "opensm": "lines of opensm.conf, which OpenSM does not join",
    "completion": "a script for a shell",
    "watch": "a line for each event, for a log",
    "top": "a terminal of any size",
    "serve": "a page in a browser",
    "exporter": "a page for Prometheus",
    "reproduce": "minutes; its table is made as the others are",
}
"""Commands that print what programs read, or take long."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands read."""
    from lacis.cli import run

    made = tmp_path_factory.mktemp("width")
    kept_hosts.host(made / "n017", governor="ondemand")
    kept_hosts.adapter(made / "n017", width="8")
    before = Path.cwd()
    os.chdir(made)
    try:
        assert run(["fabric", WHOLE, "-o", "whole.json"]) == 0
        assert run(["fabric", *CUT, "-o", "cut.json"]) == 0
        for engine, name in (("minhop", "a.lfts"), ("sssp", "b.lfts")):
            assert run(["route", WHOLE, "-R", engine, "-o", name]) == 0
        (made / "env.sh").write_text("export NCCL_IB_HCA=mlx5_0\nexport UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1\n")
        (made / "queue.txt").write_text("12 8 node[0005-0012]\n13 3 node[0001,0015,0020]\n14 4 (Resources)\n")
        (made / "job.log").write_text("node01: NCCL WARN NET/IB : No device found.\n")
        hosts = [f"node{n:04}" for n in range(1, 9)]
        rows = [
            [a, *("" if a == b else f"{9000 + 7 * i + j}.5" for j, b in enumerate(hosts))]
            for i, a in enumerate(hosts)
        ]
        (made / "pairs.csv").write_text("\n".join(map(",".join, [["", *hosts], *rows])) + "\n")
        (made / "opafm.xml").write_text(
            "<Config><Common><Shared><RoutingAlgorithm>fattree</RoutingAlgorithm>"
            "<AdaptiveRouting><Enable>1</Enable><Algorithm>2</Algorithm></AdaptiveRouting></Shared></Common></Config>\n"
        )
        for name in ("first", "second"):
            given = ["--name", name, *MATRIX, "--bytes", "1MB"]
            assert run(["results", "import", "pairs.csv", "--store", "store", *given]) == 0
        (made / "sweeps.jsonl").write_text(SWEEPS)
        counters(made / "counters", "fat-tree:4,2")
    finally:
        os.chdir(before)
    return made


def test_each_command_is_measured_or_prints_data() -> None:
    assert {*PRINTED, *DATA} == {*COMMANDS}
    assert {*PRINTED} & {*DATA} == set()


@pytest.mark.slow
@pytest.mark.parametrize("command", [words for group in PRINTED.values() for words in group], ids=" ".join)
def test_what_is_piped_is_as_wide_as_columns_at_most(
    lacis: Lacis, folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    printed = {}
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        done = lacis(*command)
        assert done.status in (0, 1), done.err
        assert done.out
        # Commands are for a shell, and not wrapped.
        lines = [line for line in done.out.splitlines() if not line.startswith(("   lacis ", "   opensm "))]
        assert [line for line in lines if len(line) > columns] == []
        printed[columns] = done.out
    # Numbers are there at every width.
    if command[0] != "report":
        numbers = [sorted(re.findall(r"\d+\.\d+", text)) for text in printed.values()]
        assert numbers[1] == numbers[-1]


@pytest.mark.slow
@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize(
    "command", [PRINTED["report"][0], PRINTED["rails"][1], PRINTED["survive"][0]], ids=" ".join
)
def test_what_a_terminal_shows_is_as_wide_as_it(folder: Path, command: tuple[str, ...], columns: int) -> None:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    program = [sys.executable, "-c", "from lacis.cli import main; main()", *command]
    shown = subprocess.Popen(
        program,
        stdout=side,
        stderr=subprocess.DEVNULL,
        stdin=side,
        cwd=folder,
        env={**environment, "TERM": "dumb"},
    )
    os.close(side)
    out = b""
    try:
        while piece := os.read(main, 65536):
            out += piece
    except OSError:  # the other side is closed
        pass
    os.close(main)
    assert shown.wait() in (0, 1)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode()).splitlines()
    assert len(lines) > 5
    assert [line for line in lines if len(line) > columns] == []


def test_what_is_longer_than_a_line_goes_on_below_its_value() -> None:
    from lacis.cli._output import wrapped

    line = "hottest   leaf-01[5] → spine-01[1], leaf-02[5] → spine-01[2]"
    assert wrapped(line, 40) == [
        "hottest   leaf-01[5] → spine-01[1],",
        "          leaf-02[5] → spine-01[2]",
    ]
    assert wrapped("short", 40) == ["short"]
    assert all(len(piece) <= 20 for piece in wrapped("x" * 70, 20))
