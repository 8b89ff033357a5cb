"""Pairs of hosts that come as arrays, checked, and as the text of a file that the engine reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.words import excerpt
from ..requests.arguments import MOST_BYTES
from ..requests.traffic import Pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..requests.traffic import Phase, Traffic


class Checked(NamedTuple):
    """The pairs of a phase; numbers of hosts or ranks, shape `(pairs,)`."""

    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    bytes: NDArray[np.int64] | None

    @property
    def pairs(self) -> Pairs:
        """As they were given, all numbers."""
        return Pairs(*self)


def phases_of(traffic: Traffic, names: Sequence[str], ranks: int) -> list[Checked]:
    """The phases of traffic that is no text.

    Args:
        traffic: one phase, or a function of the number of ranks.
        names: of the hosts, by number; none where numbers are ranks, several on a host.
        ranks: how many there are.

    Raises:
        LacisError: when a phase has another shape or type, names no host, or has none.
    """
    if not callable(traffic):
        return [_checked(traffic, names, ranks, "")]
    made = traffic(ranks)
    if not isinstance(made, Iterator):
        return [_checked(made, names, ranks, "")]
    phases = [_checked(phase, names, ranks, f"phase {number}, ") for number, phase in enumerate(made)]
    if not phases:
        raise LacisError("a pattern without a phase")
    return phases


def pattern_text(phase: Checked, names: Sequence[str]) -> str:
    """One phase as the text of `file:PATH`, by names.

    Raises:
        LacisError: when a host has a name that several have, or that such a file cannot hold.
    """
    words = [_word(name) for name in names]
    times = Counter(names)
    for host in np.unique(np.concatenate([phase.source, phase.destination])).tolist():
        if words[host] is None:
            raise LacisError("a name that no list of pairs can hold", text=names[host])
        if times[names[host]] > 1:
            raise LacisError("several hosts have this name", text=names[host])
    array = np.array([word or "" for word in words], dtype=object)
    lines: NDArray[Any] = array[phase.source] + " " + array[phase.destination]
    return "".join(f"{line}\n" for line in lines.tolist())


def trace_text(phases: Sequence[Checked], size: int) -> str:
    """Phases as the text of `trace:PATH`, by ranks; `size` is that of messages without one [bytes]."""
    line = '{{"phase":{},"source":{},"destination":{},"bytes":{}}}\n'.format
    texts: list[str] = []
    for number, phase in enumerate(phases):
        sizes = np.full(len(phase.source), size) if phase.bytes is None else phase.bytes
        columns = (np.full(len(sizes), number), phase.source, phase.destination, sizes)
        texts += map(line, *(column.tolist() for column in columns))
    return "".join(texts)


def _word(name: str) -> str | None:
    """A name as a word of a list of pairs; none where it cannot be one."""
    if "\n" in name or "\r" in name:
        return None
    if name and not re.search(r"\s", name) and name[0] not in '"#':
        return name
    return None if '"' in name else f'"{name}"'


def _checked(phase: Phase, names: Sequence[str], ranks: int, where: str) -> Checked:
    """A phase with numbers in place of names.

    Args:
        phase: as it is given.
        names: of the hosts, by number.
        ranks: how many there are.
        where: the phase, for errors.
    """
    source, destination, sizes = columns = _columns(phase, where)
    for column in columns:
        if column is not None and column.dtype.kind == "f" and (nan := np.flatnonzero(np.isnan(column))).size:
            _refuse(where, int(nan[0]), "not a number", column)
    ends = [_numbers(column, names, ranks, where) for column in (source, destination)]
    to_itself = np.flatnonzero(ends[0] == ends[1])
    if to_itself.size:
        _refuse(where, int(to_itself[0]), "a host cannot send to itself over the fabric", source)
    if sizes is None:
        return Checked(ends[0], ends[1], None)
    _whole(sizes, "bytes", where)
    low = np.flatnonzero(sizes < 1)
    if low.size:
        _refuse(where, int(low[0]), "bytes are whole numbers above 0", sizes)
    high = np.flatnonzero(sizes > MOST_BYTES)
    if high.size:
        _refuse(where, int(high[0]), f"bytes are at most {MOST_BYTES:,}", sizes)
    return Checked(ends[0], ends[1], sizes.astype(np.int64))


def _columns(phase: Phase, where: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Source, destination and bytes of a phase; their types are for the caller to check."""
    if isinstance(phase, Pairs):
        columns = [_array(phase.source, where), _array(phase.destination, where)]
        if phase.bytes is not None:
            columns.append(_array(phase.bytes, where))
        shapes = [column.shape for column in columns]
        if len(shapes[0]) != 1 or len(set(shapes)) != 1:
            raise LacisError(f"{where}columns of shapes {shapes}: those of Pairs are flat and of one length")
    else:
        array = _array(phase, where)
        if array.ndim != 2 or array.shape[1] not in (2, 3):
            several = "; a function that yields them has several phases" if array.ndim == 3 else ""
            wanted = "(pairs, 2), or with bytes (pairs, 3), belongs"
            raise LacisError(f"{where}an array of shape {array.shape}, where one of {wanted}{several}")
        if array.shape[1] == 3 and array.dtype.kind in "UOT":
            raise LacisError(f"{where}names with bytes in one array: use lacis.Pairs")
        columns = list(array.T)
    if not columns[0].size:
        raise LacisError(f"{where}no pair")
    return columns[0], columns[1], columns[2] if len(columns) == 3 else None


def _array(given: ArrayLike, where: str) -> NDArray[Any]:
    if np.ma.is_masked(given):
        raise LacisError(f"{where}masked elements: leave these pairs out")
    try:
        return np.asarray(given)
    except ValueError:
        raise LacisError(f"{where}rows of different lengths, where pairs belong") from None


def _numbers(column: NDArray[Any], names: Sequence[str], ranks: int, where: str) -> NDArray[np.int64]:
    """The numbers of hosts or ranks in a column, or those of the names there."""
    if column.dtype.kind in "UOT" and all(isinstance(one, str) for one in column.tolist()):
        return _found(column.tolist(), names, where)
    _whole(column, "hosts by number", where)
    outside = np.flatnonzero((column < 0) | (column >= ranks))
    if outside.size:
        _refuse(where, int(outside[0]), f"hosts have numbers from 0 to {ranks - 1}", column)
    return column.astype(np.int64)


def _whole(column: NDArray[Any], what: str, where: str) -> None:
    """Refuses numbers that are of no integer type."""
    if column.dtype.kind not in "iu":
        raise LacisError(f"{where}{what} are of an integer type, not {column.dtype}")


def _found(named: list[str], names: Sequence[str], where: str) -> NDArray[np.int64]:
    """The numbers of named hosts."""
    if not names:
        raise LacisError(f"{where}with several ranks a host, pairs are numbers of ranks, not names")
    number = {name: index for index, name in enumerate(names)}
    times = Counter(names) if len(number) < len(names) else {}
    for row, name in enumerate(named):
        if times.get(name, 0) > 1:
            raise LacisError(f"{where}pair {row}: several hosts have this name", text=excerpt(name))
        if name not in number:
            near = _core.nearest(name, names, 3)
            meant = f" (did you mean {' or '.join(near)}?)" if near else ""
            raise LacisError(f"{where}pair {row}: no such host{meant}", text=excerpt(name))
    return np.array([number[name] for name in named], np.int64)


def _refuse(where: str, row: int, reason: str, column: NDArray[Any]) -> None:
    raise LacisError(f"{where}pair {row}: {reason}", text=str(column[row]))
