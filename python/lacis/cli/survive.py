"""`lacis survive`: every cable and every switch failing alone, ranked by damage."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ..facts.words import count
from ._doubts import warn_of_doubts
from ._fabric import fabric_argument, source, warn
from ._numbers import LISTED
from ._output import console, echo, json_option, new_table, print_json, print_line, print_table
from ._progress import progress
from ._routing import engine_choice, read_choice, rules_of
from ._traffic import hosts_of, hosts_options, step_of

if TYPE_CHECKING:
    from rich.text import Text

    from .._core import Fabric
    from ..documents.failures import RoutingOption
    from ..results import Damage, Intact, Shifts, SingleFailure
    from ._routing_options import Choice, RoutingArguments


@click.command("survive")
@fabric_argument
@engine_choice
@hosts_options
@click.option("--host-cables", is_flag=True, help="Let the cables of hosts fail too.")
@click.option(
    "--top",
    type=LISTED,
    default=20,
    show_default=True,
    help="How many failures to show, worst first.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Keep results in FILE, one JSON object a line, as they are found; resume from what it has.",
)
@json_option
def command(
    fabric: Fabric,
    routing: RoutingArguments,
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

    With -o a run that was stopped (Ctrl-C) resumes where it was.

    Bandwidths are modelled: 1 / the most flows on any link of a path; a shift is its mean over hosts.

    Exit status 1: some failure loses a pair of end ports that are both left.
    """
    from importlib.metadata import version

    from .. import _core
    from ..failures import survival
    from ..ranks.participants import in_words

    choice = read_choice(fabric, routing)
    managed = _core.manage(fabric, choice.engines, **choice.options)
    routes = managed.routes
    warn_of_doubts(fabric, routes, choice)
    hosts = hosts_of(routes, groups, rail, host_order)
    if hosts is None:
        raise click.UsageError("there is no host to send anything")
    step = step_of(shifts, len(hosts.hosts))
    survey = _core.survey(managed, hosts, pairs=pairs, host_cables=host_cables, step=step)
    header = survival.Header(
        version=version("lacis"),
        fabric=survival.digest(fabric),
        engine_requested=routes.engine_requested,
        options=_options(choice),
        population=pairs,
        hosts=hashlib.sha256(" ".join(map(str, [rail, *hosts.guids().tolist()])).encode()).hexdigest(),
        shift_step=step,
        host_cables=host_cables,
    )
    so_far = (0, 0)
    try:
        with progress("failures") as advance:

            def keep(done: int, of: int) -> None:
                nonlocal so_far
                so_far = done, of
                advance("failures", done, of)

            intact, rows = survival.survive(survey, header, output, keep)
    except KeyboardInterrupt:
        if output is not None:
            done, of = so_far
            warn(f"{done:,} of {of:,} failures are in {output}; the same command resumes there")
        raise
    rows.sort(key=survival.rank)
    if as_json:
        from ..documents.base import row_of
        from ..documents.common import Intact
        from ..documents.failures import SurviveDocument

        document = SurviveDocument(
            provenance="modelled",
            fabric=header.fabric,
            engine_requested=header.engine_requested,
            options=header.options,
            population=header.population,
            shift_step=header.shift_step,
            host_cables=header.host_cables,
            groups=groups,
            hosts_by_group=dict(hosts.groups),
            unknown=hosts.num_unknown,
            host_order=host_order,
            rail=rail,
            file=output,
            baseline=row_of(Intact, intact),
            failures=[survival.failure_row(row) for row in rows],
        )
        print_json(document)
    else:
        _print(source()[1], routes.engine_requested, in_words(hosts), intact, rows, top)
        rules = rules_of(choice.engines, routes.engine_used)
        echo(f"modelled: {rules}; a flow gets 1 / the most flows on a link of its path, 0 without a route")
    return 1 if any(row.damage.pairs_lost for row in rows) else 0


def _options(choice: Choice) -> dict[str, RoutingOption]:
    """Routing options as JSON has them; lists and files as hashes."""

    def plain(name: str, value: object) -> RoutingOption:
        if name in choice.files:
            return hashlib.sha256(Path(choice.files[name]).read_bytes()).hexdigest()
        if isinstance(value, bytes):
            return hashlib.sha256(value).hexdigest()
        if isinstance(value, list | tuple):
            return hashlib.sha256(repr(list(value)).encode()).hexdigest() if value else None
        return cast("RoutingOption", value)

    return {name: plain(name, value) for name, value in sorted(choice.options.items())}


def _print(
    fabric: str, engines: str, hosts: str, intact: Intact, rows: list[SingleFailure], top: int
) -> None:
    from rich.text import Text

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    cables = sum(row.kind == "cable" for row in rows)
    failing = f"{count(cables, 'cable')} and {count(len(rows) - cables, 'switch', 'switches')}"
    say(f"{fabric} with {engines}: {failing} fail, each alone")
    say(f"shifts are of         {hosts}")
    pairs, delivered = intact.pairs, intact.delivered
    share = "all" if pairs == delivered else f"{delivered:,}"
    say(
        f"while nothing fails   {intact.engine_used}; {share} of {pairs:,} pairs delivered; {_shift(intact.shifts)}"
    )
    for label, key in (
        ("lose pairs", "pairs_lost"),
        ("cut end ports off", "cut_off"),
        ("cut the manager off", "blinded"),
        ("fall back", "fell_back"),
        ("are refused by all", "no_engine"),
    ):
        hit = [row for row in rows if getattr(row.damage, key)]
        if hit or key != "no_engine":
            say(f"{label:<21} {_hits(hit, key)}")
    if not top or not rows:
        return
    columns = ("what fails", "pairs lost", "cut off", "engine", "worst shift", "mean shift", "entries")
    table = new_table(*columns, words=("what fails", "engine"))
    for row in rows[:top]:
        damage = row.damage
        shares = (damage.shifts.worst, damage.shifts.mean) if damage.shifts else (None, None)
        table.add_row(
            Text(row.name),
            f"{damage.pairs_lost:,}",
            f"{len(damage.cut_off):,}",
            _engine(damage),
            *("–" if share is None else f"{share:.4f}" for share in shares),
            f"{damage.entries.changed:,}",
        )
    say()
    print_table(out, table)
    say()


def _engine(damage: Damage) -> Text:
    """The engine that makes the tables then."""
    from rich.text import Text

    if damage.blinded:
        return Text("no manager", "bold")
    is_worse = damage.fell_back or damage.no_engine
    return Text("none" if damage.no_engine else damage.engine_used, "bold" if is_worse else "")


def _hits(hit: list[SingleFailure], key: str) -> str:
    """How many failures have an effect, with an example."""
    if not hit:
        return "none"
    number = f"{len(hit):,}"
    if key == "blinded":
        shown = ", ".join(row.name for row in hit[:3]) + (", …" if len(hit) > 3 else "")
        return f"{number}, so that tables stay until another takes over: {shown}"
    if key in ("fell_back", "no_engine"):
        used = (
            f" to {', '.join(sorted({row.damage.engine_used for row in hit}))}" if key == "fell_back" else ""
        )
        return f"{number}{used}; {hit[0].name}: {hit[0].damage.refusals[0].reason}"
    return number


def _shift(shifts: Shifts | None) -> str:
    if shifts is None or shifts.worst is None:
        return "no shifts"
    at = f" (distance {shifts.worst_distance})" if shifts.worst < 1 else ""
    return f"worst shift {shifts.worst:.4f}{at}, mean {shifts.mean:.4f}"
