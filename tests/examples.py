"""Examples of the documentation, run: the Python blocks of a page, and the cells of a notebook.

A notebook is run by this file, without Jupyter: cell after cell in one namespace, the last expression of a cell shown as a
notebook would, by `_repr_html_` or `repr`.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[str]:
    """The Python blocks of a page, with its lines' numbers."""
    text = page.read_text("utf-8")
    return ["\n" * text[: found.start(1)].count("\n") + found[1] for found in _BLOCK.finditer(text)]


def run_page(page: Path) -> dict[str, Any]:
    """Runs the blocks of a page one after another; the names that they leave."""
    names: dict[str, Any] = {}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)  # noqa: S102 (our own pages)
    return names


def run_notebook(path: Path) -> list[str]:
    """Runs the cells of a notebook one after another; what each shows last, "" for none."""
    names: dict[str, Any] = {}
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [_shown(source, f"{path}, cell {number}", names) for number, source in enumerate(code)]


def _shown(source: str, where: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, where, "exec"), names)  # noqa: S102 (our own notebooks)
    if not isinstance(last, ast.Expr):
        return ""
    value = eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307
    if value is None:
        return ""
    return str(value._repr_html_()) if hasattr(value, "_repr_html_") else repr(value)
