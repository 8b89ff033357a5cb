"""The words of what a measurement shows to be slow: how slow, on what evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from .. import suspects as of
from ..words import count, noun
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBERED = 8
"""Suspects whose numbers are listed."""
_SHARES = 4
"""Hosts, leaves or rounds whose shares are listed."""


class Slow(Protocol):
    """What is slow, with the flows over it; the fields are those of `facts.steps.LookAtSuspect`."""

    @property
    def ratio(self) -> float:
        """What its flows get of what others get, or how many times as long they take."""

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """Upper end."""

    @property
    def flows(self) -> int:
        """Flows over it."""

    @property
    def slow(self) -> int:
        """Of them, those that are slow."""

    @property
    def reached(self) -> float:
        """The median of what they reach."""

    @property
    def beside(self) -> int:
        """Flows that share other links with them."""

    @property
    def beside_reached(self) -> float:
        """The median of what those reach."""


class SlowRounds(Protocol):
    """Rounds in a row in which something was slow; the fields are those of `documents.suspects.Spell`."""

    @property
    def first(self) -> int:
        """The first round with slow flows."""

    @property
    def last(self) -> int:
        """The last one."""

    @property
    def before(self) -> int | None:
        """The last round before with flows over it; none: it was slow from the first on."""

    @property
    def after(self) -> int | None:
        """The first round after with flows over it; none: it was slow to the last."""

    @property
    def rounds(self) -> int:
        """How many rounds were measured."""

    @property
    def others(self) -> int:
        """Flows over it in other rounds."""

    @property
    def others_reached(self) -> float:
        """Their median, of what others get."""


class SlowSuspect(Protocol):
    """What may be slow; the fields are those of `documents.suspects.Suspect`."""

    @property
    def kind(self) -> str:
        """What it is: `link`, `entry`."""

    @property
    def egress(self) -> str | None:
        """The port from which the link leaves; of an entry, the port by which flows leave instead, where that is known."""


class SlowPartly(Protocol):
    """What only some flows find slow; the fields are those of `documents.suspects.Partly`."""

    @property
    def suspects(self) -> Sequence[SlowSuspect]:
        """The likeliest first."""

    @property
    def flows(self) -> int:
        """Flows over it."""

    @property
    def slow(self) -> int:
        """Those that are slow."""

    @property
    def share(self) -> float:
        """The fraction of their values that are slow."""

    @property
    def ratio(self) -> float:
        """What these get while they are slow, of what others get."""

    @property
    def swings(self) -> bool:
        """Whether most differ from repeat to repeat; else from flow to flow."""

    @property
    def spell(self) -> SlowRounds | None:
        """The rounds in which it was slow."""


def severity(one: Slow, *, is_time: bool) -> str:
    """What its flows get of what others get, with its 95 % interval."""
    if is_time:
        return f"about {one.ratio:.2f} times as long ({one.low:.2f}–{one.high:.2f})"
    return f"about {one.ratio:.0%} of its rate ({100 * one.low:.0f}–{100 * one.high:.0f} %)"


def evidence(one: Slow, *, is_time: bool) -> str:
    """The slow flows over it, and the flows that share other links with them and are not slow."""
    text = f"{one.slow:,} of {count(one.flows, 'flow')} over it are slow, median {of_others(one.reached, is_time=is_time)}"
    if one.beside:
        text += f"; {one.beside:,} that share other links with them, but not this one: {of_others(one.beside_reached, is_time=is_time)}"
    return text


def negotiated(like: Sequence[str], rate: str | None) -> str:
    """The lower rates that a link may have negotiated, and that which its ends report; empty where none fits."""
    return f"as a link at {' or '.join(like[:3])} would be; its ends report {rate}" if like else ""


def of_others(ratio: float, *, is_time: bool) -> str:
    """A ratio in words."""
    return f"{ratio:.2f} times as long as others" if is_time else f"{ratio:.0%} of what others get"


def partly(one: SlowPartly) -> str:
    """What is wrong where only some flows are slow."""
    if one.suspects[0].kind == "entry":
        known = one.suspects[0].egress is not None
        return "flows get what they would if it did" if known else "takes another path than the tables say"
    if one.spell is not None:
        return _spell(one.spell)
    return f"flaps {'from repeat to repeat' if one.swings else 'from flow to flow'}"


def _spell(one: SlowRounds) -> str:
    """When a suspect was slow."""
    if one.after is None:
        return f"slow since round {one.first} of {one.rounds:,}"
    if one.before is None:
        return f"slow up to round {one.last} of {one.rounds:,}"
    return f"slow in rounds {one.first} to {one.last} of {one.rounds:,}"


def partly_evidence(one: SlowPartly, *, is_time: bool) -> str:
    """Which flows are slow, and how slow then."""
    if one.suspects[0].kind == "entry" and not one.slow:
        faster = of_others(one.ratio, is_time=is_time)
        return f"{count(one.flows, 'flow')} {noun(one.flows, 'is', 'are')} faster than these tables allow, median {faster}"
    slow, then = f"{one.slow:,} of {count(one.flows, 'flow')}", of_others(one.ratio, is_time=is_time)
    if one.suspects[0].kind == "entry":
        return f"{slow} are slow, median {then}"
    if one.spell is not None:
        others = of_others(one.spell.others_reached, is_time=is_time)
        return f"{slow} are slow then, median {then}; {one.spell.others:,} in other rounds: {others}"
    values = f" ({one.share:.0%} of values)" if one.swings else ""
    return f"slow in {slow}{values}, then {then}"


def certainty(probability: float) -> str:
    """How probable a suspect is."""
    return "> 99 %" if probability > 0.99 else f"{probability:.0%}"


def _numbers(members: Sequence[int], first: int) -> str:
    """Suspects by the numbers that they are listed under, the first of which is `first`."""
    return ", ".join(str(at + first) for at in members[:_NUMBERED]) + (
        ", …" if len(members) > _NUMBERED else ""
    )


def numbered(groups: Sequence[of.SlowTogether], first: int) -> list[str]:
    """Groups of suspects, each with the numbers that they are listed under; `first` is that of the first one that is slow for a time."""
    return [f"{_numbers(group.members, first)}: {text(group)}" for group in groups]


@text.register
def _(fact: of.SlowTogether) -> str:
    where = {"chassis": "all of the chassis of ", None: ""}.get(fact.shared, "all of ") + (fact.node or "")
    what = f"{count(fact.links, 'link')} {noun(fact.links, 'was', 'were')} slow {_when(fact)}"
    notes = ", ".join(filter(None, (_hours(fact), _chance(fact.chance))))
    return f"{', '.join(filter(None, (what, where)))} ({notes})"


def _when(fact: of.SlowTogether) -> str:
    """The rounds of a group, as far as its members share them."""
    if fact.first is not None and fact.last is not None:
        return f"from round {fact.first} to {fact.last} of {fact.rounds:,}"
    if fact.first is not None:
        return f"from round {fact.first} of {fact.rounds:,} on, {'to the last' if fact.is_since else 'some of them longer than others'}"
    return f"up to round {fact.last} of {fact.rounds:,}, {'from the first on' if fact.is_until else 'some of them longer than others'}"


def _hours(fact: of.SlowTogether) -> str:
    """When these rounds were measured, as far as that is known."""
    began, ended = (
        "" if one is None else one.replace("T", " ").partition(".")[0] for one in (fact.began, fact.ended)
    )
    if began and ended:
        return (
            f"{began} to {ended.partition(' ')[2]} UTC"
            if began[:10] == ended[:10]
            else f"{began} to {ended} UTC"
        )
    return f"from {began} UTC" if began else f"until {ended} UTC" if ended else ""


def _chance(chance: float) -> str:
    """In how many measurements chance alone would do so."""
    times = 10 ** int(-math.log10(max(chance, 1e-6)))
    return f"by chance in less than one of {times:,} measurements"


@text.register
def _(fact: of.TablesFitBetter) -> str:
    as_assumed = (
        f"{fact.assumed:.0%} are as those assumed expect"
        if fact.as_expected is None
        else f"{fact.as_expected:.0%} are as these expect, {fact.assumed:.0%} as those assumed"
    )
    return f"of {count(fact.flows, 'flow')} for which tables expect different rates, {as_assumed}; so no suspect was sought"


@text.register
def _(_: of.NothingSlow) -> str:
    return "no link, adapter or switch is slow, as far as these flows show"


@text.register
def _(_: of.SlowUnknown) -> str:
    return "could not tell, as far as these flows show"


@text.register
def _(fact: of.UnfitToBlame) -> str:
    what = {"other_tables": "other tables run", "other_traffic": "other traffic"}[fact.reason]
    return f"unfit to blame anyone: {what}"


@text.register
def _(fact: of.TablesConsistent) -> str:
    return f"consistent with: {', '.join(fact.tables)} (--which-tables compares all)"


@text.register
def _(fact: of.NoTablesFit) -> str:
    what = " (--which-tables compares all)" if fact.compared else ": give those that run (--lfts)"
    return f"no engine's tables fit{what}"


@text.register
def _(fact: of.HostsBusy) -> str:
    return (
        f"port counters show it: {fact.busy:,} of {count(fact.counted, 'host')} and rounds {fact.side} over {fact.least:g} times "
        f"the median, {fact.host} {fact.times:.1f} times in round {fact.round}"
    )


@text.register
def _(fact: of.LinksOverfull) -> str:
    return (
        f"{fact.links:,} of {count(fact.shared, 'link')} that several flows of a round share would carry over 115% of their "
        f"rates, {fact.egress} {fact.share:.1%} with {count(fact.flows, 'flow')} in round {fact.round}"
    )


@text.register
def _(fact: of.FlowsUnexplained) -> str:
    return (
        f"{fact.slow:,} of {count(fact.flows, 'flow')} ({fact.slow / max(fact.flows, 1):.0%}) are slow; "
        f"nothing that could be named explains {fact.unexplained:,}"
    )


@text.register
def _(fact: of.SuspectsAtHalf) -> str:
    return (
        f"{count(fact.suspects, 'suspect')} in all, {fact.at_half:,} of them at about half of their rate, as a flow of another job "
        "leaves it"
    )


@text.register
def _(fact: of.SlowShares) -> str:
    head = {"host": "where", "leaf": "leaves", "round": "when"}[fact.by]
    which = "round " if fact.by == "round" else ""
    shares = (f"{which}{one.name} {one.slow / max(one.flows, 1):.0%}" for one in fact.shares[:_SHARES])
    return f"{head}: {', '.join(shares)}"


@text.register
def _(_: of.OthersToDrain) -> str:
    return (
        "drain the hosts and measure again, or record port counters meanwhile (lacis counters --keep STORE, for --counters STORE), or "
        "around the rounds (lacis measure rounds --counters)"
    )


@text.register
def _(fact: of.ManySwitchesLead) -> str:
    return (
        f"{count(fact.entries, 'entry', 'entries')} of {fact.switches:,} switches would have to lead elsewhere: "
        "a manager that fails to write tables fails at a few"
    )


@text.register
def _(fact: of.SuspectsWithheld) -> str:
    return f"{count(fact.suspects, 'suspect')} not named for that"


@text.register
def _(fact: of.SuspectsAtSwitch) -> str:
    return (
        f"{count(len(fact.members), 'suspect')} ({_numbers(fact.members, 1)}) are at {fact.switch}, of whose cables flows cross "
        f"{fact.cables:,}: median {fact.ratio:.0%}; the switch or its line card may be the fault"
    )


@text.register
def _(fact: of.LossesVisible) -> str:
    word = "delay" if fact.is_time else "loss"
    known = (
        f"a {word} of {loss:.0%} on {'all' if number == fact.links else f'{number:,}'}"
        for loss, number in fact.visible
    )
    return f"{fact.links:,} directed links crossed; would have shown: {', '.join(known)} (modelled)"


@text.register
def _(fact: of.LossesDecidable) -> str:
    known = (f"{_lost(loss, is_time=fact.is_time)}{_in_more(more)}" for loss, more in fact.more_rounds)
    return f"nine times in ten: {'; '.join(known)} (modelled)"


def _lost(loss: float, *, is_time: bool) -> str:
    """A loss as what it leaves."""
    return f"a delay of {loss:.0%}" if is_time else f"a link at {1 - loss:.0%}"


def _in_more(rounds: int | None) -> str:
    """How many more rounds would show it."""
    if rounds is None:
        return ": in no number of rounds"
    return f" would be seen in {count(rounds, 'more round')}" if rounds else ": in these"
