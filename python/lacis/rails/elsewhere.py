"""Variables that no shell sets: module files in Lua, programs in Python, YAML and JSON of containers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .variables import family

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_QUOTED_NAME = rf"""["']({_NAME})["']"""
_LUA = re.compile(
    rf"\s*(setenv|pushenv|unsetenv)\s*[({{]\s*{_QUOTED_NAME}\s*(?:,\s*(.*?))?\s*[)}}]\s*;?\s*(?:--.*)?$"
)
_PYTHON = re.compile(
    rf"\s*(?:\w+\.)*(?:environ\[\s*{_QUOTED_NAME}\s*\]\s*=|(?:environ\.setdefault|putenv)\(\s*{_QUOTED_NAME}\s*,)\s*(.*)$"
)
_NAME_OF_PAIR = re.compile(rf"""\s*(?:-\s+)?["']?name["']?:\s*["']?({_NAME})["']?,?\s*(?:#.*)?$""")
_VALUE_OF_PAIR = re.compile(r"""\s*(?:-\s+)?["']?value["']?:\s*(.*)$""")
_PAIR = re.compile(rf"""\s*-\s*\{{\s*name:\s*["']?({_NAME})["']?\s*,\s*value:\s*(.*?)\s*\}}\s*$""")
_ITEM = re.compile(rf"""\s*-\s+["']?({_NAME})=(.*?)["']?\s*$""")
_MAPPED = re.compile(rf"""\s*["']?({_NAME})["']?\s*:\s+(\S.*)$""")
_QUOTED = re.compile(rf"""{_QUOTED_NAME}\s*:\s*(["'])(.*?)\2""")
_LITERAL = re.compile(r"""(["'])(.*?)\1\s*[,)]?\s*(?:#.*)?$""")


@dataclass(frozen=True)
class Setting:
    """A variable that a line sets.

    Attributes:
        name: of the variable.
        value: None where it is computed.
        written: the value as written.
        is_removed: whether the line removes the variable.
    """

    name: str
    value: str | None
    written: str
    is_removed: bool = False


def settings(line: str, before: str) -> list[Setting]:
    """What a line sets, where it is none of a shell; `before` is the line above it, which may have the name."""
    one = _setting(line, before)
    if one is not None:
        return [one]
    return [Setting(m[1], m[3], m[3]) for m in _QUOTED.finditer(line) if family(m[1]) is not None]


def _setting(line: str, before: str) -> Setting | None:
    if match := _LUA.match(line):
        if match[1] == "unsetenv":
            return Setting(match[2], None, "", is_removed=True)
        return _of_literal(match[2], match[3] or "")
    if match := _PYTHON.match(line):
        return _of_literal(match[1] or match[2], match[3])
    if (match := _VALUE_OF_PAIR.match(line)) and (name := _NAME_OF_PAIR.match(before)):
        return _plain(name[1], match[1])
    if match := _PAIR.match(line):
        return _plain(match[1], match[2])
    # A word and a colon, or a list's item, may be anything: only names of libraries are taken for variables.
    for form in (_ITEM, _MAPPED):
        if (match := form.match(line)) and family(match[1]) is not None:
            return _plain(match[1], match[2])
    return None


def _of_literal(name: str, text: str) -> Setting:
    match = _LITERAL.match(text)
    return Setting(name, match[2], match[2]) if match else Setting(name, None, text.strip())


def _plain(name: str, text: str) -> Setting:
    """A value of YAML or JSON, in quotes or without."""
    text = text.strip().removesuffix(",")
    if match := _LITERAL.match(text):
        return Setting(name, match[2], match[2])
    text = re.sub(r"\s+#.*$", "", text)
    return Setting(name, None if "{{" in text or "$(" in text else text, text)
