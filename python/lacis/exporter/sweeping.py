"""Sweeps on a clock of their own, and what they have read so far: a scrape waits for none."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..counters import joined
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..counters import Readings
    from ..counters.sources import Source


@dataclass(frozen=True)
class Swept:
    """What sweeps have read.

    Attributes:
        last: what the last one that ended well read.
        readings: the same, with the last reading of each port that gave no answer in it.
        sweeps: how many ended well.
        failed: how many read nothing.
        lost: answers that all of them missed.
        is_good: whether the last one ended well.
    """

    last: Readings | None = None
    readings: Readings | None = None
    sweeps: int = 0
    failed: int = 0
    lost: int = 0
    is_good: bool = False

    def after(self, readings: Readings) -> Swept:
        """What they have read with one more sweep."""
        return Swept(
            last=readings,
            readings=_kept(self.readings, readings),
            sweeps=self.sweeps + 1,
            failed=self.failed,
            lost=self.lost + len(readings.unread),
            is_good=True,
        )

    def after_failure(self) -> Swept:
        """The same with one more sweep, which read nothing."""
        return replace(self, failed=self.failed + 1, is_good=False)


def _kept(before: Readings | None, now: Readings) -> Readings:
    """Readings, with those from before of ports that gave no answer: they are old, and their age says so."""
    silent = np.array([(one.guid, one.port) for one in now.unread], np.uint64).reshape(-1, 2)
    if before is None or not len(silent):
        return now
    unread = np.isin(_ends(before.guids, before.ports), _ends(silent[:, 0], silent[:, 1].astype(np.uint16)))
    unread &= ~np.isin(before.keys, now.keys)
    if not unread.any():
        return now
    # Both are read by one source, so that its unit and name are those of either.
    return replace(
        joined([now, before.taken(unread)]), started=now.started, ended=now.ended, unread=now.unread
    )


def _ends(guids: NDArray[np.uint64], ports: NDArray[np.uint16]) -> NDArray[np.void]:
    ends = np.empty(len(guids), np.dtype([("guid", "<u8"), ("port", "<u2")]))
    ends["guid"], ends["port"] = guids, ports
    return ends


class Sweeper:
    """Sweeps every so often, in a thread, until it is stopped."""

    def __init__(
        self,
        source: Source,
        every: float,
        report: Callable[[str], object],
        cabled: Callable[[], object] = lambda: None,
    ) -> None:
        """Sweeps that are to come.

        Args:
            source: which reads.
            every: seconds from the beginning of a sweep to that of the next.
            report: called with what goes wrong, in words.
            cabled: called before the first sweep and after each, by which the source may have found other cables.
        """
        self.swept = Swept()
        self._source = source
        self._every = every
        self._report, self._cabled = report, cabled
        cabled()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeps", daemon=True)

    def sweep(self, *, strict: bool = False) -> None:
        """Sweeps once; what goes wrong is reported and counted, or raised where that is asked for."""
        try:
            self.swept = self.swept.after(self._source.sweep())
            self._cabled()
        except (LacisError, OSError) as error:
            if strict:
                raise
            self._report(f"a sweep failed: {error}")
            self.swept = self.swept.after_failure()

    def start(self) -> None:
        """Begins to sweep."""
        self._thread.start()

    def stop(self) -> None:
        """Ends, after the sweep that is running: its source may be closed after that, and not before."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopped.is_set():
            self.sweep()
            # A sweep that takes longer than the interval delays the next one, instead of piling up.
            due = max(due + self._every, time.monotonic())
            self._stopped.wait(due - time.monotonic())
