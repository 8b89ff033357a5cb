"""Sources of readings that are swept again and again: recordings replayed, and what a store has last. `mad.Reader` is one, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..errors import LacisError
from ..io.files import reading
from . import files, recording
from .store import CounterStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric
    from .readings import Readings


class Source(Protocol):
    """Reads counters whenever it is asked."""

    def sweep(self) -> Readings:
        """Reads all ports once.

        Raises:
            LacisError: when nothing can be read.
        """


class Recordings:
    """Recordings of a fabric's counters replayed, a sweep at a time, in their order.

    Args:
        paths: files with several sweeps each, or with one of what another tool prints.
        fabric: that they are of.
    """

    def __init__(self, paths: Sequence[str], fabric: Fabric | None) -> None:
        self._paths, self._fabric = list(paths), fabric
        self._sweeps: list[Readings] = []
        self._last: Readings | None = None

    @property
    def is_over(self) -> bool:
        """Whether every sweep was given: further ones give the last again."""
        return not self._paths and not self._sweeps

    def sweep(self) -> Readings:
        """The next sweep, or again the last one.

        Raises:
            LacisError: when a recording cannot be read.
        """
        while self._paths and not self._sweeps:
            self._sweeps += self._read(self._paths.pop(0))
        if self._sweeps:
            self._last = self._sweeps.pop(0)
        if self._last is None:
            raise LacisError("no sweep of counters is recorded")
        return self._last

    def _read(self, path: str) -> Sequence[Readings]:
        with reading(path) as data:
            if recording.is_recording(data):
                return recording.read(data).sweeps
        return [files.read([path], self._fabric)]


class Stored:
    """What a store of counters has last, which another program keeps.

    Args:
        path: its folder.
    """

    def __init__(self, path: str) -> None:
        self._store = CounterStore(path)
        self._path = path

    def sweep(self) -> Readings:
        """The last sweep that the store has.

        Raises:
            LacisError: when it has none, or cannot be read.
        """
        found = self._store.latest()
        if found is None:
            raise LacisError("holds no readings of counters", source=self._path)
        return found
