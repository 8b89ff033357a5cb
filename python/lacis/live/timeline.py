"""Instants at which ports were read, and what they did up to each: of a recording, a store, a fabric that is read now, a simulation."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..counters import Growth, growth
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Simulation
    from ..counters import Readings
    from ..fabric.ports import Ports

KEPT = 720
"""Sweeps of a fabric that are kept to go back to: an hour at 5 s."""
STEP = 60
"""Seconds from one instant of a store to the next, where nothing else is asked."""


class Timeline(Protocol):
    """Instants, and growth up to each."""

    @property
    def name(self) -> str:
        """What the readings are from, in a few words."""

    @property
    def is_live(self) -> bool:
        """Whether more instants come."""

    @property
    def is_modelled(self) -> bool:
        """Whether a model made the figures, and no port counted them."""

    def instants(self) -> Sequence[int]:
        """When each interval ended, nanoseconds since 1970, the earliest first; a simulation counts from 0."""

    def growth(self, number: int) -> Growth | None:
        """How counters grew in the interval that ends at an instant; none where only one reading is there."""

    def advance(self) -> bool:
        """Looks for more; whether there was some.

        Raises:
            LacisError: when the source cannot be read.
        """


class Recorded:
    """Readings one after the other.

    Args:
        readings: at least one, in any order of time.
        name: what they are from.
    """

    is_live = False
    is_modelled = False

    def __init__(self, readings: Sequence[Readings], name: str) -> None:
        """Raises a LacisError where there are none."""
        if not readings:
            raise LacisError("no readings", source=name)
        self.name = name
        self._readings = sorted(readings, key=lambda one: one.ended)
        self._known: dict[int, Growth] = {}

    def instants(self) -> list[int]:
        """As `Timeline` says; the first reading alone ends no interval, unless it is the only one."""
        return [one.ended for one in self._readings[1:]] or [self._readings[0].ended]

    def growth(self, number: int) -> Growth | None:
        """As `Timeline` says."""
        if len(self._readings) < 2:
            return None
        if number not in self._known:
            self._known[number] = growth(self._readings[number], self._readings[number + 1])
        return self._known[number]

    def advance(self) -> bool:
        """Nothing more comes."""
        return False


class Swept:
    """A fabric that is read again and again; the last sweeps are kept.

    Args:
        sweep: reads all ports once.
        name: what is read.
    """

    is_live = True
    is_modelled = False

    def __init__(self, sweep: Callable[[], Readings], name: str) -> None:
        self.name = name
        self._sweep = sweep
        self._last: Readings | None = None
        self._kept: deque[tuple[int, Growth | None]] = deque(maxlen=KEPT)

    def instants(self) -> list[int]:
        """As `Timeline` says."""
        return [end for end, _ in self._kept]

    def growth(self, number: int) -> Growth | None:
        """As `Timeline` says."""
        return self._kept[number][1]

    def advance(self) -> bool:
        """Reads all ports once."""
        now = self._sweep()
        if self._last is not None and now.ended == self._last.ended:
            return False
        grown = growth(self._last, now) if self._last is not None else None
        if grown is not None and self._kept and self._kept[-1][1] is None:
            self._kept.clear()  # the first reading alone, which nothing was known from
        self._kept.append((now.ended, grown))
        self._last = now
        return True


class Stored:
    """A store, an interval of so many seconds after the other, up to its last reading.

    Args:
        span: when its first and last readings were, nanoseconds since 1970; none where it is empty.
        between: growth in a window.
        name: of the store.
        step: seconds of an interval.
        is_live: whether another process may be writing it.
        damage: says what of it could not be read so far, in a line; empty where all could.
    """

    is_modelled = False

    def __init__(
        self,
        span: Callable[[], tuple[int, int] | None],
        between: Callable[[int, int], Growth],
        name: str,
        *,
        step: int = STEP,
        is_live: bool = True,
        damage: Callable[[], str] = lambda: "",
    ) -> None:
        """Raises a LacisError where the store is empty or cannot be read."""
        self.name = name
        self.is_live = is_live
        self.damage = damage
        self._span, self._between, self._step = span, between, step * 1_000_000_000
        self._begin, self._end = self._now()
        self._known: dict[tuple[int, int], Growth] = {}

    def instants(self) -> list[int]:
        """As `Timeline` says; counted back from the last reading."""
        count = max(1, -(-(self._end - self._begin) // self._step))
        return [self._end - self._step * back for back in range(count - 1, -1, -1)]

    def growth(self, number: int) -> Growth | None:
        """As `Timeline` says."""
        end = self.instants()[number]
        window = (max(self._begin, end - self._step), end)
        if window not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[window] = self._between(*window)
        return self._known[window]

    def advance(self) -> bool:
        """Looks whether the store has later readings."""
        begin, end = self._now()
        is_new = end != self._end
        self._begin, self._end = begin, end
        return is_new

    def _now(self) -> tuple[int, int]:
        found = self._span()
        if found is None:
            raise LacisError("has no readings", source=self.name)
        return found


class Simulated:
    """A simulation packet by packet, one of its intervals after the other.

    Args:
        simulation: made with `interval`.
        ports: of the fabric.
        name: what is simulated.
    """

    is_live = False
    is_modelled = True

    def __init__(self, simulation: Simulation, ports: Ports, name: str) -> None:
        """Raises a LacisError where the simulation kept no intervals or nothing was sent."""
        found = simulation.utilisation()
        if found is None or not found[3]:
            raise LacisError("the simulation sent nothing", source=name)
        self.name = name
        self._interval, self._busy = found[0], found[4]
        nodes, numbers = simulation.utilised() or (np.zeros(0, np.uint32), np.zeros(0, np.uint8))
        self._rows = ports.rows_of_nodes(nodes, numbers)
        self._ports = ports

    def instants(self) -> list[int]:
        """As `Timeline` says, from 0."""
        return [round(self._interval * 1e9 * (number + 1)) for number in range(len(self._busy))]

    def growth(self, number: int) -> Growth | None:
        """As `Timeline` says: each port sent so much of the interval at the rate of its cable."""
        ports, count = self._ports, len(self._ports)
        sent = np.zeros(count)
        sent[self._rows] = np.nan_to_num(ports.rates[self._rows]) * self._busy[number] * self._interval
        received = ports.of_far(sent, 0.0)
        end = round(self._interval * 1e9 * (number + 1))
        begin = round(self._interval * 1e9 * number)
        values = {
            name: np.round(column / 4).astype(np.uint64)
            for name, column in (("XmitData", sent), ("RcvData", received))
        }
        return Growth(
            guids=ports.guids,
            ports=ports.numbers,
            planes=np.zeros(count, np.uint8),
            begins=np.full(count, begin, np.int64),
            ends=np.full(count, end, np.int64),
            values=values,
            lost={name: np.zeros(count, np.uint8) for name in values},
        )

    def advance(self) -> bool:
        """Nothing more comes."""
        return False
