"""A fabric that is watched: sweep after sweep, what is wrong with it as conditions that open and close once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..counters import growth
from ..counters.shares import agreed
from ..errors import LacisError
from ..facts.watch import FileUnreadable, ReadingsOld, SweepFails
from . import errors, links
from .conditions import Conditions, Event, Hysteresis
from .errors import Errors
from .files import WatchedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ..counters import Growth, Readings
    from ..counters.sources import Source
    from ..fabric.ports import Ports
    from ..facts.watch import Condition, JobFlows
    from .conditions import Key
    from .files import WatchedCabling, WatchedTables
    from .jobs import Crossing
    from .manager import ManagerLog

HOT = 0.9
"""The share of its rate from which on a link is hot."""
OLDEST = 300.0
"""Seconds after which the last readings are too old."""
CLEAN = 126 * 60.0
"""Seconds without a reason after which a cable is good again, as in the rules by which it was bad."""

_AT_ONCE = Hysteresis()
RULES = {
    "symbol_errors": Hysteresis(0, CLEAN),
    "downed": Hysteresis(0, CLEAN),
    "flaps": Hysteresis(0, CLEAN),
    "down": Hysteresis(0, 600),
    "slow": Hysteresis(0, 600),
    "hot": Hysteresis(60, 300),
    "silent": Hysteresis(300, 300),
    "full": _AT_ONCE,
    "sweep": _AT_ONCE,
}
"""How long each kind must hold before it is reported, and how long not before it is over; those of files are at once."""


class Watch:
    """What is watched of a fabric.

    Args:
        ports: of the fabric.
        source: of counters; none where they are not watched.
        hot: the share of its rate from which on a link is hot.
        running: the hosts of jobs that run, as their source has them at present.
        crossing: which links the flows of jobs cross; none where jobs are not known.
        log: of the manager.
        tables: of a file.
        cabling: of the fabric's file, against a plan.
        clock: seconds since 1970, at which what is read is judged; the time of the readings unless given, as for recordings.
        oldest: seconds after which readings are too old, by that clock.
        insists: whether a sweep that fails ends the watch, as of recordings, and is not a condition, as of what may answer in the
            next sweep.
    """

    def __init__(
        self,
        ports: Ports,
        *,
        source: Source | None = None,
        hot: float = HOT,
        running: WatchedFile[dict[str, tuple[str, ...]]] | Mapping[str, Sequence[str]] | None = None,
        crossing: Crossing | None = None,
        log: ManagerLog | None = None,
        tables: WatchedTables | None = None,
        cabling: WatchedCabling | None = None,
        clock: Callable[[], float] | None = None,
        oldest: float = OLDEST,
        insists: bool = False,
    ) -> None:
        self.conditions = Conditions()
        self._ports, self._source, self._hot = ports, source, hot
        self._running, self._crossing = running, crossing
        self._log, self._tables, self._cabling = log, tables, cabling
        self._insists = insists
        self._clock, self._oldest = clock or (time.time if source is None else None), oldest
        self._jobs: Mapping[str, Sequence[str]] = {}
        self._errors = Errors()
        self._before: Readings | None = None
        self._now = 0.0

    def step(self) -> list[Event]:
        """Looks at everything once, and returns what opened and closed.

        Raises:
            LacisError: when a sweep fails that is insisted on.
        """
        readings, failure = self._swept()
        ended = readings.ended / 1e9 if readings is not None and readings.ended else None
        # A clock that is set back must neither end a condition nor keep it open.
        self._now = max(self._now, self._clock() if self._clock else ended or self._now or time.time())
        events = self._looked_at_files()
        if self._source is not None:
            events += self._judge("sweep", {} if failure is None else {(): failure})
        if ended is not None and self._clock is not None:
            age = self._now - ended
            events += self._judge("old", {(): ReadingsOld(round(age))} if age > self._oldest else {})
        if readings is not None and not self._is_known(readings):
            events += self._judged(readings)
            self._before = readings
        return events

    def _is_known(self, readings: Readings) -> bool:
        """Whether readings are those of the last time: of a store to which none were added."""
        before = self._before
        if before is None or readings is before:
            return before is not None
        return readings.ended > 0 and (readings.started, readings.ended) == (before.started, before.ended)

    def _swept(self) -> tuple[Readings | None, SweepFails | None]:
        if self._source is None:
            return None, None
        try:
            return self._source.sweep(), None
        except (LacisError, OSError) as error:
            if self._insists:
                raise
            return None, SweepFails(str(error))

    def _judge(self, kind: str, found: Mapping[Key, Condition], unknown: Collection[Key] = ()) -> list[Event]:
        return self.conditions.judge(kind, self._now, found, RULES.get(kind, _AT_ONCE), unknown)

    def _judged(self, readings: Readings) -> list[Event]:
        """What readings show, alone and against those before them."""
        ports = self._ports
        events = self._judge("down", *links.down(readings, ports))
        events += self._judge("slow", *links.slow(readings, ports))
        events += self._judge("silent", links.silent(readings, ports))
        if self._before is None:
            return events
        grown = agreed(growth(self._before, readings), ports)
        self._errors.add(grown, self._now)
        events += self._judged_cables(grown)
        is_open = lambda key: self.conditions.is_open("hot", key)  # noqa: E731 - a name for what is asked below
        events += self._judge("hot", *links.hot(grown, ports, self._hot, is_open, self._jobs_on))
        return events + self._judge("full", links.full(grown, ports))

    def _judged_cables(self, grown: Growth) -> list[Event]:
        """What cables count; of those that are not read any more it is not known whether they are good again."""
        ports, now, keys = self._ports, self._now, self.conditions.keys
        unknown = errors.unknown(grown)
        cables: set[Key] = {ports.cable(row) for row in errors.rows_of(unknown, ports) if row >= 0}
        unknown |= errors.silent_ports(grown, keys("symbol_errors"))
        cables |= errors.silent_cables(grown, [*keys("downed"), *keys("flaps")])
        events = self._judge("symbol_errors", errors.symbol_errors(self._errors, ports, now), unknown)
        events += self._judge("downed", errors.downed(self._errors, ports, now), cables)
        return events + self._judge("flaps", errors.flaps(self._errors, ports, now), cables)

    def _jobs_on(self, row: int) -> tuple[JobFlows, ...]:
        return () if self._crossing is None else self._crossing.on(row, self._jobs)

    def _looked_at_files(self) -> list[Event]:
        """What files show; one that cannot be read is a condition of its own, and leaves what it showed as it was."""
        events = self._read("jobs", self._read_jobs)
        if (log := self._log) is not None:
            events += self._read("manager", lambda: {} if (found := log.read()) is None else {(): found})
        if self._tables is not None:
            events += self._read("tables", self._tables.changed)
        if self._cabling is not None:
            events += self._read("cabling", self._cabling.off_plan)
        return events

    def _read(self, kind: str, read: Callable[[], Mapping[Key, Condition]]) -> list[Event]:
        unreadable = f"{kind}_file"
        try:
            found = read()
        except (LacisError, OSError) as error:
            file = getattr(error, "source", "") or kind
            reason = error.reason if isinstance(error, LacisError) else str(error)
            return self._judge(unreadable, {(): FileUnreadable(file, reason)})
        return self._judge(unreadable, {}) + self._judge(kind, found)

    def _read_jobs(self) -> dict[Key, Condition]:
        self._jobs = self._running.again() if isinstance(self._running, WatchedFile) else self._running or {}
        if self._crossing is not None:
            self._crossing.keep(self._jobs)
        return {}
