"""`lacis opafm`: the configuration of the Omni-Path fabric manager, checked, explained, compared and tried."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import click

from ..facts.words import count
from ..omnipath.opafm import congested_from
from ._fabric import load, warn, warn_of_notes
from ._numbers import MESSAGES
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._routing import make_routes, own_tables
from ._routing_options import RoutingArguments
from ._units import Size, Time

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Opafm
    from ..documents.opafm import OpafmWhatif
    from ..facts.found.settings import SettingFinding
    from ..omnipath.opafm import Change, Estimate, Settings, WhatIf

SHOWN = 40
"""Rows of each kind that are printed before the rest are counted."""
_FIGURES = {
    "total": ("all flows together", 1e9, "GB/s"),
    "mean": ("mean bandwidth of a flow", 1e9, "GB/s"),
    "least": ("slowest flow", 1e9, "GB/s"),
    "time": ("time of a run", 1e-6, "µs"),
    "moved": ("LIDs moved", 1, ""),
}
"""Figure of `lacis.omnipath.opafm.FIGURES` → its name, factor to the unit, and the unit."""


class _Tried(NamedTuple):
    """A change of adaptive routing that was simulated."""

    result: WhatIf
    fabric: str
    engine: str
    """The engine that made the tables."""
    tables: str | None
    """The file that they were read from."""
    period_assumed: bool
    """Whether the time between adjustments was not given."""


def _congested(*thresholds: int) -> str:
    return ", ".join(f"{threshold} at {congested_from(threshold)} %" for threshold in thresholds)


@click.command("opafm")
@click.argument("files", metavar="[diff] [FILE] [NEW]", nargs=-1)
@click.option("--emit", is_flag=True, help="Print the <AdaptiveRouting> block, with what is set here.")
@click.option("--enable", type=click.IntRange(0, 1), help="--emit: 1 on, 0 off.")
@click.option("--lost-route-only", type=click.IntRange(0, 1), help="--emit: 1 for lost links alone.")
@click.option("--algorithm", type=click.IntRange(0, 2), help="--emit: 0 Random, 1 Greedy, 2 GreedyRandom.")
@click.option("--frequency", type=click.IntRange(0, 7), help="--emit: at most once in 2^n × 64 ms.")
@click.option("--threshold", type=click.IntRange(0, 7), help=f"--emit: {_congested(7, 3, 1)}.")
@click.option("--instance", type=click.IntRange(0, 255), default=0, help="Of the manager, from 0.")
@click.option("--fabric", "on", metavar="FABRIC", help="Try the change from FILE to NEW on this fabric.")
@click.option("--pattern", "traffic", metavar="TRAFFIC", default="permutation", show_default=True)
@click.option(
    "-R",
    "--engine",
    metavar="ENGINE[,…]",
    help="Unless given: the tables of a snapshot, else as RoutingAlgorithm has it.",
)
@click.option(
    "--lfts", metavar="FILE", help="--fabric: read the tables instead, of any format of `route --lfts`."
)
@click.option("--bytes", "size", type=Size(), default="1MB", show_default=True, help="Of each message.")
@click.option("--count", "number", type=MESSAGES, default=4, show_default=True, help="Messages a flow.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=5, show_default=True, help="Runs of each.")
@click.option("--device", metavar="NAME", default="opa100", show_default=True)
@click.option(
    "--ar-period",
    type=Time(),
    help="Between adjustments at ARFrequency 0: 100us unless given, as 64 ms are longer than a simulation.",
)
@json_option
def command(
    files: tuple[str, ...],
    emit: bool,
    instance: int,
    on: str | None,
    traffic: str,
    engine: str | None,
    lfts: str | None,
    size: int,
    number: int,
    seeds: int,
    device: str,
    ar_period: float | None,
    as_json: bool,
    **chosen: int | None,
) -> int:
    """Check and explain an opafm.xml, compare two, and try what a change of adaptive routing does.

    \b
    lacis opafm FILE                                   what it says, and what is wrong with it
    lacis opafm diff FILE NEW                          what is different
    lacis opafm diff FILE NEW --fabric F --pattern P   and what that does to traffic
    lacis opafm --emit --enable 1 --threshold 7        the block to paste

    Errors are what the manager's config_check refuses, or what it passes and stops the manager or means the opposite;
    warnings are what it passes silently.

    Exit status 1: an error or a warning; of two files, a difference.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from ..omnipath import opafm

    names = files[1:] if files[:1] == ("diff",) and len(files) > 1 else files
    set_here = {name: value for name, value in chosen.items() if value is not None}
    if set_here and not emit:
        raise click.UsageError(f"--{next(iter(set_here)).replace('_', '-')} is for --emit")
    if len(names) > 2 or (not names and not emit) or (emit and len(names) > 1):
        raise click.UsageError("opafm takes a file, two files, or --emit with at most one")
    if on is not None and len(names) != 2:
        raise click.UsageError("--fabric tries the change from one file to another: give two")
    if on is None and (engine or lfts):
        raise click.UsageError(f"{'-R' if engine else '--lfts'} is for --fabric")
    read = [opafm.read(name) for name in names]
    for name, file in zip(names, read, strict=True):
        warn_of_notes(name, file.notes)
        if instance >= max(1, file.instances):
            raise click.UsageError(f"--instance {instance}: {name} has {count(file.instances, 'instance')}")
    if emit:
        return _emit(opafm.settings(read[0], instance) if read else opafm.Settings(), set_here, as_json)
    tried = None
    if on is not None:
        tried = _try(on, read, instance, traffic, engine, lfts, size, number, seeds, device, ar_period)
    differs = opafm.changes(*read) if len(read) == 2 else None
    findings = [opafm.findings(file) for file in read]
    adaptive = [opafm.settings(file, instance) for file in read]
    if as_json:
        from ..documents.base import row_of
        from ..documents.opafm import (
            AdaptiveSettings,
            OpafmDocument,
            OpafmFile,
            SettingChange,
        )

        files_read = [
            OpafmFile(
                file=name,
                instances=file.instances,
                routing_algorithm=opafm.engine(file, instance),
                adaptive_routing=AdaptiveSettings(**dataclasses.asdict(settings), words=settings.words()),
                findings=found,
            )
            for name, file, settings, found in zip(names, read, adaptive, findings, strict=True)
        ]
        document = OpafmDocument(
            files=files_read,
            instance=instance,
            changes=None if differs is None else [row_of(SettingChange, change) for change in differs],
            whatif=None if tried is None else _whatif_row(tried, traffic, device),
            block=None,
        )
        print_json(document)
    else:
        _print(names, read, adaptive, findings, differs, tried, traffic)
    if differs is not None:
        return int(bool(differs))
    return int(any(one.severity != "notice" for one in findings[0]))


def _emit(base: Settings, set_here: dict[str, int], as_json: bool) -> int:
    settings = dataclasses.replace(
        base,
        enable=bool(set_here.get("enable", base.enable)),
        lost_route_only=bool(set_here.get("lost_route_only", base.lost_route_only)),
        algorithm=set_here.get("algorithm", base.algorithm),
        frequency=set_here.get("frequency", base.frequency),
        threshold=set_here.get("threshold", base.threshold),
    )
    if as_json:
        from ..documents.opafm import OpafmDocument

        print_json(OpafmDocument(files=[], instance=0, changes=None, whatif=None, block=settings.block()))
    else:
        click.echo(settings.block(), nl=False)
        for line in settings.words():
            warn(line)
    return 0


def _try(
    on: str,
    read: list[Opafm],
    instance: int,
    traffic: str,
    engine: str | None,
    lfts: str | None,
    size: int,
    number: int,
    seeds: int,
    device: str,
    period: float | None,
) -> _Tried:
    """The change of adaptive routing from one file to the other, simulated."""
    from ..omnipath import opafm
    from ..requests.workload import Workload

    fabric = load(on)
    routes = own_tables(fabric, on) if engine is None and lfts is None else None
    tables = on if routes else lfts
    if routes is None:
        chosen = engine or (None if lfts else opafm.engine(read[1], instance))
        routes = make_routes(fabric, RoutingArguments(engine=chosen, lfts=lfts))
    old, new = (opafm.settings(file, instance) for file in read)
    work = Workload(traffic=traffic, size=size, count=number)
    with progress("simulating") as advance:
        result = opafm.whatif(
            routes,
            old,
            new,
            work,
            device=device,
            seeds=seeds,
            period=opafm.SCALED if period is None else period,
            progress=lambda done, of: advance("simulating", done, of),
        )
    return _Tried(result, on, routes.engine_used, tables, period is None)


def _whatif_row(tried: _Tried, traffic: str, device: str) -> OpafmWhatif:
    from ..documents.base import row_of
    from ..documents.opafm import OpafmWhatif, SeedMean, TrafficFigures

    result = tried.result

    def figures(of: dict[str, Estimate]) -> TrafficFigures:
        return TrafficFigures(**{name: row_of(SeedMean, estimate) for name, estimate in of.items()})

    return OpafmWhatif(
        provenance="modelled",
        fabric=tried.fabric,
        traffic=traffic,
        engine_used=tried.engine,
        tables=tried.tables,
        device=device,
        seeds=result.seeds,
        period=result.period,
        period_assumed=tried.period_assumed,
        before=figures(result.before),
        after=figures(result.after),
        change=figures(result.change),
        discarded=result.discarded,
        deadlocks=result.deadlocks,
    )


def _print(
    names: tuple[str, ...],
    read: list[Opafm],
    adaptive: list[Settings],
    findings: list[list[SettingFinding]],
    differs: list[Change] | None,
    tried: _Tried | None,
    traffic: str,
) -> None:
    from ..omnipath import opafm

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    for name, file, settings, found in zip(names, read, adaptive, findings, strict=True):
        say(f"{name}: {count(file.instances, 'instance')}, RoutingAlgorithm {opafm.engine(file)}")
        for line in settings.words():
            say(f"  {line}")
        if not found:
            say("  nothing is wrong with it")
        for one in found[:SHOWN]:
            where = f"line {one.line}" if one.line else one.path
            say(f"  {one.severity:<8} {where}: {one.text}")
        if len(found) > SHOWN:
            say(f"  and {len(found) - SHOWN:,} more (--json)")
        say()
    if differs is not None:
        say(f"Different: {count(len(differs), 'value')}")
        for change in differs[:SHOWN]:
            say(f"  {change.path}: {change.old or '–'} → {change.new or '–'}")
        if len(differs) > SHOWN:
            say(f"  and {len(differs) - SHOWN:,} more (--json)")
    if tried is not None:
        _print_whatif(say, tried, traffic)


def _print_whatif(say: Callable[..., None], tried: _Tried, traffic: str) -> None:
    result = tried.result
    say()
    whose = tried.tables or tried.engine
    say(
        f"What that does to {traffic}, modelled packet by packet, {count(result.seeds, 'seed')}, tables of {whose}"
    )
    for name, (label, unit, suffix) in _FIGURES.items():
        before, after, change = (side[name] for side in (result.before, result.after, result.change))
        margin = "" if change.margin is None else f" ± {change.margin / unit:.3g}"
        say(
            f"  {label:<26}{before.mean / unit:>10.4g} → {after.mean / unit:<8.4g}{suffix:<5} change {change.mean / unit:+.3g}{margin}"
        )
    if result.seeds > 1:
        say("  ± is the 95 % interval of the mean over seeds; run by run both have the same seed")
    for what, (was, now) in (("packets discarded", result.discarded), ("runs in deadlock", result.deadlocks)):
        if was or now:
            say(f"  {what:<26}{was:,} → {now:,}")
    why = "assumed; switches take 64 ms, longer than the simulation" if tried.period_assumed else "as asked"
    say(f"  between adjustments at ARFrequency 0: {result.period * 1e6:g} µs ({why})")
