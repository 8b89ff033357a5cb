"""Which files of a store answer for a window of time: the coarsest that lie in it as a whole, finer ones at its ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from .layout import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .layout import StoredFile


class Part(Enum):
    """What of a file is in the window."""

    WHOLE = "whole"
    FIRST = "first"
    """The first reading alone: the window ends within the roll-up."""
    LAST = "last"
    """The last reading alone: the window begins within the roll-up."""


@dataclass(frozen=True)
class Piece:
    """A file, and what of it is in the window."""

    file: StoredFile
    part: Part


class Cover:
    """The files of a store, each among those of the coarser file that stands for it."""

    def __init__(self, files: Mapping[str, Sequence[StoredFile]]) -> None:
        self._below: dict[StoredFile, list[StoredFile]] = {}
        above: list[StoredFile] = []
        for level in reversed(LEVELS):
            # What the files of one level stand for is found by going along both lists once.
            at = 0
            alone: list[StoredFile] = []
            for file in files.get(level, ()):
                while at < len(above) and above[at].last < file.first:
                    at += 1
                if at < len(above) and above[at].first <= file.first and file.last <= above[at].last:
                    self._below.setdefault(self._deepest(above[at], file, level), []).append(file)
                else:
                    alone.append(file)
            above = sorted([*above, *alone])
        for finer in self._below.values():
            finer.sort()
        self.tops = above
        """Files that no coarser one stands for, in the order of their sweeps."""

    def _deepest(self, top: StoredFile, file: StoredFile, level: str) -> StoredFile:
        """The finest file above a file: an hour's roll-up has those of minutes between itself and sweeps."""
        while True:
            inside = [
                one
                for one in self._below.get(top, ())
                if one.level != level and one.first <= file.first and file.last <= one.last
            ]
            if not inside:
                return top
            top = inside[0]

    def below(self, file: StoredFile) -> list[StoredFile]:
        """The finer files of a roll-up, as far as they are still there."""
        return self._below.get(file, [])

    def is_outside(self, number: int, begin: int, end: int) -> bool:
        """Whether a sweep is kept and began outside a window: a clock that was set back led out of it and in again."""
        return any(
            top.first <= number <= top.last and (top.end < begin or top.begin > end) for top in self.tops
        )

    def pieces(self, begin: int, end: int) -> list[Piece]:
        """What answers for a window, in the order of the sweeps."""
        return [piece for top in self.tops for piece in self._within(top, begin, end)]

    def _within(self, file: StoredFile, begin: int, end: int) -> list[Piece]:
        if file.end < begin or file.begin > end:
            return []
        if begin <= file.begin and file.end <= end:
            return [Piece(file, Part.WHOLE)]
        finer = self.below(file)
        has_first = bool(finer) and finer[0].first == file.first
        has_last = bool(finer) and finer[-1].last == file.last
        if file.begin < begin and end < file.end:
            return self._inside(finer, begin, end)
        if file.begin < begin:
            return self._inside(finer, begin, end) if has_last else [Piece(file, Part.LAST)]
        return self._inside(finer, begin, end) if has_first else [Piece(file, Part.FIRST)]

    def _inside(self, files: Iterable[StoredFile], begin: int, end: int) -> list[Piece]:
        return [piece for file in files for piece in self._within(file, begin, end)]
