"""The one writer of a store: a lock that goes with its process, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from typing import TYPE_CHECKING

from ...errors import LacisError

if TYPE_CHECKING:
    from pathlib import Path


class Lock:
    """Held from its making to `release`."""

    def __init__(self, folder: Path) -> None:
        """Takes the lock of a folder, which is made if need be.

        Raises:
            LacisError: when another writer has it, or the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except (FileExistsError, NotADirectoryError):
            raise LacisError("is no folder: a store of counters is one", source=os.fspath(folder)) from None
        except OSError as error:
            reason = f"cannot be written: {(error.strerror or str(error)).lower()}"
            raise LacisError(reason, source=os.fspath(folder)) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with contextlib.closing(os.fdopen(self._file, "rb")) as file:
                owner = file.read(200).decode(errors="replace").strip()
            who = owner if owner.isprintable() and owner else "another process"
            raise LacisError(
                f"is written by {who}; a store has one writer", source=os.fspath(folder)
            ) from None
        except OSError as error:
            os.close(self._file)
            reason = f"cannot be locked: {(error.strerror or str(error)).lower()}"
            raise LacisError(reason, source=os.fspath(folder)) from None
        with contextlib.suppress(OSError):  # On a full disk the lock holds without a name.
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def release(self) -> None:
        """Lets another writer in."""
        os.close(self._file)
