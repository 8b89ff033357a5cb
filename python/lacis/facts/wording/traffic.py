"""The words of what counters say of other traffic while a measurement ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import UNSET

from .. import traffic as of
from ..words import count, noun
from .dispatch import text
from .guilt import LOST, links_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from msgspec import UnsetType

_LINKS = 8
"""Links that are listed."""
_ROUNDS = 4
"""Rounds that are listed of a link."""
_JOBS = 4
"""Jobs that are listed of it."""


class LinkOfOthers(Protocol):
    """A link that carried what was not measured; the fields are those of `documents.fitness.OthersOnLink`."""

    @property
    def egress(self) -> str:
        """The port from which it leaves."""

    @property
    def ingress(self) -> str:
        """The port at which it arrives."""

    @property
    def share(self) -> float:
        """The share of its rate that this took, at least."""

    @property
    def began(self) -> str:
        """From when, UTC."""

    @property
    def ended(self) -> str:
        """Until when."""

    @property
    def rounds(self) -> Sequence[int]:
        """Rounds that were measured in this time."""

    @property
    def jobs(self) -> Sequence[str] | UnsetType:
        """Jobs whose traffic may cross it; unset where no list of jobs is given."""


class OthersFound(Protocol):
    """What counters say of other traffic; the fields are those of `documents.fitness.OthersCounted`."""

    @property
    def fact(self) -> of.OtherTraffic:
        """The verdict."""

    @property
    def links(self) -> Sequence[LinkOfOthers]:
        """Links that carried something else."""

    @property
    def because(self) -> Sequence[of.Unsaid]:
        """Why it cannot be said that there was none."""


def others(found: OthersFound, remarks: Sequence[of.FromOthers]) -> list[str]:
    """The verdict, then links that carried something else, what is not known, and what follows."""
    more = len(found.links) - _LINKS
    return [
        text(found.fact),
        *map(on_link, found.links[:_LINKS]),
        *([f"and {more:,} more (--json)"] if more > 0 else []),
        *(f"not known: {text(reason)}" for reason in found.because),
        *map(text, remarks),
    ]


def on_link(one: LinkOfOthers) -> str:
    """What a link carried for others, when, and for which jobs perhaps."""
    return f"{one.egress} → {one.ingress}: at least {one.share:.0%} of its rate {_when(one)}{_whose(one)}"


def _when(one: LinkOfOthers) -> str:
    day, _, begin = one.began.partition("T")
    end = one.ended.partition("T")[2]
    listed = ", ".join(map(str, one.rounds[:_ROUNDS])) + (" …" if len(one.rounds) > _ROUNDS else "")
    rounds = f", {noun(len(one.rounds), 'round')} {listed}" if one.rounds else ""
    return f"from {day} {begin} to {end}{rounds}"


def _whose(one: LinkOfOthers) -> str:
    if one.jobs is UNSET:
        return ""
    return f", perhaps of {', '.join(one.jobs[:_JOBS])}" if one.jobs else ", of no job of the list"


@text.register
def _(fact: of.ValuesUndated) -> str:
    return f"{fact.values:,} of {count(fact.of, 'value')} do not say when they were measured and what was sent for them"


@text.register
def _(fact: of.SweepsFew) -> str:
    if not fact.sweeps:
        return "no sweep of counters is from the time of the measurement"
    return f"{count(fact.sweeps, 'sweep')} of counters around the measurement: at least two show growth"


@text.register
def _(_: of.SweepsUndated) -> str:
    return "the counters do not say when they were read"


@text.register
def _(fact: of.EndsUnread) -> str:
    return (
        f"{count(fact.number, 'link')} neither of whose ports was read: {links_of(fact.links, fact.number)}"
    )


@text.register
def _(fact: of.LinksUncovered) -> str:
    return f"{count(fact.number, 'link')} not read before the measurement and after it: {links_of(fact.links, fact.number)}"


@text.register
def _(fact: of.GrowthLost) -> str:
    return f"a counter of {count(fact.number, 'link')} ({LOST[fact.reason]}): {links_of(fact.links, fact.number)}"


@text.register
def _(fact: of.SweepsCoarse) -> str:
    return (
        f"{count(fact.number, 'link')} carried something else, perhaps before or after the measurement: it took "
        f"{fact.measured:,.1f} s, and {fact.seconds:,.1f} s lie between the sweeps around it"
    )


@text.register
def _(fact: of.ShareSmall) -> str:
    return f"{count(fact.number, 'link')} may have carried up to {fact.share:.1%} of the rate for others, which is little"


@text.register
def _(fact: of.LinkRatesUnknown) -> str:
    return f"the rate of {count(fact.number, 'link')}: {links_of(fact.links, fact.number)}"


@text.register
def _(fact: of.SentElsewhere) -> str:
    return (
        f"{fact.number:,} of {count(fact.of, 'link')} of hosts counted less than the measurement sent over them: it ran over other "
        "adapters or other hosts, or the clocks are apart"
    )


@text.register
def _(fact: of.PathsDiffer) -> str:
    return (
        f"{count(fact.number, 'link')} between switches counted less than the measurement sent over them: other tables run, or "
        f"switches choose: {links_of(fact.links, fact.number)}"
    )


@text.register
def _(fact: of.ClocksApart) -> str:
    when = "later" if fact.seconds > 0 else "earlier"
    return f"the counters show what was measured some {abs(fact.seconds):g} s {when}: the clocks of who read them and of rank 0 differ"


@text.register
def _(fact: of.ClocksUnsure) -> str:
    return (
        f"{count(fact.number, 'link')} carried something else, unless the clocks of who read the counters and of rank 0 differ, "
        f"by up to {fact.seconds:.1f} s"
    )


@text.register
def _(fact: of.SentUnknown) -> str:
    return f"in {fact.seconds:,.1f} s it also sent what it does not say, such as collective operations"


@text.register
def _(fact: of.OthersSent) -> str:
    egress, ingress = fact.ends
    return (
        f"counters show other traffic on {fact.links:,} of {count(fact.of, 'link')} that flows cross, most of all on "
        f"{egress} → {ingress}, at least {fact.share:.0%} of its rate"
    )


@text.register
def _(fact: of.NothingElseSent) -> str:
    return (
        f"counters show no other traffic: {count(fact.links, 'link')} that flows cross carried what was measured, and nothing else "
        f"beyond {fact.share:.1%} of a link's rate"
    )


@text.register
def _(_: of.CannotSay) -> str:
    return "counters cannot tell whether there was other traffic"


@text.register
def _(fact: of.SuspectsSpared) -> str:
    return f"not accused, as that is why flows are slow there: {count(fact.suspects, 'suspect')}"


@text.register
def _(_: of.LinksToDrain) -> str:
    return "drain the hosts of other jobs, or measure again without them, to judge these links"
