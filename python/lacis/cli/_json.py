"""JSON on standard output: one object for each command, its own or that of its error."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..documents.base import Document

_REMARKS = ("reader_notes", "doubts")
"""Keys of what readers noticed and of what is doubtful."""
_has_printed = False


def begin() -> None:
    """Notes that a command begins, which has printed nothing."""
    global _has_printed
    _has_printed = False


def has_printed() -> bool:
    """Whether the running command has printed its object."""
    return _has_printed


def print_object(document: Document) -> None:
    """Prints a document; characters that the output cannot encode are escaped as JSON has it."""
    import msgspec

    global _has_printed
    printed = msgspec.to_builtins(document)
    for key in [key for key in _REMARKS if key in printed]:  # after what the command was asked for
        printed[key] = printed.pop(key)
    text = json.dumps(printed, indent=1, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(printed, indent=1, allow_nan=False)
    sys.stdout.write(f"{text}\n")
    _has_printed = True
