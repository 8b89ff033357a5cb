"""The report as one self-contained HTML page: no script, font or style from anywhere else."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..advice.outcome import SEED, over_forced, over_mean
from . import charts, drawing
from .collect import drawn, tiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .collect import Report

MODELLED = '<span class="tag modelled">modelled</span>'
READ = '<span class="tag read">read from the file</span>'


def render(report: Report) -> str:
    """The whole page.

    Raises:
        ImportError: where matplotlib is absent (the extra `report`).
    """
    sections = [
        ("fabric", "The fabric", _fabric(report)),
        ("findings", "Findings", _findings(report)),
        ("engines", "What each engine would do", _engines(report)),
        ("bandwidth", "Predicted bandwidth", _bandwidth(report)),
        ("leaves", "Leaf to leaf", _heat(report)),
        ("hottest", "The hottest links", _hottest(report)),
        ("changes", "What to change", _changes(report)),
        ("method", "How these numbers came about", _method(report)),
    ]
    sections = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in sections)
    body = "".join(f'<section><h2 id="{name}">{title}</h2>{html}</section>' for name, title, html in sections)
    style = files(__package__).joinpath("page.css").read_text("utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Lacis: {escape(report.source)}</title><style>{style}</style></head><body>"
        f"<header><h1>{escape(report.source)}</h1>"
        f'<p class="sub">Lacis {escape(report.version)} · fabric digest <code>{report.digest}</code></p>'
        f"{_verdicts(report)}<nav>{links}</nav></header><main>{body}</main></body></html>\n"
    )


def _verdicts(report: Report) -> str:
    items = "".join(f'<li class="{v.severity}">{escape(v.text)}</li>' for v in report.verdicts)
    return f'<ul class="verdicts">{items}</ul>'


def _fabric(report: Report) -> str:
    summary = report.health.summary
    boxes = "".join(
        f'<div class="tile"><b>{escape(v)}</b><span>{escape(k)}</span></div>' for k, v in tiles(summary)
    )
    svg = drawing.draw(report.topology)
    picture = (
        f'<figure><div class="drawing-frame">{svg}</div><figcaption>Each line is a bundle of cables; dashed red: '
        "none where the pattern has some; amber: fewer. Point at a line or a switch for its name.</figcaption></figure>"
        if svg
        else "<p>This fabric has no levels (it is no tree), so there is no drawing by level.</p>"
    )
    rows = [
        [escape(rate["rate"]), _int(rate["links"]), _rate(rate["bytes_per_second"])]
        for rate in summary["links_by_rate"]
    ]
    table = _table(
        ["links", "n:cables", "n:payload each way"], rows, caption=f"{READ}, rates by the standard"
    )
    return f'<div class="tiles">{boxes}</div>{picture}{table}'


def _findings(report: Report) -> str:
    if not report.health.findings:
        return "<p>Nothing deviates from the fabric's own pattern.</p>"
    rows = []
    for finding in report.health.findings:
        ends = [_end(end) for end in finding.ends]
        where = escape(finding.where)
        if len(ends) > 4:
            rest = "<br>".join(ends)
            where += f"<details><summary>all {len(ends)}</summary>{rest}</details>"
        rows.append(
            [
                f'<span class="tag {finding.severity}">{finding.severity}</span>',
                f"<code>{finding.code}</code>",
                where,
                f'{escape(finding.text)}.<br><span class="small">{escape(finding.advice)}</span>',
            ]
        )
    return _table(["", "code", "where", "what, and what to do"], rows, caption=READ, name="stack")


def _end(end: dict[str, Any]) -> str:
    port = f"[{end['port']}]" if end.get("port") is not None else ""
    likely = f" (probably {end['likely']})" if end.get("likely") else ""
    return escape(f"{end['node']}{port} {end.get('guid', '')}{likely}")


def _engines(report: Report) -> str:
    rows, best = [], []
    for engine in report.engines:
        said = "".join(f'<br><span class="small bad">{escape(words)}</span>' for words in engine.words)
        hosts, every = engine.verify["hosts"], engine.verify["all"]
        best.append(engine is report.best)
        rows.append(
            [
                f"<b>{escape(engine.label)}</b>{said}",
                escape(engine.used),
                _both(_bad(hosts["lost"]), _bad(every["lost"])),
                _both(_loops(hosts["credit_loops"]), _loops(every["credit_loops"])),
                _both(_least(hosts["balance"]), _least(every["balance"])),
                _both(_ratio(hosts["balance"]), _ratio(every["balance"])),
                _both(_used(hosts["balance"]), _used(every["balance"])),
                *([_percent(value) for value in engine.bandwidths] or ["–"] * 4),
                str(engine.shift["max_contention"]) if engine.shift else "–",
            ]
        )
    head = [
        "engine",
        "used",
        "n:pairs without a route",
        "n:credit loops",
        "n:fullest link / forced",
        "n:fullest link / mean",
        "n:links used",
        "n:random bisections",
        "n:worst of them",
        "n:shifts",
        "n:worst of them",
        "n:most flows on a link in a shift",
    ]
    caption = (
        f"{MODELLED} Pairs, loops and loads are exact counts over all ordered pairs of host adapters, one virtual lane; where all end "
        "nodes (SHARP aggregation nodes too) give another number it stands below. Forced: what the fullest "
        f"link carries at least, whatever the tables: {escape(report.forced)}. Random bisections: mean share of the link rate over "
        f"{report.patterns} random bisections, the effective bisection bandwidth, and that of the worst. Shifts: the same, and the "
        f"most flows on one link, over {report.shift_words}. The marked row is the best of these. eventree and numbered are Lacis' own engines; "
        "the others are OpenSM's, entry by entry."
    )
    if report.left_out:
        caption += f" {escape(report.left_out)}"
    plot = charts.bars(
        "balance",
        {e.label: [over_forced(e.verify["hosts"]["balance"])] for e in drawn(report)},
        ["fullest link / forced"],
        xlabel="flows on the fullest inter-switch link / what some link must carry, all pairs of hosts",
        title="All-to-all: no tables come below 1, shorter is better",
    )
    loops = "".join(_loop_details(engine) for engine in report.engines)
    return (
        _table(head, rows, caption=caption, marked=best, name="engines") + f"<figure>{plot}</figure>" + loops
    )


def _loop_details(engine: Any) -> str:
    cycles = engine.verify["all"]["credit_loops"]
    if not cycles:
        return ""
    lines = "".join(f"<li><code>{' → '.join(escape(c) for c in cycle)}</code></li>" for cycle in cycles[:5])
    more = f"<p class='small'>and {len(cycles) - 5} more</p>" if len(cycles) > 5 else ""
    return (
        f"<details><summary>Credit loops of {escape(engine.label)}: packets that wait for each other in a circle on one "
        f"lane</summary><ol>{lines}</ol>{more}</details>"
    )


def _bandwidth(report: Report) -> str:
    plots = []
    for key, title in (("bisection", "Random bisections"), ("shift", "Shifts")):
        series = {e.label: getattr(e, key)["distribution"] for e in drawn(report) if getattr(e, key)}
        if series:
            name = f"{title}: what share of the link rate a flow gets"
            plots.append(charts.distribution(key, series, xlabel="share of the link rate [1]", title=name))
    figures = "".join(f"<figure>{plot}</figure>" for plot in plots)
    return (
        f"<p>{MODELLED} A flow gets 1/k of a link that k flows share, at the worst link on its way, its own host's links "
        "included. Curves further to the right are better; shown are OpenSM's default and those with most bandwidth. Buffers, message sizes and head-of-line blocking are not in this model: "
        f"real averages are lower.</p>{figures}"
    )


def _heat(report: Report) -> str:
    if report.heat is None:
        return ""
    data = json.dumps(report.heat.data, separators=(",", ":")).replace("<", "\\u003c")
    script = files(__package__).joinpath("heat.js").read_text("utf-8")
    buttons = "".join(
        f'<button type="button" data-layer="{key}" aria-pressed="false">{word}</button> '
        for key, word in (("max", "max"), ("mean", "average"), ("min", "min"))
    )
    worst = _table(
        ["from", "to", "n:max", "n:average", "n:min"],
        [[escape(a), escape(b), *(f"{value:.2f}" for value in values)] for a, b, values in report.heat.worst],
        caption="the ten worst pairs of leaves by average",
    )
    return (
        f"<p>{MODELLED} {escape(report.heat.words)}</p>"
        f'<div class="heat"><div><canvas id="heat-map" role="img" aria-label="Bandwidth from each leaf (row) to each leaf '
        f'(column)"></canvas><div class="legend"><span>0</span><i></i><span>1 of the link rate</span></div></div>'
        f'<div><p>{buttons}</p><output id="heat-value">Point at a cell.</output>{worst}</div></div>'
        f'<script type="application/json" id="heat-data">{data}</script><script>{script}</script>'
    )


def _hottest(report: Report) -> str:
    rows = []
    for link in report.hottest:
        pairs = ", ".join(escape(pair) for pair in link["pairs"])
        rows.append(
            [f"<code>{escape(link['link'])}</code>", _int(link["flows"]), f"{link['of_mean']:.2f} ×", pairs]
        )
    caption = f"{MODELLED} {escape(report.hottest_words)}"
    return _table(
        ["link", "n:flows", "n:of the mean", "pairs behind it, for example"],
        rows,
        caption=caption,
        name="stack",
    )


def _changes(report: Report) -> str:
    if not report.changes:
        return "<p>Nothing that these models would change.</p>"
    items = []
    for change in report.changes:
        how = f"<pre><code>{escape(change.command)}</code></pre>" if change.command else ""
        how += " ".join(_download(name, guids) for name, guids in change.files.items())
        items.append(
            f'<li><b>{escape(change.title)}</b><br>{escape(change.why)}<br><span class="gain">{escape(change.gain)}</span> '
            f"{MODELLED}{how}</li>"
        )
    return f'<ol class="changes">{"".join(items)}</ol>'


def _download(name: str, guids: list[int]) -> str:
    text = "".join(f"0x{guid:016x}\n" for guid in guids)
    return f'<a download="{name}" href="data:text/plain,{quote(text)}">{name}</a> ({len(guids):,} GUIDs)'


def _method(report: Report) -> str:
    lines = [
        f"<b>Whose traffic:</b> bisections, shifts and the map of leaves are of {report.counted} (told by names, cabling and --roles), rail to rail, hosts leaf by leaf, as in "
        "<code>lacis predict</code>, <code>whatif</code> and <code>survive</code>; pairs, loops and loads are of every adapter to every other, as in <code>lacis verify</code>.",
        "<b>Read from the file:</b> nodes, cables, widths, speeds, LIDs. Findings compare the fabric with its own majority pattern; "
        "nothing else is known of how it was meant.",
        "<b>Tables:</b> computed as OpenSM 3.3.23 computes them on a first sweep, LMC 0, all options at their defaults unless named; eventree's and "
        "numbered's as Lacis makes them.",
        "<b>Modelled:</b> counts of routes are exact for these tables. Bandwidth shares are 1/k at the worst link of k flows, seed "
        f"{SEED}, {report.patterns:,} random bisections.",
        "<b>Assumed:</b> every adapter can fill its link; one virtual lane; static routing, no adaptive routing.",
        "<b>Measured:</b> nothing on this page.",
    ]
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


# --- small pieces ------------------------------------------------------------------------------


def _table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    marked: Sequence[bool] = (),
    name: str = "",
) -> str:
    """A table of HTML cells; a heading `n:…` makes its column numeric."""
    numeric = [title.startswith("n:") for title in head]
    cells = "".join(
        f'<th class="n">{title[2:]}</th>' if number else f"<th>{title}</th>"
        for title, number in zip(head, numeric, strict=True)
    )
    lines = []
    for index, row in enumerate(rows):
        kind = ' class="best"' if index < len(marked) and marked[index] else ""
        columns = zip(row, numeric, strict=True)
        lines.append(
            f"<tr{kind}>" + "".join(f"<td{' class=n' if n else ''}>{c}</td>" for c, n in columns) + "</tr>"
        )
    note = f"<caption>{caption}</caption>" if caption else ""
    return f'<div class="scroll"><table class="{name}">{note}<thead><tr>{cells}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _both(hosts: str, every: str) -> str:
    return hosts if hosts == every else f'{hosts}<br><span class="small">{every} (all)</span>'


def _bad(count: int) -> str:
    return f'<span class="bad">{_int(count)}</span>' if count else "0"


def _loops(cycles: list[list[str]]) -> str:
    if not cycles:
        return "none"
    shortest = min(len(cycle) for cycle in cycles)
    return f'<span class="bad">{len(cycles)}, shortest {shortest} links</span>'


def _least(balance: dict[str, Any]) -> str:
    return f"{over_forced(balance):.2f}" if balance["forced"]["flows"] else "–"


def _ratio(balance: dict[str, Any]) -> str:
    return f"{over_mean(balance):.2f}" if balance["mean"] else "–"


def _used(balance: dict[str, float]) -> str:
    return f"{_int(int(balance['used']))} of {_int(int(balance['links']))}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _int(value: int) -> str:
    return f"{value:,}"


def _rate(bytes_per_second: float | None) -> str:
    return f"{bytes_per_second / 1e9:.2f} GB/s" if bytes_per_second else "unknown"
