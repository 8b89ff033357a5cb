"""Where a fabric comes from: a file, or a generator."""

from __future__ import annotations

from pathlib import Path

READ, STDIN, GENERATED = "read from the file", "read from standard input", "generated"


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
