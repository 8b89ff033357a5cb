"""Every cable and every switch failing alone, with results in a file from which a later run resumes.

The file has one JSON object on each line: first a header, which says what the results depend on, then the
failures in the order in which they were found.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import asdict

from ..documents.base import AnyRow, Row, row_of
from ..documents.common import Intact as IntactRow
from ..documents.failures import FailureRow, SurviveHeader
from ..errors import LacisError
from ..io.files import reason_of
from ..results import Damage, Intact, SingleFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from .._core import Fabric, Survey
    from ..documents.failures import RoutingOption

LINES = "lacis.survive.lines/1"
_Object = dict[str, Any]
"""An object of the file, as JSON has it."""
_SLICE = 0.25
"""Seconds between two writes, and about what Ctrl-C waits for."""
_CALLED = {
    "version": "another version of Lacis",
    "fabric": "another fabric",
    "engine_requested": "another engine list",
    "options": "other routing options",
    "population": "other pairs (`pairs`)",
    "hosts": "another host order or rail",
    "shift_step": "other shifts",
    "host_cables": "failures with or without the cables of hosts",
}
"""Key of a header → what the results in a file are of if the key differs."""


class Header(NamedTuple):
    """What results depend on: a file with another header is refused."""

    version: str
    """Version of Lacis."""
    fabric: str
    """Its `digest`."""
    engine_requested: str
    options: dict[str, RoutingOption]
    """Routing options; long lists and files as hashes."""
    population: str
    """`hosts` or `all`: the pairs that are counted."""
    hosts: str
    """A hash of the rail and of the hosts' GUIDs in their order."""
    shift_step: int
    """The distance between two shifts that are looked at."""
    host_cables: bool
    """Whether cables of hosts fail too."""


def digest(fabric: Fabric) -> str:
    """A hash that identifies a fabric."""
    return hashlib.sha256(fabric.to_json().encode()).hexdigest()


def survive(
    survey: Survey,
    header: Header | None = None,
    file: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Intact, list[SingleFailure]]:
    """The state without failures, and what each failure costs, in the order of `survey.parts`.

    Args:
        survey: the failures.
        header: what the results depend on; needed with a file.
        file: where results are kept. Those of an earlier run with the same header are reused.
        progress: called now and then with the failures that are done, and their number.

    Raises:
        LacisError: when the file has another format, or another header, or is a device.
        ValueError: when there is a file and no header.
    """
    if file is None:
        return survey.baseline(), _find(survey, {}, lambda _rows: None, progress)
    if header is None:
        raise ValueError("results in a file need a header")
    first = {"schema": LINES, **header._asdict(), "failures": len(survey.parts)}
    path = Path(file)
    try:
        if os.fspath(file) == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
            raise LacisError(
                "is no file that can be read again, as a later run would", source=os.fspath(file)
            )
        with _locked(path) as out:
            intact, done = _resume(out, first, path)
            if intact is None:
                intact = survey.baseline()
                whole = SurviveHeader(
                    **header._asdict(), failures=len(survey.parts), baseline=row_of(IntactRow, intact)
                )
                _append(out, [whole])

            def keep(rows: list[SingleFailure]) -> None:
                _append(out, [failure_row(row) for row in rows])

            return intact, _find(survey, done, keep, progress)
    except OSError as error:
        raise LacisError(f"cannot be written: {reason_of(error)}", source=os.fspath(file)) from None


def _find(
    survey: Survey,
    done: dict[int, SingleFailure],
    keep: Callable[[list[SingleFailure]], None],
    progress: Callable[[int, int], None],
) -> list[SingleFailure]:
    """Finds what is not done yet, about `_SLICE` seconds at a time."""
    failing = survey.parts
    left = [index for index in range(len(failing)) if index not in done]
    size = 2 * (os.cpu_count() or 1)
    progress(len(done), len(failing))
    while left:
        indices, left = left[:size], left[size:]
        started = time.monotonic()
        damages = survey.run(indices)
        size = max(os.cpu_count() or 1, round(size * _SLICE / max(time.monotonic() - started, 1e-3)))
        rows = [
            SingleFailure(index, *failing[index], damage)
            for index, damage in zip(indices, damages, strict=True)
        ]
        keep(rows)
        done.update((row.id, row) for row in rows)
        progress(len(done), len(failing))
    return [done[index] for index in range(len(failing))]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """The file, for reading and appending, locked against other processes."""
    import fcntl

    with path.open("a+b") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LacisError("another lacis is writing to it", source=os.fspath(path)) from None
        yield out


def failure_row(failure: SingleFailure) -> FailureRow:
    """A failure, as documents and the file have it."""
    damage = failure.damage
    return FailureRow(
        id=failure.id,
        kind=failure.kind,
        name=failure.name,
        **asdict(damage),
    )


def _append(out: BinaryIO, rows: Sequence[Row]) -> None:
    """Appends rows as lines, in one write."""
    objects = msgspec.to_builtins(rows)
    text = "".join(json.dumps(o, ensure_ascii=False, allow_nan=False) + "\n" for o in objects)
    out.write(text.encode())
    out.flush()


def _resume(
    out: BinaryIO, header: dict[str, Any], path: Path
) -> tuple[Intact | None, dict[int, SingleFailure]]:
    """The results in a file; none where it is new. An unfinished last line is removed."""
    out.seek(0)
    data = out.read()
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].splitlines()
    if not lines:
        if data and not data.startswith(b'{"schema": "lacis.survive'):
            raise LacisError("is no file of lacis survive", source=os.fspath(path))
        out.truncate(0)
        return None, {}
    first = _object(lines[0], 1, path)
    if first.get("schema") != LINES or "baseline" not in first:
        raise LacisError("is no file of lacis survive", source=os.fspath(path))
    for key, value in header.items():
        if first.get(key) != value:
            what = _CALLED.get(key, "something else")
            raise LacisError(f"has the results of {what}; name another file", source=os.fspath(path))
    intact = _intact(_row(IntactRow, first["baseline"], lines[0], 1, path))
    done: dict[int, SingleFailure] = {}
    for number, line in enumerate(lines[1:], start=2):
        row = _row(FailureRow, _object(line, number, path), line, number, path)
        if row.id >= header["failures"]:
            raise _no_failure(line, number, path)
        done[row.id] = _failure(row)
    out.truncate(whole)
    return intact, done


def _object(line: bytes, number: int, path: Path) -> _Object:
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict):
            return value
    raise LacisError("is no JSON object", number, line.decode(errors="replace")[:80], os.fspath(path))


def _row(kind: type[AnyRow], found: object, line: bytes, number: int, path: Path) -> AnyRow:
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError:
        raise _no_failure(line, number, path) from None


def _no_failure(line: bytes, number: int, path: Path) -> LacisError:
    text = line.decode(errors="replace")[:80]
    return LacisError("is no failure of this fabric", number, text, os.fspath(path))


def _intact(row: IntactRow) -> Intact:
    return Intact(**asdict(row))


def _failure(row: FailureRow) -> SingleFailure:
    fields = asdict(row)
    number, kind, name = (fields.pop(key) for key in ("id", "kind", "name"))
    return SingleFailure(number, kind, name, Damage(**fields))


def rank(row: SingleFailure) -> tuple[Any, ...]:
    """The key that sorts failures by damage, worst first."""
    damage = row.damage
    worst = damage.shifts.worst if damage.shifts else None
    shift = 0.0 if worst is None else worst
    lost = (-damage.pairs_lost, -len(damage.cut_off), not damage.no_engine, not damage.fell_back)
    return (*lost, shift, -damage.entries.changed, row.id)
