"""`lacis report`: the main job, from a fabric file to a page that one can act on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._baseline import baseline_options, read_baseline
from ._fabric import fabric_argument, source
from ._output import console, json_option, print_json
from ._traffic import groups_option

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric
    from ..report.collect import Report


@click.command("report")
@fabric_argument
@click.option(
    "-o", "--output", metavar="FILE", help="The page to write.  [default: FABRIC's name with .html]"
)
@baseline_options
@groups_option
@json_option
def command(
    fabric: Fabric,
    output: str | None,
    lfts: str | None,
    opensm_conf: str | None,
    sm: str | None,
    groups: str,
    as_json: bool,
) -> int:
    """Write everything about FABRIC on one self-contained HTML page, and the gist to the terminal.

    Health, what each engine would do, proof, predicted bandwidth, and what to change. Gains are against what runs
    now: --lfts, else --opensm-conf, else minhop, which is assumed.
    """
    from .. import files
    from ..report import collect, page

    name, described = source()
    baseline = read_baseline(fabric, lfts, opensm_conf, sm, groups)
    report = collect.collect(fabric, described, _progress, baseline, groups)
    _progress("writing the page")
    html = page.render(report)
    target = _default_output(name) if output is None else output
    files.write(target, html)
    _progress("")
    if as_json:
        print_json("lacis.report/1", file=target, **to_json(report))
    elif target != "-":
        _print(console(), report, target)
    return 0


def _default_output(fabric: str) -> str:
    stem = "fabric" if fabric == "-" else Path(fabric).stem if Path(fabric).exists() else fabric
    safe = "".join(char if char.isalnum() or char in "-_.," else "-" for char in stem)
    return f"{safe}.html"


def _progress(step: str) -> None:
    """What is under way, on one line of a terminal's standard error."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{step + ' …' if step else ''}")
        sys.stderr.flush()


def to_json(report: Report) -> dict[str, Any]:
    """The content of `lacis.report/1`."""
    return {
        "source": report.source,
        "version": report.version,
        "digest": report.digest,
        "fabric": {**report.health.summary, "findings": [vars(f) for f in report.health.findings]},
        "counted": report.counted,
        "engines": [
            {
                "label": e.label,
                "engine_requested": e.variant.engine,
                "engine_used": e.used,
                "refusals": [{"engine": engine, "reason": reason} for engine, reason in e.routes.refusals],
                "verify": e.verify,
                "bisection": e.bisection,
                "shift": e.shift,
            }
            for e in report.engines
        ],
        "best": report.best.label,
        "left_out": report.left_out,
        "leaf_to_leaf": report.heat.data if report.heat else None,
        "hottest": report.hottest,
        "changes": [
            {
                **vars(change),
                "files": {name: [f"0x{guid:016x}" for guid in guids] for name, guids in change.files.items()},
            }
            for change in report.changes
        ],
    }


def _print(out: Console, report: Report, target: str) -> None:
    from rich import box
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from ..advice.outcome import over_forced, over_mean
    from ..report.collect import tiles

    styles = {"error": "bold red", "warning": "yellow", "notice": "cyan", "good": "green"}
    out.print(Text(report.source, style="bold"))
    facts = tiles(report.health.summary)[:6]
    out.print(Text(", ".join(f"{n} {_ONE.get(what, what) if n == '1' else what}" for what, n in facts)))
    out.print()
    verdicts = Table.grid(padding=(0, 2))
    verdicts.add_column(justify="right", min_width=8)
    for verdict in report.verdicts:
        verdicts.add_row(Text(verdict.severity, styles[verdict.severity]), Text(verdict.text))
    out.print(verdicts)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column in ("engine", "used") else "right")
    for e in report.engines:
        hosts, every = e.verify["hosts"], e.verify["all"]
        table.add_row(
            Text(e.label, style="bold" if e is report.best else ""),
            e.used,
            _both(f"{hosts['lost']:,}", f"{every['lost']:,}"),
            _both(str(len(hosts["credit_loops"])), str(len(every["credit_loops"]))),
            _times(over_forced(hosts["balance"]), hosts["balance"]["forced"]["flows"]),
            _times(over_mean(hosts["balance"]), hosts["balance"]["mean"]),
            *(f"{value:.3f}" for value in e.bandwidths),
            str(e.shift["max_contention"]) if e.shift else "",
        )
    out.print()
    out.print(table)
    out.print(
        Text(
            "modelled: exact route counts, shares of the link rate; (all) with aggregation nodes and routers; "
            "fullest link, all adapters to all, over what some link must carry and over the mean; flows: most on a link in a shift; "
            f"bisections and shifts are of {report.counted}, leaf by leaf, rail to rail",
            "dim",
        )
    )
    out.print(Text(f"some link must carry this much: {report.forced}", "dim"))
    if report.left_out:
        out.print(Text(report.left_out, "dim"))
    for number, change in enumerate(report.changes, 1):
        out.print()
        out.print(Text(f"{number}. {change.title}", "bold"))
        for text in (change.why, f"{change.gain} (modelled)"):
            out.print(Padding(Text(text), (0, 0, 0, 3), expand=False))
        if change.command.count("\n") < _MOST_LINES:
            # Not wrapped: it is there to be copied.
            for line in change.command.splitlines():
                out.print(Text(f"   {line}", "cyan"), soft_wrap=True)
    out.print()
    out.print(Text.assemble("The page: ", (target, "bold")))


_COLUMNS = (
    "engine",
    "used",
    "lost",
    "credit loops",
    "fullest÷forced",
    "÷mean",
    "bisections",
    "worst",
    "shifts",
    "worst",
    "flows",
)

# Longer commands, and lists of cables, are on the page alone.
_MOST_LINES = 3

# What is counted, where there is one of it.
_ONE = {
    "switches": "switch",
    "host adapters": "host adapter",
    "hosts by name": "host by name",
    "rails": "rail",
    "planes": "plane",
    "levels": "level",
}


def _times(value: float, over: float) -> str:
    """How many times what it stands over, where that is anything."""
    return f"{value:.2f}" if over else "–"


def _both(hosts: str, every: str) -> str:
    return hosts if hosts == every else f"{hosts} ({every} all)"
