"""Sources of readings that are swept again and again: recordings replayed, and what a store has last. `mad.Reader` is one, too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..errors import LacisError
from ..io.files import need_name, reading
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


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether readings are in a folder, as the kernel shows them, and not in a file.

    Raises:
        LacisError: when the folder is a store.
    """
    need_name(path)
    if os.fspath(path) == "-" or not Path(path).is_dir():
        return False
    if CounterStore(path).span() is not None:
        raise LacisError(
            "is a store of counters, where a recording or what another tool wrote is expected",
            source=os.fspath(path),
        )
    return True


def sweeps_of(path: str | os.PathLike[str], fabric: Fabric | None) -> Sequence[Readings]:
    """The sweeps of a recording; what a file of another tool or a folder has, as one.

    Raises:
        LacisError: when it cannot be read, is none of these, or is a store.
    """
    if not is_folder(path):
        with reading(path) as data:
            if recording.is_recording(data):
                return recording.read(data).sweeps
    return [files.read([os.fspath(path)], fabric)]


class Recordings:
    """Recordings of a fabric's counters replayed, a sweep at a time, in their order.

    Args:
        paths: as for `sweeps_of`.
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
            self._sweeps += sweeps_of(self._paths.pop(0), self._fabric)
        if self._sweeps:
            self._last = self._sweeps.pop(0)
        if self._last is None:
            raise LacisError("no sweep of counters is recorded")
        return self._last


class Stored:
    """What a store of counters has last, which another program keeps.

    Args:
        path: its folder.
        fabric: that it is of.
    """

    def __init__(self, path: str, fabric: Fabric | None = None) -> None:
        self._store = CounterStore(path)
        self._path, self._fabric = path, fabric

    def sweep(self) -> Readings:
        """The last sweep that the store has.

        Raises:
            LacisError: when it has none, cannot be read, or is of another fabric.
        """
        found = self._store.latest()
        if found is None:
            raise LacisError("holds no readings of counters", source=self._path)
        is_other = self._fabric is not None and not np.isin(found.guids, self._fabric.guids()).any()
        if is_other and len(found):
            reason = f"the counters are of another fabric: none of the {len(found):,} ports is in it"
            raise LacisError(reason, source=self._path)
        return found
