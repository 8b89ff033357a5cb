"""What a server shows now: a session, and the one after it when the fabric has changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .session import Session


@dataclass
class Shown:
    """What is shown.

    Attributes:
        session: the fabric as it is now.
        newer: what is shown since the fabric has changed; none as long as it has not.
        number: how often it has changed. A page that was loaded before asks with its own, and is refused: rows of ports differ.
        trouble: why a fabric that has changed is not shown.
    """

    session: Session
    newer: Callable[[], Session | None] | None = None
    number: int = 0
    trouble: str = ""

    def look(self) -> bool:
        """Looks whether the fabric has changed; whether it has, and can be shown."""
        if self.newer is None:
            return False
        try:
            found = self.newer()
        except LacisError as error:
            self.trouble = f"the fabric has changed, and is not loaded: {error}"
            return False
        if found is None:
            return False
        self.session, self.trouble = found, ""
        self.number += 1
        return True


class Changes:
    """Whether a file has changed since it was looked at last.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._was = self._now()

    def seen(self) -> bool:
        """Whether it is another one now. A file that is absent is being written."""
        now = self._now()
        if now is None or now == self._was:
            return False
        self._was = now
        return True

    def _now(self) -> tuple[int, int, int] | None:
        try:
            state = self._path.stat()
        except OSError:
            return None
        return state.st_mtime_ns, state.st_size, state.st_ino
