"""The house: what is written in Rust and in C imports only what ARCHITECTURE.md lists above it, and files form no circles.

The Python package has its own test, `test_python_rooms.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import networkx as nx
import pytest

from ..conftest import ROOT
from . import c_imports
from .rust_imports import Sources, leaves

Imports = dict[str, dict[str, str]]
"""By module, `routing/opensm/ftree` or `clock`, the modules that it imports, each with the path or header that does so."""

CORE = "crates/lacis-core/src"
BINDING = "crates/lacis-py/src"
HOUSES = (CORE, BINDING, "crates/lacis-opensm/src", "opensm", "mpi")


@dataclass(frozen=True)
class House:
    """A folder, its rows in ARCHITECTURE.md's order, and its imports."""

    rows: list[list[str]]
    imports: Imports

    def rows_of(self, module: str) -> list[int]:
        """The numbers of the rows that name a module: one, where the list is right."""
        return [n for n, row in enumerate(self.rows) if any(fnmatch(room(module), name) for name in row)]


def room(module: str) -> str:
    return module.partition("/")[0]


def rust(folder: Path) -> Imports:
    """What the files of a crate import; `lib.rs`, which names all others, is left out."""
    return {
        "/".join(module): {"/".join(other): path for other, path in found.items() if other}
        for module, found in Sources(folder).imports().items()
        if module
    }


def block(text: str, folder: str) -> str:
    """What stands below a folder's line in ARCHITECTURE.md, up to the line of the next folder."""
    return re.split(r"\n    (?=\S)", text.split(f"\n    {folder}/", 1)[1], maxsplit=1)[0]


def rows(text: str, folder: str) -> list[list[str]]:
    """The rows below a folder's line in ARCHITECTURE.md: the names before two blanks, without `/` and suffix."""
    names = re.findall(r"^ {6}(\w[^\n]*?)(?: {2}|$)", block(text, folder), re.M)
    return [[re.sub(r"/$|\.\w+$", "", name) for name in row.split(", ")] for row in names]


@pytest.fixture(scope="module")
def houses() -> dict[str, House]:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    return {
        name: House(
            rows(text, name),
            rust(ROOT / name) if name.startswith("crates/") else c_imports.imports(ROOT / name),
        )
        for name in HOUSES
    }


def upward(house: House) -> Iterator[str]:
    """The imports that lead to a row below."""
    for module, found in house.imports.items():
        for other, path in found.items():
            if house.rows_of(other) > house.rows_of(module):
                yield f"{module} imports {path}: {room(other)} stands below {room(module)}"


def circles(imports: Imports) -> list[list[str]]:
    graph = nx.DiGraph((module, other) for module, found in imports.items() for other in found)
    return sorted(sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1)


@pytest.mark.parametrize("name", HOUSES)
def test_the_list_names_every_room_once(houses: dict[str, House], name: str) -> None:
    house = houses[name]
    there = {room(module) for module in house.imports}
    assert {module: rows for module in there if len(rows := house.rows_of(module)) != 1} == {}
    assert [
        name for row in house.rows for name in row if not any(fnmatch(module, name) for module in there)
    ] == []


@pytest.mark.parametrize("name", HOUSES)
def test_a_room_imports_only_rooms_above_it(houses: dict[str, House], name: str) -> None:
    assert list(upward(houses[name])) == []


@pytest.mark.parametrize("name", HOUSES)
def test_files_form_no_circles(houses: dict[str, House], name: str) -> None:
    assert circles(houses[name].imports) == []


def test_the_binding_s_rows_are_the_core_s_rooms_in_their_order() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    mirrored = re.findall(r"  of (\w+)/$", block(text, BINDING), re.M)
    core = [name for row in rows(text, CORE) for name in row]
    assert mirrored == [name for name in core if name in mirrored]
    assert len(mirrored) == len(rows(text, BINDING)) - 1  # the first row serves all others


def test_imports_of_rust_are_read_as_rust_means_them(tmp_path: Path) -> None:
    assert list(leaves("a::{self, b::{C, D as E}, f}")) == [
        ("a", "a"),
        ("a::b::C", "C"),
        ("a::b::D", "E"),
        ("a::f", "f"),
    ]
    write(
        tmp_path,
        {
            "lib.rs": "pub mod a;\npub mod b;\n",
            "a/mod.rs": "mod inner;\npub use inner::Thing;\n",
            "a/inner.rs": "use super::super::b::Other;\n#[cfg(test)]\nmod tests {\n    use crate::b::Unseen;\n}\n",
            "b.rs": "// use crate::nothing::At;\nfn f() -> crate::a::Thing {}\n",
        },
    )
    # b names a's Thing, which a/inner defines; a/inner names b: a circle.
    imports = rust(tmp_path)
    assert imports == {
        "a": {},
        "b": {"a/inner": "crate::a::Thing"},
        "a/inner": {"b": "super::super::b::Other"},
    }
    assert circles(imports) == [["a/inner", "b"]]
    # In the order a, b, the line of a/inner leads down the list; in the order b, a, that of b does.
    assert list(upward(House([["a"], ["b"]], imports))) == [
        "a/inner imports super::super::b::Other: b stands below a"
    ]
    assert list(upward(House([["b"], ["a"]], imports))) == ["b imports crate::a::Thing: a stands below b"]
    assert list(upward(House([["a", "b"]], imports))) == []


def test_includes_of_c_are_read_as_c_means_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "clock.h": "#include <stdio.h>\n",
            "clock.c": '#include "clock.h"\n/* #include "main.h" */\n// #include "main.h"\n  # include "run.h"\n',
            "run.h": '#include "clock.h"\n',
            "run.c": '#include "run.h"\n#include "elsewhere.h"\n',
            "main.c": 'const char *text = "#include";\n#include "run.h"\n',
        },
    )
    imports = c_imports.imports(tmp_path)
    # clock.c includes run.h, which includes clock.h: the header of one and the source of the other make a circle too.
    assert imports == {"clock": {"run": "run.h"}, "main": {"run": "run.h"}, "run": {"clock": "clock.h"}}
    assert circles(imports) == [["clock", "run"]]
    assert list(upward(House([["clock"], ["run"], ["main"]], imports))) == [
        "clock imports run.h: run stands below clock"
    ]


def test_rows_are_read_from_the_list() -> None:
    text = """
    opensm/   a heading
      lacis.h           the interface
      subnet/, apart.c  two in a row
      main
        more of the same row
    tests/
      unit/    of another folder
"""
    assert rows(text, "opensm") == [["lacis"], ["subnet", "apart"], ["main"]]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
