"""The store of readings: one folder, one writer, any number of readers.

Each sweep is a file when `append` returns, and stays. Sweeps of five minutes become one roll-up when the next ones begin, and roll-ups of an
hour one more; what a roll-up stands for is deleted when it is old enough, or when the store is larger than its limit: the finest and oldest first.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import LacisError
from ...io.files import need_name, reason_of
from ..growth import of_stretch
from ..lost import Lost
from ..readings import empty
from ..stretch import followed, stretch
from .layout import RAW, Damaged, content, listed, stored
from .lock import Lock
from .rolling import Rolling
from .table import read, written
from .window import Cover, Part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from ..growth import Growth
    from ..readings import Readings
    from ..stretch import Stretch
    from .layout import StoredFile
    from .window import Piece

LIMIT = 4 * 10**9
"""Bytes on disk that a store has at most, unless another limit is given."""
_DAY = 86400.0
_TRIES = 5
"""How often a reader lists the files again when some of them have gone while it read."""


class CounterStore:
    """Readings of a fabric's counters on disk. It reads without a lock; the first `append` makes it the one writer."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        limit: int = LIMIT,
        raw_seconds: float = _DAY,
        minutes_seconds: float = 30 * _DAY,
    ) -> None:
        """A store in a folder, which the first `append` makes.

        Args:
            path: the folder.
            limit: bytes on disk that it may have.
            raw_seconds: how long single sweeps are kept.
            minutes_seconds: how long roll-ups of five minutes are kept; those of an hour are kept as long as the limit allows.
        """
        if limit <= 0:
            raise LacisError("limit: a store needs more than 0 bytes")
        need_name(path, "store")
        self.path = Path(path)
        self._limit = limit
        self._ages = (raw_seconds, minutes_seconds)
        self._damaged: dict[Path, Damaged] = {}
        self._lock: Lock | None = None
        self._rolling: Rolling | None = None
        self._before: Readings | None = None

    def __repr__(self) -> str:
        return f"<lacis.counters.CounterStore: {self.path}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets another writer in."""
        if self._lock is not None:
            self._lock.release()
        self._lock = self._rolling = self._before = None

    @property
    def damaged(self) -> tuple[Damaged, ...]:
        """Files that could not be read so far; what they held is `Lost.DAMAGED`."""
        return tuple(self._damaged[path] for path in sorted(self._damaged))

    def append(self, readings: Readings) -> None:
        """Keeps the readings of one sweep of all ports.

        Raises:
            LacisError: when another process writes the store, when the readings have no time or are of another fabric, and when they
                cannot be written; what is kept stays in all of these cases.
        """
        sweep = stretch(_dated(readings))
        rolling = self._writer()
        self._same_fabric(sweep.last)
        began = sweep.last.started
        number = rolling.next_number
        rolling.add(stored(self.path, RAW, (number, number), (began, began), written(sweep, rolled=False)))
        self._before = sweep.last
        rolling.tidy()

    def growth(self, begin_ns: int, end_ns: int) -> Growth:
        """How much counters have grown from the first to the last sweep that began in a window; both ends are in it.

        What cannot be read, what was cleared, and whatever else is not known is said by `Growth.lost`. Without a sweep in the window there are no rows.

        Raises:
            LacisError: when the store has no readings, or cannot be read.
        """
        for _ in range(_TRIES):
            cover = self._cover()
            if not cover.tops:
                raise LacisError("holds no readings of counters", source=os.fspath(self.path))
            try:
                return of_stretch(self._over(cover, begin_ns, end_ns))
            except FileNotFoundError:
                continue
        raise LacisError("changes faster than it can be read", source=os.fspath(self.path))

    def readings(self, begin_ns: int, end_ns: int) -> Iterator[Readings]:
        """The sweeps that began in a window, as they came; of a roll-up whose sweeps are no longer kept, the first and the last reading of each port.

        Raises:
            LacisError: when the store cannot be read.
        """
        done = -1
        for _ in range(_TRIES):
            cover = self._cover()
            try:
                for piece in self._finest(cover, cover.pieces(begin_ns, end_ns)):
                    if piece.file.first <= done:
                        continue
                    for over, _, last in self._stretches(cover, piece):
                        yield from (over.first, over.last) if over.first is not over.last else (over.last,)
                        done = last
            except FileNotFoundError:
                continue
            return
        raise LacisError("changes faster than it can be read", source=os.fspath(self.path))

    def latest(self) -> Readings | None:
        """The last sweep that was kept; none where there is none."""
        for _ in range(_TRIES):
            cover = self._cover()
            try:
                for top in reversed(cover.tops):
                    file = top
                    while below := cover.below(file):
                        if below[-1].last != file.last:
                            break
                        file = below[-1]
                    for candidate in (file, top):
                        found = self._read(candidate)
                        if found is not None:
                            return found.last
            except FileNotFoundError:
                continue
            return None
        raise LacisError("changes faster than it can be read", source=os.fspath(self.path))

    def span(self) -> tuple[int, int] | None:
        """When the earliest and the latest sweep began, nanoseconds since 1970; none where there is none."""
        tops = self._cover().tops
        return (min(file.begin for file in tops), max(file.end for file in tops)) if tops else None

    def _writer(self) -> Rolling:
        """What a writer does with files; the lock is taken with the first call."""
        if self._rolling is None:
            self._lock = Lock(self.path)
            try:
                self._rolling = Rolling(self.path, self._limit, self._ages, self._read_or_none)
                self._before = self.latest()
            except BaseException:
                self.close()
                raise
        return self._rolling

    def _same_fabric(self, now: Readings) -> None:
        before = self._before
        if before is None or not len(before) or not len(now) or before.only_faulty or now.only_faulty:
            return
        if not np.isin(now.guids, before.guids).any():
            reason = f"holds readings of another fabric: none of the {len(np.unique(now.guids)):,} node GUIDs is in it"
            raise LacisError(reason, source=os.fspath(self.path))
        if before.unit != now.unit:
            reason = (
                f"holds data in units of {before.unit} bytes, and these readings are in units of {now.unit}"
            )
            raise LacisError(reason, source=os.fspath(self.path))

    def _cover(self) -> Cover:
        files, strange = listed(self.path)
        for one in strange:
            self._damaged[one.path] = one
        return Cover(files)

    def _over(self, cover: Cover, begin: int, end: int) -> Stretch:
        whole: Stretch | None = None
        before = 0
        for piece in cover.pieces(begin, end):
            for over, first, last in self._stretches(cover, piece):
                hole = Lost.NOTHING
                if whole is not None and first != before + 1:
                    is_kept = cover.is_outside(before + 1, begin, end)
                    hole = Lost.CLOCK if is_kept else Lost.DAMAGED
                whole = over if whole is None else followed(whole, over, hole)
                before = last
        return whole if whole is not None else stretch(empty(0))

    def _stretches(self, cover: Cover, piece: Piece) -> Iterator[tuple[Stretch, int, int]]:
        """What a piece says, with the numbers of its first and last sweep; a damaged roll-up is made up for by what it stands for."""
        file = piece.file
        found = self._read(file)
        if found is None:
            for finer in cover.below(file):
                yield from self._stretches(cover, replace(piece, file=finer, part=Part.WHOLE))
        elif piece.part is Part.WHOLE:
            yield found, file.first, file.last
        elif piece.part is Part.FIRST:
            yield stretch(found.first), file.first, file.first
        else:
            yield stretch(found.last), file.last, file.last

    def _finest(self, cover: Cover, pieces: list[Piece]) -> Iterator[Piece]:
        """The same time in the finest files that there are."""
        for piece in pieces:
            below = cover.below(piece.file)
            whole = below and (below[0].first, below[-1].last) == (piece.file.first, piece.file.last)
            if piece.part is Part.WHOLE and whole:
                yield from self._finest(cover, [replace(piece, file=file) for file in below])
            else:
                yield piece

    def _read(self, file: StoredFile) -> Stretch | None:
        """What a file holds; none where it is damaged, which is noted.

        Raises:
            FileNotFoundError: when it has gone since it was listed.
        """
        if file.path in self._damaged:
            return None
        try:
            return read(content(file))
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else str(error)
            self._damaged[file.path] = Damaged(file.path, reason)
            return None

    def _read_or_none(self, file: StoredFile) -> Stretch | None:
        try:
            return self._read(file)
        except FileNotFoundError:
            return None


def _dated(readings: Readings) -> Readings:
    """Readings that say when their sweep began: by themselves, or by their first answer.

    Raises:
        LacisError: when they say neither.
    """
    if 0 < readings.started < 1 << 63:
        return readings
    times = readings.times[readings.times > 0]
    if not len(times):
        raise LacisError("readings without a time cannot be kept", source=readings.source)
    return replace(readings, started=int(times.min()), ended=readings.ended or int(times.max()))
