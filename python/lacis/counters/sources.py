"""Sources of readings that are swept again and again: recordings replayed, what a store has last, a fabric by its management packets."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol

from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """Recordings replayed, a sweep at a time, in their order.

    Args:
        paths: the files.
        read: reads one of them: the sweeps that it has.
    """

    def __init__(self, paths: Sequence[str], read: Callable[[str], Sequence[Readings]]) -> None:
        self._paths, self._read = list(paths), read
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


class Stored:
    """What a store of counters has last.

    Args:
        latest: asks the store for it.
        name: of the store, for errors.
    """

    def __init__(self, latest: Callable[[], Readings | None], name: str) -> None:
        self._latest = latest
        self._name = name

    def sweep(self) -> Readings:
        """The last sweep that the store has.

        Raises:
            LacisError: when it has none, or cannot be read.
        """
        found = self._latest()
        if found is None:
            raise LacisError("has no readings", source=self._name)
        return found


def recorded(paths: Sequence[str], fabric: Fabric | None) -> Recordings:
    """Recordings of a fabric's counters: several sweeps each, or one of what another tool prints."""
    recording = importlib.import_module("..recording", __name__)
    files = importlib.import_module("..files", __name__)

    def read(path: str) -> Sequence[Readings]:
        with reading(path) as data:
            if recording.is_recording(data):
                sweeps: list[Readings] = recording.read(data).sweeps
                return sweeps
        return [files.read([path], fabric)]

    return Recordings(paths, read)


def stored(path: str) -> Stored:
    """A store of counters."""
    store = importlib.import_module("..store", __name__).CounterStore(path)
    return Stored(store.latest, path)


def live(fabric: Fabric) -> Source:
    """The fabric itself, through an adapter of this machine."""
    source: Source = importlib.import_module("..mad", __name__).Reader(fabric)
    return source


def discovered() -> Fabric:
    """The fabric that an adapter of this machine is on."""
    found: Fabric = importlib.import_module("..mad", __name__).discovered()
    return found
