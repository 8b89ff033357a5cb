"""The standard streams of the program: closed, full, or with an encoding that lacks characters."""

from __future__ import annotations

import contextlib
import io
import os
import sys


class _Errors(io.TextIOWrapper):
    """Standard error, which may be closed or full: a remark that no reader gets ends no command."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def open_streams() -> None:
    """Opens standard streams that were closed, so that no file gets their numbers, and has standard error never raise."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the least free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    errors = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    if isinstance(errors, io.TextIOWrapper):
        encoding = errors.encoding
        sys.stderr = _Errors(errors.detach(), encoding, "backslashreplace", line_buffering=True)
        sys.__stderr__ = sys.stderr  # type: ignore[misc]  # the old one is of no use now; Textual draws there


def replace_what_cannot_be_encoded() -> None:
    """Has `?` stand for what the encoding of the output lacks, as that of the C locale does."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def discard_output() -> None:
    """Has what is still to be written, also by the interpreter at its end, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
