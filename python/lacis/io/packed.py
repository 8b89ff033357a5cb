"""Packed files: gzip, xz, zstd and bzip2, recognised by their first bytes, whatever their names say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from typing import TYPE_CHECKING, cast

from ..errors import LacisError

if TYPE_CHECKING:
    from typing import BinaryIO

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2"}
"""The first bytes of each packing."""
MOST = 4 << 30
"""Bytes that a file may unpack to: tables of 10,000 nodes are a gigabyte."""
BOMB = 256 << 20, 500
"""Bytes from which on, and times its own size from which on, what a file unpacks to is no text."""
_PIECE = 1 << 20


def packing(head: bytes) -> str | None:
    """The name of the packing that bytes begin with."""
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


def unpacked(data: bytes, most: int = MOST, bomb: tuple[int, int] = BOMB) -> bytes:
    """The content of a packed file; of any other, the bytes themselves.

    Raises:
        LacisError: when it is cut off or damaged, or unpacks to more than `most` bytes or to what no text packs so well as.
    """
    name = packing(data)
    if name is None:
        return data
    pieces: list[bytes] = []
    size = 0
    try:
        with _reader(name, io.BytesIO(data)) as reader:
            while piece := reader.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > most or (size > bomb[0] and size > bomb[1] * len(data)):
                    raise LacisError(
                        f"the {name} data unpacks to more than {size >> 20:,} MiB, from {len(data):,} bytes"
                    )
    except failures() as error:
        raise LacisError(_reason(name, error)) from None
    return b"".join(pieces)


def stream(file: BinaryIO) -> BinaryIO:
    """A file that is read piece by piece, unpacked on the way where it is packed.

    Reading raises what `failures` lists where the data is damaged.
    """
    head = file.read(8)
    file = cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", _Again(head, file))))
    name = packing(head)
    return file if name is None else _reader(name, file)


class _Again(io.RawIOBase):
    """A file whose first bytes were read already: standard input cannot go back."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        piece = piece or self._file.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _reader(name: str, file: BinaryIO) -> BinaryIO:
    if name == "gzip":
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    if name == "xz":
        return cast("BinaryIO", lzma.LZMAFile(file))
    if name == "bzip2":
        return cast("BinaryIO", bz2.BZ2File(file))
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        import backports.zstd as zstd
    return cast("BinaryIO", zstd.ZstdFile(file))


def failures() -> tuple[type[Exception], ...]:
    """What readers of damaged data raise."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        import backports.zstd as zstd
    return (EOFError, OSError, zlib.error, lzma.LZMAError, zstd.ZstdError)


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, EOFError):
        return f"the {name} data has no end: the file looks truncated"
    return f"the {name} data is damaged: {error}"
