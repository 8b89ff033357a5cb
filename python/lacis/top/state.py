"""What a user of `lacis top` is looking at: which view, group, list and instant; and how keys change that."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from ..live import Criterion, Direction, Usage, groups, usage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fabric.ports import Ports
    from ..live import PortGroup, Timeline


_KEPT = 100
"""Instants of which the shares of all ports are kept, for the curve of one port."""


class View(Enum):
    """What is shown, from the whole to one port."""

    SUMMARY = "Summary"
    BUCKETS = "Utilisation"
    FOCUS = "Ports"
    PORT = "Port"


@dataclass
class State:
    """What is looked at.

    Attributes:
        ports: of the fabric.
        timeline: instants, and what happened up to each.
        view: what is shown.
        group: index of the group.
        direction: of the group's traffic, for buckets.
        criterion: what lists are sorted by.
        text: what names in lists must have.
        port: the row of the port that is shown.
        pairs: what the pairs of that port must have.
        instant: the instant that is shown; none for the last one.
        bookmark: an instant to come back to.
    """

    ports: Ports
    timeline: Timeline
    view: View = View.SUMMARY
    group: int = 0
    direction: Direction = Direction.WITHIN
    criterion: Criterion = Criterion.HIGH
    text: str = ""
    port: int = 0
    pairs: str = ""
    instant: int | None = None
    bookmark: int | None = None
    groups: list[PortGroup] = field(default_factory=list)
    _shown: tuple[int, Usage] | None = None
    _shares: dict[int, NDArray[np.float32]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = groups(self.ports)

    @property
    def number(self) -> int:
        """Which of the instants is shown; -1 where there is none yet."""
        instants = self.timeline.instants()
        if self.instant is None or not instants:
            return len(instants) - 1
        return max((at for at, end in enumerate(instants) if end <= self.instant), default=0)

    def now(self) -> Usage:
        """What ports did in the interval that is shown."""
        number = self.number
        instants = self.timeline.instants()
        end = instants[number] if number >= 0 else 0
        if self._shown is None or self._shown[0] != end:
            grown = self.timeline.growth(number) if number >= 0 else None
            self._shown = (end, usage(self.ports, grown))
        return self._shown[1]

    def share(self, number: int, port: int) -> float:
        """The share of its cable's rate that a port sent in the interval of an instant; NaN where that is not known."""
        end = self.timeline.instants()[number]
        if end not in self._shares:
            now = self.now() if number == self.number else usage(self.ports, self.timeline.growth(number))
            if len(self._shares) >= _KEPT:
                self._shares.pop(next(iter(self._shares)))
            self._shares[end] = now.share.astype(np.float32)
        return float(self._shares[end][port])

    def refreshed(self) -> None:
        """Forgets what was computed: the same instant may show more now."""
        self._shown = None

    def back(self) -> None:
        """One instant back in time."""
        self._step(-1)

    def forward(self) -> None:
        """One instant forward; beyond the last one it follows what comes."""
        self._step(1)

    def follow(self) -> None:
        """Shows the last instant, and each that comes."""
        self.instant = None

    def keep(self) -> None:
        """Bookmarks the instant that is shown."""
        instants = self.timeline.instants()
        if instants:
            self.bookmark = instants[self.number]

    def to_bookmark(self) -> None:
        """Shows the instant that was bookmarked."""
        if self.bookmark is not None:
            self.instant = self.bookmark

    def drop_bookmark(self) -> None:
        """Forgets the bookmark."""
        self.bookmark = None

    def next_criterion(self) -> None:
        """Sorts by the next criterion."""
        every = list(Criterion)
        self.criterion = every[(every.index(self.criterion) + 1) % len(every)]

    def choose(self, row: int) -> None:
        """Goes one view down, to what a row of the view stands for."""
        match self.view:
            case View.SUMMARY:
                self.group, self.direction = divmod_direction(row)
                self.view = View.BUCKETS
            case View.BUCKETS:
                self.group, self.direction = divmod_direction(row)
                self.view = View.FOCUS
            case View.FOCUS:
                self.port = row
                self.view = View.PORT
            case View.PORT:
                far = int(self.ports.far[self.port])
                self.port = far if far >= 0 else self.port

    def up(self) -> bool:
        """Goes one view up; whether there was one."""
        every = list(View)
        at = every.index(self.view)
        self.view = every[max(0, at - 1)]
        return at > 0

    def _step(self, by: int) -> None:
        instants = self.timeline.instants()
        number = self.number + by
        if number >= len(instants):
            self.instant = None
        elif instants:
            self.instant = instants[max(0, number)]


def divmod_direction(row: int) -> tuple[int, Direction]:
    """The group and the direction of a row of the first views, which have a row for each."""
    every = list(Direction)
    group, at = divmod(row, len(every))
    return group, every[at]
