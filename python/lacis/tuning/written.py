"""Tuned inputs as OpenSM reads them: lines of `opensm.conf`, and the files that these name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .. import opensm
from ..advice.bundle import check_free, whole_folder
from ..advice.texts import GUIDS, PORTS, files

if TYPE_CHECKING:
    import os

    from ..requests.routing import RouteOptions

LINES = "opensm.conf.lines"
"""Name of the file with the lines."""


def conf(
    engine: str, options: RouteOptions, folder: str | os.PathLike[str]
) -> tuple[list[str], dict[str, str | bytes]]:
    """The lines of `opensm.conf`, and the files that they name.

    Args:
        engine: the value of `routing_engine`.
        options: of the engine.
        folder: where the files will be.

    Returns:
        The lines; and the files' contents by their names in the folder.

    Raises:
        LacisError: when OpenSM would not read the name of the folder.
    """
    paths, texts = files(options)
    kept = {name: value for name, value in options.items() if value and name not in (*GUIDS, *PORTS)}
    lines = opensm.routing_lines([engine], kept)
    lines |= {key: opensm.file_value(str(Path(folder) / name)) for key, name in paths.items()}
    return [f"{key} {value}" for key, value in lines.items()], texts


def write(engine: str, options: RouteOptions, folder: str | os.PathLike[str]) -> list[str]:
    """Writes the lines and the files into a folder that is new or empty; all of them or none.

    Returns:
        The names of what was written.

    Raises:
        LacisError: when the folder is not empty, or cannot be written.
    """
    target = Path(folder)
    check_free(folder)
    lines, texts = conf(engine, options, target.absolute())
    content = {LINES: "".join(line + "\n" for line in lines), **texts}
    with whole_folder(target) as built:
        for name, text in content.items():
            (built / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return list(content)


def refuse(folder: str | os.PathLike[str]) -> None:
    """Checks the folder before the search begins.

    Raises:
        LacisError: when the folder is not empty, or OpenSM would not read its name.
    """
    check_free(folder)
    opensm.file_value(str(Path(folder).absolute() / LINES))
