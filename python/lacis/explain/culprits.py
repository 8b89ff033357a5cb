"""What makes flows slow: links, adapters and switches that all of their slow flows share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..documents.explain import CountedTraffic, Fitness, Partly, Suspect, SuspectGroup
from .doubted import fit_better, has_faster
from .traffic.spared import Spared
from .unfit import running as running_of
from .unfit import why_unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from .._core import Explained
    from ..facts.suspects import SlowTogether, TablesFitBetter
    from ..results import Located, LocatedSuspect
    from .tables import WhichTables
    from .traffic import Others

_MOST_ROUNDS = 8
"""Rounds that are proposed at most, to separate suspects."""
_NEAR = 0.8
"""Share of the links' rate that most flows have to reach for a slow link to show a negotiated rate."""
_NORMAL_95 = 1.96
"""Standard deviations on each side of the mean that hold 95 % of a normal distribution."""
_MANY_BUSY = 0.05
"""The share of hosts, each in a round, from which other traffic that counters show makes the values unfit."""
_NEAR_HEALTHY = 0.15
"""A smaller loss is only some times as much as healthy hosts differ by: whether it shows hangs on that difference, which few
rounds show badly."""
_MARGIN = 3.0
"""So many times as many more rounds are promised for such a loss as the model asks for. Where it underestimates how much hosts
differ, it asks for too few: in 36 rounds 0.86 of the links at 90 % of a damaged tree were found, in 57 nine in ten."""
_SEARCHED = 4096
"""Hosts up to which rounds are sought that separate suspects: all of their pairs are walked."""


@dataclass(frozen=True)
class Found:
    """A suspect all of whose flows are slow.

    Attributes:
        suspects: this one and others that explain about as much, with their probabilities, likeliest first.
        ratio: of what others get: the share of their rate, or how many times as long.
        low: lower bound of its 95 % interval.
        high: upper bound.
        flows: over it, limited by it and explained by nothing else.
        slow: those that lose at least half as much.
        reached: median of `flows`, of what others get.
        beside: flows that share other links with them.
        beside_reached: their median.
        like: slower rates that a link may have negotiated, whose ratio is within the interval.
        gain: ln of how much likelier the measurement is with it than without.
    """

    suspects: Sequence[tuple[Suspect, float]]
    ratio: float
    low: float
    high: float
    flows: int
    slow: int
    reached: float
    beside: int
    beside_reached: float
    like: Sequence[str]
    gain: float

    @property
    def suspect(self) -> Suspect:
        """The likeliest."""
        return self.suspects[0][0]


@dataclass(frozen=True)
class Apart:
    """Rounds that would separate suspects.

    Attributes:
        rounds: how many; 0 where no flow of the measured hosts separates them.
        text: lines `ROUND FROM TO` for `lacis-mpi rounds --schedule file:PATH`.
    """

    rounds: int
    text: str


@dataclass(frozen=True)
class Culprits:
    """What was found, and what could have been.

    Attributes:
        found: suspects all of whose flows are slow, likeliest first.
        partly: those of which some are.
        links: directed links that flows cross.
        visible: by share of its rate that a link loses, how many links would have shown it.
        unexplained: slow flows that no suspect explains, as indices of `Explanation.flows`.
        differ: relative difference of healthy `sending` hosts, `receiving` hosts and `link`s between switches; estimated.
        apart: rounds that would separate suspects; none where there are none to separate.
        times: by share of its rate that a link loses, how many times as many flows would find it nine times in ten; none where
            no number does.
        groups: suspects of one switch.
        fitness: whether the measurement is fit to blame anyone; none for times.
        unfit: `other_tables` or `other_traffic` where it is not; then nothing is `found`.
        running: with `other_tables`, those that the values are consistent with.
        withheld: how many suspects are not named for that, or as counters show other traffic on their links.
        counted: what port counters show that were recorded around the rounds.
        better: that other tables fit so much better that no suspect was sought; then all that a search says is empty.
        together: suspects of `partly` that were slow in the same rounds.
    """

    found: Sequence[Found]
    partly: Sequence[Partly]
    links: int
    visible: dict[float, int]
    unexplained: NDArray[np.uint32]
    differ: dict[str, float]
    apart: Apart | None
    times: dict[float, float | None]
    groups: Sequence[SuspectGroup]
    fitness: Fitness | None
    unfit: str | None = None
    running: Sequence[str] = ()
    withheld: int = 0
    counted: CountedTraffic | None = None
    better: TablesFitBetter | None = None
    together: Sequence[SlowTogether] = ()

    @property
    def verdict(self) -> str:
        """A word of `documents.explain.Verdict`."""
        if self.unfit is not None:
            return self.unfit
        if self.found or self.partly:
            return "found"
        return "nothing" if self.can_tell else "cannot_tell"

    def more_rounds(self, loss: float, rounds: int) -> int | None:
        """How many more rounds would show a loss, after so many; none where no number does."""
        times = self.times[loss]
        if times is None or (not rounds and times > 1):
            return None
        margin = _MARGIN if loss < _NEAR_HEALTHY else 1.0
        return math.ceil(margin * (times - 1) * rounds - 1e-9)

    @property
    def can_tell(self) -> bool:
        """Whether a link at half its rate would have shown on most of the links."""
        return 2 * self.visible[0.5] >= self.links > 0


def of_expected(loss: float, *, is_time: bool) -> float:
    """What is reached, as a share of what was expected; `loss` is its logarithm, positive where it is worse."""
    return math.exp(loss if is_time else -loss)


def interval(loss: float, error: float, *, is_time: bool) -> tuple[float, float]:
    """Return the shares between which the true one lies with 95 %; `error` is the standard error of `loss`."""
    ends = (of_expected(loss + sign * _NORMAL_95 * error, is_time=is_time) for sign in (-1, 1))
    low, high = sorted(ends)
    return low, high


def locate(
    core: Explained,
    hosts: int,
    *,
    is_time: bool,
    level: float,
    ask: Callable[[], WhichTables] | None = None,
    counters: CountedTraffic | None = None,
    others: Others | None = None,
    led_elsewhere: Callable[[Collection[tuple[str, str]]], Sequence[Partly]] = lambda _: (),
    compared: WhichTables | None = None,
) -> Culprits:
    """What makes flows slow.

    Args:
        core: flows and losses.
        hosts: how many the fabric has.
        is_time: whether values are times.
        level: share of the links' rate that most flows reach; where it is low, a slow link shows no negotiated rate.
        ask: compares with other tables, where the values raise doubts about these; these are the candidate `ASSUMED`.
        counters: what port counters show that were recorded around the rounds.
        others: what counters of all ports say of other traffic.
        led_elsewhere: names further entries by flows that are too fast, given the switches and hosts of those that are known;
            asked where the measurement is fit to blame anyone.
        compared: a comparison with other tables that was made already; then no suspect is sought where these fit better.
    """
    if not is_time:
        better, compared = _compared_first(core, ask, compared)
        if better is not None and compared is not None:
            return _unsought(better, running_of(compared), counters)
    raw = core.locate()
    none_sent = others is not None and others.word == "none"
    unfit, running = (
        (None, []) if is_time else why_unfit(raw.fitness, _once(compared) or ask, none_sent=none_sent)
    )
    is_busy = counters is not None and counters.busy > _MANY_BUSY * counters.counted
    if unfit is None and is_busy and not none_sent:
        unfit = "other_traffic"
    spared = Spared(others)
    accused = [one for one in raw.found if not spared.spares(suspect for suspect, _ in one.instead)]
    flapping = [one for one in raw.partly if not spared.spares(one.instead)]
    # Where counters speak for all suspects there is none, and what they show is why flows are slow.
    if unfit is None and raw.found + raw.partly and not accused + flapping:
        unfit = "other_traffic"

    found = []
    for one in () if unfit else accused:
        low, high = interval(one.loss, one.error, is_time=is_time)
        found.append(
            Found(
                suspects=one.instead,
                ratio=of_expected(one.loss, is_time=is_time),
                low=low,
                high=high,
                flows=one.flows,
                slow=one.slow,
                reached=of_expected(one.median, is_time=is_time),
                beside=one.beside,
                beside_reached=of_expected(one.beside_median, is_time=is_time),
                like=[] if is_time or level < _NEAR else one.like,
                gain=one.gain,
            )
        )
    partly = [
        Partly(
            one.instead,
            one.flows,
            one.slow,
            one.share,
            of_expected(one.loss, is_time=is_time),
            one.swings,
            one.gain,
            one.spell,
        )
        for one in (() if unfit else flapping)
    ]
    if unfit is None and not is_time:
        partly += led_elsewhere(_entries(partly))
    return Culprits(
        found=found,
        partly=partly,
        links=raw.links,
        visible=dict(zip(raw.asked, raw.visible, strict=True)),
        unexplained=raw.unexplained,
        differ=dict(zip(("sending", "receiving", "link"), map(math.expm1, raw.differ), strict=True)),
        apart=_apart(core, found, hosts),
        times=dict(zip(raw.asked, raw.times, strict=True)),
        groups=[
            SuspectGroup(switch, members, cables, of_expected(loss, is_time=is_time))
            for switch, members, cables, loss in _groups(raw, accused, is_fit=unfit is None)
        ],
        fitness=None if is_time else raw.fitness,
        unfit=unfit,
        running=running,
        counted=counters,
        withheld=len(raw.found) + len(raw.partly) - (0 if unfit else len(accused) + len(flapping)),
    )


def _entries(partly: Iterable[Partly]) -> list[tuple[str, str]]:
    """The switch and host of each entry that may be wrong."""
    suspects = [one for fault in partly for one in fault.suspects]
    return [(one.node, one.destination) for one in suspects if one.destination is not None]


def _compared_first(
    core: Explained, ask: Callable[[], WhichTables] | None, compared: WhichTables | None
) -> tuple[TablesFitBetter | None, WhichTables | None]:
    """Whether other tables fit better, as far as that is seen before a search, and the comparison where one was made."""
    if compared is not None:
        return fit_better(compared, by_far=False), compared
    if ask is None or not has_faster(core):
        return None, None
    which = ask()
    return fit_better(which), which


def _once(which: WhichTables | None) -> Callable[[], WhichTables] | None:
    """What answers with a comparison that was made; none where none was."""
    return None if which is None else lambda: which


def _unsought(better: TablesFitBetter, running: list[str], counters: CountedTraffic | None) -> Culprits:
    """That other tables run, as no search says more."""
    return Culprits(
        found=(),
        partly=(),
        links=0,
        visible={},
        unexplained=np.zeros(0, np.uint32),
        differ=dict.fromkeys(("sending", "receiving", "link"), 0.0),
        apart=None,
        times={},
        groups=(),
        fitness=None,
        unfit="other_tables",
        running=running,
        counted=counters,
        better=better,
    )


def _groups(
    raw: Located, accused: Sequence[LocatedSuspect], *, is_fit: bool
) -> list[tuple[str, list[int], int, float]]:
    """Suspects of one switch: all of them are accused, by their numbers among those."""
    if not is_fit:
        return []
    kept = [at for at, one in enumerate(raw.found) if any(one is other for other in accused)]
    number = {at: new for new, at in enumerate(kept)}
    return [
        (switch, [number[at] for at in members], cables, loss)
        for switch, members, cables, loss in raw.groups
        if all(at in number for at in members)
    ]


def _apart(core: Explained, found: Sequence[Found], hosts: int) -> Apart | None:
    """Rounds that separate all suspects that explain the same."""
    alike = [one for one in found if len(one.suspects) > 1]
    links = sorted({link for one in alike for suspect, _ in one.suspects for link in suspect.links})
    if len(links) < 2 or hosts > _SEARCHED:
        return None
    rounds, _, text = core.rounds_for(links, _MOST_ROUNDS)
    return Apart(rounds, text)
