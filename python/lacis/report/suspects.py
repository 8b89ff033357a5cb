"""Suspects of a measurement, for the report, and what else would have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explain import suspects
from ..explain.traffic.remarks import remarks
from ..facts import wording
from ..facts.steps import LookAtSuspect
from ..facts.verdicts import SuspectsFlapping, SuspectsSlow
from ..facts.words import count
from .table import Cell, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..explain import Explanation
    from .table import Table

MOST_ROWS = 50
"""Suspects on the page; `lacis explain --json` has all."""
_NAMED = 3


def verdicts(found: Explanation) -> Iterator[SuspectsSlow | SuspectsFlapping]:
    """For the top of the page: the likeliest suspects."""
    culprits = found.culprits
    if culprits.found:
        first = tuple(str(one.suspect) for one in culprits.found[:_NAMED])
        yield SuspectsSlow(len(culprits.found), first)
    if culprits.partly:
        yield SuspectsFlapping(len(culprits.partly), str(culprits.partly[0].suspects[0]))


def steps(found: Explanation) -> list[LookAtSuspect]:
    """What to look at in the machine room: the likeliest suspects."""
    is_time = found.series.unit == "s"
    return [
        LookAtSuspect(
            suspect=str(one.suspect),
            ratio=one.ratio,
            low=one.low,
            high=one.high,
            is_time=is_time,
            flows=one.flows,
            slow=one.slow,
            reached=one.reached,
            beside=one.beside,
            beside_reached=one.beside_reached,
            like=tuple(one.like),
            rate=one.suspect.rate,
            others=tuple(str(other) for other, _ in one.suspects[1:]),
        )
        for one in found.culprits.found[:_NAMED]
    ]


def view(found: Explanation) -> dict[str, object]:
    """What the template shows."""
    culprits, is_time = found.culprits, found.series.unit == "s"
    outliers = len(culprits.unexplained)
    counted = found.others_counted
    facts = (*suspects.reasons(culprits, counters=counted is not None), *suspects.grouped(culprits))
    together = wording.numbered(culprits.together, 1 + len(culprits.found))
    lines = [_sentence(line) for line in (*map(wording.text, facts), *together)]
    if counted is not None:
        # Where nothing is named, the reasons say how many suspects there would be.
        spared = remarks(counted, 0 if culprits.unfit else culprits.withheld)
        lines += map(_sentence, wording.others(counted, spared))
    if culprits.better is None:
        lines.append(_sentence(wording.text(suspects.sight(culprits, is_time=is_time))))
    if outliers:
        also = "also " if culprits.found or culprits.partly else ""
        lines.append(
            f"{outliers:,} of {count(len(found.core), 'flow')} are {also}slow and share no link (outliers)."
        )
    if culprits.apart is not None and culprits.apart.rounds:
        lines.append(
            f"{count(culprits.apart.rounds, 'more round')} would separate the suspects: lacis explain --rounds FILE writes them."
        )
    return {
        "words": _words(found),
        "table": _table(found),
        "verdict": ""
        if culprits.found or culprits.partly
        else _sentence(wording.text(suspects.verdict(culprits))),
        "lines": lines,
    }


def _words(found: Explanation) -> str:
    one = found.series
    size = "" if one.bytes is None else f", {count(one.bytes, 'byte')}"
    left = "".join(f"; left out: {number:,} {reason}" for reason, number in found.left_out.items())
    return (
        f"{one.test} {one.what}{size}: {count(found.values, 'value')} of {count(len(found.core), 'flow')}{left}. "
        "Paths and contention are those of the tables that run (modelled); ratios and confidence are estimated."
    )


def _table(found: Explanation) -> Table | None:
    culprits, is_time = found.culprits, found.series.unit == "s"
    rows = []
    for number, one in enumerate(culprits.found, 1):
        suspect, probability = one.suspects[0]
        notes = [wording.negotiated(one.like, suspect.rate)]
        notes += [
            f"{back} is the same cable in the other direction"
            for back in suspects.backs(suspect, culprits)[:1]
        ]
        rows.append(
            [
                Cell(f"{number}", sort=number),
                Cell(str(suspect), kind="bad"),
                Cell(wording.severity(one, is_time=is_time), sort=one.ratio),
                Cell(wording.certainty(probability), sort=probability),
                Cell(wording.evidence(one, is_time=is_time), note="; ".join(filter(None, notes))),
                Cell(_others([f"{other}, {wording.certainty(p)}" for other, p in one.suspects[1:]])),
            ]
        )
    for number, flapping in enumerate(culprits.partly, 1 + len(culprits.found)):
        rows.append(
            [
                Cell(f"{number}", sort=number),
                Cell(str(flapping.suspects[0]), kind="bad"),
                Cell(wording.partly(flapping), sort=flapping.ratio),
                Cell("–", sort=0),
                Cell(wording.partly_evidence(flapping, is_time=is_time)),
                Cell(_others([str(other) for other in flapping.suspects[1:]])),
            ]
        )
    if not rows:
        return None
    more = len(rows) - MOST_ROWS
    head = ["n:rank", "suspect", "severity", "n:confidence", "evidence", "or instead"]
    caption = f"{more:,} more are in lacis explain --json." if more > 0 else ""
    return table("suspects", "Suspects", head, rows[:MOST_ROWS], caption=caption)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _others(lines: list[str]) -> str:
    shown = "; ".join(lines[:_NAMED])
    return shown + (f"; and {len(lines) - _NAMED:,} more" if len(lines) > _NAMED else "") or "–"
