"""Errors of the library name arguments; the command line turns these into its flags."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from lacis import LacisError, Lanes, predict, read, route
from lacis.cli._flags import FLAGS, with_flags

from ..conftest import ROOT
from ..conftest import Lacis as Program

if TYPE_CHECKING:
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
