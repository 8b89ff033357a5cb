"""Groups of suspects by time: how often independent spells make one, and how often spells with one cause do.

    python -m benchmarks.explain.together [--runs N]

A link is crossed by a flow in each round, or in a part of them; a search sees spells of four flows and more with three others.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from lacis.documents.explain import Partly, Spell, Suspect
from lacis.explain.together import slow_together

from ..measure import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST, OTHERS = 4, 3
"""The fewest flows in a spell that is seen, and outside it."""
LAWS = ("anywhere", "lasting", "memoryless")
"""How independent spells lie: between any two rounds, to the last, or beginning anywhere and ending by chance."""
COMMON = ((16, 5, 10), (16, 8, 16), (40, 10, 20), (40, 20, 40), (200, 50, 70), (200, 120, 200))
"""Rounds, the first slow one of links with one cause, and the first that is not slow any more."""


def nothing(_: Sequence[Suspect]) -> None:
    """Drawn links share no switch."""


def seen(
    number: int, begin: int, end: int, rounds: int, crossed: float, rng: np.random.Generator
) -> Partly | None:
    """A link that is slow from a round until before another, as a search sees it; none where too few flows show it."""
    flows = np.flatnonzero(rng.random(rounds) < crossed)
    inside = flows[(flows >= begin) & (flows < end)]
    before, after = flows[flows < begin], flows[flows >= end]
    if len(inside) < LEAST or len(before) + len(after) < OTHERS:
        return None
    spell = Spell(
        int(inside[0]),
        int(inside[-1]),
        int(before[-1]) if len(before) else None,
        int(after[0]) if len(after) else None,
        rounds,
        len(before) + len(after),
        1.0,
    )
    link = Suspect("link", f"a{number}", f"a{number}[1]", f"b{number}[1]", None, None, [number])
    return Partly([link], len(inside), len(inside), 0.5, 0.5, swings=False, gain=40.0, spell=spell)


def drawn(law: str, rounds: int, links: int, crossed: float, rng: np.random.Generator) -> list[Partly]:
    """Spells that know nothing of each other."""
    found: list[Partly] = []
    while len(found) < links:
        if law == "anywhere":
            begin, end = sorted(rng.integers(0, rounds + 1, 2).tolist())
        elif law == "lasting":
            begin, end = int(rng.integers(1, rounds)), rounds
        else:
            begin = int(rng.integers(-rounds, rounds))
            end = begin + int(rng.geometric(3 / rounds))
        one = seen(1000 + len(found), begin, end, rounds, crossed, rng)
        found += [one] if one else []
    return found


def common(
    links: int, begin: int, end: int, rounds: int, crossed: float, rng: np.random.Generator
) -> list[Partly]:
    """Spells with one cause."""
    found: list[Partly] = []
    while len(found) < links:
        one = seen(len(found), begin, end, rounds, crossed, rng)
        found += [one] if one else []
    return found


def main(runs: int) -> None:
    """Prints false groups, then how many true ones are found."""
    rows = []
    for law in LAWS:
        for rounds in (16, 40, 200):
            for crossed in (1.0, 0.5):
                false = []
                for links in (2, 4, 10, 30):
                    rng, tries = np.random.default_rng(1), runs if links < 30 else runs // 5
                    groups = (
                        slow_together(drawn(law, rounds, links, crossed, rng), nothing) for _ in range(tries)
                    )
                    false.append(f"{sum(bool(group) for group in groups)} of {tries}")
                rows.append([law, str(rounds), f"{crossed:.0%}", *false])
    print(markdown(("spells", "rounds", "crossed", "2 links", "4", "10", "30"), rows))
    rows = []
    for rounds, begin, end in COMMON:
        row = [str(rounds), f"{begin} to {end - 1}"]
        for links in (3, 4, 6, 8):
            hits = []
            for crossed in (1.0, 0.7, 0.5):
                found = 0
                for seed in range(runs // 20):
                    rng = np.random.default_rng(seed)
                    of_one = common(links, begin, end, rounds, crossed, rng)
                    named = slow_together(of_one + drawn("anywhere", rounds, 2, crossed, rng), nothing)
                    found += any(set(range(links)) <= set(one.members) for one in named)
                hits.append(f"{found / (runs // 20):.2f}")
            row.append(" / ".join(hits))
        rows.append(row)
    print(markdown(("rounds", "slow in", "3 links", "4", "6", "8"), rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    main(parser.parse_args().runs)
