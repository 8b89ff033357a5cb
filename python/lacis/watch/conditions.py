"""Conditions that open and close: each is reported when it begins and when it has ended for good, and in between not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from ..facts.watch import Condition

Key: TypeAlias = "tuple[Hashable, ...]"
"""What identifies a condition of a kind, so that it is one however its numbers change: the ends of a cable."""


@dataclass(frozen=True)
class Hysteresis:
    """How long a condition must hold before it is reported, and how long not before it is over.

    Attributes:
        opens_after: seconds.
        closes_after: seconds.
    """

    opens_after: float = 0
    closes_after: float = 0


@dataclass(frozen=True)
class Event:
    """A condition that opened or closed.

    Attributes:
        number: of the condition, from 1 in the order in which they opened.
        opened: whether it opened.
        time: when it did, seconds since 1970.
        since: when what it is about began.
        condition: as it was when it opened, or when it was last there.
    """

    number: int
    opened: bool
    time: float
    since: float
    condition: Condition


@dataclass
class _State:
    since: float
    condition: Condition
    number: int = 0
    clean_since: float | None = None


class Conditions:
    """The conditions that are open, and those that may open."""

    def __init__(self) -> None:
        self._states: dict[str, dict[Key, _State]] = {}
        self._opened = 0

    def is_open(self, kind: str, key: Key) -> bool:
        """Whether a condition is open."""
        state = self._states.get(kind, {}).get(key)
        return state is not None and state.number > 0

    def keys(self, kind: str) -> list[Key]:
        """What identifies those of a kind that are open."""
        return [key for key in self._states.get(kind, {}) if self.is_open(kind, key)]

    @property
    def open(self) -> list[Condition]:
        """Conditions that are open, in the order in which they opened."""
        states = [one for of_kind in self._states.values() for one in of_kind.values() if one.number]
        return [state.condition for state in sorted(states, key=lambda state: state.number)]

    def judge(
        self,
        kind: str,
        now: float,
        found: Mapping[Key, Condition],
        hysteresis: Hysteresis,
        unknown: Collection[Key] = (),
    ) -> list[Event]:
        """Takes what holds now of one kind, and returns what that opens and closes.

        Args:
            kind: a name for the kind.
            now: seconds since 1970, never less than before.
            found: what holds, by key.
            hysteresis: of this kind.
            unknown: keys of which it is not known whether they hold: they neither open nor close.
        """
        states = self._states.setdefault(kind, {})
        events = []
        for key, condition in found.items():
            state = states.setdefault(key, _State(now, condition))
            state.condition, state.clean_since = condition, None
            if not state.number and now - state.since >= hysteresis.opens_after:
                self._opened += 1
                state.number = self._opened
                events.append(Event(state.number, True, now, state.since, condition))
        for key in [key for key in states if key not in found]:
            state = states[key]
            if not state.number:
                # It did not hold for long enough, or that is not known.
                del states[key]
            elif key in unknown:
                state.clean_since = None
            else:
                state.clean_since = now if state.clean_since is None else state.clean_since
                if now - state.clean_since >= hysteresis.closes_after:
                    events.append(Event(state.number, False, now, state.since, state.condition))
                    del states[key]
        return events
