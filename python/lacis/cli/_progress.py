"""One line on a terminal about what is done now."""

from __future__ import annotations

import sys


class Progress:
    """Shows what is done now on standard error, where that is a terminal."""

    def __init__(self, doing: str = "") -> None:
        self._shown = sys.stderr.isatty()
        self._doing = doing

    def __call__(self, what: str) -> None:
        """Show it in place of what was shown before."""
        if self._shown:
            print(f"\r\x1b[K{self._doing}{what[:70]} …", end="", file=sys.stderr, flush=True)  # noqa: T201

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201
