"""What differs between two answers to one command: keys, numbers, text, pages and tables."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from html.parser import HTMLParser
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Outcome(StrEnum):
    """How an answer differs; only `GAINED` is no loss to a reader of the old one."""

    GAINED = "keys gained"
    LOST = "keys lost"
    NUMBER = "numbers changed"
    TEXT = "text changed"
    SCRIPT = "script or style changed"
    BYTES = "file changed"
    STATUS = "exit status changed"
    ABSENT = "answer or file absent"


@dataclass(frozen=True)
class Difference:
    """One difference: where in the answer, before and after."""

    outcome: Outcome
    where: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        values = f": {_short(self.before)} → {_short(self.after)}" if self.before or self.after else ""
        return f"{self.outcome}: {self.where}{values}"


MASKED_KEYS = frozenset({"seconds", "version", "time", "id", "created"})
"""Keys whose values depend on the clock or the build, by whatever path: they are there, and may differ."""
PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?( UTC)?"), "<time>"),
    (re.compile(r"\b\d{8}T\d{6}-(\S+-)?[0-9a-f]{6}\b"), "<run>"),
    (re.compile(r"(/[^\s/'\"]+)+/work\b"), "<folder>"),
    (re.compile(r"(/[^\s/'\":]+)+/tests/fabrics/"), "<checkout>/tests/fabrics/"),
    (re.compile(r"\d+(\.\d+)? (s|ms|seconds)\b"), "<seconds>"),
)


def masked(text: str) -> str:
    """A text without times, ids of runs, which begin with one, and the folders in which commands ran and inputs lie."""
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    return text


def compared(before: Path, after: Path) -> list[Difference]:
    """The differences between two folders, each the answer to the same command."""
    for folder, which in ((before, "before"), (after, "after")):
        if not (folder / "status").is_file():
            return [Difference(Outcome.ABSENT, f"no answer {which}")]
    found: list[Difference] = []
    statuses = [(folder / "status").read_text() for folder in (before, after)]
    if statuses[0] != statuses[1]:
        found.append(Difference(Outcome.STATUS, "status", *statuses))
    found += in_answers(_text(before / "out"), _text(after / "out"), "stdout")
    found += in_lines(_text(before / "err"), _text(after / "err"), "stderr")
    names = {
        path.relative_to(folder / "files")
        for folder in (before, after)
        for path in folder.glob("files/**/*")
        if path.is_file()
    }
    for name in sorted(names):
        found += _in_files(before / "files" / name, after / "files" / name, str(name))
    return found


def _text(path: Path) -> str:
    return path.read_text(errors="replace")


def _in_files(before: Path, after: Path, name: str) -> list[Difference]:
    if not (before.is_file() and after.is_file()):
        return [
            Difference(Outcome.ABSENT, name, *("there" if p.is_file() else "absent" for p in (before, after)))
        ]
    if before.read_bytes() == after.read_bytes():
        return []
    if name.endswith(".html"):
        return list(in_pages(_text(before), _text(after), name))
    if name.endswith((".json", ".md", "README")):
        return in_answers(_text(before), _text(after), name)
    lines = in_lines(_text(before), _text(after), name)
    return [Difference(Outcome.BYTES, line.where, line.before, line.after) for line in lines]


def in_answers(before: str, after: str, where: str) -> list[Difference]:
    """Compares as JSON what is JSON on both sides, else line by line."""
    try:
        values = json.loads(before), json.loads(after)
    except ValueError:
        return in_lines(before, after, where)
    return list(in_values(*values, "" if where == "stdout" else where))


def in_values(before: Any, after: Any, path: str) -> Iterator[Difference]:
    """Compares two values of JSON; numbers exactly."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            at = f"{path}.{key}" if path else key
            if key not in after:
                yield Difference(Outcome.LOST, at)
            elif key not in MASKED_KEYS or isinstance(before[key], (dict, list)):
                yield from in_values(before[key], after[key], at)
        for key in after:
            if key not in before:
                yield Difference(Outcome.GAINED, f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield Difference(Outcome.NUMBER, f"length of {path}", str(len(before)), str(len(after)))
        for index, (old, new) in enumerate(zip(before, after, strict=False)):
            yield from in_values(old, new, f"{path}[{index}]")
    elif isinstance(before, str) and isinstance(after, str):
        if masked(before) != masked(after):
            yield Difference(Outcome.TEXT, path, before, after)
    elif before != after or type(before) is not type(after):
        yield Difference(Outcome.NUMBER, path, json.dumps(before), json.dumps(after))


def in_lines(before: str, after: str, where: str) -> list[Difference]:
    """Compares two texts line by line, without what depends on the clock."""
    if before == after:
        return []
    old, new = masked(before).splitlines(), masked(after).splitlines()
    return [
        Difference(Outcome.TEXT, f"{where}:{number}", *lines)
        for number, *lines in _pairs_of_lines(old, new)
        if lines[0] != lines[1]
    ]


MATCHED_LINES = 5000
"""Texts of more lines are compared line by line, even where lines were added."""


def _pairs_of_lines(old: list[str], new: list[str]) -> Iterator[tuple[int, str, str]]:
    """Lines that belong together, with their number in the old text; where lines were added, equal ones are matched first."""
    blocks: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(old), 0, len(new))]
    if len(old) != len(new) and max(len(old), len(new)) <= MATCHED_LINES:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for what, start, end, new_start, new_end in blocks:
        if what != "equal":
            lines = zip_longest(old[start:end], new[new_start:new_end], fillvalue="")
            yield from ((number, *pair) for number, pair in enumerate(lines, start + 1))


class _Parts(HTMLParser):
    """A page as what is read (tags, attributes and text, in order), its data, and its scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.read: list[str] = []
        self.data: dict[str, str] = {}
        self.scripts: list[str] = []
        self._inside: str | None = None
        self._data_id: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag in ("script", "style"):
            self._inside = tag
            self._data_id = known.get("id") if known.get("type") == "application/json" else None
            return
        words = "".join(f' {name}="{value}"' for name, value in attrs)
        self.read.append(masked(f"<{tag}{words}>"))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._inside = self._data_id = None
        else:
            self.read.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._data_id is not None:
            self.data[self._data_id] = data
        elif self._inside:
            self.scripts.append(data)
        elif text := " ".join(masked(data).split()):
            self.read.append(text)


def in_pages(before: str, after: str, name: str) -> Iterator[Difference]:
    """Compares two pages: their text and tags, the JSON that they carry, and whether scripts and styles are the same."""
    old, new = _Parts(), _Parts()
    old.feed(before)
    new.feed(after)
    for key in {**old.data, **new.data}:
        at = f"{name}#{key}"
        if key not in new.data or key not in old.data:
            yield Difference(Outcome.GAINED if key in new.data else Outcome.LOST, at)
        else:
            yield from in_answers(old.data[key], new.data[key], at)
    yield from in_lines("\n".join(old.read), "\n".join(new.read), name)
    if old.scripts != new.scripts:
        yield Difference(Outcome.SCRIPT, name)


def _short(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:157]}…"
