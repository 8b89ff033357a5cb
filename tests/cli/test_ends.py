"""How a command line ends, whatever happens: 0, 1, 2, 70 or 130, one line, and no file that is half written."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import lacis as api
import pytest
from lacis import _core
from lacis.cli import COMMANDS, cli, run
from lacis.errors import LacisError
from lacis.io import memory

from tests import schemas
from tests.conftest import one_quick

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Lacis

PROGRAM = [sys.executable, "-c", "from lacis.cli import main; main()"]
TREE = "fat-tree:4,2"


def program(*args: str, cwd: Path, **kwargs: object) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*PROGRAM, *args], check=False, timeout=60, cwd=cwd, env=environment, **kwargs
    )


def fails_with(error: Callable[[], BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Has every command fail so."""

    def broken(_self: click.Context, *_args: object, **_kwargs: object) -> None:
        raise error()

    monkeypatch.setattr(click.Context, "invoke", broken)


# --- a bug ---------------------------------------------------------------------------------------


def test_a_bug_is_70_and_a_line_that_says_how_to_report_it(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LACIS_DEBUG", raising=False)
    fails_with(lambda: ZeroDivisionError("division\nby zero"), monkeypatch)
    done = lacis("fabric", TREE)
    assert (done.status, done.out, done.err.count("\n")) == (70, "", 1)
    assert done.err.startswith("lacis: a bug in Lacis: ZeroDivisionError: division by zero (")
    assert "please report this line with the command" in done.err
    monkeypatch.setenv("LACIS_DEBUG", "1")
    done = lacis("fabric", TREE)
    assert done.status == 70
    assert "Traceback (most recent call last):" in done.err
    assert done.err.splitlines()[-1].startswith("lacis: a bug in Lacis: ZeroDivisionError")


def test_a_bug_says_where_it_is(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    def bad(_source: str) -> None:
        raise KeyError("x")

    monkeypatch.setattr("lacis.fabric.read", bad)
    assert re.search(r"KeyError: 'x' \(lacis\.cli\._fabric, line \d+\)", lacis("fabric", TREE).err)


def at_once() -> None:
    api.read(TREE).radix(10**6)  # a switch that is not there


def in_a_thread() -> None:
    hosts = api.participants(api.route(api.read("fat-tree:8,3")))
    _core.predict(api.route(api.read(TREE)), hosts, "bisection")  # hosts of another fabric


def panic(what: Callable[[], None]) -> BaseException:
    """A panic of the engine."""
    try:
        what()
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return error
    raise AssertionError("the engine did not panic")


@pytest.mark.parametrize("what", [at_once, in_a_thread])
def test_a_panic_of_the_engine_is_70_and_one_line(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, what: Callable[[], None]
) -> None:
    monkeypatch.delenv("LACIS_DEBUG", raising=False)
    monkeypatch.setenv("RUST_BACKTRACE", "1")
    fails_with(lambda: panic(what), monkeypatch)
    done = lacis("fabric", TREE)
    assert (done.status, done.out, done.err.count("\n")) == (70, "", 1)
    assert "PanicException: index out of bounds" in done.err
    assert re.search(r"\(crates/lacis-core/src/[\w/]+\.rs:\d+:\d+\)", done.err)


# --- Ctrl-C ----------------------------------------------------------------------------------------

LOST = """
import signal, sys, time
from lacis.cli import _ends
signal.signal(signal.SIGINT, signal.default_int_handler)
class Held:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def in_a_destructor():
    held = Held()
    del held
    time.sleep(60)
    return 0
class Named:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)
def in_a_class_that_is_made():
    type("Owner", (), {"named": Named()})
    return 0
def as_another_error():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("initialization failed")
sys.exit(_ends.ended(globals()[sys.argv[1]], as_json=False))
"""


@pytest.mark.parametrize("how", ["in_a_destructor", "in_a_class_that_is_made", "as_another_error"])
def test_an_interrupt_is_heard_wherever_it_comes(how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOST, how], capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "lacis: interrupted\n")


# --- with --json -----------------------------------------------------------------------------------

FAILURES: dict[str, tuple[Callable[[], BaseException], int, str]] = {
    "input": (
        lambda: LacisError("a port appears twice", 3, "x", "file"),
        2,
        "file:3: a port appears twice: x",
    ),
    "usage": (lambda: click.UsageError("no such thing"), 2, "no such thing"),
    "bug": (lambda: ZeroDivisionError("division by zero"), 70, "a bug in Lacis: "),
    "interrupted": (KeyboardInterrupt, 130, "interrupted"),
    "system": (lambda: OSError(5, "Input/output error", "disk"), 2, "disk: input/output error"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_with_json_an_error_is_an_object_too(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    error, status, words = FAILURES[kind]
    fails_with(error, monkeypatch)
    done = lacis("fabric", TREE, "--json")
    found = json.loads(done.out)
    schemas.check(found, "lacis.error/1")
    assert (done.status, found["status"], found["kind"]) == (status, status, kind)
    assert found["words"].startswith(words)
    assert done.err == f"lacis: {found['words']}\n"
    where = ("file", 3, "x") if kind == "input" else (None, None, None)
    assert (found["file"], found["line"], found["text"]) == where


def test_with_json_a_refusal_has_the_engines_that_refused(lacis: Lacis) -> None:
    done = lacis("route", "torus:4x4", "-R", "ftree", "--no-fallback", "--json")
    found = json.loads(done.out)
    schemas.check(found, "lacis.error/1")
    assert (done.status, found["status"], found["kind"]) == (1, 1, "refused")
    assert [one["engine"] for one in found["refusals"]] == ["ftree"]


@pytest.mark.parametrize(
    "args", [("fabric", "--json"), ("fabrik", "--json"), ("fabric", TREE, "--bogus", "--json")]
)
def test_with_json_a_mistyped_line_is_an_object_too(lacis: Lacis, args: tuple[str, ...]) -> None:
    done = lacis(*args)
    assert (done.status, json.loads(done.out)["kind"]) == (2, "usage")


def test_with_json_there_is_one_object(lacis: Lacis, tmp_path: Path) -> None:
    # The result is printed before it is kept, where a file stands in the way.
    (tmp_path / "file").touch()
    done = lacis(
        *(
            "predict",
            TREE,
            "--model",
            "fluid",
            "--patterns",
            "2",
            "--save",
            "a",
            "--store",
            tmp_path / "file",
            "--json",
        )
    )
    assert done.status == 2
    assert json.loads(done.out)["schema"] == "lacis.predict/1"


def test_what_is_not_asked_for_is_not_printed(lacis: Lacis) -> None:
    assert lacis("fabric", "/absent").out == ""
    assert lacis("measure", "test", "nxn", "--", "--json").out == ""


# --- memory ----------------------------------------------------------------------------------------

LARGE = {
    "a spec": ("fabric", "fat-tree:8,2"),
    "tables": ("route", "article"),
    "a simulation": ("simulate", "article"),
    "many runs": ("simulate", "article", "--patterns", "1000000"),
    "many messages": ("simulate", TREE, "--traffic", "alltoall:linear", "--ranks-per-host", "4096"),
}


@pytest.mark.parametrize("what", LARGE)
def test_memory_is_looked_at_before_it_is_taken(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    # A simulation of 10 nodes takes some kB, and as many for each run.
    free = {"a spec": 1_000, "tables": 10, "a simulation": 5_000}.get(what, 100_000_000)
    where = "lacis.io.memory" if what in ("a spec", "tables") else "lacis.model.simulation"
    monkeypatch.setattr(f"{where}.free_memory", lambda: free)
    if what == "tables":
        monkeypatch.setattr(_core, "spec_memory", lambda _spec: 0)
    begun = time.monotonic()
    done = lacis(*LARGE[what])
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.search(r"needs? (about )?[\d,.]+ GiB of memory, and [\d,.]+ GiB are free", done.err)
    assert time.monotonic() - begun < 5


def test_the_memory_of_a_spec_grows_with_its_nodes_and_ports() -> None:
    small, large = _core.spec_memory("fat-tree:8,2"), _core.spec_memory("fat-tree:128,3")
    # 128-port switches in three levels: 5 * 128² / 4 switches, 128³ / 4 hosts, and a fabric of half a GB, as measured.
    assert small < 100_000
    assert 0.25e9 < large < 1e9
    with pytest.raises(LacisError, match="RADIX"):
        _core.spec_memory("fat-tree:99999999,3")


def test_free_memory_is_what_the_group_of_processes_has_left(tmp_path: Path) -> None:
    group = tmp_path / "jobs" / "one"
    group.mkdir(parents=True)
    (tmp_path / "self").write_text("0::/jobs/one\n")
    for folder, most, used, cached in ((group, "max", 5, 0), (group.parent, "1000", 700, 200)):
        (folder / "memory.max").write_text(f"{most}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 1\nfile {cached}\n")
    assert memory._of_group(tmp_path, tmp_path / "self") == 1000 - (700 - 200)
    (tmp_path / "self").write_text("1:name=systemd:/\n")
    assert memory._of_group(tmp_path, tmp_path / "self") is None


@pytest.mark.slow
def test_a_limit_of_the_shell_is_kept(tmp_path: Path) -> None:
    code = f"ulimit -v 4000000; exec {sys.executable} -c 'from lacis.cli import main; main()' simulate {TREE} --patterns 1000000"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "GiB are free" in done.stderr


# --- pipes and disks -------------------------------------------------------------------------------

PRINTING = {
    "a table": ("fabric", "fat-tree:8,2"),
    "lines": ("verify", "fat-tree:8,2"),
    "JSON": ("fabric", "fat-tree:8,2", "--json"),
    "data": ("route", "fat-tree:8,2", "-o", "-"),
    "help": ("predict", "--help-all"),
}


@pytest.mark.parametrize("what", one_quick(PRINTING))
def test_a_reader_that_left_is_no_error(tmp_path: Path, what: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = program(*PRINTING[what], cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_standard_error_ends_no_command(tmp_path: Path) -> None:
    # An order of no GUID is remarked on; no one reads the remark.
    (tmp_path / "empty").touch()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = program(
            "route", TREE, "-X", "empty", "-o", "out", cwd=tmp_path, stdout=subprocess.PIPE, stderr=writing
        )
    finally:
        os.close(writing)
    assert done.returncode == 0
    assert (tmp_path / "out").stat().st_size > 0


@pytest.mark.parametrize("number", one_quick([1, 0, 2]))
def test_streams_that_were_closed_before_are_no_error(tmp_path: Path, number: int) -> None:
    command = " ".join(f"'{word}'" for word in [*PROGRAM, "fabric", TREE, "--json", "-o", "kept.json"])
    done = subprocess.run(
        ["bash", "-c", f"{command} {number}>&-"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    # No file that was opened got the number of the stream, and what is printed.
    assert json.loads((tmp_path / "kept.json").read_text())["schema"] != "lacis.fabric/1"


@pytest.mark.parametrize("what", one_quick(PRINTING))
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path, what: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = program(*PRINTING[what], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
    line = b"lacis: standard output: cannot be written: no space left on device\n"
    assert (done.returncode, done.stderr) == (2, line)


# --- Ctrl-C ----------------------------------------------------------------------------------------


BEGUN = {
    "simulate": ("lacis._core", "simulate"),
    "predict": ("lacis._core", "predict"),
    "tune": ("lacis.tuning.stages:_Search", "_screen"),
    "report": ("lacis._core", "route"),
}
"""Commands, and the function that takes them long."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("simulate", "fat-tree:8,2", "--bytes", "10GB", "--json", "--save", "run", "-o", "messages.csv"),
        ("predict", "fat-tree:16,3", "--patterns", "1000000"),
        ("tune", "fat-tree:16,3"),
        ("report", "fat-tree:36,3", "-o", "page.html"),
    ],
    ids=lambda args: args[0],
)
def test_an_interrupted_command_ends_with_130_and_leaves_nothing(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    # A background job is started with interrupts ignored: undo that. It says when the long work begins.
    owner, wanted = BEGUN[args[0]]
    code = f"""
import pkgutil, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
owner = pkgutil.resolve_name({owner!r})
asked, work = [], getattr(owner, {wanted!r})
def begun(*args, **keywords):
    if not asked:
        asked.append(True)
        print("begun", file=sys.stderr, flush=True)
    return work(*args, **keywords)
setattr(owner, {wanted!r}, begun)
{PROGRAM[-1]}"""
    with subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as started:
        assert started.stderr is not None
        assert started.stderr.readline() == "begun\n"
        time.sleep(0.5)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=120)
    assert "Traceback" not in err
    assert started.returncode == 130
    # A simulation prints what it came to, and a search what it found; both say so.
    if args[0] == "tune":
        assert ", stopped" in out
    elif args[0] == "simulate":
        assert json.loads(out)["partial"]
        assert err.splitlines() == [
            "lacis: -o: the messages of an interrupted simulation are not written",
            "lacis: --save: an interrupted simulation is not kept",
        ]
    else:
        assert (out, err) == ("", "lacis: interrupted\n")
    assert list(tmp_path.iterdir()) == []


# --- encodings -------------------------------------------------------------------------------------


def test_what_an_encoding_lacks_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
    assert run(["predict", TREE, "--patterns", "3"]) == 0
    sys.stdout.flush()
    assert b"] ? spine-" in out.getvalue()


def test_json_is_whole_in_any_encoding(lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fabric = json.loads(api.read(TREE).to_json())
    fabric["nodes"][0]["description"] = "leaf-\N{LATIN SMALL LETTER U WITH DIAERESIS}1"
    (tmp_path / "named.json").write_text(json.dumps(fabric))
    usual = json.loads(lacis("verify", tmp_path / "named.json", "--json").out)
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
    assert run(["verify", str(tmp_path / "named.json"), "--json"]) == 0
    sys.stdout.flush()
    assert json.loads(out.getvalue().decode("ascii")) == usual


@pytest.mark.parametrize(
    "variables",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_the_c_locale_is_no_error(tmp_path: Path, variables: dict[str, str]) -> None:
    done = subprocess.run(
        [*PROGRAM, "predict", TREE, "--patterns", "3"],
        capture_output=True,
        check=False,
        env={**os.environ, **variables},
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b" ? " in done.stdout
    assert done.stdout.isascii()


def test_statuses_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text("utf-8")
    for status in (0, 1, 2, 70, 130):
        assert f"| {status} |" in page
    assert cli.list_commands(click.Context(cli)) == list(COMMANDS)
