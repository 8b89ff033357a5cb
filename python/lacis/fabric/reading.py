"""Reading, generating and changing fabrics."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from .._core import Fabric


def read(source: str | os.PathLike[str]) -> Fabric:
    """Reads a fabric from a file, `-` (standard input) or a synthetic spec such as `fat-tree:36,3`.

    A file of that name wins over a spec.

    Raises:
        LacisError: when the file cannot be read or is no fabric, or the spec makes none.
    """
    name = os.fspath(source)
    if name != "-" and not Path(name).exists() and (_core.is_spec(name) or not _looks_like_path(name)):
        return _core.generate_fabric(name)
    with reading(name) as data:
        if name != "-" and Path(name).is_dir():
            raise LacisError("is a directory")
        return _core.read_fabric(data)


def declare(fabric: Fabric, roles: str | os.PathLike[str]) -> Fabric:
    """Gives switches and hosts the roles of a roles file; `docs/howto/read-your-fabric.md` describes it.

    Raises:
        LacisError: when the file cannot be read, names no node, or contradicts itself.
    """
    with reading(roles) as data:
        return fabric.declared(data)


def _looks_like_path(name: str) -> bool:
    return "/" in name or Path(name).suffix != ""
