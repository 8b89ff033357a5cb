"""`lacis survive`: every cable and every switch failing alone, ranked by damage."""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._doubts import warn_of_doubts
from ._fabric import fabric_argument, source
from ._output import console, json_option, print_json
from ._routing import engine_choice, read_choice, rules_of
from ._traffic import hosts_of, hosts_options, step_of

if TYPE_CHECKING:
    from rich.text import Text

    from .._core import Fabric
    from ._routing import Choice


@click.command("survive")
@fabric_argument
@engine_choice
@hosts_options
@click.option("--host-cables", is_flag=True, help="Let the cables of hosts fail too.")
@click.option(
    "--top",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="How many failures to show, worst first.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Keep results in FILE, one JSON object a line, as they are found; go on from what is there.",
)
@json_option
def command(
    fabric: Fabric,
    routing: dict[str, Any],
    pairs: str,
    groups: str,
    host_order: str,
    rail: str,
    shifts: str,
    host_cables: bool,
    top: int,
    output: str | None,
    as_json: bool,
) -> int:
    """Let every cable between switches and every switch fail, each alone, and rank them by damage.

    Each failure is what `lacis whatif` does with it alone: the manager sweeps again, keeps what it can,
    and falls back to another engine where it must. Worst first: pairs lost of end ports that are left,
    end ports cut off, fall-backs, the worst shift of the hosts that are left, entries changed.

    With -o a run that was stopped (Ctrl-C) goes on where it was.

    Bandwidths are modelled: 1 / the most flows on any link of a path; a shift is its mean over hosts.

    Exit status 1: some failure loses a pair of end ports that both are left.
    """
    from importlib.metadata import version

    from .. import _core, change, survival
    from ..prediction import in_words

    choice = read_choice(fabric, **routing)
    managed = change.manage(fabric, choice.engines, **choice.options)
    routes = managed.routes
    warn_of_doubts(fabric, routes, choice)
    hosts = hosts_of(routes, groups, rail, host_order)
    if hosts is None:
        raise click.UsageError("there is no host to send anything")
    step = step_of(shifts, len(hosts.hosts))
    survey = _core.survey(managed, hosts, pairs=pairs, host_cables=host_cables, step=step)
    header = {
        "version": version("lacis"),
        "fabric": survival.digest(fabric),
        "engine_requested": routes.engine_requested,
        "options": _options(choice),
        "population": pairs,
        "hosts": hashlib.sha256(" ".join(map(str, [rail, *hosts.guids().tolist()])).encode()).hexdigest(),
        "shift_step": step,
        "host_cables": host_cables,
    }
    meter = _Meter()
    try:
        baseline, rows = survival.survive(survey, header, output, meter)
    except KeyboardInterrupt:
        meter.clear()
        if output is not None:
            click.echo(
                f"lacis: {meter.done:,} of {meter.all:,} failures are in {output}; the same command goes on from there",
                err=True,
            )
        raise
    meter.clear()
    rows.sort(key=survival.rank)
    if as_json:
        print_json(
            "lacis.survive/1",
            provenance="modelled",
            **{key: value for key, value in header.items() if key not in ("version", "hosts")},
            groups=groups,
            hosts_by_group=dict(hosts.groups),
            host_order=host_order,
            rail=rail,
            file=output,
            baseline=baseline,
            failures=rows,
        )
    else:
        _print(source()[1], routes.engine_requested, in_words(hosts), baseline, rows, top)
        rules = rules_of(choice.engines, routes.engine_used)
        click.echo(
            f"modelled: {rules}; a flow gets 1 / the most flows on a link of its path, 0 without a route"
        )
    return 1 if any(row["pairs_lost"] for row in rows) else 0


def _options(choice: Choice) -> dict[str, Any]:
    """Routing options as JSON has them; long lists and files by what tells them from others."""

    def plain(name: str, value: Any) -> Any:
        if name in choice.files:
            return hashlib.sha256(Path(choice.files[name]).read_bytes()).hexdigest()
        if isinstance(value, bytes):
            return hashlib.sha256(value).hexdigest()
        if isinstance(value, list | tuple):
            return hashlib.sha256(repr(list(value)).encode()).hexdigest() if value else None
        return value

    return {name: plain(name, value) for name, value in sorted(choice.options.items())}


class _Meter:
    """Progress on one line of a terminal's standard error."""

    def __init__(self) -> None:
        self.done = self.all = 0
        self._begun: tuple[float, int] | None = None

    def __call__(self, done: int, of: int) -> None:
        self.done, self.all = done, of
        now = time.monotonic()
        if self._begun is None:
            self._begun = (now, done)
        if not sys.stderr.isatty():
            return
        seconds, found = now - self._begun[0], done - self._begun[1]
        pace = (
            f", {found / seconds:,.0f} a second, {(of - done) * seconds / found:,.0f} s left" if found else ""
        )
        sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} failures{pace}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _print(
    fabric: str, engines: str, who: str, baseline: dict[str, Any], rows: list[dict[str, Any]], top: int
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = console()

    def say(line: str = "") -> None:
        out.print(line, markup=False, soft_wrap=True)

    cables = sum(row["kind"] == "cable" for row in rows)
    say(f"{fabric} with {engines}: {cables:,} cables and {len(rows) - cables:,} switches fail, each alone")
    say(f"shifts are of         {who}")
    pairs, delivered = baseline["pairs"], baseline["delivered"]
    share = "all" if pairs == delivered else f"{delivered:,}"
    say(
        f"while nothing fails   {baseline['engine_used']}; {share} of {pairs:,} pairs delivered; {_shift(baseline)}"
    )
    for label, key in (
        ("lose pairs", "pairs_lost"),
        ("cut end ports off", "cut_off"),
        ("cut the manager off", "blinded"),
        ("fall back", "fell_back"),
        ("are refused by all", "no_engine"),
    ):
        hit = [row for row in rows if row[key]]
        if hit or key != "no_engine":
            say(f"{label:<21} {_hits(hit, key)}")
    if not top or not rows:
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    columns = ("what fails", "pairs lost", "cut off", "engine", "worst shift", "mean shift", "entries")
    for column in columns:
        table.add_column(column, justify="left" if column in ("what fails", "engine") else "right")
    for row in rows[:top]:
        shifts = row["shifts"] or {"worst": None, "mean": None}
        table.add_row(
            Text(row["name"]),
            f"{row['pairs_lost']:,}",
            f"{len(row['cut_off']):,}",
            _engine(row),
            *("–" if shifts[key] is None else f"{shifts[key]:.4f}" for key in ("worst", "mean")),
            f"{row['entries']['changed']:,}",
        )
    say()
    out.print(table)
    say()


def _engine(row: dict[str, Any]) -> Text:
    """Who makes the tables then."""
    from rich.text import Text

    if row["blinded"]:
        return Text("no manager", "bold")
    return Text("none" if row["no_engine"] else row["engine_used"], "bold" if _is_worse(row) else "")


def _is_worse(row: dict[str, Any]) -> bool:
    return bool(row["fell_back"] or row["no_engine"])


def _hits(hit: list[dict[str, Any]], key: str) -> str:
    """How many failures do something, and what an example of them is."""
    if not hit:
        return "none"
    number = f"{len(hit):,}"
    if key == "blinded":
        shown = ", ".join(row["name"] for row in hit[:3]) + (", …" if len(hit) > 3 else "")
        return f"{number}, so that tables stay until another takes over: {shown}"
    if key in ("fell_back", "no_engine"):
        used = f" to {', '.join(sorted({row['engine_used'] for row in hit}))}" if key == "fell_back" else ""
        return f"{number}{used}; {hit[0]['name']}: {hit[0]['refusals'][0]['reason']}"
    return number


def _shift(state: dict[str, Any]) -> str:
    shifts = state["shifts"]
    if not shifts or shifts["worst"] is None:
        return "no shifts"
    at = f" (distance {shifts['worst_distance']})" if shifts["worst"] < 1 else ""
    return f"worst shift {shifts['worst']:.4f}{at}, mean {shifts['mean']:.4f}"
