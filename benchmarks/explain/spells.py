"""Links that are slow for a time: are they named, and with their rounds?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .answers import culprits, named
from .fair import Noise, fair, noisy
from .measured import Faults
from .net import NONE
from .view import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .measured import Rounds
    from .net import Floats, Ints

COUNT = 2
"""Links that are slow at once."""
INSIDE = 4
"""The fewest flows that a drawn link slows,"""
OUTSIDE = 3
"""and the fewest that it would slow at other times."""
NEAR = 1
"""Rounds by which an end may be missed."""
SPELLS = ((8, None), (0, 6), (5, 10))
"""From a round to another, which is not slow any more; none: to the last."""


def spells(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """Links at 50 and 80 % from round 8 on, up to round 5, and in rounds 5 to 9."""
    last = int(rounds.number.max()) + 1
    for factor in (0.5, 0.8):
        for begin, end in SPELLS:
            end = last if end is None else end
            drawn = able(rounds, factor, begin, end)
            cell = f"links at {factor:.0%} in rounds {begin} to {end - 1} of {last}"
            if len(drawn) < COUNT:
                yield {"cell": cell, "links": len(drawn)}
                continue
            hits = alarms = missed = as_spell = right = others = 0
            for seed in seeds:
                rng = np.random.default_rng([seed, 7])
                slow = rng.choice(drawn, COUNT, replace=False)
                values = noisy(for_a_time(rounds, slow, factor, begin, end), rounds, Noise(), 1, rng)
                found = culprits(rounds, values)
                suspects = [one.suspect for one in found.found] + [one.suspects[0] for one in found.partly]
                broken = Faults(dict.fromkeys(map(int, slow), factor))
                score = judge(rounds, named(rounds, suspects), broken)
                hits, alarms, missed = hits + score.hits, alarms + score.alarms, missed + score.missed
                for one in found.partly:
                    if judge(rounds, named(rounds, [one.suspects[0]]), broken).hits:
                        if one.spell is None:
                            others += 1
                            continue
                        as_spell += 1
                        crossed = rounds.number[(rounds.path == slow_of(rounds, one, slow)).any(axis=1)]
                        own = crossed[(crossed >= begin) & (crossed < end)]
                        near = (
                            abs(one.spell.first - own.min()) <= NEAR
                            and abs(one.spell.last - own.max()) <= NEAR
                        )
                        right += near
            yield {
                "cell": cell,
                "runs": len(seeds),
                "links": len(drawn),
                "precision": hits / max(hits + alarms, 1),
                "recall": hits / max(hits + missed, 1),
                "with rounds": as_spell / max(hits, 1),
                "right rounds": right / max(as_spell, 1),
                "as flaps": others,
            }


def slow_of(rounds: Rounds, one: Any, slow: Ints) -> int:
    """The slow link that a suspect is, or that the same flows cross."""
    own = [link for link in named(rounds, [one.suspects[0]]) if isinstance(link, int)]
    classes = {int(rounds.classes[link]) for link in own}
    return next(int(link) for link in slow if int(rounds.classes[link]) in classes)


def able(rounds: Rounds, factor: float, begin: int, end: int) -> Ints:
    """Links that would slow enough flows in these rounds, and enough in others."""
    slower = (rounds.share * factor < rounds.predicted[:, None]) & (rounds.path != NONE)
    inside = (rounds.number >= begin) & (rounds.number < end)
    counts = [
        np.bincount(rounds.path[slower & at[:, None]], minlength=rounds.net.num_links)
        for at in (inside, ~inside)
    ]
    return np.flatnonzero((counts[0] >= INSIDE) & (counts[1] >= OUTSIDE))


def for_a_time(rounds: Rounds, links: Ints, factor: float, begin: int, end: int) -> Floats:
    """Max-min fair rates where links are slow in some rounds."""
    scale = np.ones(rounds.net.num_links)
    scale[links] = factor
    healthy = fair(rounds.net.rates, rounds.path, rounds.number)
    slow = fair(rounds.net.rates, rounds.path, rounds.number, factor=scale)
    is_inside = (rounds.number >= begin) & (rounds.number < end)
    return np.where(is_inside, slow, healthy)
