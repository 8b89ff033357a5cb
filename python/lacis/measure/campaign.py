"""Which rounds to measure so that links can be distinguished, how long they take, and the file that `lacis-mpi` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..documents.measure import InseparableLinks, PlannedRound
from ..errors import LacisError
from ..io.files import text_of
from ..ranks import nodesets
from ..ranks.participants import participants_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Routes

MESSAGES = 8
"""Messages of 4 MiB in flight in a repeat: the default of `lacis-mpi`."""
BYTES = 4 << 20
REPEATS = 100
"""The most repeats of a round, which bound its time."""
WARM_UP = 5
_START = 0.05
"""Seconds that a round takes beyond its messages: barriers, windows, records. Assumed."""


@dataclass(frozen=True)
class Campaign:
    """Rounds, and which links they distinguish.

    Attributes:
        rounds: those given first.
        given: how many were given.
        suspects: directed links that the flow of some pair crosses.
        finest: their classes under the flows of all pairs, which no rounds can split further.
        classes: under these rounds.
        inseparable: classes of more than one link.
        uncrossed: suspects that no round crosses.
        least_crossings: fewest flows over a suspect.
        unrouted: pairs of hosts without a route.
        seconds: what all rounds but the given take at most, modelled.
        assumed_rates: directed links whose rate the source does not have, and the rate assumed.
        skipped: adapters without a host's name, which no launcher finds.
        text: lines `ROUND FROM TO` for `lacis-mpi rounds --schedule file:PATH`, without the rounds that were given.
    """

    rounds: list[PlannedRound]
    given: int
    suspects: int
    finest: int
    classes: int
    inseparable: list[InseparableLinks]
    uncrossed: int
    least_crossings: int
    unrouted: int
    seconds: float
    assumed_rates: tuple[int, str] | None
    skipped: list[str]
    text: str


def plan(
    routes: Routes,
    hosts: Sequence[str] | None = None,
    *,
    rail: int = 1,
    rounds: int = 64,
    crossings: int = 4,
    seed: int = 1,
    given: Sequence[Sequence[tuple[str, str]]] = (),
) -> Campaign:
    """Chooses rounds for hosts of one rail.

    Args:
        routes: the tables that flows follow.
        hosts: those to measure, in the order of the ranks; all of the fabric that have a name.
        rail: whose adapters send, from 1.
        rounds: the most that are added.
        crossings: flows to cross every link.
        seed: of rounds at random.
        given: rounds that are measured anyway, or were.

    Raises:
        LacisError: when the fabric lacks a host or the rail, a name has blanks, or fewer than two hosts are left.
    """
    fabric = routes.fabric
    there = nodesets.hosts_of(fabric, str(rail))
    skipped = [] if hosts is not None else [name for name in there if len(name.split()) != 1]
    names = list(hosts) if hosts is not None else [name for name in there if len(name.split()) == 1]
    blank = next((name for name in names if len(name.split()) != 1), None)
    if blank is not None:
        raise LacisError(
            "a host's name has blanks, so that lacis-mpi cannot find it (`hosts` names others)", text=blank
        )
    own = participants_of(fabric, names, str(rail))
    names = own.hosts
    if len(names) < 2:
        raise LacisError("at least two hosts are measured")
    number = {name: index for index, name in enumerate(names)}
    _check(given, number)
    rows = [[(number[a], number[b]) for a, b in flows] for flows in given]
    found = _core.choose_rounds(routes, own, rounds=rounds, crossings=crossings, seed=seed, given=rows)
    each = (REPEATS + WARM_UP) * MESSAGES * BYTES / found.slowest
    made = [
        PlannedRound(kind, flows, contention, classes, _START + contention * each)
        for kind, flows, contention, classes in found.rounds
    ]
    return Campaign(
        made,
        len(given),
        found.suspects,
        found.finest,
        found.classes,
        [InseparableLinks(*row) for row in found.inseparable],
        found.uncrossed,
        found.least_crossings,
        found.unrouted,
        sum(one.seconds for one in made[len(given) :]),
        found.assumed,
        skipped,
        found.text,
    )


def _check(given: Sequence[Sequence[tuple[str, str]]], number: dict[str, int]) -> None:
    for flows in given:
        absent = next((name for flow in flows for name in flow if name not in number), None)
        if absent is not None:
            raise LacisError("a host of a given round is not measured", text=absent)


def read_rounds(data: bytes) -> list[list[tuple[str, str]]]:
    """Reads lines `ROUND FROM TO`, rounds by number.

    Raises:
        LacisError: when a line is no such line; with its number.
    """
    rounds: dict[int, list[tuple[str, str]]] = {}
    seen: set[tuple[int, str, str]] = set()
    for at, line in enumerate(text_of(data).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 3 or not re.fullmatch("[0-9]{1,9}", words[0]):
            raise LacisError("ROUND FROM TO was expected", at, line[:80])
        number, sender, receiver = int(words[0]), words[1], words[2]
        if sender == receiver:
            raise LacisError("a host sends to itself", at, sender)
        for side, name in (("sends", sender), ("receives", receiver)):
            if (number, side, name) in seen:
                raise LacisError(f"a host {side} twice in a round", at, name)
            seen.add((number, side, name))
        rounds.setdefault(number, []).append((sender, receiver))
    return [rounds[number] for number in sorted(rounds)]
