"""What `lacis verify --topology` prints: cables and nodes as planned against those found, and the work that is left."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import asdict

from ..facts.words import count
from ._fabric import warn_of_notes
from ._output import console, print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Plan
    from ..documents.explain import CountedErrors
    from ..documents.topology import (
        CableReason,
        CableRow,
        CableVerdicts,
        NodeReason,
        NodeRow,
        NodeVerdicts,
        PlannedCable,
        PlannedNode,
        PlannedWork,
    )
    from ..results import Comparison

Row = TypeVar("Row")

SHOWN = 20
"""Rows of each kind that are printed before the rest are counted."""

_MEANS = {
    "as_planned": "found as planned",
    "missing": "planned; neither end has a cable",
    "unexpected": "found and not planned",
    "misconnected": "planned; one end has a cable, which leads elsewhere",
    "duplicate": "planned; both ends have other cables, or the plan has a port twice",
    "different": "found where planned, with another name, GUID, port, kind, rate or MTU, or not active",
}
_KINDS = {
    "external": "external",
    "hosts": "to hosts",
    "between_switches": "between switches",
    "external_between_switches": "external, between switches",
}
_WORK = {
    "swap": "SWAP two plugs",
    "rotation": "ROTATE {} plugs, each into the next one's port",
    "move": "MOVE a plug",
    "shift": "SHIFT {} plugs",
    "connect": "CONNECT",
    "take_out": "TAKE OUT",
}
_BEYOND = {
    "inside_directors": "inside of directors, which the plan does not list",
    "aggregation_nodes": "to aggregation nodes, which are inside of switches",
    "hosts": "to hosts, of which the plan lists none",
    "between_switches": "between switches, of which the plan lists none",
}


def verify_plan(
    fabric: Fabric, sources: tuple[str, ...], topology_out: str | None, *, show_all: bool, as_json: bool
) -> int:
    """Reads plans, compares them with the fabric, prints what is found. The exit status."""
    from .. import _core
    from ..difference import planned
    from ..io import files

    read = [planned.read(source) for source in sources]
    for source, plan in zip(sources, read, strict=True):
        warn_of_notes(source, plan.notes)
    if topology_out is not None:
        files.write(topology_out, _core.write_topology(read))
    found = planned.compare(read, fabric)
    errors = _errors(fabric)
    if as_json:
        _print_json(found, sources, read, errors)
    else:
        _print(found, sources, read, None if show_all else SHOWN, errors or ())
    return int(not found.good)


def _errors(fabric: Fabric) -> list[CountedErrors] | None:
    """Errors that ports have counted beyond what is tolerated; none where the fabric has no counters."""
    from ..explain.errors import errors_of

    if not fabric.counters[0]:
        return None
    return [one for counts in errors_of(fabric).values() for one in counts]


def _print_json(
    found: Comparison, sources: tuple[str, ...], read: list[Plan], errors: list[CountedErrors] | None
) -> None:
    from msgspec import UNSET

    from ..documents.topology import PlanRead, TopologyDocument

    plans = [
        PlanRead(source, plan.format, len(plan), *plan.listed, plan.directors)
        for source, plan in zip(sources, read, strict=True)
    ]
    document = TopologyDocument(
        plans=plans,
        good=found.good,
        counts=found.counts,
        counts_by_kind=found.counts_by_kind,
        lists=found.lists,
        cables=found.cables,
        nodes=found.nodes,
        work=found.work,
        unknown_names=found.unknown_names,
        not_planned_kinds=found.not_planned_kinds,
        mtu_not_compared=found.mtu_not_compared,
        rate_not_compared=found.rate_not_compared,
        no_guid=found.no_guid,
        errors=UNSET if errors is None else errors,
    )
    print_json(document)


def _print(
    found: Comparison,
    sources: tuple[str, ...],
    read: list[Plan],
    most: int | None,
    errors: Sequence[CountedErrors],
) -> None:
    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    formats = ", ".join(dict.fromkeys(plan.format for plan in read))
    files = f" in {len(read)} files" if len(read) > 1 else ""
    listed = [sum(numbers) for numbers in zip(*(plan.listed for plan in read), strict=True)]
    names = ("adapter", None), ("switch", "switches"), ("manager", None)
    also = [count(number, *filter(None, name)) for number, name in zip(listed, names, strict=True) if number]
    also_said = f"; lists {', '.join(also)}" if also else ""
    say(f"Plan: {count(sum(map(len, read)), 'cable')}{files} ({formats}){also_said}")
    say()
    for verdict, number in asdict(found.counts).items():
        if number or verdict in ("as_planned", "missing", "unexpected"):
            say(f"  {verdict.replace('_', ' '):<14}{number:>9,}  {_MEANS[verdict]}")
    for kind, number in asdict(found.not_planned_kinds).items():
        if number:
            say(f"  {'not judged':<14}{number:>9,}  found {_BEYOND[kind]}")
    _print_sums(say, found)
    _print_doubts(say, found)
    if errors:
        _print_rows(say, "Errors counted", list(errors), _counted, most)
    if found.good:
        return
    _print_unknown(say, found, sources, most)
    _print_work(say, found, most)
    for verdict in list(asdict(found.counts))[1:]:
        cables = [cable for cable in found.cables if cable.verdict == verdict]
        _print_rows(say, verdict.capitalize(), cables, partial(_cable, sources=sources), most)
    for name in asdict(found.lists):
        nodes = [node for node in found.nodes if node.list_ == name]
        title = f"{name.capitalize()} that are not as planned"
        _print_rows(say, title, nodes, partial(_node, sources=sources), most)


def _print_sums(say: Callable[..., None], found: Comparison) -> None:
    """Sums by kind of cable, where some deviate, and of each list of nodes."""
    if found.cables:
        for kind, counts in asdict(found.counts_by_kind).items():
            if any(asdict(counts).values()):
                say(f"  {_KINDS[kind] + ':':<28}{_sums(counts)}")
    for name, row in asdict(found.lists).items():
        if row.compared:
            aside = f"; {row.not_judged:,} of a kind that is not listed" if row.not_judged else ""
            say(f"  {name + ':':<28}{_sums(row.counts)}{aside}")
        elif row.listed:
            say(f"  {name + ':':<28}not compared: this dump has none")


def _sums(counts: CableVerdicts | NodeVerdicts) -> str:
    said = [f"{number:,} {verdict.replace('_', ' ')}" for verdict, number in asdict(counts).items() if number]
    return ", ".join(said) or "none"


def _print_doubts(say: Callable[..., None], found: Comparison) -> None:
    if found.no_guid:
        say("  node GUIDs of the plan are ignored: the fabric has none of them")
    for what, number in (("MTU", found.mtu_not_compared), ("rate", found.rate_not_compared)):
        if number:
            say(f"  the {what} of {count(number, 'cable')} is not compared: this dump does not have it")


def _print_unknown(
    say: Callable[..., None], found: Comparison, sources: tuple[str, ...], most: int | None
) -> None:
    if not found.unknown_names:
        return
    say()
    say(f"Names of the plan that no node has: {len(found.unknown_names):,}")
    for one in found.unknown_names[:most]:
        near = f"; did you mean {' or '.join(one.near)}?" if one.near else ""
        where = _at(sources, one.plan, one.line)
        say(f"  {one.name} ({where}, {count(one.cables, 'cable')}){near}")
    _more(say, len(found.unknown_names), most)
    misnamed = sum(one.misnamed for one in found.unknown_names)
    if misnamed:
        say(
            f"  The work list leaves out {count(misnamed, 'cable')} to such names: the node that is cabled there is likely the one "
            "meant. Correct the plan, or rename the node."
        )


def _print_work(say: Callable[..., None], found: Comparison, most: int | None) -> None:
    moves = sum(len(work.moves) for work in found.work)
    connects = sum(work.connect is not None for work in found.work)
    takes = sum(work.take_out is not None for work in found.work)
    if not found.work:
        return
    kinds = [
        count(moves, "plug") + " to move",
        count(connects, "cable") + " to connect",
        f"{takes:,} to take out",
    ]
    say()
    say(f"Work list for the machine room: {', '.join(kinds)}")
    for number, work in enumerate(found.work[:most], start=1):
        for line in work_lines(work, f"{number:>4}. "):
            say(line)
    _more(say, len(found.work), most)
    if connects and takes:
        say("      Cables that are taken out may serve for those to be connected, if they are long enough.")


def work_lines(work: PlannedWork, head: str) -> list[str]:
    """A piece of work in lines, the first with a head."""
    what = _WORK[work.kind].format(len(work.moves))
    if work.kind == "connect" and work.connect is not None:
        return [f"{head}{what} {' to '.join(work.connect)}: no live cable between them"]
    if work.kind == "take_out" and work.take_out is not None:
        return [f"{head}{what} the cable from {' to '.join(work.take_out)}"]
    lines = [head + what]
    indent = " " * len(head)
    for move in work.moves:
        label = f", label {move.label}" if move.label else ""
        lines.append(
            f"{indent}from {move.from_} to {move.to}: the cable whose other end is at {move.stays}{label}"
        )
    if work.take_out is not None:
        lines.append(f"{indent}take out the cable from {' to '.join(work.take_out)}")
    if work.connect is not None:
        lines.append(f"{indent}connect {' to '.join(work.connect)}")
    return lines


def _print_rows(
    say: Callable[..., None],
    title: str,
    rows: list[Row],
    line: Callable[[Row], str],
    most: int | None,
) -> None:
    if not rows:
        return
    say()
    say(f"{title}: {len(rows):,}")
    for row in rows[:most]:
        say(f"  {line(row)}")
    _more(say, len(rows), most)


def _counted(one: CountedErrors) -> str:
    return f"{one.port} has counted {one.value:,} {one.counter} (tolerated: {one.threshold:,})"


def _cable(cable: CableRow, sources: tuple[str, ...]) -> str:
    planned, there = cable.planned, cable.found
    if planned is None:
        return " to ".join(there.ends if there else [])
    where = _where(sources, planned)
    reasons = "; ".join(_reason(why, sources) for why in cable.why)
    return f"{' to '.join(planned.ends)} ({where}){f': {reasons}' if reasons else ''}"


def _reason(why: CableReason, sources: tuple[str, ...]) -> str:
    end = why.end
    words = {
        "no_node": f"no node has the name in {end}",
        "no_port": f"no such port as {end}",
        "no_cable": f"{end} has no cable",
        "leads_to": f"{end} leads to {why.found}",
        "inactive": f"{end} has a link and is not active",
    }
    if why.reason in words:
        return words[why.reason]
    if why.repeats is not None:
        return f"the plan has the port twice, first in {_where(sources, why.repeats)}"
    at = f" at {end}" if end else ""
    return f"{_attribute(why.reason)}{at}: {_both(why)}"


def _both(why: CableReason | NodeReason) -> str:
    """What was planned and what was found; nothing where a name is empty."""
    return f"planned {why.planned or 'nothing'}, found {why.found or 'nothing'}"


def _attribute(reason: str) -> str:
    return "MTU" if reason == "mtu" else reason.replace("_guid", " GUID")


def _node(node: NodeRow, sources: tuple[str, ...]) -> str:
    planned = node.planned
    if planned is None:
        return f"unexpected: {node.found}"
    reasons = []
    for why in node.why:
        if why.repeats is not None:
            reasons.append(f"the plan has it twice, first in {_where(sources, why.repeats)}")
        elif why.reason == "no_node":
            reasons.append("no node has this name")
        elif why.reason == "no_manager":
            reasons.append("the node is there, no manager runs at that port")
        else:
            reasons.append(f"{_attribute(why.reason)}: {_both(why)}")
    where = _where(sources, planned)
    return f"{node.verdict}: {planned.name} ({where}): {'; '.join(reasons)}"


def _where(sources: tuple[str, ...], planned: PlannedCable | PlannedNode) -> str:
    return _at(sources, planned.plan, planned.line)


def _at(sources: tuple[str, ...], plan: int, line: int | None) -> str:
    if line is None:
        return sources[plan]
    return f"{sources[plan]}:{line}" if len(sources) > 1 else f"line {line}"


def _more(say: Callable[..., None], number: int, most: int | None) -> None:
    if most is not None and number > most:
        say(f"  and {number - most:,} more (--all, --json)")
