"""The words of what counters say of other traffic while a measurement ran."""

from __future__ import annotations

from .. import traffic as of
from ..words import count
from .dispatch import text
from .guilt import LOST, links_of


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
