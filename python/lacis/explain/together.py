"""Suspects that were slow in the same rounds: one event may be behind them, such as a switch that ran hot or a cable tray that was moved.

When a spell began is known from one flow over its link to the next: after the last round before with one that is not slow, and not after
the first with one that is. Spells coincide where these intervals overlap, or are a round apart, as an event within a round slows only a part
of it. A group is named where chance would hardly make one: if each spell lay anywhere, the expected number of such groups is at most

    C(m, k) · Π p

of m spells, k of them in the group, with the probability p that another spell coincides with the group's first.

| here    | meaning                                                              |
|---------|----------------------------------------------------------------------|
| `begin` | the rounds in one of which a spell began                              |
| `end`   | the rounds in one of which it was over                                |
| `least` | the shortest spell: those that are shorter are not seen               |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..facts.suspects import SlowTogether

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..documents.explain import Partly, Spell, Suspect
    from ..facts.suspects import SharedKind

CHANCE = 0.01
"""In so many measurements of independent spells at most, as a share, a group may be named."""
_KINDS = (("begin", "end"), ("begin",), ("end",))
"""What coincides in a group."""
_APART = (0, 1)
"""Rounds by which intervals may be apart."""
_EACH = CHANCE / (len(_KINDS) * len(_APART))
"""The part of `CHANCE` that each kind and distance has."""
_MOST = 400
"""Spells that are compared, the likeliest: more are no matter of single links."""

Times = dict[int, tuple[str, str]]
"""When each round began and ended, UTC."""


@dataclass(frozen=True)
class _Spells:
    """Spells of different cables; arrays have an element for each.

    Attributes:
        members: indices of the suspects of each.
        begin: first and last of the rounds in one of which it began, shape `(spells, 2)`.
        end: the same of the rounds in one of which it was over.
        has_begin: whether it began after the first round.
        has_end: whether it was over before the last one.
        rounds: how many were measured.
    """

    members: Sequence[list[int]]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    has_begin: NDArray[np.bool_]
    has_end: NDArray[np.bool_]
    rounds: int

    def edges(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The intervals of an edge, and which spells have it."""
        return (self.begin, self.has_begin) if name == "begin" else (self.end, self.has_end)


def slow_together(
    partly: Sequence[Partly],
    shared_by: Callable[[Sequence[Suspect]], tuple[SharedKind, str] | None],
    times: Times | None = None,
) -> list[SlowTogether]:
    """Groups of suspects whose spells coincide, those that coincide in both ends first; no suspect is in two of them.

    Args:
        partly: suspects, some of which were slow for a time.
        shared_by: what suspects have in common.
        times: of rounds, where they are known.
    """
    spells = _spells_of(partly)
    if spells is None:
        return []
    # Segments of rounds in which a spell can lie, unless it is too short to be seen.
    least = int((spells.end[:, 0] - spells.begin[:, 1]).min())
    open_ = np.ones(len(spells.members), np.bool_)
    found = []
    for kind in _KINDS:
        while True:
            tried = [(_largest(spells, kind, open_, apart), apart) for apart in _APART]
            rated = [(group, _chance(spells, kind, group, max(least, 1), apart)) for group, apart in tried]
            sure = [(group, chance) for group, chance in rated if chance <= _EACH]
            if not sure:
                break
            group, chance = max(sure, key=lambda one: len(one[0]))
            open_[group] = False
            members = sorted(at for one in group for at in spells.members[one])
            shared = shared_by([partly[at].suspects[0] for at in members])
            found.append(_fact(partly, members, len(group), kind, chance, shared, times or {}))
    return found


def _spells_of(partly: Sequence[Partly]) -> _Spells | None:
    """Spells by cable: both directions of one are no coincidence. None where there are fewer than two."""
    by_cable: dict[object, list[int]] = {}
    for at, one in enumerate(partly):
        if one.spell is not None:
            suspect = one.suspects[0]
            ends = frozenset(filter(None, (suspect.egress, suspect.ingress)))
            by_cable.setdefault(ends or suspect.node, []).append(at)
    members = list(by_cable.values())[:_MOST]
    if len(members) < 2:
        return None
    spells = [_whole([spell for at in own if (spell := partly[at].spell)]) for own in members]
    rounds = max(one.rounds for one in spells)
    return _Spells(
        members,
        np.array([(-1 if one.before is None else one.before + 1, one.first) for one in spells]),
        np.array([(one.last + 1, rounds if one.after is None else one.after) for one in spells]),
        np.array([one.before is not None for one in spells]),
        np.array([one.after is not None for one in spells]),
        rounds,
    )


def _whole(spells: Sequence[Spell]) -> Spell:
    """That of a cable's directions which says most exactly when it was."""
    return min(spells, key=lambda one: (one.before is None) + (one.after is None))


def _largest(
    spells: _Spells, kind: tuple[str, ...], open_: NDArray[np.bool_], apart: int
) -> NDArray[np.intp]:
    """The most spells whose edges of a kind coincide."""
    edges = [spells.edges(name) for name in kind]
    some = np.flatnonzero(np.logical_and.reduce([open_, *(there for _, there in edges)]))
    best = some[:0]
    # Intervals that are at most a round apart meet once each is longer by half a round on both sides.
    lows, highs = ([2 * of[some, at] + sign * apart for of, _ in edges] for at, sign in ((0, -1), (1, 1)))
    for first in lows[0]:
        here = (lows[0] <= first) & (first <= highs[0])
        for last in np.unique(lows[-1][here]):
            both = some[here & (lows[-1] <= last) & (last <= highs[-1])]
            best = both if len(both) > len(best) else best
    return best


def _chance(spells: _Spells, kind: tuple[str, ...], group: NDArray[np.intp], least: int, apart: int) -> float:
    """How many groups as large independent spells would be expected to make."""
    if len(group) < 2:
        return math.inf
    there = np.logical_and.reduce([spells.edges(name)[1] for name in kind])
    chance = float(math.comb(int(there.sum()), len(group)))
    for other in group[1:].tolist():
        anywhere, near = [], []
        for name in ("begin", "end"):
            of, has = spells.edges(name)
            border = 0 if name == "begin" else spells.rounds
            low, high = (1, spells.rounds - 1) if has[other] else (border, border)
            anywhere.append((low, high))
            reach = int(of[other, 1] - of[other, 0]) + apart
            is_near = name in kind
            near.append(
                (max(low, int(of[group[0], 0]) - reach), min(high, int(of[group[0], 1]) + reach))
                if is_near
                else (low, high)
            )
        chance *= _segments(near[0], near[1], least) / max(_segments(anywhere[0], anywhere[1], least), 1)
    return chance


def _segments(begin: tuple[int, int], end: tuple[int, int], least: int) -> int:
    """Spells of at least so many rounds that begin and are over in these."""
    begins = np.arange(begin[0], begin[1] + 1)
    counts = end[1] - np.maximum(end[0], begins + least) + 1
    return int(np.maximum(counts, 0).sum())


def _fact(
    partly: Sequence[Partly],
    members: list[int],
    links: int,
    kind: tuple[str, ...],
    chance: float,
    shared: tuple[SharedKind, str] | None,
    times: Times,
) -> SlowTogether:
    spells = [spell for at in members if (spell := partly[at].spell)]
    first = min(one.first for one in spells) if "begin" in kind else None
    last = max(one.last for one in spells) if "end" in kind else None
    return SlowTogether(
        members=members,
        links=links,
        first=first,
        last=last,
        is_since=all(one.after is None for one in spells),
        is_until=all(one.before is None for one in spells),
        rounds=spells[0].rounds,
        began=times[first][0] if first in times else None,
        ended=times[last][1] if last in times else None,
        shared=shared[0] if shared else None,
        node=shared[1] if shared else None,
        chance=chance,
    )
