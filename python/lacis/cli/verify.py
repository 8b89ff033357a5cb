"""`lacis verify`: what tables do with every pair of end ports; or whether cables are as planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..facts.words import count
from ._fabric import fabric_argument
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._routing import make_routes, routing_choice, tables_file
from ._routing_options import RoutingArguments

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric, Routes, Verification
    from ..documents.common import Forced
    from ..documents.verify import GroupProof
    from ..documents.verify import Verification as Proof
    from ..facts.bounds import ShiftsBounded


@click.command("verify")
@fabric_argument
@click.option(
    "--topology",
    "plans",
    multiple=True,
    metavar="FILE",
    help="Compare cables and nodes with a plan instead: topology XML, opaxlattopology's CSV, NVIDIA's NDT, or a fabric; repeatable.",
)
@click.option("--topology-out", metavar="FILE", help="With --topology: write the plan as topology XML.")
@click.option("--all", "show_all", is_flag=True, help="With --topology: print every row.")
@routing_choice
@click.option(
    "--pairs",
    type=click.Choice(["hosts", "all"]),
    default="all",
    help="Between host adapters only, or all end nodes (the default).",
)
@click.option("--switches", is_flag=True, help="From and to the LIDs of switches as well.")
@json_option
def command(
    fabric: Fabric,
    plans: tuple[str, ...],
    topology_out: str | None,
    show_all: bool,
    routing: RoutingArguments,
    pairs: str,
    switches: bool,
    as_json: bool,
) -> int:
    """Prove what the tables do with every ordered pair of end ports.

    \b
    lacis verify FABRIC -R ENGINE
    lacis verify FABRIC --topology PLAN    whether cables and nodes are as planned

    Each pair has one verdict. Hops count the switches traversed. Balance is that of all-to-all traffic over
    the inter-switch links, per direction. A credit loop is a circle of links that can wait for each other
    forever, lane by lane where the engine assigns virtual lanes, else with all traffic on one.

    Exit status 1: some pair that cables join is not delivered, no cables join a host with the rest, or there is a
    credit loop; a port group of a snapshot leads elsewhere than its LID; with --topology, something is not as planned.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    if plans:
        if routing.first is not None:
            raise click.UsageError("--topology compares cables: tables and engines have no meaning with it")
        from ._planned import verify_plan

        return verify_plan(fabric, plans, topology_out, show_all=show_all, as_json=as_json)
    if topology_out is not None or show_all:
        raise click.UsageError("--topology-out and --all are for --topology")
    from .. import _core
    from ..ranks.participants import participants

    routes = make_routes(fabric, routing)
    others = {"router", "aggregation"} & set(fabric.kinds())
    with progress("proving every pair"):
        result = _core.verify(routes, pairs, switches=switches)
        hosts = _core.verify(routes, "hosts", switches=switches) if others and pairs == "all" else None
        groups = group_proof(routes)
        shifts = _core.shift_bound(participants(routes, rail="each"))
        cut_off = hosts_cut_off(fabric, result)
    if as_json:
        import msgspec

        from ..documents.verify import VerifyDocument

        proof = proof_row(result, _core.forced(routes, pairs), cut_off)
        forced = _core.forced(routes, "hosts")
        document = VerifyDocument(
            engine_requested=routes.engine_requested,
            engine_used=routes.engine_used,
            population=pairs,
            switch_lids=switches,
            **msgspec.structs.asdict(proof),
            hosts_only=msgspec.UNSET if hosts is None else proof_row(hosts, forced, cut_off),
            shifts=msgspec.UNSET if shifts is None else shifts,
            port_groups=msgspec.UNSET if groups is None else groups,
        )
        print_json(document)
    else:
        out = console()
        has_rails = participants(routes).rails > 1
        print_line(out, f"Tables of {tables_file() or routes.engine_used}")
        if hosts is not None:
            _print(
                out, hosts, _core.forced(routes, "hosts"), "host adapters only", cut_off, shifts, has_rails
            )
        forced = _core.forced(routes, pairs)
        if pairs == "hosts" or hosts is None:
            _print(out, result, forced, "host adapters", cut_off, shifts, has_rails)
        else:
            _print(out, result, forced, "all end nodes", cut_off, None, has_rails)
        if groups is not None:
            _print_groups(out, groups)
    return 0 if good(result, cut_off) and not (groups and groups.errors) else 1


def group_proof(routes: Routes) -> GroupProof | None:
    """What the port groups that were read with tables do; none where there are none."""
    from ..documents.verify import GroupError, GroupProof

    found = routes.verify_port_groups()
    if found is None:
        return None
    entries, alternatives, errors = found
    rows = [
        GroupError(switch, f"0x{guid:016x}", lid, owner, port, fault)
        for switch, guid, lid, owner, port, fault in errors
    ]
    return GroupProof(entries, alternatives, rows)


_FAULTS = {
    "wrong_device": "ends at the wrong device",
    "no_cable": "has no cable",
    "loop": "leads back",
    "no_group": "is not there",
}


def _print_groups(out: Console, groups: GroupProof) -> None:
    def say(line: str) -> None:
        print_line(out, line)

    say("")
    say(
        f"port groups           {count(groups.entries, 'entry', 'entries')}, {groups.alternatives:,} alternatives"
    )
    for error in groups.errors[:3]:
        what = f"port {error.port} of its group" if error.port is not None else "its group"
        say(
            f"  WRONG               {error.switch}, LID {error.lid} ({error.owner}): {what} {_FAULTS[error.fault]}"
        )
    if len(groups.errors) > 3:
        say(f"  WRONG               and {len(groups.errors) - 3:,} more")


def hosts_cut_off(fabric: Fabric, result: Verification) -> int:
    """How many hosts no cables join with the rest, on any plane."""
    import numpy as np

    from .. import health

    lost = result.pairs > result.verdicts["delivered"]
    cables = fabric.cables()
    cabled = np.zeros(fabric.num_switches + fabric.num_end_nodes, bool)
    cabled[cables[0::4]] = cabled[cables[2::4]] = True
    # Health takes longer than most proofs.
    return health.hosts_cut_off(fabric, health.examine(fabric)) if lost or not cabled.all() else 0


def good(result: Verification, cut_off: int) -> bool:
    """Whether tables deliver all that cables join, without a credit loop, and no host is cut off."""
    lost = result.pairs - result.verdicts["delivered"]
    return lost <= result.apart and not result.credit_loops and not cut_off


def proof_row(result: Verification, forced: Forced, cut_off: int) -> Proof:
    """What is proved about one population."""
    from ..documents.base import row_of
    from ..documents.common import LinkBalance, Verdicts
    from ..documents.verify import FailedPair, UnreachedPort, Verification

    most, mean, links, used = result.balance
    return Verification(
        pairs=result.pairs,
        verdicts=Verdicts(**result.verdicts),
        apart=result.apart,
        hops={str(switches): pairs for switches, pairs in result.hops.items()},
        credit_loops=[loop.ports for loop in result.credit_loops],
        credit_loop_channels=[loop.channels for loop in result.credit_loops],
        lanes=result.lanes,
        balance=LinkBalance(max=most, mean=mean, links=links, used=used, forced=forced),
        unreached=[row_of(UnreachedPort, port) for port in result.unreached],
        failures=[FailedPair(*failure) for failure in result.failures],
        hosts_cut_off=cut_off,
        good=good(result, cut_off),
    )


def _print(
    out: Console,
    result: Verification,
    forced: Forced,
    population: str,
    cut_off: int,
    shifts: ShiftsBounded | None,
    has_rails: bool,
) -> None:
    from ..facts.wording import text

    switches = ", switches included" if result.switch_lids else ""

    def say(line: str = "") -> None:
        print_line(out, line)

    say()
    say(f"{count(result.pairs, 'ordered pair')} ({population}{switches})")
    for verdict, pairs in result.verdicts.items():
        if pairs or verdict == "delivered":
            say(f"  {verdict.replace('_', ' '):<12} {pairs:>15,}")
    if result.apart:
        say(f"  {'apart':<12} {result.apart:>15,}  of these: no cables join the two ports, so no tables do")
    if cut_off:
        without = "cables join it" if cut_off == 1 else "cables join them"
        say(
            f"  hosts cut off {cut_off:>14,}  no {without} with the rest; those without any cable are in no pair"
        )
    for verdict, source, target, lid in result.failures:
        say(f"  {verdict.replace('_', ' ')}, for example: {source} to {target} (LID {lid})")
    if result.unreached:
        shown = [f"{port} ({count(sources, 'source')})" for port, _, sources in result.unreached[:3]]
        more = ", …" if len(result.unreached) > len(shown) else ""
        say(f"  {count(len(result.unreached), 'destination')} not reached by all: {', '.join(shown)}{more}")
    hops = ", ".join(f"{n}: {pairs:,}" for n, pairs in result.hops.items())
    say(f"switches on a path    {hops or 'no pair is delivered'}")
    most, mean, links, used = result.balance
    if links:
        ratio = f" = {most / mean:.2f} × the" if mean else ","
        say(f"flows per link        max {most:,}{ratio} mean {mean:,.1f}")
        if forced.flows:
            times = f"; max is {most / forced.flows:.2f} × that" if most >= forced.flows else ""
            say(f"  forced              {forced.flows:,} at least, whatever the tables: {forced.why}{times}")
        say(f"  used                {used:,} of {links:,} directions")
        for port, far, flows in result.busiest(3):
            say(f"  busiest             {port} → {far}: {flows:,}")
        if shifts is not None:
            # `advise`, `predict` and `report` ask what shifts of hosts get, rail to rail.
            apart = "every adapter by itself: " if has_rails else ""
            say(f"bound, leaf by leaf   {apart}{text(shifts)}")
    if not result.credit_loops:
        lanes = f" on {result.lanes} lanes" if result.lanes > 1 else ""
        say(f"credit loops          none{lanes}")
    for cycle, channels in result.credit_loops:
        say(f"CREDIT LOOP           {len(cycle)} links wait in a circle, the shortest among {channels:,}:")
        for port in cycle:
            say(f"    {port} waits for")
        say(f"    {cycle[0]}")
