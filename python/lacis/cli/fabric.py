"""`lacis fabric`: what a fabric is and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ..facts.words import count
from ._fabric import fabric_argument, load, source, warn, warn_of_notes
from ._fabric_facts import facts
from ._output import console, json_option, new_table, print_json, print_line, print_table, print_unpadded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.table import Table

    from .._core import Fabric
    from ..documents.fabric import (
        AdapterRail,
        ErrorGrowth,
        PlaneLevels,
        SwitchGroup,
        SwitchLevel,
        TreeStage,
    )
    from ..facts.bounds import ShiftsBounded
    from ..facts.found.findings import Finding
    from ..facts.verdicts import CablesUnlisted, CablingUnchecked
    from ..health.examination import Health

SHOWN = 20
"""Findings of one code that are printed before the rest are counted."""
STYLES = {"error": "bold red", "warning": "yellow", "notice": "cyan"}


@click.command("fabric")
@fabric_argument
@click.option(
    "--node-name-map", metavar="FILE", help="Names by node GUID, for nodes whose description says nothing."
)
@click.option(
    "--write-name-map",
    metavar="FILE",
    help="Write the probable names of adapters without one, by cards, cabling and numbers, as a node-name-map.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Also write the fabric: FILE.net for ibsim, FILE.json for Lacis."
)
@click.option(
    "--since",
    metavar="FABRIC|FILE",
    help="Say which error counters have grown since an earlier db_csv, or output of ibqueryerrors.",
)
@click.option("--why-levels", is_flag=True, help="Say how leaves, spines and cores were recognised.")
@click.option("--strict", is_flag=True, help="Exit 1 when there is an error or a warning.")
@click.option(
    "--all", "show_all", is_flag=True, help=f"Print every finding, not the first {SHOWN} of each code."
)
@json_option
def command(
    fabric: Fabric,
    node_name_map: str | None,
    write_name_map: str | None,
    output: str | None,
    since: str | None,
    why_levels: bool,
    strict: bool,
    show_all: bool,
    as_json: bool,
) -> int:
    """Summarise FABRIC and list what is wrong with it.

    Exit status: 0 done, whatever was found; with --strict 1 when there is an error or a warning; 2 bad input.
    """
    from .. import health
    from ..io import files

    if node_name_map:
        fabric, notes = health.rename(fabric, node_name_map)
        warn_of_notes(node_name_map, notes)
    content = content_of(fabric, output) if output else ""
    found = health.examine(fabric)
    growth = None if since is None else growth_since(fabric, since)
    if output:
        files.write(output, content)
    if write_name_map:
        likely, named, unknown = health.likely_names(fabric)
        files.write(write_name_map, likely)
        left = f"; none for {unknown:,} more" if unknown else ""
        warn(f"{write_name_map}: {count(named, 'name')} inferred{left}")
    bound = shift_bound(fabric) if why_levels else None
    if as_json:
        import msgspec

        from ..documents.fabric import FabricDocument

        why = health.why_levels(fabric) if why_levels else msgspec.UNSET
        summary = msgspec.structs.asdict(found.summary)
        print_json(
            FabricDocument(
                **summary,
                why_levels=why,
                shifts_at_most=bound or msgspec.UNSET,
                findings=found.findings,
                error_growth=growth or msgspec.UNSET,
            )
        )
    else:
        most = None if show_all else SHOWN
        out, why_so = console(), health.why_levels(fabric) if why_levels else []
        print_unpadded(out, lambda: _print_all(out, found, why_so, bound, most))
        if growth is not None:
            _print_growth(out, growth)
    return int(strict and found.count("error") + found.count("warning") > 0)


def shift_bound(fabric: Fabric) -> ShiftsBounded | None:
    """What the shifts of all hosts, leaf by leaf, can have at most, whatever the tables; nothing where no two hosts are cabled."""
    from .. import _core
    from ..ranks.participants import participants

    if not {"switch", "adapter"} <= set(fabric.kinds()):
        return None
    # Cables alone decide: which tables there are makes no difference.
    return _core.shift_bound(participants(_core.route(fabric, "minhop"), rail="each"))


def growth_since(fabric: Fabric, since: str) -> ErrorGrowth:
    """How error counters have changed since an earlier reading: a fabric with counters, or counters of this fabric.

    Raises:
        LacisError: when either has no counters.
    """
    from .. import _core
    from .. import fabric as api
    from ..fabric.growth import error_growth
    from ..io.files import read_bytes

    if not fabric.counters[0]:
        reason = "no counters to compare: they are in a db_csv, or in a file for --counters"
        raise LacisError(reason, source=source()[0])
    kind = _core.file_kind(read_bytes(since)) if Path(since).is_file() else None
    is_list = kind is not None and kind[0] in ("query_errors", "net_dump_ext")
    before = api.with_counters(fabric, since) if is_list else load(since)
    if not is_list and not before.counters[0]:
        raise LacisError("no counters in it", source=since)
    return error_growth(fabric, before, since)


def _print_growth(out: Console, growth: ErrorGrowth) -> None:
    """Prints the counters that have grown."""
    span = f" in {growth.seconds / 3600:,.1f} h" if growth.seconds else ""
    out.print()
    if not growth.grown:
        out.print(f"No error counter has grown{span} since {growth.since}", markup=False, soft_wrap=True)
    else:
        table = new_table("port", "other end", "counter", "more by", "an hour", "too many")
        for row in growth.grown:
            hourly = "–" if row.per_hour is None else f"{row.per_hour:,.1f}"
            beyond = "–" if row.beyond is None else "yes" if row.beyond else "no"
            table.add_row(row.port, row.far or "–", row.counter, f"{row.by:,}", hourly, beyond)
        out.print(f"Error counters that have grown{span} since {growth.since}", markup=False, soft_wrap=True)
        print_table(out, table)
    if growth.cleared:
        out.print(
            f"{count(growth.cleared, 'counter')} lower than before: cleared in between, so that only what they show now is known"
        )
    if growth.unknown:
        out.print(
            f"{count(growth.unknown, 'port')} not in {growth.since}: not known to have been clean",
            markup=False,
        )


def content_of(fabric: Fabric, output: str) -> str:
    """A fabric as the suffix of a file asks: .net for ibsim, .json for Lacis."""
    from pathlib import Path

    suffix = Path(output).suffix.lower()
    if suffix == ".net":
        return fabric.to_net()
    if suffix == ".json":
        return fabric.to_json()
    raise click.UsageError(f"-o {output}: the suffix says the format, .net or .json")


def _print_all(
    out: Console, found: Health, why: list[PlaneLevels], bound: ShiftsBounded | None, most: int | None
) -> None:
    from ..health.examination import cabling_unchecked

    summary = found.summary
    out.print(facts(summary))
    if summary.by_level:
        out.print()
        print_table(out, _levels(summary.by_level))
    if summary.switch_groups:
        out.print()
        print_table(out, _switch_groups(summary.switch_groups, most))
        _print_rest(out, len(summary.switch_groups), most)
    for number, plane in enumerate(why, start=1):
        out.print()
        _print_why(out, plane, f"Plane {number}: " if len(why) > 1 else "", most)
    if bound is not None and min(bound.mean, bound.worst) < 1:
        from ..facts.wording import text

        out.print()
        apart = ", every adapter by itself" if len(summary.rails) > 1 else ""
        print_line(out, f"Bound, leaf by leaf{apart}: {text(bound)}")
    if len(summary.rails) > 1:
        out.print()
        print_table(out, _rails(summary.rails))
    out.print()
    print_findings(out, found.findings, most, cabling_unchecked(summary))


def _switch_groups(groups: list[SwitchGroup], most: int | None) -> Table:
    table = new_table(
        "group",
        "first switch",
        "leaves",
        "spines",
        "adapters",
        "links within",
        "global links",
        words=("first switch",),
    )
    for group in groups[:most]:
        numbers = (group.leaves, group.spines, group.adapters, group.local_links, group.global_links)
        table.add_row(str(group.group), group.first, *(f"{number:,}" for number in numbers))
    return table


def _print_rest(out: Console, number: int, most: int | None) -> None:
    if most is not None and number > most:
        out.print(f"  and {number - most:,} more (--all, --json)")


def _levels(levels: Iterable[SwitchLevel]) -> Table:
    table = new_table("level", "role", "switches", "links down", "links up", "down : up", words=("role",))
    for level in levels:
        taper = level.taper
        table.add_row(
            str(level.level),
            level.role,
            f"{level.switches:,}",
            f"{level.down_links:,}",
            f"{level.up_links:,}",
            f"{taper:.2f}" if taper is not None else "",
        )
    return table


def _print_why(out: Console, plane: PlaneLevels, which: str, most: int | None) -> None:
    from rich.text import Text

    switches = count(plane.switches, "switch", "switches")
    if plane.from_roots:
        out.print(f"{which}the levels of {switches}, counted from the declared roots", style="bold")
    elif plane.is_grid:
        out.print(f"{which}no levels: {switches} of a mesh, torus, hypercube, ring or chain", style="bold")
        out.print(
            Text(
                "Hardly any two switches share more than two neighbours, and most neighbours of a switch are two by two "
                "those of another one, too.",
                style="dim",
            )
        )
    elif plane.groups:
        groups = count(plane.groups, "group")
        out.print(
            f"{which}{groups} of leaves and spines among {switches}: a Dragonfly+, from cabling alone",
            style="bold",
        )
        out.print(
            Text(
                "In each group all leaves are cabled to all spines and to nothing else; spines of nearly each two groups are "
                "cabled to each other.",
                style="dim",
            )
        )
    else:
        out.print(f"{which}what was taken for the leaves of {switches}, from cabling alone", style="bold")
        out.print()
        table = new_table(
            *(
                "adapters",
                "leaves",
                "levels",
                "odd cables",
                "adapters above",
                "hung below",
                "leaves meet",
                "taken for",
            ),
            words=("taken for",),
        )
        for trial in plane.trials:
            meeting = trial.meeting
            table.add_row(
                f"≥ {trial.least_adapters:,}" + (" *" if trial.except_ else ""),
                f"{trial.leaves:,}",
                str(trial.levels or "–"),
                f"{trial.odd_cables:,}",
                f"{trial.high_adapters:,}",
                f"{trial.appended:,}",
                "–" if meeting is None else f"{meeting:.1%}",
                "the levels" if trial.taken else "a tree" if trial.tree_like else "no tree",
            )
        print_table(out, table)
        for words in dict.fromkeys(trial.except_ for trial in plane.trials if trial.except_):
            out.print(Text(f"* except {words}", style="dim"))
        out.print(
            Text(
                "The fewest odd cables (not between adjacent levels), adapters above the leaves and leaves hung below others win; a level "
                "that joins no leaves and has under a third of the cables of the one below is an appendage.",
                style="dim",
            )
        )
    if plane.stages:
        out.print()
    for stage in plane.stages:
        out.print(Text(f"  levels {stage.level}–{stage.level + 1}: {_stage(stage)}"))
    standing_out = plane.standing_out
    if standing_out:
        out.print()
    for switch in standing_out[:most]:
        adapters = count(switch.adapters, "adapter", "adapters")
        head = f"{switch.switch} ({switch.guid}), {switch.role}, level {switch.level}, {adapters}"
        out.print(Text.assemble("  ", (head, "bold"), f": {switch.why}"))
    if most is not None and len(standing_out) > most:
        out.print(Text(f"  and {len(standing_out) - most:,} more (--all, --json)"))


def _stage(stage: TreeStage) -> str:
    """How far a level's cables up are those of a whole tree."""
    blocks = count(stage.blocks, "block")
    if stage.whole == stage.blocks:
        return f"whole, {blocks} of switches that all have equally many cables to the same switches above"
    off = [f"{stage.missing:,} missing"] if stage.missing else []
    off += [f"{stage.stray:,} elsewhere or more than others have"] if stage.stray else []
    return f"{stage.whole:,} of {blocks} whole; of {count(stage.cables, 'cable')} {', '.join(off)}"


def _rails(rails: Iterable[AdapterRail]) -> Table:
    table = new_table("rail", "adapters called", "adapters", "leaves", words=("adapters called",))
    for rail in rails:
        labels = ", ".join(rail.labels[:4]) + (" …" if len(rail.labels) > 4 else "")
        table.add_row(str(rail.rail), labels, f"{rail.adapters:,}", f"{rail.leaves:,}")
    return table


def print_findings(
    out: Console,
    found: list[Finding],
    most: int | None,
    unchecked: CablingUnchecked | CablesUnlisted | None = None,
    nothing: str = "Nothing is wrong with it.",
) -> None:
    """Prints findings code by code, worst first, each with what to do; before them what was not checked."""
    from rich.padding import Padding
    from rich.text import Text

    from ..health.examination import SEVERITIES

    if unchecked:
        from ..facts.wording import text

        out.print(Text(f"{text(unchecked)}.", style=f"bold {STYLES['notice']}"))
    if not found:
        if not unchecked:
            out.print(nothing, style="bold green")
        else:
            out.print("Nothing else is wrong with it.")
        return
    by_severity = {s: sum(finding.severity == s for finding in found) for s in SEVERITIES}
    counts = [count(n, s, f"{s}s") for s, n in by_severity.items() if n]
    out.print(Text("Findings: " + ", ".join(counts), style="bold"))
    by_code: dict[str, list[Finding]] = {}
    for finding in found:
        by_code.setdefault(finding.code, []).append(finding)
    for code, findings in by_code.items():
        severity = findings[0].severity
        out.print()
        out.print(Text.assemble((code, STYLES[severity]), f"  {severity}"))
        for finding in findings[:most]:
            out.print(
                Padding(
                    Text.assemble((finding.where, "bold"), f": {finding.text}."), (0, 0, 0, 2), expand=False
                )
            )
        if most is not None and len(findings) > most:
            out.print(
                Padding(
                    Text(f"and {len(findings) - most:,} more (--all, --json)"), (0, 0, 0, 2), expand=False
                )
            )
        for advice in dict.fromkeys(finding.advice for finding in findings[:most]):
            out.print(Padding(Text(f"→ {advice}", style="dim"), (0, 0, 0, 4), expand=False))
