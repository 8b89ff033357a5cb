"""Ctrl-C, heard wherever it comes.

Python raises KeyboardInterrupt in whatever runs. In a destructor or a callback it is printed and lost, and what makes a class
or loads an extension may turn it into an error of its own. An interrupt that was heard ends the command all the same.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_AGAIN = 0.01
"""Seconds after which a lost interrupt is raised again: by then the destructor that lost it has ended."""


class Interrupts:
    """Whether Ctrl-C was pressed while this listened."""

    def __init__(self) -> None:
        self.heard = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hears interrupts, where nothing else does: in the main thread, under Python's own handler."""
        is_ours = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if not is_ours:
            yield
            return
        before = sys.unraisablehook
        signal.signal(signal.SIGINT, self._interrupted)
        sys.unraisablehook = self._unraisable
        try:
            yield
        finally:
            sys.unraisablehook = before
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self.heard = True
        signal.default_int_handler(number, frame)

    def _unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        """Raises an interrupt again that a destructor lost; what else destructors lose is printed as Python does."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            self.heard = True
            # To the main thread, as a signal, so that it ends a sleep or a wait, too.
            main = threading.main_thread().ident
            again = threading.Timer(_AGAIN, signal.pthread_kill, (main, signal.SIGINT))
            again.daemon = True
            again.start()
        else:
            sys.__unraisablehook__(lost)
