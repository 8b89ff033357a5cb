"""Scripts for pages that load nothing: a module and those that it imports, as one script."""

from __future__ import annotations

import re
from importlib.resources import files
from posixpath import dirname, join, normpath

_COMMENT = re.compile(r"^[ \t]*//.*\n|^[ \t]+", re.MULTILINE)
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)


def script(name: str) -> str:
    """A module of the package by its path there, as a script: what it imports comes before it, each once.

    Modules share their names then: two of them must not define the same one, and what is imported keeps its name. Comments and
    indentation are left out.
    """
    texts: dict[str, str] = {}
    _read(name, texts)
    whole = _COMMENT.sub("", "".join(texts.values()))
    return whole if len(texts) == 1 else f'"use strict";\n(() => {{\n{whole}}})();\n'


def _read(name: str, texts: dict[str, str]) -> None:
    text = files("lacis").joinpath(name).read_text("utf-8")
    for found in _IMPORT.finditer(text):
        other = normpath(join(dirname(name), found[1]))
        if other not in texts:
            _read(other, texts)
    texts[name] = re.sub(r"^export (?=const|class)", "", _IMPORT.sub("", text), flags=re.MULTILINE)
