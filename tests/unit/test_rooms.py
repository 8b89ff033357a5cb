"""The house: in the core a room imports only rooms above it in ARCHITECTURE.md's list, and files form no circles."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import pytest

from ..conftest import ROOT
from .rust_imports import Sources, leaves

CORE = ROOT / "crates" / "lacis-core" / "src"


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(CORE)


def rooms() -> list[str]:
    """The core's rooms, from ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = text.split("    crates/lacis-core/src/\n", 1)[1].split("    crates/", 1)[0]
    return [name.removesuffix(".rs") for name in re.findall(r"^ {6}(\w+(?:\.rs|(?=/)))", block, re.M)]


def test_the_list_names_every_room() -> None:
    there = {path.stem for path in CORE.iterdir() if path.name != "lib.rs"}
    assert sorted(rooms()) == sorted(there)


def test_a_room_imports_only_rooms_above_it(sources: Sources) -> None:
    order = {room: number for number, room in enumerate(rooms())}
    wrong = [
        f"{'/'.join(module)} imports {path}: {other[0]} stands below {module[0]}"
        for module, found in sources.imports().items()
        for other, path in found.items()
        if module and other and order[other[0]] > order[module[0]]
    ]
    assert wrong == []


def test_files_form_no_circles(sources: Sources) -> None:
    graph = nx.DiGraph((a, b) for a, found in sources.imports().items() for b in found)
    found = {
        frozenset("/".join(module) for module in circle)
        for circle in nx.strongly_connected_components(graph)
        if len(circle) > 1
    }
    assert not found


def test_imports_are_read_as_rust_means_them(tmp_path: Path) -> None:
    assert list(leaves("a::{self, b::{C, D as E}, f}")) == [
        ("a", "a"),
        ("a::b::C", "C"),
        ("a::b::D", "E"),
        ("a::f", "f"),
    ]
    for name, text in {
        "lib.rs": "pub mod a;\npub mod b;\n",
        "a/mod.rs": "mod inner;\npub use inner::Thing;\n",
        "a/inner.rs": "use super::super::b::Other;\n#[cfg(test)]\nmod tests {\n    use crate::b::Unseen;\n}\n",
        "b.rs": "// use crate::nothing::At;\nfn f() -> crate::a::Thing {}\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    imports = Sources(tmp_path).imports()
    # b names a's Thing, which a/inner defines; a/inner names b: a circle.
    assert imports[("b",)] == {("a", "inner"): "crate::a::Thing"}
    assert imports[("a", "inner")] == {("b",): "super::super::b::Other"}
