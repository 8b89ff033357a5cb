"""Words: what comments, documents and output say is said in the field's words, and of a thing by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

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
    r"(?<![\".`])told(?![\"`(])": "reported, printed, distinguished, given, known",
}
"""A pattern of what is not to be written, and what may be meant by it."""

SUFFIXES = {".rs", ".py", ".md", ".c", ".h", ".toml", ".json", ".sh", ""}
FOLDERS = ("benchmarks", "crates", "docs", "fuzz", "mpi", "opensm", "python", "scripts", "tests")
ELSEWHERE = {"target", "_build", "fabrics", "corpus", "__pycache__", "node_modules", ".venv"}
"""Folders that are made, or hold files as others wrote them."""
ABSENT_NAMES = re.compile(r'"nobody|nobody node0001|# nobody|host: nobody')
"""In tests: the name of a host that does not exist."""

BANNED = re.compile(rf"\b(?:{'|'.join(f'({word})' for word in WORDS)})\b", re.IGNORECASE)


def sources(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inner = path.relative_to(root)
            if path.suffix in SUFFIXES and not ELSEWHERE & set(inner.parts) and path.is_file():
                yield path
    yield from sorted(root.glob("*.md"))


def offences(name: str, text: str) -> Iterator[str]:
    """`file:line: word: what to say instead`, for each word."""
    if not BANNED.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        said = ABSENT_NAMES.sub("", line) if name.startswith("tests/") else line
        for match in BANNED.finditer(said):
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
    # Parts of other words, keys of JSON, and the host of a test that does not exist, are no offence.
    assert not list(offences("a.rs", "renewal of a body; the antibody; heirlooms; retold\n"))
    assert not list(offences("a.md", 'the key `told`, "told" in JSON, `which.told`\n'))
    assert not list(offences("tests/a.py", 'absent.write_text("nobody node0001")\n'))
