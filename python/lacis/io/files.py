"""Files in, files out: reading with the errors a user understands, writing all or nothing."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LacisError
from .packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

STDIN = "<stdin>"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file, or of standard input for `-`; of a packed file (gzip, xz, zstd, bzip2) what it holds.

    Raises:
        LacisError: when it cannot be read or unpacked.
    """
    if os.fspath(path) == "-":
        return unpacked(sys.stdin.buffer.read())
    need_name(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise LacisError(reason_of(error), source=os.fspath(path)) from None
    try:
        return unpacked(data)
    except LacisError as error:
        raise error.within(os.fspath(path)) from None


def need_name(path: str | os.PathLike[str], what: str = "file to read") -> None:
    """Refuses an empty name, which a variable of a shell that is not set leaves, and which would be the current folder's.

    Raises:
        LacisError: when it is empty.
    """
    if not os.fspath(path):
        raise LacisError(f"the name of a {what} is empty")


def text_of(data: bytes) -> str:
    """Text as editors save it: with or without a byte order mark, in UTF-8 or UTF-16; bytes that are no text are replaced."""
    from .. import _core

    encoding = _core.utf16_form(data)
    if encoding is None:
        return data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    return data.decode(encoding, errors="replace").removeprefix("\ufeff")


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yields a file's content; an error raised about it says which file it was."""
    data = read_bytes(path)
    try:
        yield data
    except LacisError as error:
        raise error.within(STDIN if os.fspath(path) == "-" else os.fspath(path)) from None


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file whole or not: to a temporary neighbour, then renamed over the target.

    `-` is standard output.

    Raises:
        LacisError: when it cannot be written; the old file, if any, is untouched.
    """
    with writing(path) as out:
        out.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """As `write`, for content that comes in pieces: the file appears when the block ends well.

    Raises:
        LacisError: when it cannot be written; the old file, if any, is untouched.
    """
    if os.fspath(path) == "-":
        yield sys.stdout.buffer
        return
    if not os.fspath(path):
        raise LacisError("the name of a file to write is empty")
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a directory is refused, a device is written to
            with target.open("wb") as device:
                yield device
            return
        target = target.resolve()  # a symbolic link stays one
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LacisError(f"cannot be written: {reason_of(error)}", source=os.fspath(path)) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def reason_of(error: Exception) -> str:
    """Why the system refused, or what is wrong with a packed file, as the rest of a sentence."""
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]
