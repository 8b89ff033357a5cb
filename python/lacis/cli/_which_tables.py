"""`lacis explain --which-tables`: the tables that a measurement is consistent with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ..facts.words import count
from ._output import console, echo, new_table, print_table
from ._routing import read_choice, tables_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..documents.explain import Candidate, ComparedTables
    from ..explain import Explanation, WhichTables
    from ._routing_options import RoutingArguments

which_tables_option = click.option(
    "--which-tables",
    is_flag=True,
    help="Say which tables the measurement is consistent with: those of --lfts, of each engine (of those that -R names), or none.",
)


def ranked(
    fabric: Fabric,
    routes: Routes,
    found: Explanation,
    routing: RoutingArguments,
    advance: Callable[[str], object],
) -> WhichTables:
    """Candidate tables, ranked.

    Raises:
        LacisError: when times were measured, which do not depend on what else is sent.
    """
    from .. import explain

    if found.series.unit != "bytes/s":
        raise LacisError("times do not show which flows share a link: bandwidths do (--what bandwidth)")
    wanted = read_choice(fabric, routing)
    asked = routing.engine is not None or routing.opensm_conf is not None
    given = tables_file() if routing.lfts is not None else None
    engines = tuple(dict.fromkeys(wanted.engines.split(","))) if asked else ()
    return explain.which_tables(
        found.core, routes, engines=engines, given=given, tell=advance, **wanted.options
    )


def of_assumed(which: WhichTables, routes: Routes) -> WhichTables | None:
    """The comparison with the tables that were assumed by their name among candidates; none where they are not among them."""
    from dataclasses import replace

    import msgspec

    from ..explain.tables import ASSUMED

    name = tables_file() or routes.engine_used
    own = [one for one in which.candidates if (one.name, one.how) == (name, "tables")]
    if not own:
        return None
    candidates = [
        msgspec.structs.replace(one, name=ASSUMED) if one is own[0] else one for one in which.candidates
    ]
    return replace(which, candidates=candidates)


def status(which: WhichTables) -> int:
    """0 where candidates differ, 1 where tables that were given are not among the consistent ones, 2 where it cannot be said."""
    if not which.distinguishes or not which.fits:
        return 2
    given = tables_file()
    there = {one.name for one in which.candidates}
    return int(given in there and given not in {one.name for one in which.consistent})


def say(which: WhichTables) -> None:
    """Prints them, group by group."""
    flows = count(which.flows, "flow")
    if not which.distinguishes:
        why = (
            f"too few of {flows} share links"
            if which.differing
            else f"the candidates differ on none of {flows}"
        )
        echo(f"cannot tell which tables the fabric runs: {why}")
        echo(
            "  many flows at the same time would show it: random pairs, or shifts that the tables do not spread evenly"
        )
        return
    best = which.consistent[0]
    echo(f"consistent with: {in_words(which.consistent)}")
    if not which.fits:
        echo("  but none fits well: edited tables, faults or other traffic may be why")
    if best.as_expected is not None:
        echo(
            f"  {best.as_expected:.1%} of the {which.differing:,} flows on which candidates differ are as modelled (within 15 %)"
        )
    echo(
        f"  hosts reach {best.level:.1%} of the modelled rates (estimated); half of the values are within {best.spread:.1%}"
    )
    table = new_table("candidates", "as modelled", "behind by [σ]", prose=("candidates",))
    for group in which.groups():
        first = group[0]
        near = "–" if first.as_expected is None else f"{first.as_expected:.1%}"
        table.add_row(in_words(group), near, f"{first.z:.1f}")
    print_table(console(), table)
    for one in which.refused:
        echo(f"  not compared: {one.engine}: {one.reason}")
    echo(
        "modelled: rates are max-min fair among the flows of a round; the run does not distinguish the candidates of one line"
    )


def in_words(group: Sequence[Candidate]) -> str:
    """Candidates in a line: `minhop, updn; in another order of LIDs: minhop; adaptive routing`."""
    by_how = {how: [one.name for one in group if one.how == how] for how in ("tables", "orders", "spread")}
    words = [", ".join(by_how["tables"])]
    words.append(f"in another order of LIDs: {', '.join(by_how['orders'])}" if by_how["orders"] else "")
    words.append("adaptive routing, spread over all shortest paths" if by_how["spread"] else "")
    return "; ".join(word for word in words if word)


def tables_row(which: WhichTables) -> ComparedTables:
    """The candidates as a row of a document."""
    from ..documents.explain import ComparedTables

    return ComparedTables(
        provenance="modelled",
        distinguishes=which.distinguishes,
        fits=which.fits,
        flows=which.flows,
        differing=which.differing,
        candidates=list(which.candidates),
        refused=list(which.refused),
    )
