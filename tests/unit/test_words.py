"""Words: comments, documents, output and names use the field's words, and call a thing by its name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import ROOT

WORDS = {
    r"no ?body(?:'s)?": "no host, no port, no switch",
    r"some ?body(?:'s)?": "a host, a packet, a switch",
    r"every ?body(?:'s)?": "every host, every port",
    r"any ?body(?:'s)?": "any host, any port",
    r"whoever": "whichever host, any thread that",
    r"whomever": "whichever host",
    r"anew": "afresh, recomputed",
    r"under way": "in flight (packets, messages), running (a process)",
    r"connected parts?": "connected component",
    r"(?-i:(?<!\.)homes?)": "edge switch (of an end port), node",
    r"shortest ways?": "shortest path",
    r"places": "indices, coordinates, slots, ports",
    r"ways to (?:route|run|send)": "variants, engines, paths",
    r"who (?:reaches|is entered|comes|takes part)": "which switch or host does",
    r"(?:loom|desk|sheet)s?": "what it holds: buffers, a table, a search",
    r"woven|weav(?:e|es|ing)": "made from trees of shortest paths",
    r"told": "reported, printed, distinguished, given, known",
}
"""A pattern of what is not to be written, and what may be meant by it."""

SUFFIXES = {
    ".rs",
    ".py",
    ".pyi",
    ".md",
    ".c",
    ".h",
    ".cpp",
    ".js",
    ".html",
    ".css",
    ".toml",
    ".json",
    ".sh",
    "",
}
FOLDERS = ("benchmarks", "crates", "docs", "fuzz", "mpi", "opensm", "python", "scripts", "tests")
ELSEWHERE = {"target", "_build", "fabrics", "corpus", "__pycache__", "node_modules", ".venv"}
"""Folders that are made, or hold files as others wrote them."""
ABSENT_NAMES = re.compile(r'"nobody|nobody node0001|# nobody|host: nobody')
"""In tests: the name of a host that does not exist."""

NAMES_OF_OTHERS = re.compile(r"\b(?:XDG_CACHE_HOME|OMP_PLACES|NCCL_HOME)\b")
"""Environment variables that other programs read."""

BANNED = re.compile(rf"\b(?:{'|'.join(f'({word})' for word in WORDS)})\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\b(?=\w*[^\W\d_])\w*(?:_|[a-z0-9][A-Z]|[A-Z]{2}[a-z])\w*\b")
"""A word that may consist of several: with an underscore, or in humps."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def json_words(node: object) -> Iterator[str]:
    """The keys and values that a JSON Schema names: readers of the JSON rely on them."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        yield from (word for word in [node.get("const"), *node.get("enum", [])] if isinstance(word, str))
        for child in node.values():
            yield from json_words(child)
    elif isinstance(node, list):
        for child in node:
            yield from json_words(child)


SCHEMAS = ROOT / "python" / "lacis" / "schemas"
IN_JSON = {word for path in SCHEMAS.glob("*.json") for word in json_words(json.loads(path.read_text()))}
_QUOTED = re.compile(r"""(["'`])([\w.\[\]]+)\1""")
"""A key or a value, or where one is: `which_tables.told`."""


def words(name: str) -> str:
    """The words of an identifier: `is_told` and `isTold` are both "is told"."""
    return " ".join(_HUMP.sub(" ", name).replace("_", " ").lower().split())


def prose(line: str) -> str:
    """A line without names that others rely on, its identifiers taken apart."""
    line = NAMES_OF_OTHERS.sub("", line)
    line = _QUOTED.sub(lambda key: "" if set(re.findall(r"\w+", key[2])) <= IN_JSON else key[0], line)
    return _IDENTIFIER.sub(lambda name: words(name[0]), line)


def sources(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inner = path.relative_to(root)
            if path.suffix in SUFFIXES and not ELSEWHERE & set(inner.parts) and path.is_file():
                yield path
    yield from sorted(root.glob("*.md"))


def offences(name: str, text: str) -> Iterator[str]:
    """`file:line: word: what to say instead`, for each word; line 0 is the file's name."""
    for number, line in enumerate([name, *text.splitlines()]):
        kept = ABSENT_NAMES.sub("", line) if name.startswith("tests/") else line
        for match in BANNED.finditer(prose(kept)):
            instead = list(WORDS.values())[(match.lastindex or 1) - 1]
            yield f"{name}:{number}: {match.group()}: say {instead}"


def test_no_banned_word_is_written() -> None:
    found: list[str] = []
    for path in sources(ROOT):
        name = path.relative_to(ROOT).as_posix()
        if path == Path(__file__):
            continue
        found += offences(name, path.read_text(errors="replace"))
    assert not found, "\n" + "\n".join(found)


def test_words_are_found_with_file_line_and_what_to_say() -> None:
    text = "let a = 1; // kept\n// Nobody sends it anew.\n"
    assert list(offences("a.rs", text)) == [
        "a.rs:2: Nobody: say no host, no port, no switch",
        "a.rs:2: anew: say afresh, recomputed",
    ]
    assert list(offences("a.md", "The prefix is told.\n")) == [
        "a.md:1: told: say reported, printed, distinguished, given, known"
    ]
    # Parts of other words, keys and values of JSON, and the host of a test that does not exist, are no offence.
    assert not list(offences("a.rs", "renewal of a body; the antibody; heirlooms; retold\n"))
    assert not list(offences("a.md", 'the key `told`, "told" in JSON\n'))
    assert not list(offences("tests/a.py", 'absent.write_text("nobody node0001")\n'))


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("fn rails_are_told() {}", "told"),
        ("if leaves.is_told:", "told"),
        ("    told_too = 1", "told"),
        ("struct IsTold;", "told"),
        ("const isTold = 1;", "told"),
        ("LACIS_TOLD = 3", "told"),
        ("#define HTTPTold 1", "told"),
        ("let under_way = 3;", "under way"),
        ("let connectedParts = [];", "connected parts"),
        ("static int where_nobody_sends(void);", "nobody"),
        ("port_of_home => port_of_home,", "home"),
        ('key = "is_told_so"', "told"),  # a string, but no key of any JSON of ours
        ("def test_a_desk_is_set(): ...", "desk"),
    ],
)
def test_identifiers_are_read_word_by_word(line: str, word: str) -> None:
    assert [found.split(": ")[1] for found in offences("a.py", line)][:1] == [word]


@pytest.mark.parametrize(
    "line",
    [
        "renewal_of_retold_things = antibody",
        'row["is_told"] = `told`',
        'environ["XDG_CACHE_HOME"], OMP_PLACES',
        "Path.home() / workplaces / displaces",
    ],
)
def test_what_only_contains_the_letters_is_no_offence(line: str) -> None:
    assert not list(offences("a.py", line))


def test_a_file_s_name_is_read_too() -> None:
    assert [found.split(": ")[:2] for found in offences("tests/test_rails_told.py", "")] == [
        ["tests/test_rails_told.py:0", "told"]
    ]
