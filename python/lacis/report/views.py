"""Tables and lists of the page, made from a report: what its templates show. Templates do no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..facts.wording import part_words
from ..facts.words import count
from .table import Cell, Table, table
from .work import beyond, in_order
from .work import end as end_words

if TYPE_CHECKING:
    from ..documents.fabric import FabricSummary
    from ..documents.report import EngineFailures, FlowRates
    from ..facts.found.cabling import CableEnd, CableWork
    from ..facts.found.ends import FindingEnd
    from ..facts.found.findings import Finding
    from .content import Report

EVEN = 1.05
"""Times the mean: links that carry no more are not hot."""
_SHOWN = 4
"""Ends of a finding that are shown at once."""


# --- findings ------------------------------------------------------------------------------------


def cabling(report: Report) -> Table | None:
    """The work list for the machine room."""
    if not report.cabling:
        return None
    has_racks = any(work.rack for work in report.cabling)
    has_parts = any(work.part for work in report.cabling)
    rows = [
        [
            Cell("☐", kind="tick"),
            Cell(work.action, kind="tight"),
            *_end(work, work.here),
            *_end(work, work.there, beyond(work)),
            *([Cell(work.rack, kind="tight")] if has_racks else []),
            *([Cell(part_words(work.part))] if has_parts else []),
            Cell(work.why, note=work.code, kind="why"),
        ]
        for work in in_order(report.cabling)
    ]
    more = [*(["rack"] if has_racks else []), *(["cable there now"] if has_parts else [])]
    head = ["done", "do", "switch", "n:port", "other end", "n:port", *more, "why"]
    return table("cabling", "Cables to plug, move and check", head, rows)


def _end(work: CableWork, end: CableEnd | None, more: str = "") -> list[Cell]:
    """One end of a cable in two cells, its node and its port; `more` is a remark beside the node."""
    if end is None:
        return [Cell("unknown" if work.action == "plug in" else "", kind="tight"), Cell("")]
    at = _at(end)
    text = str(end.port) if end.port is not None else "any free" if work.action == "plug in" else ""
    port = Cell(text, sort=end.port or 0, at=at, called=end_words(end))
    return [
        Cell(end.node, switch=end.guid, absent="" if end.guid else end.node, note=more.strip(), kind="tight"),
        port,
    ]


def _at(end: CableEnd | FindingEnd) -> str:
    """Where the map of `lacis serve` shows an end: by its GUID, as names repeat; nowhere where that is not known."""
    if not end.guid:
        return ""
    return f"node={end.guid}" if end.port is None else f"port={quote(f'{end.guid}[{end.port}]', safe='')}"


@dataclass(frozen=True)
class FindingsOfCode:
    """All findings of one code."""

    code: str
    severity: str
    findings: list[tuple[str, str, list[str], list[tuple[str, str]]]]
    """Where, text, every end where there are many, and the first ends with where the map of `lacis serve` shows them."""
    advice: list[str]
    is_listed: bool
    """Whether the work list has it."""


def findings_by_code(report: Report) -> list[FindingsOfCode]:
    """The findings, one entry a code, worst first as they come."""
    listed = {work.code for work in report.cabling}
    found: dict[str, list[Finding]] = {}
    for finding in report.health.findings:
        found.setdefault(finding.code, []).append(finding)
    return [
        FindingsOfCode(
            code,
            group[0].severity,
            [
                (
                    f.where,
                    f.text,
                    [_end_in_full(end) for end in f.ends] if len(f.ends) > _SHOWN else [],
                    [(str(end), at) for end in f.ends[:_SHOWN] if (at := _at(end))],
                )
                for f in group
            ],
            list(dict.fromkeys(f.advice for f in group)),
            code in listed,
        )
        for code, group in found.items()
    ]


def _end_in_full(end: FindingEnd) -> str:
    likely = f" (probably {end.likely})" if end.likely else ""
    return f"{end} {end.guid}{likely}"


# --- what contends -------------------------------------------------------------------------------


def adaptive(report: Report) -> Table | None:
    """Static and adaptive routing side by side."""
    if report.adaptive is None or not report.adaptive.rows:
        return None
    rows = []
    for row in report.adaptive.rows:
        stuck = row.static.deadlock or row.adaptive.deadlock
        change = row.adaptive.mean / row.static.mean - 1 if row.static.mean and not stuck else 0.0
        rows.append(
            [
                Cell(row.engine),
                *_rates(row.static),
                *_rates(row.adaptive),
                Cell("–" if stuck else f"{100 * change:+.0f} %", sort=change),
            ]
        )
    head = [
        "engine",
        "n:static, mean",
        "n:worst flow",
        "n:adaptive, mean",
        "n:worst flow",
        "n:mean changes by",
    ]
    caption = f"{report.adaptive.pattern}. {report.adaptive.device}."
    return table("adaptive", "Static and adaptive routing", head, rows, caption)


def _rates(rates: FlowRates) -> list[Cell]:
    if rates.deadlock:
        return [Cell("deadlock", sort=0.0), Cell("–", sort=0.0)]
    return [Cell(f"{rate / 1e9:.1f} GB/s", sort=rate) for rate in (rates.mean, rates.worst)]


def failures(report: Report) -> Table | None:
    """What single failures do."""
    if not report.failures:
        return None
    rows = [
        [
            Cell(row.engine),
            Cell(row.repaired_by),
            Cell(
                f"{row.tried:,} of {row.of:,}",
                sort=row.tried,
                note="each takes long: lacis survive" if not row.tried else "a sample" * (row.tried < row.of),
            ),
            *_damage(row),
        ]
        for row in report.failures
    ]
    head = [
        "tables",
        "repaired by",
        "n:failures tried",
        "n:of these lose pairs",
        "n:most pairs lost",
        "n:entries changed, median",
    ]
    return table("failures", "Single failures", head, rows)


def _damage(row: EngineFailures) -> list[Cell]:
    """What the failures of a row cost; dashes where none was tried."""
    if not row.tried:
        return [Cell("–")] * 3
    return [
        Cell(f"{row.lossy:,}", kind="bad" if row.lossy else "", sort=row.lossy),
        Cell(f"{row.most_lost:,}", note=row.worst, kind="bad" if row.most_lost else "", sort=row.most_lost),
        Cell(f"{row.entries_changed:,.0f}", sort=row.entries_changed),
    ]


def hottest(report: Report) -> Table | None:
    """The fullest links when all send to all, as `lacis verify` counts them; none where all carry alike."""
    if not report.hottest or max(link.of_mean or 0.0 for link in report.hottest) < EVEN:
        return None
    rows = [
        [
            Cell(link.link, at=f"port={quote(link.source, safe='')}"),
            Cell(f"{link.flows:,}", sort=link.flows),
            Cell(f"{link.of_mean:.2f} ×", sort=link.of_mean),
            Cell(", ".join(link.pairs)),
        ]
        for link in report.hottest
    ]
    head = ["link", "n:flows", "n:of the mean", "pairs behind it, for example"]
    return table("hot stack", "The hottest links", head, rows, report.hottest_words)


def rails(report: Report) -> Table | None:
    """The rails side by side, where there are several."""
    found = report.health.summary.rails
    if len(found) < 2:
        return None
    has_loads = any(link.rail for link in report.hot)
    rows = [
        [
            Cell(str(rail.rail), sort=rail.rail),
            Cell(", ".join(rail.labels) or "–"),
            Cell(f"{rail.adapters:,}", sort=rail.adapters),
            Cell(f"{rail.leaves:,}", sort=rail.leaves),
            *(_hottest_of_rail(report, str(rail.rail)) if has_loads else ()),
        ]
        for rail in found
    ]
    head = ["n:rail", "adapters called", "n:adapters", "n:leaves"]
    if has_loads:
        head += ["hottest link of the rail alone", "n:flows", "n:of the mean"]
    return table("rails", "Rails", head, rows, _caption_of_rails(report, has_loads=has_loads))


def rail_tags(report: Report) -> list[str]:
    """How it is known what the table of rails shows."""
    inferred = ["inferred"] if report.health.summary.inferred else []
    return [report.origin, *inferred, *(["modelled"] if any(link.rail for link in report.hot) else [])]


def _caption_of_rails(report: Report, *, has_loads: bool) -> str:
    """How rails are numbered, and what of the table is modelled."""
    summary = report.health.summary
    words = "Rails are numbered by the leaves that hosts share."
    if summary.inferred:
        words += f" The hosts of {count(summary.inferred, 'adapter')} are inferred."
    if has_loads:
        words += (
            " Modelled is the hottest link when every adapter of a rail sends to every other of that rail and no other rail "
            "sends; its mean is over the links that this traffic uses. All rails together are under The hottest links."
        )
    return words


def _hottest_of_rail(report: Report, rail: str) -> list[Cell]:
    """The hottest link of a rail that sends alone: its ends, its flows, and these relative to the mean."""
    mine = [link for link in report.hot if link.rail == rail]
    if not mine:
        return [Cell("–"), Cell("–"), Cell("–")]
    link = max(mine, key=lambda link: link.over_mean)
    hosts = f"of {', '.join(link.hosts)}" if link.hosts else ""
    return [
        Cell(f"{link.source} → {link.target}", note=hosts, at=f"port={quote(link.source, safe='')}"),
        Cell(f"{link.flows:,}", sort=link.flows),
        Cell(f"{link.over_mean:.2f} ×", sort=link.over_mean),
    ]


def rates(summary: FabricSummary) -> Table | None:
    """The cables by rate, where there are several."""
    if len(summary.links_by_rate) < 2:
        return None
    rows = [
        [
            Cell(rate.rate),
            Cell(f"{rate.links:,}", sort=rate.links),
            Cell(payload(rate.bytes_per_second)),
        ]
        for rate in summary.links_by_rate
    ]
    return table("rates", "Cables by rate", ["links", "n:cables", "n:payload each way"], rows)


def payload(bytes_per_second: float | None) -> str:
    """A rate, for people."""
    return f"{bytes_per_second / 1e9:.2f} GB/s" if bytes_per_second else "unknown"


def worst_leaves(report: Report) -> Table | None:
    """The pairs of leaves that get least."""
    if report.heat is None:
        return None
    rows = [
        [Cell(a), Cell(b), *(Cell(f"{value:.2f}", sort=value) for value in values)]
        for a, b, values in report.heat.worst
    ]
    return table(
        "worst",
        "The ten worst pairs of leaves by average",
        ["from", "to", "n:max", "n:average", "n:min"],
        rows,
    )


@dataclass(frozen=True)
class Section:
    """A section of the page, and what its template shows."""

    name: str
    title: str
    short: str
    """Its name in the list of sections."""
    view: dict[str, object] = field(default_factory=dict)

    @property
    def template(self) -> str:
        """The template's file."""
        return f"{self.name}.html"
