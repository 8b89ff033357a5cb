"""Errors of the library name arguments; the command line turns these into its flags."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import click
import pytest
from lacis import LacisError, Lanes, predict, read, route
from lacis.cli import cli
from lacis.cli._flags import FLAGS, with_flags

from ..conftest import ROOT
from ..conftest import Lacis as Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAG = re.compile(r"(?<![\w\[-])--[a-z][a-z-]+")


def test_arguments_become_flags_and_other_words_stay() -> None:
    line = "`lanes` and `sl2vl` cannot be combined with `make opensm-plugin`"
    assert with_flags(line) == "--lanes and --sl2vl cannot be combined with `make opensm-plugin`"


def test_an_error_names_the_argument_in_python_and_the_flag_on_the_command_line(lacis: Program) -> None:
    routes = route(read("torus:4x4"), "dfsssp")
    with pytest.raises(LacisError, match=r"^the tables assign lanes .*: `lanes` and `sl2vl` cannot"):
        predict(routes, model="fluid", lanes=Lanes(lanes=2))
    done = lacis("predict", "torus:4x4", "-R", "dfsssp", "--model", "fluid", "--lanes", "2")
    assert done.status == 2
    assert ": --lanes and --sl2vl cannot be combined with them" in done.err


def test_a_field_of_a_file_that_is_called_as_an_argument_is_keeps_its_name(
    lacis: Program, tmp_path: Path
) -> None:
    file = tmp_path / "fabric.json"
    file.write_text('{"schema": "lacis.fabric/1"}\n')
    done = lacis("fabric", str(file))
    assert done.status == 2
    assert done.err.startswith(f"lacis: {file}:1: bad fabric file: missing field `nodes`")


def test_every_argument_with_a_flag_is_named_by_some_error() -> None:
    sources = [*(ROOT / "crates").rglob("src/**/*.rs"), *(ROOT / "python" / "lacis").rglob("*.py")]
    texts = "\n".join(path.read_text() for path in sources if path.name != "_flags.py")
    assert [name for name in FLAGS if f"`{name}`" not in texts] == []


@pytest.mark.slow
def test_no_error_of_the_library_quotes_a_flag() -> None:
    found = []
    for path in sorted((ROOT / "python" / "lacis").rglob("*.py")):
        if "cli" in path.relative_to(ROOT).parts:
            continue
        raised = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Raise)]
        found += [
            f"{path.relative_to(ROOT)}:{node.lineno}" for node in raised if FLAG.search(ast.unparse(node))
        ]
    for path in sorted((ROOT / "crates").rglob("src/**/*.rs")):
        own = path.read_text().split("#[cfg(test)]")[0]
        for number, line in enumerate(own.splitlines(), 1):
            said = re.findall(r'#\[error\((".*")|(?:refused|plain|ReadError::\w+)\(.*?(".*")', line)
            if any(FLAG.search("".join(texts)) for texts in said):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []


FACES = ("cli/", "report/", "reproduce/", "facts/wording/")
"""Where words are: what users read."""
OF_OTHERS = (
    "launch/scripts.py",  # what job scripts have for Slurm and Flux
    "rails/",  # what libraries print, each line with its cause and what to do: tables of words
    "scheduler/forms/form.py",  # files say how they were written
)
"""Where commands are written for others, or a table is of words."""


def own_flags(command: click.Command) -> set[str]:
    """The long flags of a command and of those below it."""
    flags = {flag for option in command.params for flag in option.opts if flag.startswith("--")}
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            below = [command.get_command(context, name) for name in command.list_commands(context)]
        flags.update(*(own_flags(one) for one in below if one is not None))
    return flags


def quoted(source: str, flags: set[str]) -> Iterator[int]:
    """The lines of sentences that quote a flag of Lacis'; docstrings are for users of the library."""
    tree = ast.parse(source)
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docstrings)
    for one in texts:
        if (
            isinstance(one.value, str)
            and " " in one.value.strip()
            and flags.intersection(FLAG.findall(one.value))
        ):
            yield one.lineno


@pytest.mark.slow
def test_sentences_that_quote_flags_are_where_words_are() -> None:
    flags = own_flags(cli)
    package = ROOT / "python" / "lacis"
    found = [
        f"{path.relative_to(package)}:{line}"
        for path in sorted(package.rglob("*.py"))
        if not path.relative_to(package).as_posix().startswith((*FACES, *OF_OTHERS))
        for line in quoted(path.read_text(), flags)
    ]
    assert found == []


def test_flags_in_sentences_are_found() -> None:
    source = 'a = "see --json"\nb = ["--json", x]\nc = f"{n} more (--json)"\nd = "mpirun --map-by seq"\n"see --json"\n'
    assert list(quoted(source, {"--json"})) == [1, 3]
