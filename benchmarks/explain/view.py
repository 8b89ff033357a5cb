"""What every estimator is given, and how its answer is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .net import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .measured import Faults, Rounds
    from .net import Floats, Ints


Named = int | str | tuple[int, int, int]
"""What an estimator names: a link by number, a wrong entry by switch, host and port, a switch by its name."""


@dataclass(frozen=True, eq=False)
class View:
    """Measured flows on their paths.

    Attributes:
        rounds: the flows.
        values: measured [bytes/s], shape `(flows, repeats)`.
    """

    rounds: Rounds
    values: Floats

    @property
    def path(self) -> Ints:
        """Links of each flow, padded with -1."""
        return self.rounds.path

    def part(self) -> Floats:
        """What each flow got, mean of the repeats, of what is predicted; the median of all is 1."""
        part: Floats = self.values.mean(axis=1) / self.rounds.predicted
        part /= np.median(part)
        return part

    def entries(self) -> tuple[Ints, Ints]:
        """The ones of the matrix of flows and links: flow and link of each."""
        flow, step = np.nonzero(self.path != NONE)
        return flow, self.path[flow, step]


@dataclass(frozen=True)
class Score:
    """Classes of links and of wrong entries that the rounds cannot tell apart, and switches: broken and named, named though whole, broken and not named.

    Attributes:
        hits: broken ones that are named.
        alarms: whole ones that are named.
        missed: broken ones that are not named.
        first: whether a broken one is the first that is named.
    """

    hits: int
    alarms: int
    missed: int
    first: bool


def judge(rounds: Rounds, named: Iterable[Named], broken: Faults) -> Score:
    """Compares what is named, the surest first, with what is broken."""
    classes = rounds.classes

    def of(one: Named) -> int | str | bytes:
        if isinstance(one, tuple):
            return rounds.moved(one) or repr(one)
        return int(classes[one]) if isinstance(one, int) else one

    order = [of(one) for one in named]
    faults: list[Named] = [*broken.factor, *broken.entries]
    wrong = {of(one) for one in faults}
    there = set(order)
    return Score(
        len(there & wrong), len(there - wrong), len(wrong - there), bool(order) and order[0] in wrong
    )
