"""The sentences at the top of a report: what is wrong, and what runs badly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..facts.words import count
from ..health.examination import SEVERITIES, hosts_cut_off
from ..routing.tables import undiscovered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric
    from ..advice.outcome import Outcome
    from ..health.examination import Health


@dataclass(frozen=True)
class Verdict:
    """One sentence for the top of the page."""

    severity: str
    text: str


def verdicts(
    fabric: Fabric, found: Health, senders: int, default: Outcome, best: Outcome, measured: Sequence[str]
) -> list[Verdict]:
    """What is to be said first: findings, what the tables that run lose, and which engine is best.

    Args:
        fabric: the fabric.
        found: its findings.
        senders: how many hosts' traffic is predicted.
        default: what runs.
        best: the best of all that was tried.
        measured: what a measurement shows.
    """
    said = []
    for severity in SEVERITIES:
        if number := found.count(severity):
            codes = list(dict.fromkeys(f.code for f in found.findings if f.severity == severity))
            said.append(Verdict(severity, f"{count(number, severity)}: {', '.join(codes)}"))
    if not found.findings:
        said.append(Verdict("good", "The fabric follows its own pattern: no findings"))
    if unseen := undiscovered(default.routes):
        said.append(Verdict("warning", unseen))
    if cut_off := hosts_cut_off(fabric, found):
        text = f"{count(cut_off, 'host')} on islands: no cables join {'it' if cut_off == 1 else 'them'} with the rest"
        said.append(Verdict("error", text))
    if senders < 2:
        few = "With one host" if senders else "Without hosts"
        said.append(Verdict("notice", f"{few} there is no traffic: tables are not compared"))
    hosts, every = default.verify
    if hosts.unrouted:
        said.append(Verdict("error", f"{default.label}: {_without_route(hosts.unrouted, 'hosts')}"))
    elif every.unrouted:
        said.append(Verdict("warning", f"{default.label}: {_without_route(every.unrouted, 'end nodes')}"))
    for proof, population in ((hosts, "hosts"), (every, "all end nodes, not of hosts alone")):
        if proof.credit_loops:
            text = (
                f"{default.label} leaves a credit loop among pairs of {population}: "
                "traffic on one lane can stop forever"
            )
            said.append(Verdict("error" if proof is hosts else "warning", text))
            break
    uneven = hosts.over_forced
    if uneven > 1.5:
        text = (
            f"{default.label} puts {uneven:.1f} × what some link must carry on the fullest link (all-to-all)"
        )
        said.append(Verdict("warning", text))
    said += [Verdict("warning", f"{text} (measured)") for text in measured]
    if best is not default:
        said.append(Verdict("good", f"Best of the engines tried: {best.label}"))
    return said


def _without_route(pairs: int, of: str) -> str:
    """Pairs that tables lose, in words."""
    return f"{count(pairs, 'pair')} of {of} {'has' if pairs == 1 else 'have'} no route"
