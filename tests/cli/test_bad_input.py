"""Bad input: each is one clear line on standard error, exit 2, and nothing written.

What the readers refuse and why is in `tests/fabrics/broken`; here is what a user sees, for every command.
"""

from __future__ import annotations

import gzip
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.conftest import Lacis, Result

BROKEN = ROOT / "tests" / "fabrics" / "broken"
COMMANDS = (
    ("fabric", "IN"),
    ("route", "IN", "-o", "out"),
    ("verify", "IN"),
    ("trace", "IN", "1", "2"),
    ("predict", "IN"),
    ("report", "IN", "-o", "out"),
)
INPUTS = {
    "empty": "the input is empty",
    "folder": "folder: is a directory",
    "packed": "gzip data",
    "random": "binary data",
    "absent": "absent",
    str(BROKEN / "truncated-line.txt"): "truncated-line.txt:84: ",
    str(BROKEN / "port-twice.txt"): "appears twice",
    str(BROKEN / "never-defined.txt"): "is never defined",
    str(BROKEN / "self-link.txt"): "cabled to itself",
    str(BROKEN / "port-too-high.txt"): "so no port 5",
    "": "the name of a file to read is empty",
}
# What is wrong with the command line → words of the line that says so.
LINES = {
    ("verify", "itasca", "--lfts", "empty"): "empty: the input is empty",
    ("verify", "itasca", "--lfts", "packed"): "gzip data",
    ("verify", "itasca", "--lfts", "roots"): "roots:1: an entry outside any table",
    ("route", "article", "-R", ""): "-R names no engine",
    ("route", "article", "-R", "minhop,upd"): '"upd"; did you mean updn?',
    ("route", "article", "-X", "words"): "words:1: bad GUID",
    ("route", "article", "-a", "bare"): "write 0x0002c90300000001",
    ("route", "article", "-u", "folder"): "folder: is a directory",
    ("route", "article", "-o", "folder"): "folder: cannot be written: is a directory",
    ("route", "article", "-o", ""): "the name of a file to write is empty",
    ("route", "article", "-o", "/dev/full"): "/dev/full: cannot be written: no space left",
    ("route", "article", "-o", "out", "--guid2lid", "no/such"): "no/such: cannot be written",
    ("route", "article", "-o", "no/such", "--guid2lid", "out"): "no/such: cannot be written",
    ("report", "article", "-o", ""): "the name of a file to write is empty",
    ("fabric", "article", "--json", "--without", "NodeX"): "nearest: NodeA",
    ("fabric", "article", "--node-name-map", "random"): "binary data",
    ("predict", "article", "--traffic", "file:empty"): "empty: no pair in the file",
    ("predict", "article", "--model", "flud"): "'load', 'fluid'",
    ("verify", "artcle", "--json"): "nearest: article",
    ("trace", "article", 'nodepat:"NodeA hfi1_0":port:7', "NodeB"): "no end port 7",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with every bad file in it."""
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("folder").mkdir()
    Path("packed").write_bytes(gzip.compress(b"Switch 4"))
    Path("random").write_bytes(b"\x00" + random.Random(1).randbytes(5000))
    Path("roots").write_text("0x2c9\n")
    Path("bare").write_text("0002c90300000001\n")
    Path("words").write_text("hello world\n")
    return tmp_path


def refused(result: Result, words: str) -> None:
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("lacis: ")
    assert result.err.count("\n") == 1
    assert words in result.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_command_takes_a_bad_fabric(lacis: Lacis, folder: Path, command: tuple[str, ...]) -> None:
    before = sorted(folder.rglob("*"))
    for source, words in INPUTS.items():
        refused(lacis(*(source if arg == "IN" else arg for arg in command)), words)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("args", "words"), LINES.items(), ids=map(" ".join, LINES))
def test_a_bad_line_is_answered_with_one(
    lacis: Lacis, folder: Path, args: tuple[str, ...], words: str
) -> None:
    before = sorted(folder.rglob("*"))
    refused(lacis(*args), words)
    assert sorted(folder.rglob("*")) == before


def test_an_empty_list_of_guids_is_remarked_on(lacis: Lacis, folder: Path) -> None:  # noqa: ARG001
    done = lacis("route", "article", "-X", "empty")
    assert (done.status, done.err) == (0, "lacis: empty: no GUID in the file\n")


def test_a_line_of_a_hundred_megabytes_is_cut_short(lacis: Lacis, tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b'Switch\t4 "S-1" # "' + b"y" * 100_000_000)
    done = lacis("fabric", big)
    refused(done, "big:1: the line has 100000018 bytes")
    assert len(done.err) < 300 + len(str(big))


def test_wherever_the_real_file_is_cut(lacis: Lacis, dgx: Path, tmp_path: Path) -> None:
    whole = dgx.read_bytes()
    cut = tmp_path / "cut"
    for size in (100, 3000, 15_001, 150_003, 250_007, 290_001, 299_400):
        cut.write_bytes(whole[:size])
        refused(lacis("fabric", cut), f"{cut}:")


def test_ends_of_lines_make_no_difference(lacis: Lacis, dgx: Path, tmp_path: Path) -> None:
    dos = tmp_path / "dos"
    dos.write_bytes(dgx.read_bytes().replace(b"\n", b"\r\n"))
    assert lacis("fabric", dos).out == lacis("fabric", dgx).out


def test_an_interrupt_is_one_line_and_exit_130(tmp_path: Path) -> None:
    # A background job is started with interrupts ignored: undo that.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from lacis.cli import main; main()"
    )
    args = ["route", "-", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        time.sleep(1.5)  # by now it waits for standard input
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=10)
    assert (program.returncode, out, err) == (130, "", "lacis: interrupted\n")
    assert list(tmp_path.iterdir()) == []
