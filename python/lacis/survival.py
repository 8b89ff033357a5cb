"""Every cable and every switch failing alone, with results in a file that a later run goes on from.

The file has one JSON object on each line: first a header, which says what the results are of, then one
failure after another as they were found, each whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import LacisError
from .results import Damage, Entries, Intact, LostDestination, Refusal, Shifts, SingleFailure, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from ._core import Fabric, Survey

LINES = "lacis.survive.lines/1"
_SLICE = 0.25  # seconds between two writes, and about what Ctrl-C waits for
_CALLED = {
    "version": "another version of Lacis",
    "fabric": "another fabric",
    "engine_requested": "another engine list",
    "options": "other routing options",
    "population": "other pairs (--pairs)",
    "hosts": "another host order or rail",
    "shift_step": "other shifts",
    "host_cables": "failures with or without the cables of hosts",
}


def digest(fabric: Fabric) -> str:
    """What tells a fabric from every other."""
    return hashlib.sha256(fabric.to_json().encode()).hexdigest()


def survive(
    survey: Survey,
    header: dict[str, Any],
    file: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Intact, list[SingleFailure]]:
    """The state without failures, and what each failure costs, in the order of `survey.parts`.

    Args:
        survey: the failures.
        header: what the results depend on, as JSON objects have it.
        file: where results are kept. Those of an earlier run with the same header are not found again.
        progress: called now and then with the failures that are done, and their number.

    Raises:
        LacisError: when the file is not one of these, or has the results of something else.
    """
    if file is None:
        return survey.baseline(), _find(survey, {}, lambda _rows: None, progress)
    header = {"schema": LINES, **header, "failures": len(survey.parts)}
    path = Path(file)
    try:
        with _locked(path) as out:
            intact, done = _resume(out, header, path)
            if intact is None:
                intact = survey.baseline()
                _append(out, [header | {"baseline": to_json(intact)}])

            def keep(rows: list[SingleFailure]) -> None:
                _append(out, [row.to_json() for row in rows])

            return intact, _find(survey, done, keep, progress)
    except OSError as error:
        raise LacisError(f"cannot be written: {error.strerror or error}", source=os.fspath(file)) from None


def _find(
    survey: Survey,
    done: dict[int, SingleFailure],
    keep: Callable[[list[SingleFailure]], None],
    progress: Callable[[int, int], None],
) -> list[SingleFailure]:
    """Finds what is not done yet, a slice of time after another."""
    parts = survey.parts
    left = [index for index in range(len(parts)) if index not in done]
    size = 2 * (os.cpu_count() or 1)
    progress(len(done), len(parts))
    while left:
        indices, left = left[:size], left[size:]
        started = time.monotonic()
        damages = survey.run(indices)
        size = max(os.cpu_count() or 1, round(size * _SLICE / max(time.monotonic() - started, 1e-3)))
        rows = [
            SingleFailure(index, *parts[index], damage)
            for index, damage in zip(indices, damages, strict=True)
        ]
        keep(rows)
        done.update((row.id, row) for row in rows)
        progress(len(done), len(parts))
    return [done[index] for index in range(len(parts))]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """The file, for reading and appending, by no other process at the same time."""
    import fcntl

    with path.open("a+b") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LacisError("another lacis is writing to it", source=os.fspath(path)) from None
        yield out


def _append(out: BinaryIO, objects: list[dict[str, Any]]) -> None:
    """Whole lines, in one piece."""
    text = "".join(json.dumps(o, ensure_ascii=False, allow_nan=False) + "\n" for o in objects)
    out.write(text.encode())
    out.flush()


def _resume(
    out: BinaryIO, header: dict[str, Any], path: Path
) -> tuple[Intact | None, dict[int, SingleFailure]]:
    """The results in a file; none where it is new. A line cut short at its end goes."""
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
    intact = _row(_intact, first["baseline"], lines[0], 1, path)
    done: dict[int, SingleFailure] = {}
    for number, line in enumerate(lines[1:], start=2):
        row = _row(_failure, _object(line, number, path), line, number, path)
        if not isinstance(row.id, int) or not 0 <= row.id < header["failures"]:
            raise _no_failure(line, number, path)
        done[row.id] = row
    out.truncate(whole)
    return intact, done


def _object(line: bytes, number: int, path: Path) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        value = json.loads(line)
        if isinstance(value, dict):
            return value
    raise LacisError("is no JSON object", number, line.decode(errors="replace")[:80], os.fspath(path))


Row = TypeVar("Row")


def _row(read: Callable[[dict[str, Any]], Row], found: Any, line: bytes, number: int, path: Path) -> Row:
    try:
        return read(dict(found))
    except (KeyError, TypeError, ValueError):
        raise _no_failure(line, number, path) from None


def _no_failure(line: bytes, number: int, path: Path) -> LacisError:
    text = line.decode(errors="replace")[:80]
    return LacisError("is no failure of this fabric", number, text, os.fspath(path))


def _intact(found: dict[str, Any]) -> Intact:
    return Intact(**_state(found))


def _failure(found: dict[str, Any]) -> SingleFailure:
    number, kind, name = (found.pop(key) for key in ("id", "kind", "name"))
    lost = [LostDestination(from_=one.pop("from"), **one) for one in found["lost"]]
    return SingleFailure(
        number, kind, name, Damage(**_state(found) | {"lost": lost, "entries": Entries(**found["entries"])})
    )


def _state(found: dict[str, Any]) -> dict[str, Any]:
    """What `Intact` and `Damage` have in common, from what JSON says."""
    refusals = [Refusal(**one) for one in found["refusals"]]
    shifts = None if found["shifts"] is None else Shifts(**found["shifts"])
    return {**found, "refusals": refusals, "shifts": shifts}


def rank(row: SingleFailure) -> tuple[Any, ...]:
    """The key that sorts failures by damage, worst first."""
    damage = row.damage
    worst = damage.shifts.worst if damage.shifts else None
    shift = 0.0 if worst is None else worst
    lost = (-damage.pairs_lost, -len(damage.cut_off), not damage.no_engine, not damage.fell_back)
    return (*lost, shift, -damage.entries.changed, row.id)
