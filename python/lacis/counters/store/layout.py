"""The files of a store: where they lie, what their names say, and how they appear.

    counters/lock                                                       held by the one writer
    counters/raw/0000000017-0000000017-1795862400-1795862400-5f0c9a31.parquet     one sweep
    counters/5min/0000000000-0000000029-1795862100-1795862390-0a41c7be.parquet    the sweeps of 5 minutes
    counters/1h/…                                                       those of an hour

A name says the numbers of the first and the last sweep in the file, when these began in nanoseconds since 1970, and the CRC-32 of the content.
Sweeps are numbered as they come, so that an order is known where a clock was set back, and a number that no file has is a hole. A file is
written under another name and renamed when it is whole; none is ever changed. A roll-up is there before the files that it stands for are deleted.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable

RAW, MINUTES, HOUR = "raw", "5min", "1h"
LEVELS = {RAW: 0, MINUTES: 300 * 10**9, HOUR: 3600 * 10**9}
"""Folders of a store, finest first, and the nanoseconds that one file stands for; raw ones hold one sweep."""

_NAME = re.compile(r"(\d{10,19})-(\d{10,19})-(-?\d{1,19})-(-?\d{1,19})-([0-9a-f]{8})\.parquet", re.ASCII)


@dataclass(frozen=True, order=True)
class StoredFile:
    """A file of a store.

    Attributes:
        first: number of its first sweep.
        last: number of its last sweep.
        level: its folder.
        begin: when its first sweep began, nanoseconds since 1970.
        end: when its last sweep began.
        crc: CRC-32 of its content.
        path: the file.
    """

    first: int
    last: int
    level: str
    begin: int
    end: int
    crc: int
    path: Path

    @property
    def interval(self) -> int:
        """Which of the intervals of the next coarser level its first sweep is in."""
        names = list(LEVELS)
        return self.begin // LEVELS[names[min(names.index(self.level) + 1, len(names) - 1)]]


@dataclass(frozen=True)
class Damaged:
    """A file of a store that cannot be read, or that is none of it."""

    path: Path
    reason: str


def listed(folder: Path) -> tuple[dict[str, list[StoredFile]], list[Damaged]]:
    """The files of each level in the order of their sweeps, and files that are none of a store's.

    Levels are listed finest first: a roll-up appears before what it stands for goes, so that nothing is missed.

    Raises:
        LacisError: when a folder cannot be read.
    """
    found: dict[str, list[StoredFile]] = {}
    strange: list[Damaged] = []
    for level in LEVELS:
        try:
            names = sorted(path.name for path in (folder / level).iterdir())
        except FileNotFoundError:
            names = []
        except OSError as error:
            raise LacisError(
                (error.strerror or str(error)).lower(), source=os.fspath(folder / level)
            ) from None
        found[level] = []
        for name in names:
            if name.startswith("."):
                continue  # It is being written.
            match = _NAME.fullmatch(name)
            path = folder / level / name
            if match is None or int(match[1]) > int(match[2]):
                strange.append(Damaged(path, "has a name that no file of a store has"))
                continue
            first, last, begin, end = (int(match[group]) for group in (1, 2, 3, 4))
            found[level].append(StoredFile(first, last, level, begin, end, int(match[5], 16), path))
        found[level].sort()
    return found, strange


def stored(
    folder: Path, level: str, sweeps: tuple[int, int], times: tuple[int, int], content: bytes
) -> StoredFile:
    """Writes a file whole or not at all, and returns it when it would outlast a power cut.

    Raises:
        LacisError: when it cannot be written; no other file is touched.
    """
    crc = zlib.crc32(content)
    name = f"{sweeps[0]:010d}-{sweeps[1]:010d}-{times[0]}-{times[1]}-{crc:08x}.parquet"
    target = folder / level / name
    partial = target.with_name(f".{name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            partial.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
        _settled(target.parent)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LacisError(
            f"cannot be written: {reason}; what is kept stays", source=os.fspath(folder)
        ) from None
    return StoredFile(sweeps[0], sweeps[1], level, times[0], times[1], crc, target)


def content(file: StoredFile) -> bytes:
    """What a file holds.

    Raises:
        FileNotFoundError: when it has gone since it was listed.
        ValueError: when it is damaged.
    """
    data = file.path.read_bytes()
    if zlib.crc32(data) != file.crc:
        raise ValueError("is not what was written: its CRC-32 is not that of its name")
    return data


def cleaned(folder: Path) -> None:
    """Removes what a writer that was killed left unfinished."""
    for level in LEVELS:
        with contextlib.suppress(OSError):
            for path in (folder / level).glob(".*.part"):
                path.unlink(missing_ok=True)


def removed(files: Iterable[StoredFile]) -> None:
    """Deletes files; one that cannot be deleted stays for the next time."""
    for file in files:
        with contextlib.suppress(OSError):
            file.path.unlink()


def _settled(folder: Path) -> None:
    """Makes a new name in a folder outlast a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
