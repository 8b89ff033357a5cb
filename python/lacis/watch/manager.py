"""The log of OpenSM, as it grows: which engines refused the fabric in the last sweep, and which made the tables.

Three of its lines count (`osm_ucast_mgr.c`, 3.3.23):

    … 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices
    … 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
    … 0x01 -> osm_ucast_mgr_process: No routing engine able to successfully configure  switch tables on current fabric

The second one is logged with its flag for information (`log_flags 0x03`, the default).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..facts.watch import ManagerFellBack

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = 4 << 20
"""Bytes at the end of a log that are read first: a sweep takes some hundred lines."""
_MOST = 64 << 20
"""Bytes that are read at a time."""
_REFUSED = re.compile(rb"ucast_mgr_route: ([\w.-]+): cannot build ")
_USED = re.compile(rb"osm_ucast_mgr_process: ([\w.-]+) tables configured on all switches")
_NONE = re.compile(rb"osm_ucast_mgr_process: No routing engine able to successfully configure")


class ManagerLog:
    """A log that is followed, also where it is replaced by a new one."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        self._at = 0
        self._begun = b""
        self._refused: list[str] = []
        self._last: ManagerFellBack | None = None

    def read(self) -> ManagerFellBack | None:
        """What the last sweep of the log says: the fallback, or none where the first engine made the tables.

        Raises:
            LacisError: when the log cannot be read.
        """
        for line in self._lines():
            if refused := _REFUSED.search(line):
                self._refused.append(refused[1].decode())
            elif (used := _USED.search(line)) or _NONE.search(line):
                names = tuple(dict.fromkeys(self._refused))
                engine = used[1].decode() if used else None
                self._last = ManagerFellBack(self._path, names, engine) if names or not used else None
                self._refused.clear()
        return self._last

    def _lines(self) -> Iterator[bytes]:
        """Whole lines that were added since the last time."""
        try:
            with Path(self._path).open("rb") as log:
                status = os.fstat(log.fileno())
                same = (status.st_dev, status.st_ino)
                if self._file is None:
                    self._at = max(0, status.st_size - FIRST)
                elif self._file != same or status.st_size < self._at:
                    self._at, self._begun = 0, b""
                self._file = same
                log.seek(self._at)
                data = log.read(_MOST)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LacisError(reason, source=self._path) from None
        self._at += len(data)
        *lines, self._begun = (self._begun + data).split(b"\n")
        # A line without an end is no log's: it is not kept for ever.
        self._begun = self._begun[-FIRST:]
        yield from lines
