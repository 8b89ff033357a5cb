"""`lacis whatif`: what a subnet manager does when cables and nodes fail and come back, and what is left then."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import click

from ..facts.words import count, refusal
from ._changes import ChangesCommand, changes, changes_options
from ._doubts import warn_of_doubts
from ._fabric import fabric_argument
from ._numbers import LISTED, PATTERNS, SEED
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._routing import engine_choice, read_choice, rules_of
from ._traffic import hosts_of, hosts_options, step_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Managed, Participants, Step
    from ..documents.failures import FabricStage, SweepStep
    from ..results import Entries, Losses, Resweep, Shifts
    from ._routing_options import RoutingArguments

_DOES = {
    "kept": "keeps what it can",
    "recomputed": "recomputes all tables",
    "cached": "runs no engine: its unicast cache has the tables",
}
_HAPPENED = {
    "cut": "cut",
    "drop": "dropped",
    "plug": "plugged in",
    "return": "back",
}


@click.command("whatif", cls=ChangesCommand)
@fabric_argument
@changes_options
@click.option("--together", is_flag=True, help="Let all changes happen before the next sweep.")
@engine_choice
@hosts_options
@click.option(
    "--patterns", type=PATTERNS, default=1000, show_default=True, help="How many random bisections."
)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of bisections.")
@click.option("--listed", type=LISTED, default=20, show_default=True, help="Lost destinations to list.")
@click.option("-o", "--output", metavar="FILE", help="Write the tables after the last change.")
@json_option
def command(
    fabric: Fabric,
    together: bool,
    routing: RoutingArguments,
    pairs: str,
    groups: str,
    host_order: str,
    rail: str,
    shifts: str,
    patterns: int,
    seed: int,
    listed: int,
    output: str | None,
    as_json: bool,
) -> int:
    """What the manager would do when cables and nodes fail and come back, and what would be left.

    \b
    lacis whatif FABRIC --cut leaf-03--spine-07
    lacis whatif FABRIC --drop spine-07 --cut 'leaf-03[19]' --restore spine-07

    Exit status 1: after the last change a pair is not delivered that was delivered before the first, of
    end ports that were not dropped.
    \f

    Changes happen in the order in which they are typed. A sweep follows each of them, or all with --together. After
    a loss alone the manager keeps what it can of its tables; when something comes up it recomputes them. Every sweep
    tries the engine list from its start. LIDs stay. Switches that the manager no longer sees keep their tables.

    Selectors are those of --without, where a name without * has to match one cable or node. --restore takes what
    was cut or dropped before.

    Bandwidths are modelled: 1 / the most flows on any link of a path, host links included.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from .. import _core
    from .. import routing as api
    from ..ranks.participants import in_words

    asked = changes()
    if not asked:
        raise click.UsageError("say what changes: --cut, --drop or --restore", click.get_current_context())
    if as_json and output == "-":
        raise click.UsageError("--json and tables on standard output do not go together")
    choice = read_choice(fabric, routing)
    with progress(f"routing by {choice.engines}"):
        first = _core.manage(fabric, choice.engines, **choice.options)
    warn_of_doubts(fabric, first.routes, choice)
    hosts = hosts_of(first.routes, groups, rail, host_order)
    width = len(hosts.hosts) if hosts else 0
    judge = _Judge(hosts, step_of(shifts, width), patterns, seed)
    sweeps = [asked] if together else [[one] for one in asked]
    with progress("judging sweeps") as advance:
        states = [State(first, judge)]
        steps: list[ChangeStep] = []
        for number, some in enumerate(sweeps, start=1):
            advance("judging sweeps", number, len(sweeps) + 1)
            before = states[-1].managed
            after, step = before.after(some)
            states.append(State(after, judge))
            cost = Cost(before.entries(after), before.losses(after, pairs, listed))
            steps.append(ChangeStep(some, step, cost))
        last = states[-1].managed
        total = Cost(first.entries(last), first.losses(last, pairs, listed))
    if output is not None:
        api.write_tables(last.routes, output)
    if as_json:
        from ..documents.base import row_of
        from ..documents.failures import ChangeTotal, WhatifDocument

        document = WhatifDocument(
            provenance="modelled",
            engine_requested=first.routes.engine_requested,
            population=pairs,
            groups=groups,
            hosts_by_group=dict(hosts.groups) if hosts else {},
            unknown=hosts.num_unknown if hosts else 0,
            host_order=host_order,
            rail=rail,
            patterns=patterns,
            seed=seed,
            together=together,
            before=states[0].row(),
            steps=[_step_row(one, state) for one, state in zip(steps, states[1:], strict=True)],
            total=row_of(ChangeTotal, total),
            file=output,
        )
        print_json(document)
    elif output != "-":
        made = choice.tables_file(first.routes) or first.routes.engine_used
        rules = rules_of(choice.engines, made)
        _print(states, steps, total, made, in_words(hosts) if hosts else "no hosts", rules)
    return 1 if total.losses.pairs_lost or total.losses.cut_off else 0


class Cost(NamedTuple):
    """The difference between two states."""

    entries: Entries
    losses: Losses


class ChangeStep(NamedTuple):
    """Changes between two sweeps: what was asked for, what the manager did, and what that cost."""

    asked: list[tuple[str, str]]
    did: Step
    cost: Cost


@dataclass(frozen=True)
class Bisection:
    """What random bisections get (modelled); the mean is None where no flow is left."""

    mean: float | None
    max_contention: int
    unrouted: int


@dataclass(frozen=True)
class Bandwidth:
    """What the hosts that are left get; None where fewer than two are left."""

    hosts: int
    bisection: Bisection | None = None
    shifts: Shifts | None = None


@dataclass(frozen=True)
class _Judge:
    """How much bandwidth is left: asks every state the same."""

    hosts: Participants | None
    step: int
    patterns: int
    seed: int

    def bandwidth(self, managed: Managed) -> Bandwidth:
        from .. import _core

        if self.hosts is None:
            return Bandwidth(0)
        left = managed.remaining(self.hosts)
        hosts = left.num_hosts
        if hosts < 2:
            return Bandwidth(hosts)
        found = _core.predict(
            managed.routes, left, "bisection", patterns=self.patterns, seed=self.seed, hottest=0
        )
        mean = found.relative_bandwidth["mean"] if found.flows else None
        bisection = Bisection(mean, found.max_contention, found.unrouted)
        return Bandwidth(hosts, bisection, managed.shifts(self.hosts, self.step))


class State:
    """A fabric between two changes, judged."""

    def __init__(self, managed: Managed, judge: _Judge) -> None:
        from .. import _core

        self.managed = managed
        self.routes = managed.routes
        self.bandwidth = judge.bandwidth(managed)
        self.loops = len(_core.verify(self.routes).credit_loops)

    def row(self) -> FabricStage:
        """The state, as documents have it."""
        from ..documents.base import row_of
        from ..documents.failures import BisectionsLeft, FabricStage

        left = self.bandwidth
        return FabricStage(
            engine_used=self.routes.engine_used,
            refusals=self.routes.refusals,
            blind=self.managed.blind,
            credit_loops=self.loops,
            hosts=left.hosts,
            bisection=None if left.bisection is None else row_of(BisectionsLeft, left.bisection),
            shifts=left.shifts,
        )


def _step_row(step: ChangeStep, state: State) -> SweepStep:
    """Some changes and the sweep that follows them, as documents have them."""
    from ..documents.base import row_of
    from ..documents.failures import AskedChange, Resweep, SweepStep

    return SweepStep(
        changes=[
            AskedChange(kind, selector, event, names)
            for (kind, selector), (event, names) in zip(step.asked, step.did.events, strict=True)
        ],
        sweeps=[row_of(Resweep, sweep) for sweep in step.did.sweeps],
        entries=step.cost.entries,
        losses=step.cost.losses,
        after=state.row(),
    )


def _print(
    states: list[State], steps: list[ChangeStep], total: Cost, made: str, hosts: str, rules: str
) -> None:
    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    say(f"At first: tables of {made}; {_bandwidth(states[0])}")
    for number, (step, (old, new)) in enumerate(zip(steps, pairwise(states), strict=True), start=1):
        say()
        for index, (event, names) in enumerate(step.did.events):
            say(f"{f'{number}.' if index == 0 else '':<3}{_HAPPENED[event]}: {_some(names, 6)}")
        _print_sweeps(say, step.did.sweeps, new.managed.blind)
        _print_cost(say, step.cost)
        say(f"   bandwidth left     {_bandwidth(new, old)}")
        if new.loops != old.loops:
            say(f"   CREDIT LOOPS       {old.loops} before, {new.loops} now")
    if len(steps) > 1:
        say()
        say("In all, from first to last")
        _print_cost(say, total)
        say(f"   bandwidth left     {_bandwidth(states[-1], states[0])}")
    say()
    say(
        f"modelled: {rules}; bandwidth of {hosts}: 1 / the most flows on a link of the path, 0 without a route"
    )


def _print_sweeps(say: Callable[[str], None], sweeps: list[Resweep], blind: list[str]) -> None:
    for manager in blind:
        say(f"   THE MANAGER on {manager} is cut off: tables stay as they are until another takes over")
    if not sweeps and not blind:
        say("   no manager notices: tables stay")
    for sweep in sweeps:
        say(f"   the manager on {sweep.manager} {_DOES[sweep.mode]}")
        for one in sweep.refusals:
            say(f"   {refusal(one.engine, one.reason)}")
        before, used = sweep.engine_before, sweep.engine_used
        if used is None:
            say("   NO ENGINE accepts what is left: tables stay")
        elif used != before:
            back = "FALLS BACK from" if sweep.fell_back else "goes back from"
            say(f"   {back} {before} to {used}")


def _print_cost(say: Callable[[str], None], cost: Cost) -> None:
    entries, losses = cost
    by_kind = {"rerouted": entries.rerouted, "lost": entries.lost, "gained": entries.gained}
    kinds = [f"{number:,} {kind}" for kind, number in by_kind.items() if number]
    what = f" ({', '.join(kinds)}) on {count(entries.switches, 'switch', 'switches')}" if kinds else ""
    say(f"   entries changed    {entries.changed:,} of {entries.compared:,}{what}")
    won = f"; {losses.regained:,} regained" if losses.regained else ""
    say(f"   pairs lost         {losses.pairs_lost or 'none'}{_why(losses)}{won}")
    for lost in losses.lost:
        say(f"     to {lost.to} (LID {lost.lid}) {count(lost.sources, 'sender')}: on {_some(lost.from_, 4)}")
    if losses.destinations > len(losses.lost):
        say(f"     and {losses.destinations - len(losses.lost):,} more (--listed)")
    for label, ports in (("CUT OFF", losses.cut_off), ("gone", losses.gone), ("back", losses.back)):
        if ports:
            say(f"   {label:<18} {count(len(ports), 'end port')}: {_some(ports, 6)}")


def _why(losses: Losses) -> str:
    if not losses.pairs_lost:
        return ""
    return f" ({losses.apart:,} that no cables join, {losses.unrouted:,} that tables leave out)"


def _bandwidth(state: State, before: State | None = None) -> str:
    found, earlier = state.bandwidth, before.bandwidth if before else Bandwidth(0)
    if not found.bisection:
        return "fewer than two hosts are left"
    parts = []
    if before and found.hosts != earlier.hosts:
        parts.append(count(found.hosts, "host"))
    parts.append(f"bisections {_share(_mean(found), _mean(earlier))}")
    now = _worst(found)
    at = f" (distance {found.shifts.worst_distance})" if found.shifts and now is not None and now < 1 else ""
    parts.append(f"worst shift {_share(now, _worst(earlier))}{at}")
    return ", ".join(parts)


def _mean(bandwidth: Bandwidth) -> float | None:
    return bandwidth.bisection.mean if bandwidth.bisection else None


def _worst(bandwidth: Bandwidth) -> float | None:
    return bandwidth.shifts.worst if bandwidth.shifts else None


def _share(now: float | None, old: float | None) -> str:
    """A share of the link rate, after what it was where that differs."""
    if now is None:
        return "–"
    change = f"{old:.4f} → " if old is not None and round(old, 4) != round(now, 4) else ""
    return f"{change}{now:.4f}"


def _some(names: list[str], most: int) -> str:
    more = f", … ({len(names):,})" if len(names) > most else ""
    return ", ".join(names[:most]) + more
