"""The words of what the counters of a job's links show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import guilt as of
from ..words import count, noun, quantity
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Sequence

LOST = {
    "absent": "not in both readings",
    "cleared": "cleared in between",
    "full": "it stands at the greatest value that it can hold",
    "gone": "the port was not there in between, or has another LID",
    "clock": "the second reading is not later than the first",
    "damaged": "what was kept of the time between cannot be read",
    "beyond": "it grew by more than a link can carry",
}
"""Why growth is not known, in words."""


def _some(named: Sequence[str], number: int) -> str:
    more = f" and {number - len(named):,} more" if number > len(named) else ""
    return f"{', '.join(named)}{more}"


def links_of(links: Sequence[tuple[str, str]], number: int) -> str:
    """The first of some links, by their ends, and how many more there are."""
    return _some([f"{egress} → {ingress}" for egress, ingress in links], number)


@text.register
def _(fact: of.PortDown) -> str:
    return f"the link of {fact.port} was not up"


@text.register
def _(fact: of.LinkSlowed) -> str:
    return (
        f"the link of {fact.port} runs with fewer or slower lanes: it carries {quantity(fact.carries, 'bytes/s')}, "
        f"{fact.carries / fact.rate:.0%} of what its cable does"
    )


@text.register
def _(fact: of.ErrorsGrew) -> str:
    least = "" if fact.exact else "at least "
    limit = f" (tolerated: {fact.tolerated:,})" if fact.tolerated else ""
    said = f"{fact.port} counted {least}{fact.growth:,} {fact.counter}{limit}"
    if fact.counter == "LinkDowned" and fact.at_host:
        return f"{said}; a host that is started again takes its link down, too: see whether it was"
    return said


@text.register
def _(fact: of.AdapterHoldsUp) -> str:
    dropped = f", and {count(fact.discards, 'packet')} dropped there" if fact.discards else ""
    return (
        f"data waited {fact.waiting:.0%} of the time for {fact.ingress}, while the link carried {fact.utilisation:.0%} "
        f"of its rate{dropped}"
    )


@text.register
def _(fact: of.LogNames) -> str:
    return f"{fact.failures:,} of {count(fact.of, 'failure')} in the log {noun(fact.failures, 'crosses', 'cross')} it"


@text.register
def _(fact: of.PortsUnread) -> str:
    why = f" ({fact.reason})" if fact.reason else ""
    return f"{count(fact.number, 'port')} not read at both ends of the window{why}: {_some(fact.ports, fact.number)}"


@text.register
def _(fact: of.WindowUncovered) -> str:
    return f"{count(fact.number, 'port')} read for {fact.covered:.0%} of the window only: {_some(fact.ports, fact.number)}"


@text.register
def _(_: of.TimesUnknown) -> str:
    return "the readings do not say when they were made, so that no rate is known"


@text.register
def _(fact: of.CountersLost) -> str:
    return f"{fact.counter} of {count(fact.number, 'port')} ({LOST[fact.reason]}): {_some(fact.ports, fact.number)}"


@text.register
def _(fact: of.StatesUnknown) -> str:
    return f"neither the state of the link nor a packet of {count(fact.number, 'port')}: {_some(fact.ports, fact.number)}"


@text.register
def _(fact: of.RatesUnknown) -> str:
    return f"the rate of {count(fact.number, 'link')}: {links_of(fact.links, fact.number)}"


@text.register
def _(fact: of.ErrorsFew) -> str:
    return (
        f"clean links: {fact.counter} grew by {fact.growth:,} at most, which accuses no cable, "
        f"on {_some(fact.ports, fact.number)}"
    )


@text.register
def _(fact: of.WaitUnexplained) -> str:
    return (
        f"why data waited, {fact.waiting:.0%} of the time at most, on {count(fact.number, 'link')} behind which no link is busy "
        f"and no adapter slow: {links_of(fact.links, fact.number)}"
    )


@text.register
def _(fact: of.PairsUnrouted) -> str:
    return f"routes: {count(fact.pairs, 'pair')} of the job's ports {noun(fact.pairs, 'has', 'have')} none in these tables"


@text.register
def _(fact: of.FabricGuilty) -> str:
    egress, ingress = fact.ends
    first = (
        f"the cable {egress} – {ingress}, or what it is plugged into"
        if fact.part == "cable"
        else f"the adapter {ingress}"
    )
    others = f", the worst of {fact.parts:,}" if fact.parts > 1 else ""
    common = f"; all have an end at {fact.common}" if fact.common else ""
    return f"guilty: {first}{others}{common}"


@text.register
def _(fact: of.FabricBusy) -> str:
    egress, ingress = fact.ends
    among = " that the job's packets may cross" if fact.adaptive else ""
    return (
        f"busy: {count(fact.links, 'link')}{among}, most of all {egress} → {ingress}, which carried "
        f"{fact.utilisation:.0%} of its rate"
    )


@text.register
def _(fact: of.FabricInnocent) -> str:
    among = ", all that its packets may cross," if fact.adaptive else ""
    return (
        f"innocent: all {fact.ports:,} ports of the job{among} were up, clean and below {fact.below:.0%} of their rate "
        f"({fact.utilisation:.0%} at most, data waited {fact.waiting:.1%} of the time at most): look at the hosts first"
    )


@text.register
def _(fact: of.CannotTell) -> str:
    return f"cannot tell: {count(fact.reasons, 'kind')} of readings {noun(fact.reasons, 'is', 'are')} missing"
