"""The report's gist: the first screen of a terminal. What is broken comes first, then what it costs, then other routing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from ..facts.verdicts import OF_FINDINGS, rank
from ..facts.wording import text
from .terminal import STYLES, health_line
from .tiles import in_short
from .work import ends, in_order, to_do

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from .content import Report

LINES = 25
"""Lines of the gist at most, however wide the terminal."""

_PATH = 6
"""Lines that the path of the page may take."""
CLIPPED = 4
"""Lines that one item has at most; the rest of it is elsewhere."""


@dataclass
class Part:
    """A heading and what is below it, the most urgent first."""

    head: Text
    items: list[Text] = field(default_factory=list)
    rest: str = ""
    """What the items are that have no room: `errors`, `cables`."""
    indent: int = 2
    shown: list[list[Text]] = field(default_factory=list)

    def lines(self) -> list[Text]:
        """The heading, the items that have room, and how many have none."""
        left = len(self.items) - len(self.shown)
        more = [Text(f"{' ' * self.indent}and {left:,} more{self.rest}", "dim")] if left else []
        return [self.head, *(line for item in self.shown for line in item), *more]


def print_gist(out: Console, report: Report, target: str) -> None:
    """Prints at most `LINES` lines; `target` is the file that has the whole page."""
    for line in gist(out, report, target):
        out.print(line, no_wrap=True, overflow="ellipsis", crop=True)


def gist(out: Console, report: Report, target: str) -> list[Text]:
    """The lines of the gist: each part gets its heading and first item, then each in turn as many more as there is room for."""
    top = [line for whole in _top(report) for line in _wrapped(out, whole, 0, 2)]
    counted = Text(f"Bandwidth is modelled, that of {report.counted}, leaf by leaf", "dim")
    everything = Text.assemble("Everything: --full, and the page: ", (target, "bold"))
    foot = [*_wrapped(out, counted, 0, 2), *_wrapped(out, everything, 0, _PATH)]
    parts = [part for part in (_errors(report), _cables(report), _runs(report), _changes(report)) if part]
    room = LINES - len(top) - len(foot)
    for most in (CLIPPED, 2, 1):
        for part in parts:
            part.shown = [_wrapped(out, item, part.indent, most) for item in part.items[:1]]
        if _used(parts) <= room:
            break
    _fill(out, parts, room)
    lines = [line for part in parts for line in part.lines()]
    return [*top, *lines[:room], *foot]


def _fill(out: Console, parts: Sequence[Part], room: int) -> None:
    """Lets each part in turn show one item more, until none has room for its next."""
    growing = list(parts)
    while growing:
        for part in list(growing):
            left = part.items[len(part.shown) :]
            if left:
                part.shown.append(_wrapped(out, left[0], part.indent, CLIPPED))
            if not left or _used(parts) > room:
                part.shown = part.shown[: len(part.shown) - bool(left)]
                growing.remove(part)


def _used(parts: Sequence[Part]) -> int:
    return sum(len(part.lines()) for part in parts)


def _wrapped(out: Console, words: Text, indent: int, most: int) -> list[Text]:
    """A text in lines of the terminal's width; what goes beyond `most` of them is cut, which the last line shows."""
    whole = words.wrap(out, max(out.width - indent, 20))
    lines = [Text.assemble(" " * indent, line) for line in whole[:most]]
    for line in lines:
        line.rstrip()
    if len(whole) > most:
        lines[-1].truncate(out.width - 2)
        lines[-1].append(" …")
    return lines


# --- the parts ----------------------------------------------------------------------------------


def _top(report: Report) -> Iterator[Text]:
    """The fabric by name, in numbers, where it comes from, and when it was taken."""
    yield Text.assemble((report.name, "bold"), f" {report.edits}" if report.edits else "")
    yield Text(in_short(report.health.summary))
    yield Text(f"{report.origin}{f', taken {report.taken}' if report.taken else ''}")


def _errors(report: Report) -> Part:
    """How many findings there are, and the errors one by one; where there is none, the codes of the rest."""
    errors = [finding for finding in report.health.findings if finding.severity == "error"]
    head = Text.assemble(("Health  ", "bold"), health_line(report, named=not errors))
    items = [Text.assemble((f.code, STYLES["error"]), "  ", (f.where, "bold"), f": {f.text}") for f in errors]
    return Part(head, items, " errors")


def _cables(report: Report) -> Part | None:
    """Work in the machine room."""
    if not report.cabling:
        return None
    racks = max(len(work.rack) for work in report.cabling)
    actions = max(len(work.action) for work in report.cabling)
    items = []
    for work in in_order(report.cabling):
        rack = f"{work.rack:{racks}}  " if racks else ""
        items.append(
            Text.assemble(rack, (f"{work.action:{actions}}", STYLES[work.severity]), f"  {ends(work)}")
        )
    head = Text.assemble(("Work at the cables", "bold"), f": {to_do(report.cabling)}")
    return Part(head, items)


def _runs(report: Report) -> Part:
    """What runs, and verdicts on it, the worst first."""
    order = list(STYLES)
    verdicts = [verdict for verdict in report.verdicts if not isinstance(verdict, OF_FINDINGS)]
    verdicts.sort(key=lambda verdict: order.index(rank(verdict)))
    items = [Text.assemble((rank(it), STYLES[rank(it)]), f": {text(it)}") for it in verdicts]
    return Part(Text.assemble(("What runs", "bold"), f": {report.baseline}"), items)


def _changes(report: Report) -> Part:
    """What to do, each in a line; how is on the page."""
    if not report.changes:
        return Part(Text("What to do: nothing that these models would change", "bold"))
    items = [
        Text.assemble(f"{n}. ", (text(change.step), "bold"), f": {change.brief}" if change.brief else "")
        for n, change in enumerate(report.changes, 1)
    ]
    return Part(Text("What to do", "bold"), items)
