"""What a report says first: what is wrong with the fabric, what runs badly, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import verdicts as of
from ..health.examination import SEVERITIES, cabling_unchecked, hosts_cut_off
from ..routing.tables import undiscovered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._core import Fabric
    from ..advice.outcome import Outcome
    from ..health.examination import Health

OVERFULL = 1.5
"""Times what some link must carry: a fullest link that carries more is a verdict."""


def verdicts(
    fabric: Fabric,
    found: Health,
    senders: int,
    default: Outcome,
    best: Outcome,
    measured: Sequence[of.OfMeasurement],
) -> list[of.Verdict]:
    """What is to be said first: findings, what the tables that run lose, and which engine is best.

    Args:
        fabric: the fabric.
        found: its findings.
        senders: how many hosts' traffic is predicted.
        default: what runs.
        best: the best of all that was tried.
        measured: what a measurement shows.
    """
    said: list[of.Verdict] = [*_of_findings(found)]
    if unseen := undiscovered(default.routes):
        said.append(unseen)
    if cut_off := hosts_cut_off(fabric, found):
        said.append(of.HostsCutOff(cut_off))
    if senders < 2:
        said.append(of.NoTraffic(senders))
    said += of_tables(default)
    said += measured
    if best is not default:
        said.append(of.BestTried(best.label))
    return said


def _of_findings(
    found: Health,
) -> Iterator[of.FindingsCounted | of.NoFindings | of.CablingUnchecked | of.CablesUnlisted]:
    if unchecked := cabling_unchecked(found.summary):
        yield unchecked
    elif not found.findings:
        yield of.NoFindings()
    for severity in SEVERITIES:
        if number := found.count(severity):
            codes = dict.fromkeys(f.code for f in found.findings if f.severity == severity)
            yield of.FindingsCounted(severity, number, tuple(codes))


def of_tables(tried: Outcome) -> Iterator[of.PairsLost | of.CreditLoop | of.LinkOverfull]:
    """What tables lose, where traffic can stop, and whether a link carries far too much."""
    hosts, every = tried.verify
    if hosts.unrouted:
        yield of.PairsLost(tried.label, hosts.unrouted, "hosts")
    elif every.unrouted:
        yield of.PairsLost(tried.label, every.unrouted, "end nodes")
    if hosts.credit_loops:
        yield of.CreditLoop(tried.label, "hosts")
    elif every.credit_loops:
        yield of.CreditLoop(tried.label, "end nodes")
    if hosts.over_forced > OVERFULL:
        yield of.LinkOverfull(tried.label, hosts.over_forced)
