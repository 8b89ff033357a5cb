"""A fabric from a folder: that of a manager (`/var/log`) or of ibdiagnet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.sources import (
    CablesDiffer,
    FileLeftOut,
    FileOfAnotherFabric,
    FilesApart,
    FolderRead,
    LidsDiffer,
    LidsOccupied,
    NodesDiffer,
)
from ..io.files import reading
from ..io.folder import look

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from .._core import Fabric
    from ..facts.sources import SourceRemark
    from ..io.folder import Folder, FolderFile

_DAY = 86_400


@dataclass(frozen=True)
class FolderFabric:
    """What was taken from a folder; paths are None where it has no such file."""

    fabric: Fabric
    source: FolderFile
    """The file that the cables are from."""
    tables: str | None
    """Forwarding tables, which `lacis.read_tables` reads."""
    opensm_conf: str | None
    """The manager's configuration."""
    lid_cache: str | None
    """The manager's cache of LIDs."""
    remarks: tuple[SourceRemark, ...]
    """What was taken, then where files contradict each other."""


def read_folder(path: str | os.PathLike[str]) -> FolderFabric:
    """Reads a fabric from a folder: cables from the file that says most, states and counters from the others.

    Raises:
        LacisError: when no file of it is a fabric that can be read.
    """
    folder = look(path)
    remarks: list[SourceRemark] = []
    source, fabric = _first(folder, remarks)
    also: list[str] = []
    for file in folder.fabrics:
        if file is source or file.name in _named(remarks):
            continue
        older = file.kind == source.kind
        try:
            other = _read(file)
        except LacisError as error:
            remarks.append(FileLeftOut(file.name, str(error)))
            continue
        differences = list(_differences(fabric, source, other, file))
        remarks += differences
        if older or any(isinstance(one, FileOfAnotherFabric) for one in differences):
            continue
        fabric = fabric.completed(other)
        also.append(file.name)
    counters: list[str] = []
    for file in folder.of_kind.get("query_errors", [])[:1]:
        try:
            with reading(file.path) as data:
                fabric = fabric.counted(data, int(file.modified))
            counters.append(file.name)
        except LacisError as error:
            remarks.append(FileLeftOut(file.name, str(error)))
    tables = folder.newest("tables", "routes")
    conf = folder.newest("opensm_conf")
    fabric, cache, lids = _with_lids(fabric, source, folder.newest("lid_cache"), remarks)
    for made in (tables, conf):
        if made is not None and abs(days := int((made.modified - source.modified) / _DAY)) >= 1:
            remarks.append(FilesApart(made.name, source.name, days))
    taken = {source.name, *also, *counters} | {file.name for file in (tables, conf, cache) if file}
    everything = len(folder.passed_over) + sum(len(files) for files in folder.of_kind.values())
    read = FolderRead(
        folder=str(folder.path),
        fabric=source.name,
        also=tuple(also),
        tables=tables.name if tables else "",
        opensm_conf=conf.name if conf else "",
        lid_cache=cache.name if cache else "",
        lids=lids,
        counters=tuple(counters),
        passed_over=everything - len(taken),
    )
    remarks += [FileLeftOut(name, why) for name, why in folder.unreadable.items()]
    return FolderFabric(fabric, source, _path(tables), _path(conf), _path(cache), (read, *remarks))


def _with_lids(
    fabric: Fabric, source: FolderFile, cache: FolderFile | None, remarks: list[SourceRemark]
) -> tuple[Fabric, FolderFile | None, int]:
    """The fabric with the LIDs of the cache where it has none, the cache if it is of this fabric, and how many LIDs."""
    if cache is None:
        return fabric, None, 0
    try:
        with reading(cache.path) as data:
            new, (known, taken, differing, occupied) = fabric.with_lid_cache(data)
    except LacisError as error:
        remarks.append(FileLeftOut(cache.name, str(error)))
        return fabric, None, 0
    if not known:
        remarks.append(FileOfAnotherFabric(cache.name))
        return fabric, None, 0
    if differing:
        port, own, other = differing[0]
        remarks.append(LidsDiffer(source.name, cache.name, len(differing), port, (own, other)))
    if occupied:
        port, lid, owner = occupied[0]
        remarks.append(LidsOccupied(cache.name, len(occupied), port, lid, owner))
    return new, cache, taken


def _path(file: FolderFile | None) -> str | None:
    return str(file.path) if file else None


def _named(remarks: list[SourceRemark]) -> set[str]:
    return {one.file for one in remarks if isinstance(one, FileLeftOut)}


def _first(folder: Folder, remarks: list[SourceRemark]) -> tuple[FolderFile, Fabric]:
    """The first file that can be read as a fabric with cables."""
    refused: LacisError | None = None
    for file in folder.fabrics:
        try:
            return file, _read(file)
        except LacisError as error:
            refused = refused or error.within(str(file.path))
            remarks.append(FileLeftOut(file.name, str(error)))
    raise refused or LacisError("a folder without a fabric", source=str(folder.path))


def _read(file: FolderFile) -> Fabric:
    with reading(file.path) as data:
        try:
            return _core.read_fabric(data)
        except LacisError as error:
            raise LacisError(error.reason, error.line, error.text) from None


def _differences(
    fabric: Fabric, source: FolderFile, other: Fabric, file: FolderFile
) -> Iterator[SourceRemark]:
    """Where another file of the folder contradicts the one that the cables are from."""
    own_cables, other_cables, lids, own_nodes, other_nodes = fabric.source_difference(other)
    nodes = other.num_switches + other.num_end_nodes
    if nodes and len(other_nodes) == nodes:
        yield FileOfAnotherFabric(file.name)
        return
    for name, lacking, cables in (
        (source.name, file.name, own_cables),
        (file.name, source.name, other_cables),
    ):
        if cables:
            yield CablesDiffer(name, lacking, len(cables), cables[0])
    for name, lacking, missing in (
        (source.name, file.name, own_nodes),
        (file.name, source.name, other_nodes),
    ):
        if missing:
            yield NodesDiffer(name, lacking, len(missing), missing[0])
    if lids:
        port, one, two = lids[0]
        yield LidsDiffer(source.name, file.name, len(lids), port, (one, two))
