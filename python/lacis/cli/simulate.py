"""`lacis simulate`: what messages get, packet by packet."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..errors import LacisError
from ..omnipath.opafm import congested_from
from . import _keep as kept
from ._also import ALSO, TESTS, Also, AlsoTraffic
from ._ends import INTERRUPTED
from ._fabric import fabric_argument, warn
from ._lanes import lane_options, packet_options
from ._numbers import (
    LISTED,
    LOAD,
    MESSAGES,
    METRES,
    PATTERNS,
    RANKS_PER_HOST,
    SEED,
    SERVICE_LEVEL,
    SHARE_ABOVE_0,
    WINDOW,
)
from ._output import echo, json_option, print_json
from ._packet_settings import adaptive_of, congestion_of, device_of, lanes_of, library_of
from ._progress import progress
from ._routing import routing_options
from ._simulation import print_result, write_messages
from ._traffic import groups_option, host_order_option, rail_option, senders_of, striping_option
from ._units import Rate, Size, Time

if TYPE_CHECKING:
    from .._core import Fabric, Routes


def _print_devices(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from .. import _core

    for name, about in _core.devices():
        echo(f"{name:8}{about}")
        for constant, amount, source in _core.device(name):
            echo(f"        {constant}: {amount} ({source})")
    ctx.exit()


@click.command("simulate")
@fabric_argument
@routing_options
@click.option(
    "--traffic",
    metavar="TRAFFIC",
    default="permutation",
    show_default=True,
    help="A pattern as for `lacis predict`, with each phase simulated alone, or a message program.",
)
@click.option("--patterns", type=PATTERNS, default=1, show_default=True, help="How many random patterns.")
@click.option(
    "--seed",
    type=SEED,
    default=1,
    show_default=True,
    help="Of random patterns and random choices.",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default="burst",
    show_default=True,
    help="What each flow does: --count messages at once, windows with answers, there and back, or a load.",
)
@click.option(
    "--bytes",
    "size",
    type=Size(zero=True),
    default="1MB",
    show_default=True,
    help="Payload of a message.",
)
@click.option(
    "--count",
    type=MESSAGES,
    default=1,
    show_default=True,
    help="Messages of a burst, windows, or rounds of ping-pong.",
)
@click.option(
    "--window",
    type=WINDOW,
    default=64,
    show_default=True,
    help="windows: messages sent before an answer is waited for.",
)
@click.option(
    "--load",
    type=LOAD,
    default=0.5,
    show_default=True,
    help="load: the share of its link that each host's messages would fill.",
)
@click.option("--duration", type=Time(), default="1ms", show_default=True, help="load: for how long.")
@click.option(
    "--sl",
    type=SERVICE_LEVEL,
    default=0,
    show_default=True,
    help="Service level that messages ask for; tables that assign lanes decide it themselves.",
)
@click.option(
    "--ranks-per-host",
    type=RANKS_PER_HOST,
    default=1,
    show_default=True,
    help="Message programs: ranks on each host.",
)
@click.option(
    "--local-rate",
    type=Rate(),
    default="10GB/s",
    show_default=True,
    help="Message programs: assumed rate of all messages inside a host together.",
)
@click.option(
    "--also",
    type=Also(),
    multiple=True,
    metavar="'TRAFFIC KEY=VALUE …'",
    help="Traffic at the same time; keys are "
    + ", ".join(ALSO)
    + ", as the options of these names. May be repeated.",
)
@groups_option
@host_order_option("Count", default="name")
@rail_option
@click.option("--device", metavar="NAME", default="ideal", show_default=True, help="Switches and adapters.")
@click.option(
    "--devices",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_devices,
    help="List the devices, their constants and where these come from.",
)
@click.option(
    "--mtu",
    type=Size(most=65_000),
    help="Most payload of a packet (the device's unless given, as all below).",
)
@click.option(
    "--buffer", type=Size(also="unlimited", most=2**32 - 1), help="Of each input and lane, or `unlimited`."
)
@click.option(
    "--queues",
    type=click.Choice(["fifo", "virtual"]),
    help="One queue an input and lane, or one for each output, too.",
)
@click.option("--switch-latency", type=Time(), help="From a header's arrival at a switch to its departure.")
@click.option("--cable-length", type=METRES, metavar="M", help="Of every cable, at 5 ns/m.")
@click.option(
    "--host-efficiency",
    type=SHARE_ABOVE_0,
    help="Share of their links' rate that hosts can use.",
)
@click.option(
    "--adaptive",
    type=click.Choice(["off", "least", "two", "omni-path"]),
    default="off",
    show_default=True,
    help="Each packet takes the port of a shortest path with least waiting, or the better of two; "
    "or switches move LIDs away from congested ports, now and then.",
)
@click.option(
    "--ar-algorithm",
    type=click.IntRange(0, 2),
    help="omni-path: 0 Random, 1 Greedy, 2 GreedyRandom (2 unless given).",
)
@click.option(
    "--ar-threshold",
    type=click.IntRange(0, 7),
    help=f"omni-path: 7 at {congested_from(7)} % of a buffer, "
    + ", ".join(f"{threshold} {congested_from(threshold)}" for threshold in range(6, 0, -1))
    + ", 0 like 3 (3 unless given).",
)
@click.option(
    "--ar-frequency", type=click.IntRange(0, 7), help="omni-path: n for every 2^n × 64 ms (0 unless given)."
)
@click.option("--ar-period", type=Time(), help="omni-path: any other time, for short simulations.")
@click.option("--lost-route-only", is_flag=True, help="omni-path: move LIDs for lost links only.")
@click.option(
    "--opafm", metavar="FILE", help="Take adaptive routing from an opafm.xml, of its first instance."
)
@click.option(
    "--cut",
    "cuts",
    type=(str, Time()),
    multiple=True,
    metavar="SELECTOR TIME",
    help="Cut cables between switches after a time of each phase or program; selectors as of `lacis whatif`. "
    "Repeatable.",
)
@lane_options
@packet_options
@click.option(
    "--multipath",
    type=click.Choice(["none", "by-message", "by-peer", "by-hash"]),
    default="none",
    show_default=True,
    help="Choose among a receiver's LIDs (--lmc) for each message.",
)
@striping_option
@click.option(
    "--circles", is_flag=True, help="Simulate flows that the tables lead in circles, too; normally refused."
)
@click.option(
    "--hop-limit",
    type=click.IntRange(1, 254),
    default=64,
    show_default=True,
    help="Discard a packet that has crossed so many switches.",
)
@click.option("--busiest", type=LISTED, default=10, show_default=True, help="Busiest links to list.")
@click.option(
    "--utilisation",
    "interval",
    type=Time(),
    help="How busy links are in intervals of this length.",
)
@click.option("-o", "--output", metavar="FILE", help="Write every message that arrived as a line of CSV.")
@kept.save_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    traffic: str,
    patterns: int,
    seed: int,
    groups: str,
    host_order: str,
    rail: str,
    striping: str,
    also: tuple[AlsoTraffic, ...],
    busiest: int,
    output: str | None,
    save_as: str | None,
    save_test: str | None,
    where: str,
    as_json: bool,
    **options: Any,
) -> int:
    """What the messages of a pattern or a message program get under given tables, packet by packet.

    Ctrl-C stops within a second; what was simulated by then is printed, marked as partial, and neither written (-o)
    nor kept (--save).

    Exit status 1: a deadlock, packets that were discarded, or flows without a route.
    \f

    \b
    Tests, of patterns:
      burst       each flow sends --count messages at once
      windows     --count windows of --window messages, each answered (osu_mbw_mr)
      ping-pong   --count rounds: a message there, a message back
      load        messages at random times, whether the network keeps up or not

    Message programs (allreduce:ring, stencil:8x8, trace:PATH …, as for `lacis predict`) run all their phases: a rank goes on
    when its own messages of the phase before have arrived; a phase of a trace begins for all at once.

    --also 'shift:1 test=load bytes=64 load=0.1' runs beside the rest and has its own results. A load ends
    with the others, or after its duration.

    Switches cut through: a packet leaves when its header has crossed the switch, its output is free and
    the next buffer has room for all of it. Buffers that wait for each other in a circle are a deadlock, and the
    circle is shown.

    --cut 'leaf-01--spine-02' 1ms: no tables are recomputed then. Switches discard what would leave by a cable
    that is cut, unless --adaptive finds another; what is discarded is not retransmitted.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from ..model.simulation import simulate
    from ..ranks.participants import participants
    from ..requests.workload import Workload

    if output == "-" and as_json:
        raise click.UsageError("--json and a file on standard output do not go together")
    if options["test"] == "load" and options["size"] == 0:
        raise LacisError("--test load needs messages of --bytes 1 or more")
    if options["interval"] is not None and options["interval"] < 1e-12:
        raise LacisError("--utilisation: an interval is 1 ps or more")
    kept.check(save_as, save_test)
    _check_test(options["test"])
    congestion = congestion_of(options["congestion_control"])
    adaptive = adaptive_of(options)
    hosts = participants(routes, groups=groups, host_order=host_order, rail=rail)
    others = []
    for one in also:
        senders = participants(
            routes, groups=groups, host_order=one.host_order or host_order, rail=one.rail or rail
        )
        library = library_of(one.striping or striping)
        others.append(dataclasses.replace(one.work, hosts=senders, striping=library))
    of_work = ("test", "size", "count", "window", "load", "duration", "sl", "ranks_per_host", "local_rate")
    work = Workload(
        traffic=traffic,
        hosts=hosts,
        striping=library_of(striping),
        **{name: options[name] for name in of_work},
    )
    device = device_of(options)
    with progress(f"simulating {traffic}"):
        result = simulate(
            routes,
            work,
            also=others,
            patterns=patterns,
            seed=seed,
            device=device,
            adaptive=adaptive,
            lanes=lanes_of(options),
            preempt=options["preempt"],
            congestion=congestion,
            multipath=options["multipath"],
            cuts=options["cuts"],
            hop_limit=options["hop_limit"],
            circles=options["circles"],
            record=output is not None or save_as is not None,
            interval=options["interval"],
        )
    if result.assumed_rates:
        links, rate = result.assumed_rates
        warn(f"{links} link directions report no rate; {rate} is assumed")
    if any(result.workload(number).weighted for number in range(result.num_workloads)):
        warn("weights of a trace's messages are for the fluid model; packets have none")
    if output is not None:
        if result.partial:
            warn("-o: the messages of an interrupted simulation are not written")
        else:
            write_messages(output, result)
    size = options.pop("size")
    asked: dict[str, object] = {
        "traffic": traffic,
        "patterns": patterns,
        "seed": seed,
        "bytes": size,
        **options,
    }
    asked["striping"] = work.striping
    typed = [one.typed for one in also]
    if as_json:
        from ._simulated import simulation_document

        counted = senders_of(hosts, groups, host_order, rail)
        document = simulation_document(
            routes, result, asked, typed, senders=counted, file=output, busiest=busiest
        )
        print_json(document)
    elif output != "-":
        print_result(
            routes,
            hosts,
            result,
            [work, *others],
            seed=seed,
            device=device.name,
            adaptive=adaptive.how,
            multipath=options["multipath"],
            busiest=busiest,
        )
    if result.partial:
        if save_as is not None:
            warn("--save: an interrupted simulation is not kept")
        return INTERRUPTED
    if save_as is not None:
        from ..measured.of_models import of_simulation

        asked_by = {key.replace("_", " "): value for key, value in (asked | {"also": typed}).items()}
        facts = kept.facts(routes, "packet", {**asked_by, "host order": host_order, "rail": rail})
        test = save_test or traffic.partition(":")[0]
        kept.keep(of_simulation(result, work, test, facts, fabric), save_as, where, fabric)
    return 1 if result.deadlock or result.unrouted or result.packets[2] else 0


_OF_TESTS = {
    "count": ("burst", "windows", "ping-pong"),
    "window": ("windows",),
    "load": ("load",),
    "duration": ("load",),
}
"""Options → the tests that they are about."""


def _check_test(test: str) -> None:
    """Refuse options that would have no effect."""
    context = click.get_current_context()
    for option, tests in _OF_TESTS.items():
        is_given = context.get_parameter_source(option) is ParameterSource.COMMANDLINE
        if is_given and test not in tests:
            raise click.UsageError(f"--{option} is for --test {' or '.join(tests)}, not {test}")
