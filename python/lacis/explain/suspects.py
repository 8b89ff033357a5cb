"""Suspects in words: how bad, how sure, on what evidence; the same in the terminal and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import wording
from ..facts.words import count
from .counters import FAR

if TYPE_CHECKING:
    from ..documents.explain import Partly, Spell, Suspect
    from .culprits import Culprits, Found


def negotiated(one: Found) -> str:
    """The lower rate that its link may have negotiated; empty where none fits."""
    return wording.negotiated(one.like, one.suspect.rate)


def partly(one: Partly) -> str:
    """What is wrong where only some flows are slow."""
    if one.suspects[0].kind == "entry":
        known = one.suspects[0].egress is not None
        return "flows get what they would if it did" if known else "takes another path than the tables say"
    if one.spell is not None:
        return spell(one.spell)
    return f"flaps {'from repeat to repeat' if one.swings else 'from flow to flow'}"


def spell(one: Spell) -> str:
    """When a suspect was slow."""
    if one.after is None:
        return f"slow since round {one.first} of {one.rounds:,}"
    if one.before is None:
        return f"slow up to round {one.last} of {one.rounds:,}"
    return f"slow in rounds {one.first} to {one.last} of {one.rounds:,}"


def partly_evidence(one: Partly, *, is_time: bool) -> str:
    """Which flows are slow, and how slow then."""
    if one.suspects[0].kind == "entry" and not one.slow:
        faster = wording.of_others(one.ratio, is_time=is_time)
        verb = "is" if one.flows == 1 else "are"
        return f"{count(one.flows, 'flow')} {verb} faster than these tables allow, median {faster}"
    slow, then = f"{one.slow:,} of {count(one.flows, 'flow')}", wording.of_others(one.ratio, is_time=is_time)
    if one.suspects[0].kind == "entry":
        return f"{slow} are slow, median {then}"
    if one.spell is not None:
        others = wording.of_others(one.spell.others_reached, is_time=is_time)
        return f"{slow} are slow then, median {then}; {one.spell.others:,} in other rounds: {others}"
    values = f" ({one.share:.0%} of values)" if one.swings else ""
    return f"slow in {slow}{values}, then {then}"


_VERDICTS = {
    "nothing": "no link, adapter or switch is slow, as far as these flows show",
    "cannot_tell": "could not tell, as far as these flows show",
    "other_tables": "unfit to blame anyone: other tables run",
    "other_traffic": "unfit to blame anyone: other traffic",
}


def verdict(culprits: Culprits) -> str:
    """The sentence where nothing is named."""
    return _VERDICTS[culprits.verdict]


def reasons(culprits: Culprits, *, counters: bool = False) -> list[str]:
    """Why a measurement is unfit to blame anyone: the evidence, where and when, and what to do; empty where it is fit.

    Args:
        culprits: what was found.
        counters: whether those of all ports were given, which say more.
    """
    one = culprits.fitness
    if culprits.better is not None:
        known = (
            f"consistent with: {', '.join(culprits.running)}"
            if culprits.running
            else "no engine's tables fit"
        )
        return [f"{known} (--which-tables compares all)", wording.text(culprits.better)]
    if culprits.unfit is None or one is None:
        return []
    lines = []
    counted = culprits.counted
    if counted is not None and counted.busy:
        first = counted.hosts[0]
        lines.append(
            f"port counters show it: {counted.busy:,} of {count(counted.counted, 'host')} and rounds {first.side} over {FAR:g} times "
            f"the median, {first.host} {first.times:.1f} times in round {first.round}"
        )
    if culprits.running:
        lines.append(f"consistent with: {', '.join(culprits.running)} (--which-tables compares all)")
    elif culprits.unfit == "other_tables":
        lines.append("no engine's tables fit: give those that run (--lfts)")
    if one.most is not None:
        lines.append(
            f"{one.beyond:,} of {count(one.shared, 'link')} that several flows of a round share would carry over 115% of their "
            f"rates, {one.most.egress} {one.most.share:.1%} with {count(one.most.flows, 'flow')} in round {one.most.round}"
        )
    lines.append(
        f"{one.slow:,} of {count(one.flows, 'flow')} ({one.slow / max(one.flows, 1):.0%}) are slow; "
        f"nothing that could be named explains {one.unexplained:,}"
    )
    if culprits.unfit == "other_traffic":
        if one.at_half:
            lines.append(
                f"{count(one.accused, 'suspect')} in all, {one.at_half:,} of them at about half of their rate, as a flow of another job leaves it"
            )
        lines.append(f"where: {_shares([(of.name, of.flows, of.slow) for of in one.slow_hosts])}")
        lines.append(f"leaves: {_shares([(of.name, of.flows, of.slow) for of in one.leaves])}")
        rounds = [(f"round {of.round}", of.flows, of.slow) for of in one.rounds if of.round is not None]
        if rounds:
            lines.append(f"when: {_shares(rounds)}")
        if not counters:
            lines.append(
                "drain the hosts and measure again, or record port counters meanwhile (lacis counters --keep STORE, for --counters STORE), or around "
                "the rounds (lacis measure rounds --counters)"
            )
    if one.many_switches:
        lines.append(
            f"{count(one.entries, 'entry', 'entries')} of {one.switches:,} switches would have to lead elsewhere: "
            "a manager that fails to write tables fails at a few"
        )
    if culprits.withheld:
        lines.append(f"{count(culprits.withheld, 'suspect')} not named for that")
    return lines


def _shares(of: list[tuple[str, int, int]], most: int = 4) -> str:
    """The greatest shares of slow flows."""
    return ", ".join(f"{name} {slow / max(flows, 1):.0%}" for name, flows, slow in of[:most])


def grouped(culprits: Culprits) -> list[str]:
    """Suspects of one switch, as one fault that may be behind them."""
    return [
        f"{count(len(one.members), 'suspect')} ({', '.join(str(at + 1) for at in one.members[:8])}"
        f"{', …' if len(one.members) > 8 else ''}) are at {one.switch}, of whose cables flows cross {one.cables:,}: median "
        f"{one.ratio:.0%}; the switch or its line card may be the fault"
        for one in culprits.groups
    ]


def together(culprits: Culprits, first: int) -> list[str]:
    """Suspects that were slow in the same rounds, by their numbers; `first` is that of the first one that is slow for a time."""
    return [
        f"{', '.join(str(at + first) for at in one.members[:8])}{', …' if len(one.members) > 8 else ''}: {wording.text(one)}"
        for one in culprits.together
    ]


def decidable(culprits: Culprits, rounds: int, *, is_time: bool) -> str:
    """What more rounds would show."""
    known = []
    for loss in culprits.times:
        what = f"a delay of {loss:.0%}" if is_time else f"a link at {1 - loss:.0%}"
        more = culprits.more_rounds(loss, rounds)
        if more is None:
            known.append(f"{what}: in no number of rounds")
        elif more:
            known.append(f"{what} would be seen in {count(more, 'more round')}")
        else:
            known.append(f"{what}: in these")
    return f"nine times in ten: {'; '.join(known)} (modelled)"


def sight(culprits: Culprits, *, is_time: bool) -> str:
    """What would have shown."""
    word = "delay" if is_time else "loss"
    known = (
        f"a {word} of {loss:.0%} on {'all' if number == culprits.links else f'{number:,}'}"
        for loss, number in culprits.visible.items()
    )
    return f"{culprits.links:,} directed links crossed; would have shown: {', '.join(known)} (modelled)"


def backs(suspect: Suspect, culprits: Culprits) -> list[int]:
    """Numbers of the suspects that are the same cable in the other direction."""
    return [at for at, other in enumerate(culprits.found, 1) if _is_back(suspect, other.suspect)]


def _is_back(one: Suspect, other: Suspect) -> bool:
    return one.egress is not None and one.egress == other.ingress and one.ingress == other.egress


def percent(p: float) -> str:
    """A probability."""
    return "> 99 %" if p > 0.99 else f"{p:.0%}"
