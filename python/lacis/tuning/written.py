"""Tuned inputs as OpenSM reads them: lines of `opensm.conf`, and the files that these name."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LacisError
from ..files import write as write_file
from ..opensm import KEYS, _value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..routing import RouteOptions

LINES = "opensm.conf.lines"
"""Name of the file with the lines."""


def conf(
    engine: str, options: RouteOptions, folder: str | os.PathLike[str]
) -> tuple[list[str], dict[str, str]]:
    """The lines of `opensm.conf`, and the files that they name.

    Args:
        engine: the value of `routing_engine`.
        options: what the engine is told.
        folder: where the files will be.

    Returns:
        The lines; and the files' contents by their names in the folder.

    Raises:
        LacisError: when OpenSM would not read the name of the folder.
    """
    lines, files = [f"routing_engine {engine}"], {}
    told: dict[str, Any] = dict(options)
    for key, option in KEYS.items():
        value = told.get(option)
        if value is None or value is False or value == [] or (value == 0 and not isinstance(value, bool)):
            continue
        if isinstance(value, list):
            name = f"{key.removesuffix('_file')}.txt"
            files[name] = "".join(line + "\n" for line in _rows(value))
            value = Path(folder) / name
        lines.append(f"{key} {_value(key, value)}")
    return lines, files


def _rows(values: Iterable[Any]) -> Iterable[str]:
    """GUIDs, or GUIDs with numbers, one a line."""
    for value in values:
        if isinstance(value, int):
            yield f"0x{value:016x}"
            continue
        guid, *rest = value
        numbers = [n for item in rest for n in (item if isinstance(item, list) else [item])]
        yield " ".join([f"0x{guid:016x}", *map(str, numbers)])


def write(engine: str, options: RouteOptions, folder: str | os.PathLike[str]) -> list[str]:
    """Writes the lines and the files into a folder that is new or empty; all of them or none.

    Returns:
        The names of what was written.

    Raises:
        LacisError: when the folder has something in it, or cannot be written.
    """
    target = Path(folder)
    refuse_full(target)
    lines, files = conf(engine, options, target.absolute())
    files = {LINES: "".join(line + "\n" for line in lines), **files}
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent))
    except OSError as error:
        raise LacisError(f"cannot be written: {error.strerror or error}", source=os.fspath(folder)) from None
    try:
        for name, content in files.items():
            write_file(made / name, content)
        made.chmod(0o755)
        made.replace(target)  # over an empty folder too
    except OSError as error:
        raise LacisError(f"cannot be written: {error.strerror or error}", source=os.fspath(folder)) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return list(files)


def refuse_full(folder: str | os.PathLike[str]) -> None:
    """Says so where a folder has something in it or is none, or OpenSM would not read its name.

    Raises:
        LacisError: then.
    """
    target = Path(folder)
    if not os.fspath(folder):
        raise LacisError("the name of a folder to write is empty")
    _value("root_guid_file", target / LINES)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            what = "has something in it already" if target.is_dir() else "is no folder"
            raise LacisError(f"{what}: name a new or empty one", source=os.fspath(folder))
        if not target.absolute().parent.is_dir():
            raise LacisError("cannot be written: no such folder above it", source=os.fspath(folder))
    except OSError as error:
        raise LacisError(f"cannot be read: {error.strerror or error}", source=os.fspath(folder)) from None
