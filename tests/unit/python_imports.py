"""Which modules of a Python package import which, as read from its sources; stubs count as their module."""

from __future__ import annotations

import ast
from pathlib import Path


def modules(package: Path) -> dict[str, Path]:
    """Dotted name inside the package → file; the package itself is the empty name, a stub comes before a source."""
    found: dict[str, Path] = {}
    for path in sorted((*package.rglob("*.py"), *package.rglob("*.pyi"))):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path) -> dict[str, dict[str, int]]:
    """For each module those that it imports, with the line; at run time, inside functions, or for types alone."""
    there = modules(package)
    return {name: dict(_imports(name, path, package.name, there)) for name, path in there.items()}


def _imports(name: str, path: Path, package: str, there: dict[str, Path]) -> list[tuple[str, int]]:
    inside = name.split(".") if name else []
    folder = inside if path.stem == "__init__" else inside[:-1]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                if first == package:
                    found.append((_nearest(rest, there), node.lineno))
        if not isinstance(node, ast.ImportFrom):
            continue
        of = node.module.split(".") if node.module else []
        if node.level:
            of = folder[: len(folder) - node.level + 1] + of
        elif of[:1] == [package]:
            of = of[1:]
        else:
            continue
        found += [(_nearest(".".join((*of, alias.name)), there), node.lineno) for alias in node.names]
    return [(other, line) for other, line in found if other != name]


def _nearest(name: str, there: dict[str, Path]) -> str:
    """The module that a name is, or is in."""
    while name and name not in there:
        name = name.rpartition(".")[0]
    return name
