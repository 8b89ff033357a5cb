"""Which files of the core import which, read from its sources: `use` lines and paths in the code, tests left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

Module = tuple[str, ...]
"""`("routing", "opensm", "ftree")`; the crate itself is `()`."""

_USE = re.compile(r"^(?P<public>pub(?:\([^)]*\))? )?use (?P<tree>[^;]+);", re.M)
_TEST_CODE = re.compile(r"#\[cfg\(test\)\]\n(?:pub(?:\([^)]*\))? )?mod \w+ \{.*\Z", re.S)
_TEST_FILE = re.compile(r"#\[cfg\(test\)\]\n(?:pub(?:\([^)]*\))? )?mod (\w+);")
_COMMENT = re.compile(r"^\s*//.*$", re.M)


def leaves(tree: str) -> Iterator[tuple[str, str]]:
    """The paths of a `use` tree, and the names that they have here."""
    tree = " ".join(tree.split())
    if not tree.endswith("}"):
        path, _, name = tree.partition(" as ")
        yield path, name or path.rpartition("::")[2]
        return
    prefix, inner = tree[:-1].split("{", 1)
    depth, item = 0, ""
    for letter in inner + ",":
        depth += (letter == "{") - (letter == "}")
        if letter != "," or depth:
            item += letter
            continue
        for path, name in leaves(item.strip()) if item.strip() else ():
            parent = prefix.removesuffix("::")
            yield (parent, parent.rpartition("::")[2]) if path == "self" else (prefix + path, name)
        item = ""


class Sources:
    """The sources of a crate."""

    def __init__(self, folder: Path) -> None:
        files = {_module(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*.rs"))}
        tests = {(*module, name) for module, text in files.items() for name in _TEST_FILE.findall(text)}
        self.text = {
            module: _COMMENT.sub("", _TEST_CODE.sub("", text))
            for module, text in files.items()
            if not any(module[: len(test)] == test for test in tests)
        }
        self._exported: dict[Module, Module] = {}
        for module, text in self.text.items():
            for use in filter(lambda use: use["public"], _USE.finditer(text)):
                for path, name in leaves(use["tree"]):
                    if (target := self._absolute(path, module)) is not None:
                        self._exported[(*module, name)] = target

    def imports(self) -> dict[Module, dict[Module, str]]:
        """By module, the others that it names, each with one path that does so."""
        found: dict[Module, dict[Module, str]] = {module: {} for module in self.text}
        for module, text in self.text.items():
            for path in self._paths(module, text):
                target = self._absolute(path, module)
                file = None if target is None else self._defined_in(target)
                if file is not None and file != module:
                    found[module].setdefault(file, path)
        return found

    def _paths(self, module: Module, text: str) -> Iterator[str]:
        names = set()
        for use in _USE.finditer(text):
            for path, name in leaves(use["tree"]):
                names.add(name)
                if not use["public"]:
                    yield path
        code = _USE.sub("", text)
        yield from re.findall(r"(?<!in )\b(?:crate|super)(?:::\w+)+", code)
        for child, path in re.findall(r"(?<![\w:.])(([a-z_0-9]+)::\w+)", code):
            if (*module, path) in self.text and path not in names:
                yield child

    def _absolute(self, path: str, module: Module) -> Module | None:
        first, *rest = path.split("::")
        if first == "crate":
            return tuple(rest)
        if first in ("self", "super"):
            base, parts = list(module), [first, *rest]
            while parts and parts[0] in ("self", "super"):
                if parts.pop(0) == "super":
                    base.pop()
            return (*base, *parts)
        return (*module, first, *rest) if (*module, first) in self.text else None

    def _defined_in(self, path: Module) -> Module | None:
        """The module of the file that defines a path, through re-exports."""
        for _ in range(10):
            length = next((n for n in range(len(path), -1, -1) if path[:n] in self.text), None)
            if length is None:
                return None
            onward = self._exported.get(path[: length + 1]) if length < len(path) else None
            if onward is None or onward == path:
                return path[:length]
            path = onward + path[length + 1 :]
        return None


def _module(file: Path) -> Module:
    parts = file.with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts
