"""The part of YAML that schedulers' topologies are written in: blocks of keys and of items, plain and quoted texts.

Keys may be in any order. Every scalar is a text. What topologies do not have is refused, not guessed: anchors, aliases, tags,
merged keys, several lines of one quoted text. Block texts (`|`, `>`) are read over.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from ...errors import LacisError

Value: TypeAlias = "str | list[Value] | Keys | None"


class Keys(dict[str, "Value"]):
    """Keys with their values, and the line of the first."""

    line = 0


_Line: TypeAlias = tuple[int, int, str]
_DEEPEST = 64
"""Levels of indentation that are read; topologies have eight."""

_KEY = re.compile(
    r"(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'|([^\s\"'\[{&*!|>%@`#,-][^#]{0,200}?|-[^\s#][^#]{0,200}?))[ \t]{0,9}:(?:\s+|$)"
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'")
_COMMENT = re.compile(r"(?:^|\s)#.*$")


def read(text: str) -> list[Value]:
    """The documents of a text.

    Raises:
        LacisError: when it is not of this form; with the line.
    """
    documents: list[list[_Line]] = [[]]
    for number, raw in enumerate(text.splitlines(), start=1):
        if raw.startswith("---"):
            documents.append([])
            raw = raw[3:]
        if raw.startswith(("%", "...")):
            continue
        body = _without_comment(raw)
        content = body.lstrip(" ")
        if not content:
            continue
        if content[0] == "\t":
            raise LacisError("a tab as indentation, which YAML does not allow", number, raw[:80])
        documents[-1].append((number, len(body) - len(content), content))
    return [_Reader(lines).document() for lines in documents if lines]


def _without_comment(raw: str) -> str:
    if "#" not in raw:
        return raw.rstrip()
    # A `#` within quotes is none that begins a comment.
    kept = _QUOTED.sub(lambda quoted: quoted[0].replace("#", "\0"), raw)
    return _COMMENT.sub("", kept).replace("\0", "#").rstrip()


class _Reader:
    """The lines of a document, from the first that is not read."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.at = 0

    def document(self) -> Value:
        value = self.block(self.lines[0][1], 0)
        if self.at < len(self.lines):
            number, _, content = self.lines[self.at]
            raise LacisError("indented less or more than the lines above", number, content[:80])
        return value

    def block(self, indent: int, depth: int) -> Value:
        """The keys or items that are indented so far."""
        number, _, content = self.lines[self.at]
        if depth > _DEEPEST:
            raise LacisError(f"more than {_DEEPEST} levels", number, content[:80])
        if content == "-" or content.startswith("- "):
            return self.items(indent, depth)
        if _KEY.match(content):
            return self.keys(indent, depth)
        self.at += 1
        return _scalar(content, number)

    def items(self, indent: int, depth: int) -> list[Value]:
        found: list[Value] = []
        while self.at < len(self.lines):
            number, its, content = self.lines[self.at]
            if its != indent or not (content == "-" or content.startswith("- ")):
                break
            inside = content[1:].lstrip(" ")
            if inside:
                inner = indent + len(content) - len(inside)
                self.lines[self.at] = (number, inner, inside)
                found.append(self.block(inner, depth + 1))
            else:
                self.at += 1
                found.append(self.below(indent, depth))
        return found

    def keys(self, indent: int, depth: int) -> Keys:
        found = Keys()
        found.line = self.lines[self.at][0]
        while self.at < len(self.lines):
            number, its, content = self.lines[self.at]
            key = _KEY.match(content) if its == indent else None
            if key is None:
                break
            name = _unescaped(key)
            if name in found:
                raise LacisError(f"the key {name[:40]!r} twice", number, content[:80])
            rest = content[key.end() :]
            self.at += 1
            if rest[:1] in ("|", ">"):
                while self.at < len(self.lines) and self.lines[self.at][1] > indent:
                    self.at += 1
                found[name] = ""
            elif rest:
                found[name] = self.flow(rest, number)
            else:
                found[name] = self.below(indent, depth, is_key=True)
        return found

    def below(self, indent: int, depth: int, *, is_key: bool = False) -> Value:
        """What is indented more than a key or a dash; items of a key may be indented as it is."""
        if self.at >= len(self.lines):
            return None
        _, its, content = self.lines[self.at]
        is_item = content == "-" or content.startswith("- ")
        return self.block(its, depth + 1) if its > indent or (is_key and is_item and its == indent) else None

    def flow(self, rest: str, number: int) -> Value:
        """A scalar, or a list in brackets, which may go on in the lines below."""
        if rest[0] != "[":
            return _scalar(rest, number)
        while rest.count("[") > rest.count("]"):
            if self.at >= len(self.lines):
                raise LacisError("a bracket that nothing closes", number, rest[:80])
            rest += f" {self.lines[self.at][2]}"
            self.at += 1
        return _scalar(rest, number)


def _scalar(text: str, number: int) -> Value:
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return _unescaped(quoted)
    if text[0] in "&*!":
        raise LacisError("an anchor, an alias or a tag, which topologies do not need", number, text[:80])
    if text[0] in "\"'":
        raise LacisError("a quote that nothing closes in its line", number, text[:80])
    if text[0] == "{":
        if text.replace(" ", "") == "{}":
            return Keys()
        raise LacisError("keys in braces; write one a line", number, text[:80])
    if text[0] == "[":
        if not text.endswith("]"):
            raise LacisError("words after a list in brackets", number, text[:80])
        return list(_parts(text[1:-1]))
    return None if text in ("~", "null") else text


def _parts(text: str) -> list[str]:
    """The texts between commas outside quotes and brackets."""
    found, start, depth, quote = [], 0, 0, ""
    for at, char in enumerate([*text, ","]):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[]":
            depth += 1 if char == "[" else -1
        elif char == "," and depth == 0:
            found.append(text[start:at].strip().strip("\"'"))
            start = at + 1
    return [part for part in found if part]


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is not None:
        return re.sub(r"\\(.)", r"\1", match[1])
    if match[2] is not None:
        return match[2].replace("''", "'")
    return match[3]
