"""What is said of suspects beside themselves, as facts: why none is named, what they share, what would have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.suspects import (
    FlowsUnexplained,
    HostsBusy,
    LinksOverfull,
    LossesDecidable,
    LossesVisible,
    ManySwitchesLead,
    NoTablesFit,
    NothingSlow,
    OthersToDrain,
    SlowShare,
    SlowShares,
    SlowUnknown,
    SuspectsAtHalf,
    SuspectsAtSwitch,
    SuspectsVerdict,
    SuspectsWithheld,
    TablesConsistent,
    UnfitToBlame,
)
from .counters import FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..documents.explain import Fitness, Suspect
    from ..facts.suspects import WhyUnfit
    from .culprits import Culprits


def verdict(culprits: Culprits) -> SuspectsVerdict:
    """What is to be said where nothing is named."""
    if culprits.unfit is not None:
        return UnfitToBlame(culprits.unfit)
    return NothingSlow() if culprits.can_tell else SlowUnknown()


def reasons(culprits: Culprits, *, counters: bool = False) -> list[WhyUnfit]:
    """Why a measurement is unfit to blame anyone: the evidence, where and when, and what to do; empty where it is fit.

    Args:
        culprits: what was found.
        counters: whether those of all ports were given, which say more.
    """
    one = culprits.fitness
    consistent = TablesConsistent(list(culprits.running)) if culprits.running else None
    if culprits.better is not None:
        return [consistent or NoTablesFit(compared=True), culprits.better]
    if culprits.unfit is None or one is None:
        return []
    found: list[WhyUnfit] = [*_busy(culprits)]
    if consistent is not None:
        found.append(consistent)
    elif culprits.unfit == "other_tables":
        found.append(NoTablesFit(compared=False))
    if one.most is not None:
        most = one.most
        found.append(LinksOverfull(one.beyond, one.shared, most.egress, most.share, most.flows, most.round))
    found.append(FlowsUnexplained(one.slow, one.flows, one.unexplained))
    if culprits.unfit == "other_traffic":
        if one.at_half:
            found.append(SuspectsAtHalf(one.accused, one.at_half))
        found += _shares(one)
        if not counters:
            found.append(OthersToDrain())
    if one.many_switches:
        found.append(ManySwitchesLead(one.entries, one.switches))
    if culprits.withheld:
        found.append(SuspectsWithheld(culprits.withheld))
    return found


def _busy(culprits: Culprits) -> Iterator[HostsBusy]:
    """The hosts that served another job by the counters around the rounds, where these show any."""
    counted = culprits.counted
    if counted is not None and counted.busy:
        first = counted.hosts[0]
        yield HostsBusy(counted.busy, counted.counted, first.side, FAR, first.host, first.times, first.round)


def _shares(one: Fitness) -> Iterator[SlowShares]:
    """Where flows are slow, and when."""
    yield SlowShares("host", [SlowShare(of.name, of.flows, of.slow) for of in one.slow_hosts])
    yield SlowShares("leaf", [SlowShare(of.name, of.flows, of.slow) for of in one.leaves])
    rounds = [SlowShare(str(of.round), of.flows, of.slow) for of in one.rounds if of.round is not None]
    if rounds:
        yield SlowShares("round", rounds)


def grouped(culprits: Culprits) -> list[SuspectsAtSwitch]:
    """Suspects of one switch, as one fault that may be behind them."""
    return [SuspectsAtSwitch(one.members, one.switch, one.cables, one.ratio) for one in culprits.groups]


def decidable(culprits: Culprits, rounds: int, *, is_time: bool) -> LossesDecidable:
    """What more rounds would show, after so many."""
    return LossesDecidable(
        [(loss, culprits.more_rounds(loss, rounds)) for loss in culprits.times], is_time=is_time
    )


def sight(culprits: Culprits, *, is_time: bool) -> LossesVisible:
    """What would have shown."""
    return LossesVisible(culprits.links, list(culprits.visible.items()), is_time=is_time)


def backs(suspect: Suspect, culprits: Culprits) -> list[int]:
    """Numbers of the suspects that are the same cable in the other direction."""
    return [at for at, other in enumerate(culprits.found, 1) if _is_back(suspect, other.suspect)]


def _is_back(one: Suspect, other: Suspect) -> bool:
    return one.egress is not None and one.egress == other.ingress and one.ingress == other.egress
