"""Bad input: each is one clear line on standard error, exit 2, and nothing written.

What the readers refuse and why is in `tests/fabrics/broken`; here is what a user sees, for every command.
"""

from __future__ import annotations

import gzip
import json
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
    ("advise", "IN", "-o", "out"),
    ("whatif", "IN", "--cut", "random-cables=1", "-o", "out"),
    ("survive", "IN", "-o", "out"),
    ("tune", "IN", "-o", "out"),
)
INPUTS = {
    "empty": "the input is empty",
    "folder": "folder: a folder without a fabric",
    "packed": "looks truncated",
    "random": "binary data",
    "absent": "absent",
    str(BROKEN / "truncated-line.txt"): "truncated-line.txt:84: ",
    str(BROKEN / "port-twice.txt"): "appears twice",
    str(BROKEN / "never-defined.txt"): "is never defined",
    str(BROKEN / "port-too-high.txt"): "so no port 5",
    "": "the name of a file to read is empty",
}
# What is wrong with the command line → words of the line that says so.
LINES = {
    ("verify", "itasca", "--lfts", "empty"): "empty: the input is empty",
    ("verify", "itasca", "--lfts", "packed"): "packed:1: no forwarding table found",
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
    # A variable of the shell that is not set: not the current folder.
    ("explain", "article", "--measured", ""): "the name of a run or a file is empty",
    ("rails", "doctor", ""): "the name of a file to read is empty",
    ("counters", "--from", ""): "the name of a file to read is empty",
    ("why", "article", "NodeA", "--counters", "", "--last", "1m"): "the name of a file to read is empty",
    ("results", "list", "--store", ""): "the name of a store is empty",
    ("simulate", "article", "--load", "0.5"): "--load is for --test load, not burst",
    ("simulate", "article", "--window", "4"): "--window is for --test windows, not burst",
    ("simulate", "article", "--test", "load", "--count", "3"): "--count is for --test burst or windows",
    ("predict", "article", "--host-efficiency", "0.5"): "--host-efficiency needs --model fluid",
    ("help",): "no command 'help' (see `lacis --help`)",
    ("fabric", "article", "--without", "NodeX"): "nearest: NodeA",
    ("fabric", "article", "--node-name-map", "random"): "binary data",
    ("route", "article", "-m", "bare-id"): "bare-id:1: a GUID without 0x",
    ("route", "article", "-m", "ids-twice"): "ids-twice:2: the GUID appears twice, first on line 1",
    ("route", "article", "-m", "trailing"): "trailing:1: text after an id",
    ("route", "article", "-i", "roots"): "roots:1: a port follows the GUID",
    ("route", "article", "-w", "trailing"): "trailing:1: a weight is a number from 1 to 255",
    ("route", "article", "-O", "same-port"): "same-port:1: a port appears twice",
    ("route", "article", "-R", "file", "-U", "empty"): "empty:1: no forwarding table found",
    ("route", "article", "-R", "file", "-U", "lfts-cut"): "lfts-cut:2: bad port: it is decimal",
    (
        "route",
        "article",
        "-R",
        "file",
        "-U",
        "lfts-lid",
    ): "lfts-lid:2: bad LID: it is hexadecimal, up to 0xbfff",
    ("route", "article", "-R", "file", "-M", "words"): "words:1: no hop matrix found",
    ("route", "article", "-R", "file", "-M", "hops-cut"): "hops-cut:2: bad hops",
    ("route", "article", "-U", "lfts-cut"): "-U is for -R file",
    ("route", "article", "-R", "updn", "-M", "words"): "-M is for -R file",
    ("route", "article", "--guid2lid-cache", "roots"): "roots:1: OpenSM writes the GUID as",
    ("route", "article", "--guid2lid-cache", "cache-dos"): "cache-dos:1: a line ends in CR LF",
    ("route", "article", "--guid2lid-cache", "empty", "--fresh-lids"): "--fresh-lids forgets the LID cache",
    ("route", "fat-tree:36,2", "-l", "7"): "36242 LIDs are missing, for 301 end ports (LMC 6 fits)",
    ("route", "article", "-l", "8"): "8 is not in the range",
    ("route", "fat-tree:64,3"): "LIDs are missing",
    ("route", "article", "--opensm-conf", "conf-twice"): "conf-twice:2: lmc has another value on line 1",
    ("route", "article", "--opensm-conf", "conf-lmc"): "conf-lmc:1: lmc is a number from 0 to 7",
    (
        "route",
        "article",
        "--opensm-conf",
        "conf-true",
    ): "conf-true:1: connect_roots is TRUE or FALSE, in capitals",
    (
        "route",
        "article",
        "--opensm-conf",
        "conf-engine",
    ): 'conf-engine:1: unknown routing engine "ftre"; did you',
    ("route", "article", "--opensm-conf", "conf-alone"): "conf-alone:1: no_fallback without an engine",
    ("route", "article", "--opensm-conf", "conf-file"): "absent: no such file",
    (
        "route",
        "article",
        "--opensm-conf",
        "conf-cache",
    ): "conf-cache:2: reassign_lids forgets the LIDs that honor_",
    ("route", "article", "--opensm-conf", "conf-lash"): "conf-lash:2: lash_start_vl 4 leaves no lane of 4",
    ("report", "article", "--opensm-conf", "conf-twice", "-o", "out"): "conf-twice:2: lmc has another value",
    ("route", "article", "--verbose"): "--verbose names keys of --opensm-conf",
    ("verify", "article", "--opensm-conf", "conf-twice"): "conf-twice:2: ",
    ("predict", "article", "--opensm-conf", "conf-twice"): "conf-twice:2: ",
    (
        "route",
        "article",
        "--lfts",
        "empty",
        "--opensm-conf",
        "conf-lmc",
    ): "--opensm-conf has no meaning with it",
    ("predict", "article", "--traffic", "file:empty"): "empty: no pair in the file",
    ("predict", "article", "--model", "flud"): "'load', 'fluid'",
    ("verify", "artcle"): "nearest: article",
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
    Path("bare-id").write_text("2c9 1\n")
    Path("ids-twice").write_text("0x2c9 1\n0x2c9 2\n")
    Path("trailing").write_text("0x2c9 1 0\n")
    Path("same-port").write_text("0x2c9 1 2 1\n")
    Path("cache-dos").write_bytes(b"0x00000000000002c9 0x0001 0x0001\r\n\r\n")
    Path("lfts-cut").write_text("Unicast lids guid 0x1\n0x00\n")
    Path("lfts-lid").write_text("Unicast lids guid 0x1\n0xc000 1\n")
    Path("hops-cut").write_text("Switch: guid 0x1\n0x0001: 01 zz\n")
    Path("conf-twice").write_text("lmc 1\nlmc 2\n")
    Path("conf-lmc").write_text("lmc 9\n")
    Path("conf-true").write_text("connect_roots true\n")
    Path("conf-engine").write_text("routing_engine ftre\n")
    Path("conf-alone").write_text("routing_engine no_fallback\n")
    Path("conf-cache").write_text("honor_guid2lid_file TRUE\nreassign_lids TRUE\n")
    Path("conf-lash").write_text("routing_engine lash\nlash_start_vl 4\nmax_op_vls 3\n")
    Path("conf-file").write_text("root_guid_file absent\n")
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


GUID_FILES = {
    "-X": ("port", ""),
    "-a": ("switch", ""),
    "-u": ("port", ""),
    "-G": ("port", ""),
    "-m": ("switch", " 7"),
    "-i": ("switch", " 1"),
    "-w": ("switch", " 1 2"),
    "-O": ("switch", " 1 2"),
}
"""Options that take files of GUIDs: whose GUIDs, and what follows one."""


@pytest.mark.parametrize("option", GUID_FILES)
def test_each_file_of_guids_is_refused_with_one_line(lacis: Lacis, folder: Path, option: str) -> None:
    kind, rest = GUID_FILES[option]
    assert lacis("fabric", "fat-tree:4,2", "-o", "whole.json").status == 0
    nodes = json.loads(Path("whole.json").read_text())["nodes"]
    switches = [node["guid"] for node in nodes if node["kind"] == "switch"]
    adapters = [node["ports"][0].get("guid", node["guid"]) for node in nodes if node["kind"] == "adapter"]
    known, other = (switches if kind == "switch" else adapters)[:2]

    def route(text: str, *more: str) -> Result:
        (folder / "guids").write_bytes(text.encode())
        return lacis("route", "fat-tree:4,2", "-R", "ftree,minhop", option, "guids", *more)

    refused(route(f"{known[2:]}{rest}\n"), "guids:1: a GUID without 0x")
    refused(route(f"{known}{rest}\nspine-1{rest}\n"), "guids:2: bad GUID")
    refused(
        route(f"{known}{rest}\n0xdeadbeef{rest}\n"), "guids: 1 of 2 GUIDs is not in the fabric, such as 0x"
    )
    twice = route(f"{known}{rest}\n{known}{rest}\n")
    refused(twice, "twice")
    refused(route(f"{known}{rest} spine-1\n"), "guids:1: ")
    # CR LF ends lines for OpenSM too, and a comment may follow.
    plain = route(f"{known}{rest}\n{other}{rest}\n", "-o", "-")
    assert plain.status == 0
    dos = route(f"{known}{rest} # here\r\n\r\n{other}{rest}\r\n", "-o", "-")
    assert (dos.status, dos.out) == (0, plain.out)
    # As OpenSM does, with a remark.
    lenient = route(f"{known}{rest}\n0xdeadbeef{rest}\n", "--lenient")
    assert lenient.status == 0
    assert "guids: 1 of 2 GUIDs is not in the fabric" in lenient.err


def test_files_of_the_whole_fabric_go_with_a_part_of_it(lacis: Lacis, folder: Path) -> None:
    order = lacis("order", "fat-tree:4,2").out
    (folder / "order").write_text(order)
    done = lacis("route", "fat-tree:4,2", "--without", "node0001", "-X", "order")
    assert done.status == 0
    assert "order: 1 of 8 GUIDs is not in the fabric" in done.err


def test_what_a_configuration_says_that_does_not_count_is_listed(lacis: Lacis, folder: Path) -> None:  # noqa: ARG001
    Path("conf").write_text("lmcs 2\nsm_priority 3\nrouting_engine updn,no_fallback\nmax_op_vls 3\n")
    done = lacis("route", "fat-tree:4,2", "--opensm-conf", "conf", "-R", "minhop", "--json")
    assert done.status == 0, done.err
    assert done.err.splitlines() == [
        "lacis: conf:1: OpenSM knows no key lmcs, and ignores it",
        "lacis: conf: 1 key does not concern routing: sm_priority",
        "lacis: conf:3: overridden by the command line",
    ]
    assert '"engine_used": "minhop"' in done.out
    passed = json.loads(done.out)["opensm_conf"]
    assert passed == {
        "file": "conf",
        "ignored": [{"line": 2, "key": "sm_priority", "value": "3"}],
        "adaptive": [],
        "unknown": [{"line": 1, "key": "lmcs", "value": "2"}],
    }
    answer = lacis("route", "fat-tree:4,2", "--opensm-conf", "conf", "-R", "minhop", "--verbose")
    assert "lacis: conf:2: does not concern routing: sm_priority 3" in answer.err.splitlines()
    # Without -R the engine is the file's, and it may not fall back.
    refused = lacis("route", "torus:4x4", "--opensm-conf", "conf")
    assert (refused.status, refused.err.splitlines()[-1].startswith("lacis: updn refuses: ")) == (1, True)


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (("verify", "fat-tree:4,2", "--opensm-conf", "conf"), 0),
        (("results", "show", "values.csv"), 2),
        (("fabric", "no\x1b[31m such file"), 2),
        (("fabric", "fat-tree:4,2", "--roles", "\x9b31m"), 2),
    ],
)
def test_no_remark_and_no_error_has_what_a_terminal_obeys(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], status: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("conf").write_text("\x1b]0;title\x07\x1b[31mred 1\n")
    Path("values.csv").write_text("a,b\x1b[31m\n1,2\n3,4\n")
    done = lacis(*args)
    assert done.status == status
    assert done.err.startswith("lacis: ")
    assert [line for line in done.err.splitlines() if not line.isprintable()] == []


@pytest.mark.slow
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
        "from lacis.cli import main; print('loaded', flush=True); main()"
    )
    args = ["route", "-", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "loaded\n"
        time.sleep(
            0.5
        )  # now it waits for standard input, or loads what reads it: either is interrupted alike
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (130, "", "lacis: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_the_program_is_loaded_ends_it_silently() -> None:
    # Loading stops at the first module that the command line needs, until it is interrupted.
    code = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from lacis.__main__ import main
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            print("loading", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
main()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "loading\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    # Shells know this end by the status 130.
    assert (program.returncode, out, err) == (-signal.SIGINT, "", "")
