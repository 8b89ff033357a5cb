"""Where a fabric comes from: a file, or a generator."""

from __future__ import annotations

from pathlib import Path

READ, STDIN, GENERATED = "read from the file", "read from standard input", "generated"


PACKED = (".gz", ".xz", ".zst", ".bz2")
"""Endings of compressed files, which say nothing of a fabric."""


def name(source: str) -> str:
    """What the fabric is called: its file's name without folders and ending, or what it was generated from.

    >>> name("fat-tree:8,2 --without leaf-01")
    'fat-tree:8,2'

    Args:
        source: what the user called it, with the options that change it.
    """
    called = source.partition(" --")[0]
    path = Path(called)
    if called == "-" or not path.exists():
        return "fabric" if called == "-" else called
    if path.is_dir():
        return path.resolve().name or called
    inner = Path(path.stem) if path.suffix in PACKED else Path(path.name)
    return inner.stem or path.name


def edits(source: str) -> str:
    """The options that change a fabric; empty where there are none."""
    _, mark, rest = source.partition(" --")
    return mark.strip() + rest


def origin(source: str) -> str:
    """Where the fabric comes from, in words.

    >>> origin("fat-tree:8,2 --without leaf-01")
    'generated'

    Args:
        source: what the user called it, with the options that change it.
    """
    name = source.partition(" --")[0]
    if name == "-":
        return STDIN
    return READ if Path(name).exists() else GENERATED
