"""Files of counters, each recognised by its content, as the readings of one sweep."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ... import _core
from ...errors import LacisError
from ...io.files import STDIN, need_name, reading, text_of
from .. import recording
from ..readings import Readings, joined
from . import fabrics, perfquery, query_errors, sensors, sysfs, tables
from .nodes import Nodes
from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._core import Fabric


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        name: the program that writes it.
        recognises: whether a text is of it.
        read: puts into rows what bytes, which are also given as text, say.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[bytes, str, Rows, Nodes], None]


FORMATS: list[Format] = [
    Format("opareport", fabrics.is_snapshot, lambda data, _, rows, __: fabrics.read_snapshot(data, rows)),
    Format("perfquery", perfquery.recognises, lambda _, text, rows, nodes: perfquery.read(text, rows, nodes)),
    Format(
        "ibqueryerrors",
        query_errors.recognises,
        lambda _, text, rows, nodes: query_errors.read(text, rows, nodes),
    ),
    Format("ibdiagnet", tables.recognises_db_csv, tables.read_db_csv),
    Format("UFM", tables.recognises_ufm, lambda _, text, rows, nodes: tables.read_ufm(text, rows, nodes)),
]
"""In the order in which they are tried."""


def read(paths: Sequence[str], fabric: Fabric | None = None) -> Readings:
    """The counters in files, or in copies of `/sys/class/infiniband`, as those of one sweep.

    A file is what perfquery, ibqueryerrors, ibdiagnet (`db_csv`), UFM's telemetry, or `opareport -o snapshot` writes, packed or not, or a
    recording of `lacis counters`, of which the last sweep is read. Of a port that
    several files have, each counter is taken from the first that has it, with 64 bits rather than with fewer.

    Args:
        paths: files and folders; `-` is standard input.
        fabric: that the counters are of. perfquery prints LIDs only, and ibqueryerrors GUIDs of ports: it says whose they are.

    Raises:
        LacisError: when a file cannot be read, is none of these, or is of another fabric.
    """
    if not paths:
        raise LacisError("no file of counters is given")
    nodes = Nodes(fabric)
    parts = [_one(path, nodes, fabric) for path in paths]
    units = {part.unit for part in parts if len(part)}
    if len(units) > 1:
        raise LacisError("files of InfiniBand and of Omni-Path cannot be read as one sweep", source=paths[-1])
    if fabric is not None:
        _check_fabric(parts, nodes, paths)
    whole = joined([_wide_first(parts, at) for at in range(len(parts))]) if len(parts) > 1 else parts[0]
    return replace(whole, unit=units.pop() if units else whole.unit)


def _one(path: str, nodes: Nodes, fabric: Fabric | None) -> Readings:
    """The readings of a file or a folder."""
    need_name(path)
    source = STDIN if path == "-" else os.fspath(path)
    rows = Rows(source, _made(path))
    if path != "-" and Path(path).is_dir():
        try:
            sysfs.read(Path(path), rows)
        except LacisError as error:
            raise error.within(source) from None
        return rows.readings()
    with reading(path) as data:
        if recording.is_recording(data):
            return _last_sweep(data)
        text = text_of(data)
        found = next((form for form in FORMATS if form.recognises(text)), None)
        if found is None:
            _read_otherwise(data, text, rows, fabric)
            return rows.readings()
        found.read(data, text, rows, nodes)
        if not len(rows) and not rows.unread and not rows.only_faulty:
            raise LacisError(f"has no counters, though it is {found.name}'s")
    return rows.readings()


def _last_sweep(data: bytes) -> Readings:
    """The last sweep of a recording."""
    sweeps = recording.read(data).sweeps
    if not sweeps:
        raise LacisError("has no sweep of counters")
    return sweeps[-1]


def _made(path: str) -> int:
    """When a file was last written, for those that do not say when they were made."""
    try:
        return Path(path).stat().st_mtime_ns if path != "-" else time.time_ns()
    except OSError:
        return 0  # That it cannot be read is said where it is read.


def _read_otherwise(data: bytes, text: str, rows: Rows, fabric: Fabric | None) -> None:
    """Reads a file of another kind by the core, which knows more of them: a fabric with counters, or counters of a fabric.

    Raises:
        LacisError: when it has no counters.
    """
    kind = _core.file_kind(data)
    if not text.strip():
        raise LacisError("is empty")
    if sensors.recognises(text):
        raise LacisError("is ibswinfo's: it has the sensors of a switch and no counters")
    if kind is None:
        raise LacisError(
            "is not a file of counters: neither perfquery's, ibqueryerrors', ibdiagnet's (db_csv), UFM's nor opareport's"
        )
    if kind[0] == "net_dump_ext":
        if fabric is None:
            raise LacisError("is ibdiagnet's net_dump_ext: the fabric that it is of is needed")
        return fabrics.add_counters(fabric.counted(data), rows)
    with contextlib.suppress(LacisError):
        own = _core.read_fabric(data)
        if own.counters[0]:
            return fabrics.add_counters(own, rows)
    raise LacisError(f"has no counters: it seems to be {kind[1]}")


def _wide_first(parts: Sequence[Readings], at: int) -> Readings:
    """A part without counters that another one has with 64 bits and it has with fewer."""
    part = parts[at]
    known = dict(part.known)
    for name, mine in part.known.items():
        for other in parts:
            if other is not part and name in other.known:
                keys = other.keys[other.known[name] & other.wide[name]]
                narrow = mine & ~part.wide[name]
                if len(keys) and narrow.any():
                    known[name] = known[name] & ~(narrow & np.isin(part.keys, keys))
    return replace(part, known=known)


def _check_fabric(parts: Sequence[Readings], nodes: Nodes, paths: Sequence[str]) -> None:
    """Refuses files that share no node with the fabric."""
    for part, path in zip(parts, paths, strict=True):
        if len(part) and not any(nodes.has(int(guid)) for guid in set(part.guids.tolist())):
            raise LacisError("counters of another fabric: it has none of the nodes", source=path)
