"""What the writer does beside writing: roll-ups of what is complete, and deleting what is old or too much."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from ..lost import Lost
from ..stretch import followed
from .layout import HOUR, LEVELS, MINUTES, RAW, cleaned, listed, removed, stored
from .table import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ..stretch import Stretch
    from .layout import StoredFile

_ABOVE = {RAW: MINUTES, MINUTES: HOUR}
_LONGEST = 3600 * 10**9
"""Nanoseconds that two neighbouring files are apart at most when ages are counted: a clock that jumps ahead makes nothing old."""


class Rolling:
    """The files of a store as its writer knows them."""

    def __init__(
        self,
        folder: Path,
        limit: int,
        ages: tuple[float, float],
        read: Callable[[StoredFile], Stretch | None],
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._ages = dict(zip((RAW, MINUTES), ages, strict=True))
        self._read = read
        cleaned(folder)
        self._files, _ = listed(folder)
        self._sizes = {
            file.path: file.path.stat().st_size for files in self._files.values() for file in files
        }
        self._bad: set[Path] = set()

    @property
    def next_number(self) -> int:
        """The number of the next sweep."""
        return max((files[-1].last for files in self._files.values() if files), default=-1) + 1

    def add(self, file: StoredFile) -> None:
        """A file that was written."""
        self._files[file.level].append(file)
        self._sizes[file.path] = file.path.stat().st_size

    def tidy(self) -> None:
        """Rolls up what is complete, and deletes what is old or too much.

        Raises:
            LacisError: when a roll-up cannot be written; what it would stand for stays.
        """
        for level in _ABOVE:
            self._roll(level)
        for level, seconds in self._ages.items():
            self._delete(self._older(level, seconds))
        while sum(self._sizes.values()) > self._limit:
            if not self._shrink():
                break

    def _pending(self, level: str) -> list[StoredFile]:
        """Files that no roll-up stands for."""
        above = self._files[_ABOVE[level]]
        done = above[-1].last if above else -1
        return [file for file in self._files[level] if file.first > done and file.path not in self._bad]

    def _roll(self, level: str, *, early: bool = False) -> None:
        """Writes the roll-ups of a level's complete intervals; early, that of the last one, too."""
        runs = [list(run) for _, run in groupby(self._pending(level), lambda file: file.interval)]
        for run in runs if early else runs[:-1]:
            whole: Stretch | None = None
            good: list[StoredFile] = []
            for file in run:
                over = self._read(file)
                if over is None:
                    self._bad.add(file.path)
                    continue
                hole = Lost.DAMAGED if good and file.first != good[-1].last + 1 else Lost.NOTHING
                whole = over if whole is None else followed(whole, over, hole)
                good.append(file)
            if whole is None:
                continue
            times = min(file.begin for file in good), max(file.end for file in good)
            content = written(whole, rolled=True)
            self.add(stored(self._folder, _ABOVE[level], (good[0].first, good[-1].last), times, content))

    def _spare(self, level: str) -> list[StoredFile]:
        """Files that may go: a roll-up stands for them, or they cannot be read. The last sweep stays."""
        above = self._files[_ABOVE[level]]
        done = above[-1].last if above else -1
        files = self._files[level][:-1] if level == RAW else self._files[level]
        return [file for file in files if file.last <= done or file.path in self._bad]

    def _older(self, level: str, seconds: float) -> list[StoredFile]:
        """Spare files after which the store was written for so many seconds."""
        files = self._files[level]
        passed, old = 0, set()
        for newer, older in pairwise(reversed(files)):
            passed += min(max(newer.begin - older.begin, 0), _LONGEST)
            if passed >= seconds * 1e9:
                old.add(older.path)
        return [file for file in self._spare(level) if file.path in old]

    def _shrink(self) -> bool:
        """Deletes the oldest file of the finest level that has one to spare; no if there is none."""
        for level in LEVELS:
            if level == HOUR:
                # Nothing finer can go: the oldest hour does, unless it is all that there is.
                spare = self._files[HOUR][: -1 if len(self._files[HOUR]) > 1 else 0]
            else:
                spare = self._spare(level)
                if not spare and len(self._pending(level)) > 1:
                    self._roll(level, early=True)
                    spare = self._spare(level)
            if spare:
                self._delete(spare[:1])
                return True
        return False

    def _delete(self, files: Iterable[StoredFile]) -> None:
        gone = {file.path for file in files}
        removed(file for files in self._files.values() for file in files if file.path in gone)
        for level, files_of in self._files.items():
            self._files[level] = [file for file in files_of if file.path not in gone]
        for path in gone:
            self._sizes.pop(path, None)
