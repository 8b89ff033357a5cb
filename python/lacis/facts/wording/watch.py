"""The words of conditions of a fabric that is watched."""

from __future__ import annotations

from .. import watch
from ..words import count, quantity
from .dispatch import text

_CABLES = {
    "missing": "missing",
    "unexpected": "not planned",
    "misconnected": "connected elsewhere",
    "duplicate": "in ports of other cables",
    "different": "found where planned, with another name, kind or rate",
}
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def _span(seconds: int) -> str:
    """A time as rules have it: `12 minutes`, `an hour`."""
    if seconds == _HOUR:
        return "an hour"
    return count(seconds // _MINUTE, "minute") if seconds >= _MINUTE else count(seconds, "second")


def _age(seconds: int) -> str:
    """How long ago something was: `12 minutes`, `50 hours`, `3 days`."""
    if seconds < 2 * _HOUR:
        return _span(seconds)
    return count(seconds // _DAY, "day") if seconds >= 3 * _DAY else count(seconds // _HOUR, "hour")


def _from(far: str | None) -> str:
    return f" from {far}" if far else ""


@text.register
def _(fact: watch.SymbolErrorsMany) -> str:
    return (
        f"{fact.port}{_from(fact.far)}: {count(fact.errors, 'symbol error')} within {_span(fact.seconds)}, "
        f"where a good cable has {fact.allowed:.3g} at most"
    )


@text.register
def _(fact: watch.LinkDownedAtBothEnds) -> str:
    return (
        f"{fact.port} and {fact.far}: both count within {_span(fact.seconds)} that their link went down, "
        f"{fact.times[0]:,} and {count(fact.times[1], 'time')}"
    )


@text.register
def _(fact: watch.LinkFlaps) -> str:
    far = f" to {fact.far}" if fact.far else ""
    return f"{fact.port}{far}: the link went down {count(fact.times, 'time')} within {_span(fact.seconds)}"


@text.register
def _(fact: watch.LinkIsDown) -> str:
    return f"{fact.port}: the link to {fact.far} is down"


@text.register
def _(fact: watch.LinkSlow) -> str:
    return f"{fact.port}: the link to {fact.far} runs at {fact.runs_at}, {fact.share:.0%} of what its cable carries"


@text.register
def _(fact: watch.LinkHot) -> str:
    jobs = "; ".join(f"job {job.name} with {count(job.pairs, 'pair')} of its hosts" for job in fact.jobs)
    return (
        f"{fact.egress} → {fact.ingress} carries {quantity(fact.rate, 'bytes/s')}, {fact.share:.0%} of its rate"
        f"{f': {jobs}' if jobs else ''}"
    )


@text.register
def _(fact: watch.TablesChanged) -> str:
    most = f", most of them on {fact.first}" if fact.first else ""
    return f"{fact.file}: {count(fact.entries, 'entry', 'entries')} of {count(fact.switches, 'switch', 'switches')} changed{most}"


@text.register
def _(fact: watch.FileUnreadable) -> str:
    return f"{fact.file}: {fact.reason}"


@text.register
def _(fact: watch.ManagerFellBack) -> str:
    refused = ", ".join(fact.refused)
    if fact.used is None:
        who = (
            f"{refused} refused the fabric and no other engine routed it"
            if refused
            else "no engine routed the fabric"
        )
        return f"{fact.file}: {who}: tables are as they were"
    return f"{fact.file}: {refused} refused the fabric, and {fact.used} made the tables"


@text.register
def _(fact: watch.CablesOffPlan) -> str:
    return f"{fact.plan}: {count(fact.cables, 'cable')} {_CABLES[fact.verdict]}"


@text.register
def _(fact: watch.NodesOffPlan) -> str:
    return f"{fact.plan}: {count(fact.nodes, 'node or manager', 'nodes and managers')} not as planned"


@text.register
def _(fact: watch.SweepFails) -> str:
    return f"counters cannot be read: {fact.reason}"


@text.register
def _(fact: watch.ReadingsOld) -> str:
    return f"the last readings are {_age(fact.seconds)} old"


@text.register
def _(fact: watch.PortsSilent) -> str:
    return f"{count(fact.ports, 'port')} without an answer: {fact.first}{_more(fact.ports)}"


@text.register
def _(fact: watch.CounterFull) -> str:
    return (
        f"{fact.counter} stands at its greatest value and counts no further on {count(fact.ports, 'port')}: "
        f"{fact.first}{_more(fact.ports)}"
    )


def _more(ports: int) -> str:
    return f" and {ports - 1:,} more" if ports > 1 else ""
