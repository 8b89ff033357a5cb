"""The input of every estimator, and the score of its answer."""

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
"""A suspect: a link by number, a wrong entry by switch, host and port, a switch by its name."""


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

    def ratio(self) -> Floats:
        """Measured over predicted rate by flow, mean of the repeats, scaled to a median of 1."""
        ratio: Floats = self.values.mean(axis=1) / self.rounds.predicted
        ratio /= np.median(ratio)
        return ratio

    def entries(self) -> tuple[Ints, Ints]:
        """Each pair of a flow and a link of its path."""
        flow, step = np.nonzero(self.path != NONE)
        return flow, self.path[flow, step]


@dataclass(frozen=True)
class Score:
    """Counts of suspects; links and wrong entries that the rounds cannot distinguish count as one.

    Attributes:
        hits: broken ones that are named.
        alarms: healthy ones that are named.
        missed: broken ones that are not named.
        first: whether the first named one is broken.
    """

    hits: int
    alarms: int
    missed: int
    first: bool


def judge(rounds: Rounds, named: Iterable[Named], broken: Faults) -> Score:
    """Compares named suspects, the surest first, with the faults; of an entry whose port is not known, switch and host."""
    classes = rounds.classes
    ports = {(switch, host): port for switch, host, port in broken.entries}

    def of(one: Named) -> int | str | bytes:
        if isinstance(one, tuple):
            if one[2] == NONE and one[:2] not in ports:
                return repr(one)
            one = (*one[:2], ports.get(one[:2], NONE)) if one[2] == NONE else one
            return rounds.moved(one) or repr(one)
        return int(classes[one]) if isinstance(one, int) else one

    order = [of(one) for one in named]
    faults: list[Named] = [*broken.factor, *broken.entries]
    wrong = {of(one) for one in faults}
    there = set(order)
    return Score(
        len(there & wrong), len(there - wrong), len(wrong - there), bool(order) and order[0] in wrong
    )
