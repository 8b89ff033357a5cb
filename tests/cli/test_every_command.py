"""What users notice at every command alike: width, colour, encoding, packed input, odd names, a full disk, errors as JSON.

Every command is run, by the smallest line that `samples` has for it; a command that is missing there fails
`test_mistyped`.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as api
import pytest
from lacis.cli import run

from tests import schemas
from tests.cli import samples
from tests.cli.test_main import EVERY

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from tests.conftest import Lacis, Result

pytestmark = pytest.mark.usefixtures("once_a_fabric", "here")

QUICK = [name for name in samples.LINES if name not in samples.SLOW]
COMMAND = dict(EVERY)
WITH_JSON = [name for name in QUICK if any(one.name == "as_json" for one in COMMAND[name].params)]
ESCAPE = "\x1b"
ODD = "sp ine \N{LATIN SMALL LETTER U WITH DIAERESIS} [1]"
"""The name of a switch: with blanks, brackets and a letter that ASCII lacks."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("every")
    samples.write(made)
    return made


@pytest.fixture
def here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the files that the lines read."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def has(name: str, option: str) -> bool:
    return any(option in one.opts for one in COMMAND[name].params)


def done_well(result: Result) -> Result:
    assert result.status in (0, 1), result.err
    return result


# --- what is printed -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in QUICK if name not in samples.DATA])
def test_no_line_is_wider_than_the_terminal(
    lacis: Lacis,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    for columns in (60, 80, 120, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = done_well(lacis(*samples.line(name))).out
        # Commands are for a shell, and not wrapped.
        lines = [line for line in out.splitlines() if not line.startswith(("   lacis ", "   opensm "))]
        assert [line for line in lines if len(line) > columns] == []


def test_colours_are_printed_where_they_are_asked_for(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert ESCAPE in lacis(*samples.line("fabric")).out


@pytest.mark.parametrize("name", QUICK)
def test_without_colours_there_is_no_escape(
    lacis: Lacis,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    # As on a terminal.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESCAPE not in done_well(lacis(*samples.line(name))).out


@pytest.mark.parametrize("name", QUICK)
def test_an_encoding_that_lacks_characters_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
    assert run([*samples.line(name)]) in (0, 1)
    sys.stdout.flush()
    to_file = {"-o", "--textfile"} & set(samples.line(name))
    if not to_file or "-" in samples.line(name):
        assert out.getvalue()


# --- what is read ----------------------------------------------------------------------------------

READ = {
    "counters": {"sweeps.jsonl"},
    "diff": {"cut.json"},
    "explain": {"pairs.csv"},
    "measure show": {"run.jsonl"},
    "opafm": {"opafm.xml"},
    "rails check": {"env.sh"},
    "rails doctor": {"job.log"},
    "results import": {"pairs.csv"},
}
"""Files that the lines read, beside the fabric."""


def answer(result: Result) -> tuple[int, str]:
    """What a command says, without the moments and names of runs, and how long a search took."""
    return result.status, re.sub(r"\d{8}T\S*|in \d+ s", "", done_well(result).out)


@pytest.mark.parametrize(
    "name", [name for name in QUICK if samples.TREE in samples.line(name) or name in READ]
)
def test_packed_files_with_blanks_in_their_names_are_read(
    lacis: Lacis, here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (here / "tree.json").write_text(api.read(samples.TREE).to_json())
    read = {"tree.json", *READ.get(name, ())}
    line = ["tree.json" if word == samples.TREE else word for word in samples.line(name)]
    line = [f"a {word}.gz" if word in read else word for word in line]
    answers = []
    monkeypatch.setenv("COLUMNS", "500")  # paths are not wrapped
    for folder, pack in (("normal", bytes), ("packed", gzip.compress)):
        # Files are recognised by their content, whatever their names say.
        shutil.copytree(here, there := here / f"these are {folder}", ignore=shutil.ignore_patterns("these*"))
        for file in read:
            (there / f"a {file}.gz").write_bytes(pack((there / file).read_bytes()))
        monkeypatch.chdir(there)
        status, out = answer(lacis(*line))
        answers.append((status, out.replace(str(there), "")))
    assert answers[0] == answers[1]


FILES_OF_OPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "--roles": (("fabric",), "leaf leaf-0*\n"),
    "--node-name-map": (("fabric",), '0x0002c90200400000 "renamed"\n'),
    "-a": (("route", "-R", "updn"), "GUIDS"),
    "--opensm-conf": (("route",), "routing_engine minhop\n"),
    "--lfts": (("verify",), "TABLES"),
    "--hosts": (("predict",), "node[0001-0004]\n"),
    "--host-order": (("predict", "--patterns", "2"), "node[0001-0008]\n"),
    "--traffic": (("predict",), "node0001 node0005\n"),
    "--opafm": (("simulate", "--bytes", "4KiB", "--device", "opa100"), "XML"),
}
"""Options whose files every command reads alike: a command that has the option, and a content."""


@pytest.mark.parametrize("option", FILES_OF_OPTIONS)
def test_files_of_options_may_be_packed_too(lacis: Lacis, here: Path, option: str) -> None:
    (name, *more), content = FILES_OF_OPTIONS[option]
    if content == "GUIDS":
        nodes = json.loads(api.read(samples.TREE).to_json())["nodes"]
        content = "".join(f"{node['guid']}\n" for node in nodes if "spine" in node["description"])
    elif content == "TABLES":
        assert lacis("route", samples.TREE, "-o", "tables").status == 0
        content = (here / "tables").read_text()
    elif content == "XML":
        content = (here / "opafm.xml").read_text()
    (here / "plain file").write_text(content)
    (here / "packed file").write_bytes(gzip.compress(content.encode()))
    prefix = "file:" if option in ("--hosts", "--host-order", "--traffic") else ""
    plain, packed = (
        done_well(lacis(name, samples.TREE, *more, option, f"{prefix}{file} file"))
        for file in ("plain", "packed")
    )
    assert plain.out.replace("plain file", "") == packed.out.replace("packed file", "")


@pytest.mark.parametrize(
    "name",
    [name for name in QUICK if samples.TREE in samples.line(name) and name not in ("diff", "rails check")],
)
def test_nodes_may_have_blanks_and_brackets_in_their_names(lacis: Lacis, here: Path, name: str) -> None:
    fabric = json.loads(api.read(samples.TREE).to_json())
    switch = next(node for node in fabric["nodes"] if "spine" in node["description"])
    old, switch["description"] = switch["description"], ODD
    (here / "odd.json").write_text(json.dumps(fabric))
    line = ["odd.json" if word == samples.TREE else word.replace(old, ODD) for word in samples.line(name)]
    done_well(lacis(*line))
    if has(name, "--without"):
        # A name is a selector, as it is typed.
        done_well(lacis(*line, "--without", ODD) if name != "whatif" else lacis(*line))


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in QUICK
        if samples.TREE in samples.line(name) and name not in samples.DATA | {"diff", "rails check"}
    ],
)
def test_names_of_nodes_command_no_terminal(lacis: Lacis, here: Path, name: str) -> None:
    fabric = json.loads(api.read(samples.TREE).to_json())
    for node in fabric["nodes"]:
        if node["kind"] == "switch":
            # A colour, the title of the window, and text from right to left.
            node["description"] = (
                f"{node['description']} {ESCAPE}[31m{ESCAPE}]0;x\a\N{RIGHT-TO-LEFT OVERRIDE}"
            )
    (here / "odd.json").write_text(json.dumps(fabric))
    line = ["odd.json" if word == samples.TREE else word for word in samples.line(name)]
    # A switch that a line drops has another name here.
    line = [
        next(n["description"] for n in fabric["nodes"] if n["description"].startswith(word))
        if word == "spine-01"
        else word
        for word in line
    ]
    done = done_well(lacis(*line))
    shown = done.out + done.err
    assert [char for char in (ESCAPE, "\a", "\N{RIGHT-TO-LEFT OVERRIDE}") if char in shown] == []


# --- what fails ------------------------------------------------------------------------------------


def refused(result: Result, *, as_json: bool = False) -> str:
    assert result.status == 2
    assert result.err.startswith("lacis: ")
    assert result.err.count("\n") == 1
    if as_json:
        found = json.loads(result.out)
        schemas.check(found, "lacis.error/1")
        assert result.err == f"lacis: {found['words']}\n"
    else:
        assert result.out == ""
    return result.err


@pytest.mark.parametrize("name", WITH_JSON)
def test_with_json_every_error_is_an_object(lacis: Lacis, name: str) -> None:
    line = samples.line(name)
    refused(lacis(*line, "--bogus", "--json"), as_json=True)
    words = len(name.split())
    # A first argument that names nothing.
    if len(line) > words and not line[words].startswith("-"):
        refused(lacis(*line[:words], "absent/one", *line[words + 1 :], "--json"), as_json=True)


@pytest.mark.parametrize("name", WITH_JSON)
def test_with_json_the_first_key_is_the_schema(lacis: Lacis, name: str) -> None:
    found = json.loads(done_well(lacis(*samples.line(name), "--json")).out)
    assert next(iter(found.items())) == ("schema", f"lacis.{name.replace(' ', '-')}/1")


def outputs(command: click.Command) -> Iterator[str]:
    """The options of a command that name a file or folder to write."""
    for one in command.params:
        if one.name in (
            "output",
            "guid2lid",
            "lid_matrix",
            "ca_order",
            "updn_roots",
            "sl2vl_file",
            "service_levels",
        ):
            yield max(one.opts, key=len)


OUTPUTS = [(name, option) for name in QUICK if name != "measure test" for option in outputs(COMMAND[name])]
"""Without the file that lacis-mpi writes itself."""
IN_FOLDERS = {"advise", "tune", "explain"}
"""Commands that write a folder after `-o`."""
NEEDS = {"--lid-matrix": ("-R", "minhop"), "--sl2vl-file": ("-R", "lash"), "--service-levels": ("-R", "lash")}


@pytest.mark.parametrize(("name", "option"), OUTPUTS)
@pytest.mark.parametrize("kind", ["full", "no folder"])
def test_an_output_that_cannot_be_written_is_one_line(
    lacis: Lacis, here: Path, name: str, option: str, kind: str
) -> None:
    where = {"full": "/dev/full", "no folder": "cut.json/out.csv"}[kind]
    line = [*samples.line(name), *NEEDS.get(option, ())]
    if "-o" in line:
        at = line.index("-o")
        del line[at : at + 2]
    if option != "--output" and name == "route":
        line += ["-o", "out.lfts"]
    before = sorted(here.rglob("*"))
    done = lacis(*line, option, where)
    assert done.status == 2, (done.out[-500:], done.err)
    last = done.err.splitlines()[-1]
    assert last.startswith("lacis: ")
    assert where.partition("/")[0] in last or where in last
    assert done.out == ""
    assert sorted(here.rglob("*")) == before
