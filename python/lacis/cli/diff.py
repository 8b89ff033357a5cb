"""`lacis diff`: what is different between two fabrics, two tables, or tables and an engine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ..facts.words import refusal
from ._completion import FabricName
from ._fabric import load, warn_of_notes
from ._help import GroupedCommand
from ._numbers import seconds as seconds_of
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._routing import engine_choice, make_routes, read_choice
from ._routing_options import RoutingArguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._core import Fabric, Routes, TableDifference
    from ..difference.engine_search import Ranking
    from ..documents.difference import CableChange, NodeChange
    from ..requests.routing import RouteOptions
    from ..results import Cabling

SHOWN = 20
"""Rows of each kind that are printed before the rest are counted."""
_AT_A_TIME = 65536
"""Entries that are printed at a time with --all."""


@click.command("diff", cls=GroupedCommand)
@click.argument("a", metavar="A", type=FabricName())
@click.argument("b", metavar="[B]", type=FabricName(), required=False)
@click.option("--fabric", "on", metavar="FABRIC", help="The fabric that tables are of.")
@click.option(
    "--which-engine", is_flag=True, help="Rank engines and their options by how many entries they make alike."
)
@click.option(
    "--seconds",
    type=seconds_of(0.1),
    default=60.0,
    show_default=True,
    help="About how long --which-engine takes; an engine that was begun may finish.",
)
@click.option("--all", "show_all", is_flag=True, help="Print every difference, not the first of each kind.")
@engine_choice
@json_option
def command(
    a: str,
    b: str | None,
    on: str | None,
    which_engine: bool,
    seconds: float,
    show_all: bool,
    routing: RoutingArguments,
    as_json: bool,
) -> int:
    """What is different between A and B.

    \b
    lacis diff OLD NEW                      two states of a fabric, as a work list
    lacis diff FABRIC TABLES -R ENGINE      tables, and what an engine makes
    lacis diff FABRIC TABLES --which-engine which engine and options made tables
    lacis diff --fabric FABRIC T1 T2        two tables

    A fabric is a file or a synthetic spec; tables are opensm-lfts.dump, or the output of dump_lfts or ibroute.
    They are recognised by their contents.

    Exit status: 0 equal, 1 different, 2 could not tell.
    """  # noqa: D301
    given = [source for source in (a, b) if source is not None]
    of_tables = [source for source in given if _is_tables(source)]
    of_fabrics = [source for source in given if source not in of_tables]
    asked = routing.first is not None
    if not of_tables and on is None:
        if asked or which_engine:
            raise click.UsageError(
                "an engine is compared with tables, and neither A nor B is a file of tables"
            )
        if b is None:
            raise click.UsageError("diff needs two fabrics, or a fabric and tables")
        return _fabrics(a, b, show_all, as_json)
    if of_fabrics and on is not None:
        raise click.UsageError(f"--fabric is given, and {of_fabrics[0]} is no file of tables")
    fabric_source = on if on is not None else of_fabrics[0] if of_fabrics else None
    if fabric_source is None:
        raise click.UsageError("tables are compared on their fabric: --fabric FABRIC")
    fabric = load(fabric_source)
    read = [(source, make_tables(fabric, source)) for source in of_tables]
    if len(read) == 2:
        if asked or which_engine:
            raise click.UsageError("two tables are compared with each other, not with an engine")
        return _tables(fabric_source, read[0], read[1], show_all, as_json)
    [(source, found)] = read
    if which_engine:
        return _engines(fabric_source, source, found, routing, seconds, as_json)
    if routing.engine is None and routing.opensm_conf is None:
        raise click.UsageError(
            "tables are compared with what an engine makes (-R ENGINE), with other tables, or with all engines (--which-engine)"
        )
    expected = _expected(fabric, found, routing)
    return _tables(fabric_source, (expected.engine_used, expected), (source, found), show_all, as_json)


def make_tables(fabric: Fabric, path: str) -> Routes:
    """Reads tables; what their reader noticed goes to standard error."""
    from .. import routing

    routes, notes = routing.read_tables(fabric, path)
    warn_of_notes(path, notes)
    return routes


def _is_tables(source: str) -> bool:
    """Whether a file holds tables; a fabric's spec is none."""
    from .. import _core
    from ..io.files import read_bytes

    if not Path(source).is_file():
        return False
    kind = _core.file_kind(read_bytes(source))
    return kind is not None and kind[0] in ("tables", "routes")


def _expected(fabric: Fabric, found: Routes, routing: RoutingArguments) -> Routes:
    """What an engine makes with the LIDs of the found tables, unless other LIDs are asked for."""
    from .. import difference
    from ..routing.making import made

    choice = read_choice(fabric, routing)
    asked = {"guid2lid", "fresh_lids", "lmc"} & set(choice.options)
    if not asked:
        options = cast("RouteOptions", {**difference.lids_of(found), **choice.options})
        return made(fabric, choice.engines, **options)
    return make_routes(fabric, routing)


def _fabrics(a: str, b: str, show_all: bool, as_json: bool) -> int:
    from .. import difference

    # GUIDs of generated fabrics are consecutive numbers, which identify no node.
    generated = not any(source == "-" or Path(source).exists() for source in (a, b))
    found = difference.fabrics(load(a), load(b), by_name=generated)
    if as_json:
        from ..documents.difference import FabricsDiff, LidChange

        document = FabricsDiff(
            kind="fabrics",
            a=a,
            b=b,
            equal=found.equal,
            no_guid=found.no_guid,
            same_cables=found.same,
            nodes=found.nodes,
            cables=found.cables,
            lids=[LidChange(port, old, new) for port, old, new in found.lids],
        )
        print_json(document)
    else:
        _print_cabling(found, (a, b), None if show_all else SHOWN)
    return int(not found.equal)


def _print_cabling(found: Cabling, sources: tuple[str, str], most: int | None) -> None:
    from ..ranks import nodesets

    say = _say()
    if found.no_guid:
        generated = not any(Path(source).exists() for source in sources)
        why = "Both fabrics are generated" if generated else "No node GUID is in common"
        say(f"{why}: nodes are matched by name, then by position.")
    if found.equal:
        say(f"Equal: the same nodes, and {_count(found.same, 'cable', 'cables')} alike.")
        return
    moved = {kind: sum(c.change == kind for c in found.cables) for kind in ("gone", "new", "moved", "rate")}
    words = {"gone": "gone", "new": "new", "moved": "moved", "rate": "at another rate"}
    counted = [f"{number:,} {words[kind]}" for kind, number in moved.items() if number]
    say(f"Cables: {', '.join(counted) or 'none changed'}; {found.same:,} as they were")
    if found.nodes:
        say(f"Nodes: {_by_kind(c.change for c in found.nodes)}")
        for kind in ("gone", "new", "replaced"):
            nodes = (c.old or c.new for c in found.nodes if c.change == kind)
            hosts = dict.fromkeys(node.host for node in nodes if node is not None and node.host)
            if hosts:
                say(f"{kind:<9} adapters of {_count(len(hosts), 'host', 'hosts')}: {nodesets.fold(hosts)}")
        say()
    _rows(say, "", [_node(change) for change in found.nodes], most)
    by_switch: dict[str, list[CableChange]] = {}
    for change in found.cables:
        by_switch.setdefault(change.at, []).append(change)
    for number, (switch, changes) in enumerate(by_switch.items()):
        if most is not None and number == most:
            say()
            say(
                f"and cables of {_count(len(by_switch) - most, 'more switch', 'more switches')} (--all, --json)"
            )
            break
        say()
        say(switch)
        alone = [change for change in changes if most is None or not _with_node(change)]
        _rows(say, "  ", [_cable(change) for change in alone], most)
        for kind in ("gone", "new"):
            count = sum(change.change == kind for change in changes if change not in alone)
            if count:
                say(f"  {kind:<6} {_count(count, 'cable', 'cables')} of nodes that are {kind} (--all)")
    if found.lids:
        say()
        say(f"LIDs: {_count(len(found.lids), 'port answers', 'ports answer')} to others")
        _rows(say, "  ", [f"{port}: {old} → {new}" for port, old, new in found.lids], most)


def _node(change: NodeChange) -> str:
    old, new = change.old, change.new
    if change.change == "replaced" and old is not None and new is not None:
        named = old.name if change.by == "name" else f"{old.name} by {new.name}"
        where = f" at {new.at}" if new.at and new.kind != "switch" else ""
        return (
            f"replaced  {named}{where}: {old.guid} → {new.guid}, found by {change.by}; "
            f"{change.cables} of {_count(old.cables, 'cable', 'cables')} as before"
        )
    if change.change == "renamed" and old is not None and new is not None:
        return f"renamed   {old.name} → {new.name} ({new.guid})"
    if change.change == "ports" and old is not None and new is not None:
        return f"ports     {new.name}: {old.ports} → {new.ports}"
    node = old or new
    if node is None:
        return change.change
    cables = f", {_count(node.cables, 'cable', 'cables')}"
    where = f" at {node.at}" if node.at and node.kind != "switch" else ""
    return f"{change.change:<9} {node.kind} {node.name} ({node.guid}){where}{cables}"


def _with_node(change: CableChange) -> bool:
    """Whether a cable went or came with a node, which is listed already."""
    return change.with_node and change.change in ("gone", "new")


def _cable(change: CableChange) -> str:
    why = ", with its node" if _with_node(change) else ""
    old, new = change.old, change.new
    if change.change == "moved" and old and new:
        return f"moved  {new[0]}: from {old[1]} to {new[1]}"
    if change.change == "rate" and new and change.rates:
        before, now = change.rates
        return f"rate   {new[0]} – {new[1]}: {before} → {now}"
    ends = old or new or ("", "")
    return f"{change.change:<6} {ends[0]} – {ends[1]}{why}"


def _tables(
    fabric: str, expected: tuple[str, Routes], found: tuple[str, Routes], show_all: bool, as_json: bool
) -> int:
    from .. import difference

    differences = difference.tables(expected[1], found[1])
    if as_json:
        count = differences.differing if show_all else SHOWN
        each = None if show_all else SHOWN
        from ..documents.difference import (
            EntriesForReason,
            EntriesOfSwitch,
            EntriesToPort,
            TablesDiff,
        )

        rows = differences.entries(count=max(count, len(differences.reasons()) * SHOWN), each=each)
        document = TablesDiff(
            kind="tables",
            fabric=fabric,
            expected=expected[0],
            found=found[0],
            refusals=expected[1].refusals,
            equal=not differences.differing,
            compared=differences.compared,
            differing=differences.differing,
            reasons=[EntriesForReason(*reason) for reason in differences.reasons()],
            switches=[EntriesOfSwitch(*switch) for switch in differences.switches()],
            destinations=[EntriesToPort(*port) for port in differences.destinations()],
            entries=rows,
        )
        print_json(document)
    else:
        _print_tables(expected, found, differences, show_all)
    return int(differences.differing > 0)


def _print_tables(
    expected: tuple[str, Routes], found: tuple[str, Routes], differences: TableDifference, show_all: bool
) -> None:
    say = _say()
    compared, differing = differences.compared, differences.differing
    refused = "".join(f" ({refusal(one.engine, one.reason)})" for one in expected[1].refusals)
    say(f"expected: {expected[0]}{refused}; found: {found[0]}")
    if not differing:
        say(f"Equal: {compared:,} entries (switches × destinations).")
        return
    say(f"{differing:,} of {compared:,} entries differ ({differing / compared:.2%})")
    say()
    for name, words, number in differences.reasons():
        say(f"{number:>12,}  {name:<22}  {words}")
    most = None if show_all else 10
    to = [(f"LID {lid} ({name})", number) for name, lid, number in differences.destinations()]
    for title, counted in (("switches", differences.switches()), ("destinations", to)):
        say()
        say(f"{title} with most of them, {len(counted):,} in all")
        _rows(say, "", [f"{number:>12,}  {name}" for name, number in counted], most)
    say()
    if show_all:
        say("switch\tLID\tdestination\texpected port\tfound port\twhy")
        sys.stdout.flush()
        for first in range(0, differing, _AT_A_TIME):
            sys.stdout.write(differences.lines(first, _AT_A_TIME).decode())
        return
    say("examples, three of each kind")
    for row in differences.entries(count=3 * len(differences.reasons()), each=3):
        say(
            f"  {row.switch} to LID {row.lid} ({row.to}): expected {_port(row.expected, row.expected_to)}, "
            f"found {_port(row.found, row.found_to)}: {row.why}"
        )


def _port(port: int | None, to: str | None) -> str:
    return "no entry" if port is None else f"port {port} ({to or 'no cable'})"


def _engines(
    fabric: str, source: str, found: Routes, routing: RoutingArguments, seconds: float, as_json: bool
) -> int:
    from .. import difference

    if routing.engine is not None:
        raise click.UsageError("--which-engine tries all engines: -R has no meaning with it")
    known = read_choice(found.fabric, routing).options
    with progress("engines") as advance:
        ranking = difference.which_engine(found, known, seconds=seconds, progress=advance)
    if as_json:
        from ..documents.difference import EnginesDiff, RankedEngine

        document = EnginesDiff(
            kind="engines",
            fabric=fabric,
            found=source,
            equal=bool(ranking.candidates) and ranking.candidates[0].share == 1.0,
            candidates=[
                RankedEngine(c.engine, list(c.options), c.equal, c.compared, c.share)
                for c in ranking.candidates
            ],
            refused=list(ranking.refused),
            untried=list(ranking.untried),
            seconds=ranking.seconds,
        )
        print_json(document)
    else:
        _print_ranking(ranking)
    return int(not ranking.candidates or ranking.candidates[0].share < 1.0)


def _print_ranking(ranking: Ranking) -> None:
    say = _say()
    say(f"{'equal':>9}  {'entries':>23}  engine and options")
    for candidate in ranking.candidates[:SHOWN]:
        of = f"{candidate.equal:,} of {candidate.compared:,}"
        share = f"{candidate.share:.2%}"
        if share == "100.00%" and candidate.equal < candidate.compared:
            share = "<100%"
        say(f"{share:>9}  {of:>23}  {'; '.join([candidate.engine, *candidate.options])}")
    if len(ranking.candidates) > SHOWN:
        say(f"{'':>9}  {'':>23}  and {len(ranking.candidates) - SHOWN:,} more (--json)")
    for one in ranking.refused:
        say(f"{'refuses':>9}  {'':>23}  {one.engine}: {one.reason}")
    for engine in ranking.untried:
        say(f"{'not tried':>9}  {'':>23}  {engine}: it would take longer than --seconds leaves")
    best = ranking.candidates[0] if ranking.candidates else None
    say()
    if best is None:
        say("No engine routes this fabric.")
    elif best.share == 1.0:
        same = sum(c.share == 1.0 for c in ranking.candidates)
        also = f" ({same} choices do)" if same > 1 else ""
        say(f"{'; '.join([best.engine, *best.options])} makes exactly these tables{also}.")
    else:
        say(f"No engine and options that were tried make these tables; {best.engine} comes nearest.")


def _say() -> Callable[..., None]:
    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    return say


def _rows(say: Callable[..., None], indent: str, rows: list[str], most: int | None) -> None:
    for row in rows[:most]:
        say(indent + row)
    if most is not None and len(rows) > most:
        say(f"{indent}and {len(rows) - most:,} more (--all, --json)")


def _by_kind(kinds: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return ", ".join(f"{number:,} {kind}" for kind, number in counts.items())


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
