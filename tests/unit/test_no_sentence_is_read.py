"""No face reads a sentence: faces, exit codes and ranks read fields."""

from __future__ import annotations

import ast
import re

from ..conftest import ROOT

OF_OTHERS = {"host"}
"""Rooms that read texts of the system's, and no facts."""
SENTENCES = re.compile(
    r"\.(?:text|advice|why|words|where|reason|gain|title|purpose|line)$|\b(?:text|why|purpose|sentence|clauses)\("
)
"""Fields that hold words, and the functions that make them."""
READERS = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
    "find",
}


def readings(source: str) -> list[int]:
    """Lines at which code looks into a sentence: a search in it, a cut of it, a comparison with part of it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        looked_into: list[ast.expr] = []
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            looked_into = node.comparators
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READERS:
                looked_into = [node.func.value]
            elif isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
                looked_into = node.args
        found += [part.lineno for part in looked_into if SENTENCES.search(ast.unparse(part))]
    return found


def test_no_face_looks_into_a_sentence() -> None:
    package = ROOT / "python" / "lacis"
    files = [
        path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in OF_OTHERS
    ]
    assert [f"{path.relative_to(ROOT)}:{line}" for path in files for line in readings(path.read_text())] == []


def test_readings_are_found() -> None:
    source = (
        'a = "no route" in finding.text\n'
        'b = finding.advice.startswith("Bring ")\n'
        'c = re.search("port", verdict.text)\n'
        'd = "qos" in text(fact)\n'
        "e = finding.code in CODES\n"
        'f = spec.partition(":")\n'
        'g = re.match("a", name)\n'
    )
    assert readings(source) == [1, 2, 3, 4]
