"""Every command line of Lacis in the documentation is one that the command line takes: its commands, options and values."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click
import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

PAGES = [ROOT / "README.md", ROOT / "packaging" / "index.md", *sorted((ROOT / "docs").rglob("*.md"))]


def command_lines(page: Path) -> list[tuple[int, str]]:
    """The lines of a page's shell blocks that call Lacis, with their numbers; lines that go on are joined."""
    found = []
    text = page.read_text("utf-8")
    for block in re.finditer(r"^( *)```(?:sh|console|bash)\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL):
        first = text[: block.start(2)].count("\n") + 1
        lines = block[2].replace("\\\n", "\0").split("\n")
        for line in lines:
            call = re.match(r" *(?:\$ )?((?:\S*/)?lacis .*)", line.replace("\0", " "))
            if call:
                found.append((first, call[1]))
            first += 1 + line.count("\0")
    return found


def words_of(line: str) -> list[str]:
    """What follows `lacis`, up to a pipe, a redirection or a comment."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|&;<>"):
            break
        words.append(word)
    return words[1:]


EVERY = [
    pytest.param(line, id=f"{page.relative_to(ROOT)}:{number}")
    for page in PAGES
    for number, line in command_lines(page)
]


def test_the_pages_have_commands() -> None:
    assert len(EVERY) > 100


@pytest.mark.parametrize("line", EVERY)
def test_a_command_line_is_taken(lacis: Lacis, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    # Read as far as the command itself, which is not run.
    monkeypatch.setattr(click.Command, "invoke", lambda *_: 0)
    done = lacis(*words_of(line))
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    "line", ["lacis fabrik a.fabric", "lacis rails a.fabric --hots b", "lacis predict a -R"]
)
def test_a_line_that_is_mistyped_is_not_taken(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(click.Command, "invoke", lambda *_: 0)
    assert lacis(*words_of(line)).status == 2
