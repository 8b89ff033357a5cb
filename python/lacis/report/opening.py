"""The top of the page, made from a report: the page in a few lines, the fabric in a few numbers, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..facts.verdicts import OF_FINDINGS, NoFindings, rank
from ..facts.wording import text, why
from ..facts.words import count
from ..health import SEVERITIES, cabling_unchecked
from .origin import GENERATED
from .tiles import tiles
from .views import payload
from .work import to_do

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.fabric import FabricSummary
    from ..facts.fact import Rank
    from ..health.examination import Health
    from .content import Change, Report

ERRORS = 5
"""Errors that the first box names."""
RANKS: tuple[Rank, ...] = ("error", "warning", "notice", "good")


@dataclass(frozen=True)
class Summary:
    """The page in a few lines."""

    taken: str
    health: str
    severity: str
    """The worst finding's, or `good`."""
    errors: list[tuple[str, str]]
    """Where, and what is the case: the first errors."""
    more_errors: str
    """How many errors more there are; empty where none."""
    repairs: str
    """What the work list has, counted; empty where it has nothing."""
    runs: str
    verdicts: list[tuple[Rank, str]]


def facts(summary: FabricSummary) -> list[tuple[str, str]]:
    """The fabric in a few numbers: what, how much."""
    found = list(tiles(summary))
    if len(summary.links_by_rate) == 1:
        [rate] = summary.links_by_rate
        found.append((f"all links, payload {payload(rate.bytes_per_second)} each way", rate.rate))
    return found


def summary(report: Report) -> Summary:
    """The fabric, its health and what runs."""
    found = report.health.findings
    verdicts = [
        (rank(verdict), text(verdict)) for verdict in report.verdicts if not isinstance(verdict, OF_FINDINGS)
    ]
    verdicts.sort(key=lambda row: RANKS.index(row[0]))
    errors = [(f.where, f.text) for f in found if f.severity == "error"]
    more = len(errors) - ERRORS
    return Summary(
        _taken(report),
        health_sentence(report.health),
        _worst(report.health),
        errors[:ERRORS],
        f"{more:,}" if more > 0 else "",
        to_do(report.cabling),
        report.baseline,
        verdicts,
    )


def _taken(report: Report) -> str:
    """Where the fabric is from, and when it was taken."""
    origin = report.origin[:1].upper() + report.origin[1:]
    if report.taken:
        return f"{origin}, taken {report.taken}"
    return origin if report.origin == GENERATED else f"{origin}, which does not say when it was taken"


def _worst(found: Health) -> str:
    """The severity of the worst finding; without any, `good`, or a notice where cabling was not checked."""
    for severity in SEVERITIES:
        if found.count(severity):
            return severity
    return "notice" if cabling_unchecked(found.summary) else "good"


def health_sentence(found: Health) -> str:
    """Findings in one sentence: how many of which kind."""
    findings = found.findings
    if not findings:
        if cabling_unchecked(found.summary):
            return "No findings; its cabling was not checked"
        return text(NoFindings())
    clauses = []
    for severity in SEVERITIES:
        codes: dict[str, int] = {}
        for finding in findings:
            if finding.severity == severity:
                codes[finding.code] = codes.get(finding.code, 0) + 1
        total = sum(codes.values())
        if not total:
            continue
        words = ", ".join(
            code.lower().replace("_", " ") + (f" ({number})" if number > 1 and len(codes) > 1 else "")
            for code, number in codes.items()
        )
        clauses.append(f"{count(total, severity)}: {words}")
    return "; ".join(clauses)


@dataclass(frozen=True)
class Advice:
    """Something to do."""

    title: str
    why: str
    gain: str
    brief: str
    """The first number of the gain."""
    command: str
    files: list[tuple[str, str, int]]
    """Name, address of its content, GUIDs in it."""


def advice(changes: Sequence[Change]) -> list[Advice]:
    """What to do, with files as links that hold their content."""
    return [
        Advice(
            text(c.step),
            why(c.step),
            c.gain,
            c.brief,
            c.command,
            [(name, _inline(guids), len(guids)) for name, guids in c.files.items()],
        )
        for c in changes
    ]


def _inline(guids: Sequence[int]) -> str:
    return "data:text/plain," + quote("".join(f"0x{guid:016x}\n" for guid in guids))
