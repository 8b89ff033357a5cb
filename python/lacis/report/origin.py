"""Where a fabric comes from: a file and when it was taken, or a generator."""

from __future__ import annotations

import re
from pathlib import Path

READ, STDIN, GENERATED = "read from the file", "read from standard input", "generated"
_TAKEN = re.compile(rb"^#.*\bgenerated on (\S.*?)\s*$", re.MULTILINE)
_HEAD = 4096


def origin(source: str) -> tuple[str, str]:
    """How the fabric came about, and when its file was taken as the file itself says; empty where it does not.

    >>> origin("fat-tree:8,2 --without leaf-01")
    ('generated', '')

    Args:
        source: what the user called it, with the options that change it.
    """
    name = source.partition(" --")[0]
    if name == "-":
        return STDIN, ""
    try:
        with Path(name).open("rb") as file:
            found = _TAKEN.search(file.read(_HEAD))
    except (OSError, ValueError):
        return GENERATED, ""
    return READ, " ".join(found[1].decode(errors="replace").split()) if found else ""
