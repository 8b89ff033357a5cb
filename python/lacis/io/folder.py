"""A folder as an input: which of its files are what, by their contents."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .. import _core
from ..errors import LacisError
from . import archive, packed
from .files import reason_of

FABRICS = ("db_csv", "fabric_file", "snapshot", "net", "subnet_list", "net_dump", "links", "cabling")
"""Kinds of files that hold cables, the one that says most first."""
_HEAD = 1 << 20
"""Bytes of a file that are looked at."""
_MOST = 10_000
"""Files that are looked at; a folder with more is no manager's."""


class FolderFile(NamedTuple):
    """A file of a folder."""

    path: Path
    kind: str
    modified: float
    """When it was written, in seconds since 1970."""

    @property
    def name(self) -> str:
        """Its name without the folder's."""
        return self.path.name


@dataclass(frozen=True)
class Folder:
    """The files of a folder that Lacis reads, each kind newest first."""

    path: Path
    of_kind: dict[str, list[FolderFile]]
    passed_over: list[str] = field(default_factory=list)
    """Names of files of which nothing can be taken."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Of these, files that the system does not let be read, and why."""

    @property
    def fabrics(self) -> list[FolderFile]:
        """Files that hold cables: the newest of the kind that says most first."""
        return [file for kind in FABRICS for file in self.of_kind.get(kind, [])]

    def newest(self, *kinds: str) -> FolderFile | None:
        """The newest file of the first of these kinds that there is."""
        return next((self.of_kind[kind][0] for kind in kinds if self.of_kind.get(kind)), None)


def look(path: str | os.PathLike[str]) -> Folder:
    """Recognises the files of a folder, or of an archive of one; folders inside are not looked into.

    Raises:
        LacisError: when it cannot be read, or has no file that holds cables.
    """
    root = archive.unpacked(path) if archive.is_archive(path) else Path(path)
    of_kind: dict[str, list[FolderFile]] = {}
    passed_over: list[str] = []
    unreadable: dict[str, str] = {}
    try:
        entries = sorted(
            (entry for entry in os.scandir(root) if entry.is_file()), key=lambda entry: entry.name
        )
    except OSError as error:
        raise LacisError(reason_of(error), source=os.fspath(path)) from None
    if len(entries) > _MOST:
        raise LacisError(
            f"a folder of {len(entries):,} files, which no manager writes", source=os.fspath(path)
        )
    for entry in entries:
        try:
            kind = _kind(Path(entry.path))
        except OSError as error:
            kind, unreadable[entry.name] = None, reason_of(error)
        if kind is None:
            passed_over.append(entry.name)
        else:
            file = FolderFile(Path(entry.path), kind, entry.stat().st_mtime)
            of_kind.setdefault(kind, []).append(file)
    for files in of_kind.values():
        files.sort(key=lambda file: (-file.modified, file.name))
    folder = Folder(Path(path), of_kind, passed_over, unreadable)
    if not folder.fabrics:
        seen = ", ".join(sorted(file.name for files in of_kind.values() for file in files)[:5])
        has = f" (it has {seen})" if seen else ""
        shut = "".join(f"; {name}: {why}" for name, why in [*unreadable.items()][:3])
        raise LacisError(
            f"a folder without a fabric{has}: it needs an opensm-subnet.lst, ibdiagnet's db_csv or net_dump, or the output of ibnetdiscover{shut}",
            source=os.fspath(path),
        )
    return folder


def _kind(path: Path) -> str | None:
    """The kind of a file; none where nothing is taken from such.

    Raises:
        OSError: when the system does not let it be read.
    """
    try:
        with path.open("rb") as file:
            head = packed.stream(file).read(_HEAD)
    except packed.failures() as error:
        # What is packed badly is an error of the system's kind without a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return None
    found = _core.file_kind(head)
    return None if found is None or found[0] in ("log", "xml") else found[0]
