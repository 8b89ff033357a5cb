"""The whole report on a terminal: the fabric, what is broken, what to do about it; then engines and failures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..advice.orders import OTHERS
from ..facts.verdicts import OF_FINDINGS, rank
from ..facts.wording import text, why
from ..facts.words import count
from ..health.examination import SEVERITIES, cabling_unchecked
from ..ranks.participants import HOST_ORDER
from .failures import BY_NONE, cut_off_words
from .tiles import in_short
from .work import ends, in_order, to_do

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..advice.outcome import Outcome
    from ..documents.report import EngineFailures
    from .content import Report

STYLES = {"error": "bold red", "warning": "yellow", "notice": "cyan", "good": "green"}
ERRORS = 20
"""Errors that are printed."""
JOBS = 8
"""Lines of the work list that are printed."""
COMMAND_LINES = 3
"""Longer commands are only on the page."""


def show(out: Console, report: Report, target: str) -> None:
    """Prints every section; `target` is the file that has the whole page."""
    from rich.text import Text

    out.print(Text(report.source, style="bold"))
    out.print(Text(_facts(report)))
    out.print()
    out.print(_gist(report))
    for section in (_errors(report), _work(report)):
        if section is not None:
            out.print()
            out.print(section)
    _changes(out, report)
    if report.patterns:
        out.print()
        kept = _kept(report, out.width)
        out.print(_engines(report, kept, out.width))
        out.print(Text(_legend(report, apart=OWN_ORDER not in kept), "dim"))
    for section in (_adaptive(report), _failures(report)):
        if section is not None:
            out.print()
            out.print(section)
    out.print()
    out.print(Text.assemble("The page: ", (target, "bold")))


def _facts(report: Report) -> str:
    """The fabric in numbers, where it comes from, and when it was taken."""
    facts = in_short(report.health.summary)
    return f"{facts}\n{report.origin}{f', taken {report.taken}' if report.taken else ''}"


def _gist(report: Report) -> RenderableType:
    """Health in one sentence, and verdicts on the tables that run."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("Health", health_line(report))
    grid.add_row("What runs", Text(report.baseline))
    for verdict in report.verdicts:
        if not isinstance(verdict, OF_FINDINGS):
            worded = Text.assemble((rank(verdict), STYLES[rank(verdict)]), f": {text(verdict)}")
            grid.add_row("", worded)
    return grid


def health_line(report: Report, *, named: bool = True) -> Text:
    """How many findings there are of which severity, and the codes of errors and warnings where these are named."""
    from rich.text import Text

    found = report.health.findings
    if not found:
        if cabling_unchecked(report.health.summary):
            return Text("no findings; its cabling was not checked", STYLES["notice"])
        return Text("no findings: the fabric follows its own pattern", STYLES["good"])
    counts = ", ".join(count(n, severity) for severity in SEVERITIES if (n := report.health.count(severity)))
    codes = Counter(finding.code for finding in found if finding.severity != "notice")
    words = ", ".join(f"{code} ({n})" if n > 1 else code for code, n in codes.items())
    return Text(f"{counts}: {words}" if words and named else counts, STYLES[found[0].severity])


def _errors(report: Report) -> RenderableType | None:
    """The errors one by one, each with what to do."""
    from rich.console import Group
    from rich.text import Text

    errors = [finding for finding in report.health.findings if finding.severity == "error"]
    if not errors:
        return None
    lines = [
        Text.assemble((f.code, STYLES["error"]), "  ", (f.where, "bold"), f": {f.text}. {f.advice}")
        for f in errors[:ERRORS]
    ]
    more = len(errors) - ERRORS
    rest = [Text(f"and {more:,} more: on the page, and with --json", "dim")] if more > 0 else []
    return Group(*lines, *rest)


def _changes(out: Console, report: Report) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out.print()
    if not report.changes:
        out.print(Text("What to do: no other routing that was tried would help", "bold"))
        return
    out.print(Text("What to do", "bold"))
    for number, change in enumerate(report.changes, 1):
        out.print(Text(f"{number}. {text(change.step)}", "bold"))
        for line in filter(None, (why(change.step), change.gain and f"{change.gain} (modelled)")):
            out.print(Padding(Text(line), (0, 0, 0, 3), expand=False))
        if change.command.count("\n") < COMMAND_LINES:
            # Commands are not wrapped, as they are copied to a shell.
            for line in change.command.splitlines():
                out.print(Text(f"   {line}", "cyan"), soft_wrap=True)


# --- engines ------------------------------------------------------------------------------------

COLUMNS = (
    "engine",
    "lost",
    "credit loops",
    "fullest link",
    "÷ mean",
    "bisections",
    "worst",
    "shifts",
    "worst",
    "flows",
    "own order",
)
FULLEST, BISECTIONS, OWN_ORDER = 3, 5, 10
SPARE = (4, 9, 8, 6, OWN_ORDER, 7)
"""Columns to drop where a terminal is narrow, in this order, so that no row is cut."""
_WRAPPED = [max(heading.split(), key=len) for heading in COLUMNS]
"""The longest word of each heading."""
_GAP = 3
_NAME = 12  # characters to which an engine's name may be folded


def _widths(rows: list[list[str]], headings: Sequence[str] = COLUMNS) -> list[int]:
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(COLUMNS))]
    widths[0] = min(widths[0], _NAME)
    return widths


def _kept(report: Report, width: int) -> list[int]:
    """The columns that a terminal has room for; that of orders only where some engine has one of its own."""
    widths = _widths([_cells(engine) for engine in report.engines])
    kept = list(range(len(COLUMNS)))
    if not report.has_own_orders:
        kept.remove(OWN_ORDER)
    for spare in SPARE:
        if spare in kept and sum(widths[column] + _GAP for column in kept) - _GAP > width:
            kept.remove(spare)
    # Headings that wrap need less; where that is too much as well, the next columns go.
    widths = _widths([_cells(engine) for engine in report.engines], _WRAPPED)
    for spare in (BISECTIONS, FULLEST):
        if sum(widths[column] + _GAP for column in kept) - _GAP > width:
            kept.remove(spare)
    return kept


def _engines(report: Report, kept: list[int], width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows = [_cells(engine) for engine in report.engines]
    widths = _widths(rows)
    is_narrow = sum(widths[column] + _GAP for column in kept) - _GAP > width
    if is_narrow:  # headings wrap then, and no number is cut
        widths = _widths(rows, _WRAPPED)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in kept:
        name = column == 0
        table.add_column(
            COLUMNS[column],
            justify="left" if name else "right",
            no_wrap=not (name or is_narrow),
            overflow="fold",
            min_width=widths[column],
            max_width=widths[column] if is_narrow else None,
        )
    for engine, row in zip(report.engines, rows, strict=True):
        first = Text(row[0], style="bold" if engine is report.best else "")
        table.add_row(first, *(row[column] for column in kept[1:]))
    return table


def _cells(engine: Outcome) -> list[str]:
    hosts, every = engine.verify
    bandwidths = [f"{value:.3f}" for value in engine.bandwidths] or ["–"] * 4
    return [
        engine.label,
        _both(f"{hosts.unrouted:,}", f"{every.unrouted:,}"),
        _both(str(len(hosts.credit_loops)), str(len(every.credit_loops))),
        _times(hosts.over_forced, hosts.forced.flows),
        _times(hosts.over_mean, hosts.balance.mean),
        *bandwidths,
        str(engine.shift.max_contention) if engine.shift else "–",
        _own_order(engine) or "the same",
    ]


def _own_order(engine: Outcome) -> str:
    """Shifts in the order of hosts that suits the tables best, with its name; empty where that is the common one."""
    return f"{engine.other.shift.mean:.3f} {engine.other.order}" if engine.other else ""


def _legend(report: Report, *, apart: bool) -> str:
    """What the columns are; `apart`: shifts in an engine's own order have no column."""
    legend = (
        "modelled: exact route counts, shares of the link rate; (all) with aggregation nodes and routers; "
        "fullest link, all adapters to all, over what some link must carry and over the mean; flows: most on a link in a shift; "
        f"bisections and shifts are of {report.counted}, leaf by leaf (order {HOST_ORDER}), rail to rail\n"
        f"some link must carry this much: {report.forced}"
    )
    if report.shifts is not None:
        legend += f"\n{text(report.shifts)}"
    own = "shifts in the order of hosts that suits each engine best, by which engines are ranked"
    if report.has_own_orders and apart:
        others = ((engine.label, engine.other) for engine in report.engines)
        named = ", ".join(
            f"{label} {other.shift.mean:.3f} ({other.order})" for label, other in others if other
        )
        legend += f"\n{own}: {named}"
    elif report.has_own_orders:
        legend += f"\nown order: {own}: {HOST_ORDER}, {' or '.join(OTHERS)}"
    return "\n".join(filter(None, (legend, report.pairs_left_out, report.also_tried, report.left_out)))


def _times(value: float, over: float) -> str:
    """A ratio; a dash where `over`, its denominator, is 0."""
    return f"{value:.2f}" if over else "–"


def _both(hosts: str, every: str) -> str:
    return hosts if hosts == every else f"{hosts} ({every} all)"


# --- cables, adaptive routing, failures ----------------------------------------------------------


def _work(report: Report) -> RenderableType | None:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not report.cabling:
        return None
    grid = Table.grid(padding=(0, 2))
    for _ in range(4):
        grid.add_column()
    for work in in_order(report.cabling)[:JOBS]:
        grid.add_row(work.rack, work.action, ends(work), Text(work.why, "dim"))
    more = len(report.cabling) - JOBS
    rest = [Text(f"and {more:,} more: on the page, and with --json", "dim")] if more > 0 else []
    return Group(Text(f"Work at the cables: {to_do(report.cabling)}", "bold"), grid, *rest)


def _adaptive(report: Report) -> RenderableType | None:
    from rich.text import Text

    if report.adaptive is None:
        return None
    pattern = f" ({report.adaptive.pattern})" if report.adaptive.pattern else ""
    return Text.assemble(("Adaptive routing  ", "bold"), f"{report.adaptive.words}{pattern}")


def _failures(report: Report) -> RenderableType | None:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    if not report.failures:
        return None
    lines = [
        Padding(Text(failure_words(row), "red" if row.lossy else ""), (0, 0, 0, 3), expand=False)
        for row in report.failures
    ]
    head = "Single failures of cables between switches and of switches (modelled)"
    cut = Padding(Text(cut_off_words(report.cut_off)), (0, 0, 0, 3), expand=False)
    return Group(Text(head, "bold"), cut, *lines)


def failure_words(row: EngineFailures) -> str:
    """A row in a sentence."""
    repaired = "from a file, not repaired" if row.repaired_by == BY_NONE else f"repaired by {row.repaired_by}"
    if not row.tried:
        return f"{row.engine}, {repaired}: not tried here, as each takes long (lacis survive)"
    failures = count(row.of, "failure")
    tried = failures if row.tried == row.of else f"a sample of {row.tried:,} of {failures}"
    if not row.lossy:
        lost = "none loses a pair of hosts"
    elif row.lossy == 1:
        lost = f"1 loses {count(row.most_lost, 'pair')} of hosts: {row.worst}"
    else:
        lost = f"{row.lossy:,} lose pairs of hosts, most of all {row.worst}: {count(row.most_lost, 'pair')}"
    changed = (
        "" if row.repaired_by == BY_NONE else f"; {row.entries_changed:,.0f} entries change in the median"
    )
    return f"{row.engine}, {repaired}: {tried}, {lost}{changed}"
