"""Reading, generating and changing fabrics."""

from __future__ import annotations

import contextlib
import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..errors import LacisError
from ..io import archive
from ..io.files import reading
from ..io.memory import need_memory
from .folder import read_folder

if TYPE_CHECKING:
    from .._core import Fabric


class Cabling(NamedTuple):
    """The columns of a list of cables: a switch and its port, the node at the other end and the port there."""

    switch: str
    port: str
    peer: str
    peer_port: str


def read(source: str | os.PathLike[str]) -> Fabric:
    """Reads a fabric from a file, a folder or an archive of one (`read_folder`), `-` (standard input) or a spec such as `fat-tree:36,3`.

    A file of that name wins over a spec.

    Raises:
        LacisError: when the file cannot be read or is no fabric, or the spec makes none.
    """
    name = os.fspath(source)
    if name not in ("", "-") and not Path(name).exists():
        return _made(name)
    if name not in ("", "-") and (Path(name).is_dir() or archive.is_archive(name)):
        return read_folder(name).fabric
    with reading(name) as data:
        return _core.read_fabric(data)


def read_cabling(source: str | os.PathLike[str], columns: Cabling) -> Fabric:
    """Reads a site's own list of cables, a CSV whose columns are named.

    Raises:
        LacisError: when the file cannot be read, or has no such columns.
    """
    with reading(source) as data:
        return _core.read_cabling(data, *columns)


def with_counters(fabric: Fabric, source: str | os.PathLike[str]) -> Fabric:
    """A fabric with the counters of its ports: from the output of `ibqueryerrors`, or from a file of the fabric that has some.

    Raises:
        LacisError: when the file cannot be read, has no counters, or is of another fabric.
    """
    name = os.fspath(source)
    with reading(name) as data:
        written = int(Path(name).stat().st_mtime) if name != "-" and Path(name).is_file() else None
        return fabric.counted(data, written)


def declare(fabric: Fabric, roles: str | os.PathLike[str]) -> Fabric:
    """Gives switches and hosts the roles of a roles file; `docs/howto/read-your-fabric.md` describes it.

    Raises:
        LacisError: when the file cannot be read, names no node, or contradicts itself.
    """
    with reading(roles) as data:
        return fabric.declared(data)


def _made(name: str) -> Fabric:
    """The fabric of a spec; a name that is neither a spec nor a file is a file's, mistyped."""
    if _core.is_spec(name):
        return _generated(name)
    path = Path(name)
    with contextlib.suppress(OSError):
        names = [entry.name for entry in os.scandir(path.parent)] if path.name else []
        for near in difflib.get_close_matches(path.name, names, 1, 0.8):
            raise LacisError(f"no such file or directory: is {path.with_name(near)} meant?", source=name)
    if _looks_like_path(name):
        raise LacisError("no such file or directory", source=name)
    try:
        return _generated(name)
    except LacisError as error:
        raise LacisError(f"no such file, and as a synthetic fabric: {error}", source=name) from None


def _generated(spec: str) -> Fabric:
    need_memory(spec, _core.spec_memory(spec))
    return _core.generate_fabric(spec)


def _looks_like_path(name: str) -> bool:
    return "/" in name or Path(name).suffix != ""
