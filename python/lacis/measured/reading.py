"""From files of any known format to one table."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..documents.results import InputFile, TestCounts
from ..errors import LacisError
from ..io.files import STDIN, read_bytes
from .results import Note, Results, polars, schema
from .times import TIMES, Times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..results.columns import ReadColumns


_TIMES = ("s", "ms", "us", "ns")
"""Units of time of a matrix; all others are of rates."""
_KINDS = {"bandwidth": False, "latency": True, "time": True}
"""What a matrix may have, and whether that is a time."""


def read(
    paths: Sequence[str | os.PathLike[str]],
    *,
    test: str | None = None,
    what: str = "value",
    unit: str | None = None,
    bytes: int | None = None,  # noqa: A002
    provenance: str = "measured",
    tell: Callable[[str, int, int], object] = lambda *_: None,
) -> Results:
    """Reads files that belong together as one run; formats are recognised by content, also inside job logs.

    Args:
        paths: files, or `-` for standard input.
        test: name of the test, for matrices, which have none.
        what: what a matrix has: `latency`.
        unit: unit of a matrix: `us`, `MB/s` (10⁶ bytes/s), `MiB/s` (2²⁰).
        bytes: of a message, for matrices.
        provenance: `measured`, `modelled` or `assumed`.
        tell: called with the number of files that are read, and their total.

    Raises:
        LacisError: when a file cannot be read or has no result.
    """
    polars()
    is_time = unit in _TIMES
    if unit is not None and what in _KINDS and is_time != _KINDS[what]:
        raise LacisError(f"{unit} is a unit of {'time' if is_time else 'rates'}, and {what} is none")
    reader = _core.MeasuredReader(test, what, unit, bytes)
    names: list[str] = []
    read_files: list[tuple[str, int, str]] = []
    times = Times()
    for number, path in enumerate(paths):
        tell("reading", number, len(paths))
        data = read_bytes(path)
        name = STDIN if os.fspath(path) == "-" else os.fspath(path)
        try:
            reader.feed(data)
        except LacisError as error:
            raise error.within(name) from None
        times.feed(name, data)
        names.append(name)
        read_files.append((name, len(data), hashlib.sha256(data).hexdigest()))
    found = reader.finish()
    notes = [Note(names[at], line, count, text) for at, line, count, text in found["notes"]]
    facts, own = _facts(found, len(names))
    files = [InputFile(*one, facts=said) for one, said in zip(read_files, own, strict=True)]
    frame = times.joined(_frame(found, provenance, names)).select(list(schema()))
    return Results(frame, found["formats"], facts | times.facts, notes, files, _tests(found))


def _facts(found: ReadColumns, files: int) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What all files say alike, with what only some say; and by file what it says otherwise than others."""
    values: dict[str, set[str]] = {}
    for _, key, value in found["facts"]:
        values.setdefault(key, set()).add(value)
    alike = {key: value for _, key, value in found["facts"] if len(values[key]) == 1}
    own: list[dict[str, str]] = [{} for _ in range(files)]
    for at, key, value in found["facts"]:
        if len(values[key]) > 1:
            own[at][key] = value
    return alike, own


def _rounds(numbers: Any) -> Any:
    """The column `round`: the greatest number is none."""
    pl = polars()
    none = np.iinfo(np.uint32).max
    if (numbers == none).all():
        return pl.repeat(None, len(numbers), dtype=pl.UInt32, eager=True)
    column = pl.Series(numbers)
    return column.set(column == none, None)


def _tests(found: ReadColumns) -> list[TestCounts]:
    """What was measured, from the list of series, which is faster than from the rows."""
    counts = np.bincount(found["of"], minlength=len(found["series"]))
    number: dict[tuple[str, str, str], int] = {}
    sizes: dict[tuple[str, str, str], list[int]] = {}
    for (test, what, _, unit, _, size), values in zip(found["series"], counts.tolist(), strict=True):
        if values:
            key = (test, what, unit)
            number[key] = number.get(key, 0) + values
            sizes.setdefault(key, []).extend([] if size is None else [size])
    return [
        TestCounts(*key, values, min(sizes[key], default=None), max(sizes[key], default=None))
        for key, values in number.items()
    ]


def _frame(found: ReadColumns, provenance: str, files: Sequence[str]) -> Any:
    """The engine's columns as the table of the schema."""
    pl = polars()
    of = found["of"]
    series: list[tuple[Any, ...]] = list(zip(*found["series"], strict=True)) or [()] * 6
    hosts = [host for host, _ in found["ends"]] + [None]
    ranks = [rank for _, rank in found["ends"]] + [None]
    source = np.minimum(found["source"], len(hosts) - 1)
    destination = np.minimum(found["destination"], len(hosts) - 1)
    classes = [*found["classes"], None]

    def spread(values: Any, kind: Any, at: Any) -> Any:
        if len(set(values)) == 1 or len(at) == 0:  # one for all rows
            return pl.repeat(next(iter(values), None), len(at), dtype=kind, eager=True)
        return pl.Series(values=list(values), dtype=kind).gather(at)

    kinds = schema()
    columns = {
        name: spread(values, kinds[name], of)
        for name, values in zip(("test", "what", "statistic", "unit", "ranks", "bytes"), series, strict=True)
    }
    columns |= {
        "source": spread(hosts, pl.String, source),
        "destination": spread(hosts, pl.String, destination),
        "source_rank": spread(ranks, pl.UInt32, source),
        "destination_rank": spread(ranks, pl.UInt32, destination),
        "class": spread(
            classes if (found["class"] < len(classes) - 1).any() else [None], kinds["class"], found["class"]
        ),
        "repeat": pl.Series(found["repeat"]),
        "round": _rounds(found["round"]),
        "value": pl.Series(found["value"]),
        "file": spread(files, kinds["file"], found["input"]),
    }
    frame = pl.DataFrame(columns).with_columns(provenance=pl.lit(provenance, dtype=kinds["provenance"]))
    return frame.select(name for name in kinds if name not in TIMES)
