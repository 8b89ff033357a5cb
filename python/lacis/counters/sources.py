"""Sources of readings that are swept again and again: recordings replayed, what a store has last, a fabric by its management packets."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol

from ..errors import LacisError

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
    """Recordings replayed, one a sweep, in their order.

    Args:
        paths: the files.
        read: reads one of them.
    """

    def __init__(self, paths: Sequence[str], read: Callable[[str], Readings]) -> None:
        self._left = list(paths)
        self._read = read
        self._last: Readings | None = None

    @property
    def is_over(self) -> bool:
        """Whether every recording was read: further sweeps give the last one again."""
        return not self._left

    def sweep(self) -> Readings:
        """The next recording, or again the last one.

        Raises:
            LacisError: when it cannot be read.
        """
        if self._left:
            self._last = self._read(self._left.pop(0))
        if self._last is None:
            raise LacisError("no recording is given")
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
    """Recordings of a fabric's counters, each a file that `counters.files` reads."""
    files = importlib.import_module("..files", __name__)
    return Recordings(paths, lambda path: files.read([path], fabric))


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
