"""The first of many sweeps, the last, and evenly spread ones between: a store may hold thousands, and no more are kept than are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .readings import Readings


class Thinned:
    """Sweeps in the order of time, of which some are kept: of too many every other is left out, again and again.

    Args:
        most: how many are kept, the last one aside.

    Attributes:
        seen: how many there were.
    """

    def __init__(self, most: int) -> None:
        self._most, self._stride = most, 1
        self._kept: list[Readings] = []
        self._last: Readings | None = None
        self.seen = 0

    def add(self, sweep: Readings) -> None:
        """The next sweep."""
        if self.seen % self._stride == 0:
            self._kept.append(sweep)
            if len(self._kept) > self._most:
                self._kept, self._stride = self._kept[::2], 2 * self._stride
        self._last, self.seen = sweep, self.seen + 1

    def kept(self) -> list[Readings]:
        """Those that are kept, and the last one."""
        if self._last is None or self._kept[-1] is self._last:
            return self._kept
        return [*self._kept, self._last]
