"""The Python package: a room imports only rooms above it in ARCHITECTURE.md's list, and modules form no circles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import networkx as nx
import pytest

from ..conftest import ROOT
from .python_imports import imports, modules

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = ROOT / "python" / "lacis"
FACE = ""
"""The package's `__init__`: it names what each room offers, and no room imports it."""
STUB = "_core"
"""The engine's stub: its signatures name requests and results, which in turn name its classes, as types alone."""


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, int]]:
    return imports(PACKAGE)


def rooms() -> list[str]:
    """The package's rooms, from ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = text.split("    python/lacis/\n", 1)[1].split("    tests/", 1)[0]
    return re.findall(r"^ {6}(\w+)(?:/|\.pyi?)", block, re.M)


def room(module: str) -> str:
    return module.partition(".")[0]


def test_the_list_names_every_room_and_nothing_else_lies_at_the_root() -> None:
    assert sorted(rooms()) == sorted({room(name) for name in modules(PACKAGE)} - {FACE})
    assert sorted(path.name for path in PACKAGE.glob("*.py")) == ["__init__.py", "__main__.py"]


def test_a_room_imports_only_rooms_above_it(found: dict[str, dict[str, int]]) -> None:
    order = {name: number for number, name in enumerate(rooms())}
    wrong = [
        f"{module}:{line} imports {other}: {room(other)} stands below {room(module)}"
        for module, there in found.items()
        for other, line in there.items()
        if FACE not in (module, other) and order[room(other)] > order[room(module)]
        if not (room(module) == "requests" and other == STUB)
    ]
    assert wrong == []


def test_no_room_imports_the_package_itself(found: dict[str, dict[str, int]]) -> None:
    assert [f"{module}:{there[FACE]}" for module, there in found.items() if FACE in there] == []


def test_modules_form_no_circles(found: dict[str, dict[str, int]]) -> None:
    graph = nx.DiGraph(
        (module, other) for module, there in found.items() if module != STUB for other in there
    )
    circles = [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    assert circles == []


def test_imports_are_read_as_python_means_them(tmp_path: Path) -> None:
    package = tmp_path / "house"
    for name, text in {
        "__init__.py": "from .hall import door\n",
        "_core.pyi": "from .rows import Row\n",
        "rows/__init__.py": "",
        "hall/__init__.py": "from .door import door\n",
        "hall/door.py": "def door():\n    from .. import _core\n    from ..rows import Row\n",
        "attic/box.py": "import os\nimport house.hall.door\nfrom house.rows import Row\nfrom .. import hall\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    read = imports(package)
    assert read == {
        "": {"hall.door": 1},
        "_core": {"rows": 1},
        "rows": {},
        "hall": {"hall.door": 1},
        "hall.door": {"_core": 2, "rows": 3},
        "attic.box": {"hall.door": 2, "rows": 3, "hall": 4},
    }
