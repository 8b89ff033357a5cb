"""Progress: the current step, on one line of standard error where that is a terminal and it takes over 2 s.

    with progress("routing") as advance:
        ...
        advance("shifts", done, of)

A separate thread writes the line, so that the engine is not slowed. Output goes to the terminal
outside such a block, or after `clear`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

AFTER = 2.0
"""Seconds before the line appears."""
_EVERY = 0.2
_BEGUN = "lacis.progress"
_TURNING = "|/-\\"


class _Line:
    """The line: the current step, and how much of it is done."""

    def __init__(self) -> None:
        self.stack: list[tuple[str, int, int]] = []
        self.since = (0.0, 0)
        self.begun = 0.0
        self.is_there = False
        self.lock = threading.Lock()
        self.end = threading.Event()
        self.thread: threading.Thread | None = None

    def text(self, now: float) -> str:
        what, done, of = self.stack[-1]
        seconds = now - self.begun
        turning = _TURNING[int(seconds / _EVERY) % len(_TURNING)]
        if not of:
            return f"{turning} {what}, {seconds:,.0f} s"
        began, first = self.since
        left = f", {(of - done) * (now - began) / (done - first):,.0f} s left" if done > first else ""
        return f"{turning} {what} {done:,} of {of:,} ({done / of:.0%}), {seconds:,.0f} s{left}"

    def show(self) -> None:
        while not self.end.wait(_EVERY):
            now = time.monotonic()
            with self.lock:
                if self.end.is_set() or not self.stack or now - self.begun < AFTER:
                    continue
                width = _columns() - 1
                sys.stderr.write(f"\r\x1b[K{self.text(now)[:width]}")
                sys.stderr.flush()
                self.is_there = True

    def clear(self) -> None:
        with self.lock:
            if self.is_there:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
                self.is_there = False


_line = _Line()


class Advance:
    """Names the current step, and how much of it is done."""

    def __call__(self, what: str, done: int = 0, of: int = 0) -> None:
        with _line.lock:
            if not _line.stack:
                return
            if _line.stack[-1][0] != what or done < _line.stack[-1][1] or not _line.stack[-1][2]:
                _line.since = (time.monotonic(), done)
            _line.stack[-1] = (what, done, of)


@contextlib.contextmanager
def progress(what: str, of: int = 0) -> Iterator[Advance]:
    """Names the current step until the block ends; `of` is how much there is to do, where that is known."""
    outermost = not _line.stack
    with _line.lock:
        _line.stack.append((what, 0, of))
        _line.since = (time.monotonic(), 0)
    if outermost:
        _start()
    try:
        yield Advance()
    finally:
        if outermost:
            _stop()
        with _line.lock:
            _line.stack.pop()


def clear() -> None:
    """Removes the line, so that another can be written; the next update draws it."""
    _line.clear()


def _start() -> None:
    context = click.get_current_context(silent=True)
    _line.begun = time.monotonic()
    if context is not None:
        _line.begun = context.meta.setdefault(_BEGUN, _line.begun)
    if not sys.stderr.isatty():
        return
    _line.end = threading.Event()
    _line.thread = threading.Thread(target=_line.show, daemon=True)
    _line.thread.start()


def _stop() -> None:
    _line.end.set()
    if _line.thread is not None:
        _line.thread.join()
        _line.thread = None
    _line.clear()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
