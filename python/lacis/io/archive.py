"""Archives of files (tar, packed or not): unpacked into a folder of their own, which goes when Lacis ends.

An archive may come from anywhere: only plain files with names below its top are taken, so many and so large at most.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, cast

from ..errors import LacisError
from . import packed
from .files import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_FILES = 20_000
"""Files of an archive; one of a host with many adapters has hundreds."""
_HEAD = 512
_MARK = slice(257, 262)
_PIECE = 1 << 20
_kept: dict[tuple[str, int, int], tempfile.TemporaryDirectory[str]] = {}
"""Folders of archives that were unpacked, by path, time of writing and size; Python removes them when it ends."""


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an archive, by its content."""
    try:
        with Path(path).open("rb") as file:
            head = packed.stream(file).read(_HEAD)
    except packed.failures():
        return False
    return head[_MARK] == b"ustar"


def unpacked(path: str | os.PathLike[str]) -> Path:
    """The folder into which an archive was unpacked: the first one inside that has several files, or its top.

    Raises:
        LacisError: when it cannot be read, is damaged, or holds more than Lacis takes.
    """
    name = os.fspath(path)
    try:
        status = Path(path).stat()
        key = (os.path.realpath(path), status.st_mtime_ns, status.st_size)
        if key not in _kept:
            folder = tempfile.TemporaryDirectory(prefix="lacis-archive-")
            try:
                _unpack(Path(path), Path(folder.name), status.st_size)
            except BaseException:
                folder.cleanup()
                raise
            _kept[key] = folder
    except LacisError as error:
        raise error.within(name) from None
    except (tarfile.TarError, EOFError) as error:
        raise LacisError(f"a damaged archive: {error}", source=name) from None
    except packed.failures() as error:
        is_of_system = isinstance(error, OSError) and error.strerror
        raise LacisError(
            reason_of(error) if is_of_system else f"a damaged archive: {error}", source=name
        ) from None
    return _top(Path(_kept[key].name))


def _unpack(path: Path, folder: Path, packed_bytes: int) -> None:
    total = files = 0
    with path.open("rb") as raw, tarfile.open(fileobj=_stream(raw), mode="r|") as archive:
        for member in archive:
            if not member.isfile():
                continue  # folders are made for files; links and devices are none of ours
            target = _target(member.name)
            files += 1
            total += member.size
            if files > MOST_FILES:
                raise LacisError(f"an archive of more than {MOST_FILES:,} files")
            if total > packed.MOST or (total > packed.BOMB[0] and total > packed.BOMB[1] * packed_bytes):
                raise LacisError(
                    f"the archive unpacks to more than {total >> 20:,} MiB, from {packed_bytes:,} bytes"
                )
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            source = archive.extractfile(member)
            with (folder / target).open("wb") as out:
                for piece in _pieces(cast("BinaryIO", source)):
                    out.write(piece)
            os.utime(folder / target, (max(0, member.mtime), max(0, member.mtime)))


def _stream(raw: BinaryIO) -> BinaryIO:
    return packed.stream(raw)


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    while piece := source.read(_PIECE):
        yield piece


def _target(name: str) -> PurePosixPath:
    """The path of a member below the folder.

    Raises:
        LacisError: when it leads out of the folder, which no honest archive does.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or not path.parts:
        raise LacisError("an archive with a file outside of it", text=name[:80])
    return path


def _top(folder: Path) -> Path:
    """The folder that holds the files: archives have one folder at their top, or several above the files."""
    while True:
        entries = list(folder.iterdir())
        if len(entries) != 1 or not entries[0].is_dir():
            return folder
        folder = entries[0]
