"""What ranks send each other, from the file of a matrix.

A row for each sender and a column for each receiver: numbers with blanks, commas, semicolons or tabs between, `#` begins a comment; an
array of NumPy (`.npy`); or Matrix Market's coordinates, whose indices count from 1.
"""

from __future__ import annotations

import io
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LacisError
from ..facts.words import count, excerpt
from ..io.files import reading, text_of
from ..requests.demands import Demands

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

_MARKET = "%%MatrixMarket"
_NUMPY = b"\x93NUMPY"
_SHOWN = 60


def read_matrix(path: str | os.PathLike[str]) -> Demands:
    """Read a matrix of bytes by sender and receiver.

    Raises:
        LacisError: when the file cannot be read, is no square matrix, or a value is negative or no number; with the line.
    """
    with reading(path) as data:
        if data.startswith(_NUMPY):
            return matrix(_from_numpy(data))
        text = text_of(data)
        if text.startswith(_MARKET):
            return _from_market(text)
        return matrix(_from_text(text))


def matrix(values: ArrayLike) -> Demands:
    """Demands from a matrix: what each rank sends each other, shape `(ranks, ranks)`; the diagonal does not count.

    Raises:
        LacisError: when it is not square, or a value is negative or no number.
    """
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise LacisError(
            f"a matrix of {' × '.join(map(str, array.shape)) or 'one value'}: expected as many rows as columns"
        )
    if array.dtype.kind not in "uifb":
        raise LacisError(f"a matrix of {array.dtype} values: numbers are expected")
    array = array.astype(np.float64)
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        row, column = (int(at) for at in np.argwhere(bad)[0])
        raise LacisError(
            f"from rank {row} to rank {column}: bytes are numbers from 0 on", text=str(array[row, column])
        )
    source, destination = np.nonzero(array)
    return _of(len(array), source, destination, array[source, destination])


def _of(ranks: int, source: NDArray[Any], destination: NDArray[Any], values: NDArray[np.float64]) -> Demands:
    kept = (source != destination) & (values > 0)
    source, destination, values = source[kept], destination[kept], values[kept]
    unit = 1.0
    total = float(values.sum())
    if total > 2.0**60:
        raise LacisError("more than 2^60 bytes in all")
    if len(values) and (values != np.round(values)).any():
        # A power of two loses nothing of most numbers, and sums stay exact.
        unit = 2.0 ** (math.floor(math.log2(total)) - 50)
        values = np.maximum(np.round(values / unit), 1)
    return Demands(
        ranks, source.astype(np.uint32), destination.astype(np.uint32), values.astype(np.uint64), unit=unit
    )


def _from_numpy(data: bytes) -> NDArray[Any]:
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError, SyntaxError) as error:
        raise LacisError(
            "an array of NumPy that cannot be read", text=str(error).split("\n")[0][:_SHOWN]
        ) from None
    return np.asarray(array)


def _value(word: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise LacisError("bytes are numbers from 0 on", line=line, text=excerpt(word))
    return value


def _from_text(text: str) -> NDArray[np.float64]:
    rows: list[NDArray[np.float64]] = []
    for line, raw in enumerate(text.splitlines(), 1):
        words = re.split(r"[,;\t ]+", raw.split("#", 1)[0].strip().rstrip(",;"))
        if words == [""]:
            continue
        try:
            row = np.array(words, dtype=np.float64)
        except ValueError:
            row = np.array([_value(word, line) for word in words])
        if not np.isfinite(row).all() or (row < 0).any():
            row = np.array([_value(word, line) for word in words])
        if rows and len(row) != len(rows[0]):
            reason = f"{count(len(row), 'value')}, and {len(rows[0])} in the first row"
            raise LacisError(reason, line=line, text=excerpt(raw))
        rows.append(row)
        if len(rows) > len(row):
            raise LacisError(f"more rows than the {count(len(row), 'column')}", line=line, text=excerpt(raw))
    if not rows:
        raise LacisError("no matrix in the file")
    if len(rows) != len(rows[0]):
        raise LacisError(
            f"{count(len(rows), 'row')} of {count(len(rows[0]), 'value')}: a matrix has a row for each rank"
        )
    return np.vstack(rows)


def _from_market(text: str) -> Demands:
    head, *lines = text.splitlines()
    words = head.lower().split()
    if (
        len(words) != 5
        or words[1:3] != ["matrix", "coordinate"]
        or words[3] not in ("real", "integer", "pattern")
    ):
        raise LacisError(
            "of Matrix Market's kinds, matrix coordinate real or integer is read", line=1, text=excerpt(head)
        )
    if words[4] not in ("general", "symmetric"):
        raise LacisError("a matrix is general or symmetric", line=1, text=excerpt(words[4]))
    size: tuple[int, int, int] | None = None
    found: list[tuple[int, int, float]] = []
    for line, raw in enumerate(lines, 2):
        fields = raw.split()
        if not fields or raw.startswith("%"):
            continue
        wanted = 3 if size is None or words[3] != "pattern" else 2
        if len(fields) != wanted:
            raise LacisError(f"expected {wanted} numbers", line=line, text=excerpt(raw))
        whole = [int(word) for word in fields if word.isascii() and word.isdigit() and len(word) < 10]
        if size is None:
            if len(whole) != 3 or whole[0] != whole[1] or not whole[0]:
                raise LacisError("expected rows, as many columns, and entries", line=line, text=excerpt(raw))
            size = (whole[0], whole[1], whole[2])
            continue
        if len(whole) < 2 or not (1 <= whole[0] <= size[0] and 1 <= whole[1] <= size[0]):
            raise LacisError(
                f"a row and a column from 1 to {size[0]} are expected", line=line, text=excerpt(raw)
            )
        value = _value(fields[2], line) if wanted == 3 else 1.0
        found.append((whole[0] - 1, whole[1] - 1, value))
        if words[4] == "symmetric" and whole[0] != whole[1]:
            found.append((whole[1] - 1, whole[0] - 1, value))
    if size is None:
        raise LacisError("no matrix in the file")
    rows = np.array(found, dtype=np.float64).reshape(-1, 3)
    return _of(size[0], rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2])
