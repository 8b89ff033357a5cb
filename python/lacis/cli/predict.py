"""`lacis predict`: which flows contend under given tables, and what bandwidth is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..facts.words import count
from . import _keep as kept
from ._fabric import fabric_argument, warn
from ._lanes import lane_options, lanes_words
from ._numbers import LISTED, PATTERNS, RANKS_PER_HOST, SEED, SHARE_ABOVE_0
from ._output import console, json_option, print_json, print_line
from ._prediction_shown import phases_in_words, print_prediction
from ._progress import progress
from ._routing import routing_options, tables_file
from ._times import Assumptions, Sized, efficiencies
from ._traffic import RANDOM, groups_option, host_order_option, rail_option, senders_of, striping_option
from ._units import Rate, Size, size_shown

if TYPE_CHECKING:
    from .._core import Fabric, Participants, Prediction, Routes, Times

_ALL_SHIFTS = ("shift", "mpigraph")
_SIZE = 10**6
_LOCAL_RATE = 1e10
_MOST_LEAVES = 128  # a matrix of more is printed only when asked for


@click.command("predict")
@fabric_argument
@routing_options
@click.option(
    "--traffic",
    metavar="PATTERN",
    default="bisection",
    show_default=True,
    help="pairs, permutation, bisection, shift, mpigraph, leaf-offset, alltoall, file:PATH, or a message program such as "
    "allreduce:ring; --help-all lists them.",
)
@click.option("--patterns", type=PATTERNS, default=1000, show_default=True, help="How many random patterns.")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of random patterns.")
@click.option(
    "--model",
    type=click.Choice(["load", "fluid"]),
    default="load",
    show_default=True,
    help="Count flows per link, or share the links' rates max-min fairly.",
)
@groups_option
@host_order_option("Count")
@rail_option
@click.option(
    "--host-efficiency",
    type=SHARE_ABOVE_0,
    default=1.0,
    help="fluid: assume that hosts use only this share of their links' rate.",
)
@click.option(
    "--link-efficiency",
    type=SHARE_ABOVE_0,
    default=1.0,
    help="fluid: assume that only this share of any link's rate carries payload.",
)
@click.option(
    "--bytes",
    "size",
    type=Size(),
    metavar="SIZE",
    help="fluid: send messages of this size (64KiB, 1MB) and time them. 1MB for programs.",
)
@click.option(
    "--ranks-per-host",
    type=RANKS_PER_HOST,
    metavar="N",
    help="Message programs: ranks on each host. [default: 1]",
)
@click.option(
    "--local-rate",
    type=Rate(),
    metavar="RATE",
    help="Message programs: assumed rate of all messages inside a host together. [default: 10GB/s]",
)
@click.option(
    "--multipath",
    type=click.Choice(["none", "by-message", "by-peer", "by-hash", "spray", "ideal"]),
    default="none",
    show_default=True,
    help="With sizes: choose among a receiver's LIDs (--lmc), spray over all minimal ports, or split as is best.",
)
@striping_option
@click.option(
    "--by-lane",
    is_flag=True,
    help="fluid: divide links among lanes first; implied by the options below.",
)
@lane_options
@click.option("--hottest", type=LISTED, default=10, show_default=True, help="Hottest links to list.")
@click.option(
    "--matrix", type=click.Choice(["leaf", "host", "none"]), help="Relative bandwidth from each to each."
)
@kept.save_options
@json_option
def command(
    fabric: Fabric,
    routes: Routes,
    traffic: str,
    patterns: int,
    seed: int,
    model: str,
    groups: str,
    host_order: str,
    rail: str,
    host_efficiency: float,
    link_efficiency: float,
    size: int | None,
    ranks_per_host: int | None,
    local_rate: float | None,
    multipath: str,
    striping: str,
    by_lane: bool,
    lanes: int | None,
    sl2vl: tuple[int, ...] | None,
    vlarb_high: tuple[tuple[int, int], ...],
    vlarb_low: tuple[tuple[int, int], ...],
    high_limit: int,
    hottest: int,
    matrix: str | None,
    save_as: str | None,
    save_test: str | None,
    where: str,
    as_json: bool,
) -> int:
    """Which flows contend for links under given tables, and what bandwidth is left.

    Relative bandwidth is a flow's share of what its host links carry: in the load model 1 / the most flows
    on any link of its path, host links included; in the fluid model its max-min fair rate.

    Exit status 1: some flow has no route.
    \f

    \b
    Patterns:
      pairs           random pairs of hosts, both directions
      permutation     every host to one other, each receives once
      bisection       each host of a random half to one of the other half
      shift[:1,2,8-9] host i to host i + d, one phase for each distance d
      mpigraph        all shifts
      leaf-offset[:offset=8,nodes=8,leaves=0-7]
                      the N-th node of a leaf and the N-th of leaf XOR offset
      alltoall        every host to every other, all at once
      file:PATH       the pairs of a file, one `A B` on a line; --- parts phases

    \b
    Message programs, phase after phase, with --model fluid and --bytes:
      alltoall:linear, :pairwise, :bruck
      allreduce:ring, :recursive-doubling, :rabenseifner, :tree
      allgather:ring, :recursive-doubling, :bruck
      broadcast:binomial, :scatter-allgather; barrier
      nccl-ring, nccl-tree      allreduce over all rails
      stencil:8x8x4[,periodic]  halo exchange, 1 to 4 dimensions
      incast:8                  ranks 1 to 8 send to rank 0
      trace:PATH                messages, one JSON object on a line
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from .. import _core
    from ..model.prediction import predict, times
    from ..qos.lanes import Lanes
    from ..ranks.participants import participants

    kept.check(save_as, save_test)
    if save_as is not None and model != "fluid":
        raise click.UsageError("--save needs --model fluid; the model load knows no rates")
    name = traffic.partition(":")[0]
    is_program = _core.traffic_kind(traffic)[0] == "program"
    if is_program and model != "fluid":
        raise click.UsageError(
            f"--traffic {traffic} is a message program, whose messages have sizes; it needs --model fluid"
        )
    _check_sizes(
        is_program, model, size, matrix, ranks_per_host, local_rate, host_efficiency, link_efficiency
    )
    if not is_program and size is None:
        for option, is_given in (("--multipath", multipath != "none"), ("--striping", striping != "off")):
            if is_given:
                raise click.UsageError(f"{option} is for messages with sizes: give --bytes")
    rules = Lanes(lanes=lanes, sl2vl=sl2vl, vlarb_high=vlarb_high, vlarb_low=vlarb_low, high_limit=high_limit)
    divided = rules if by_lane or rules != Lanes() else None
    if divided is not None and model != "fluid":
        raise click.UsageError("lanes share the rates of links: --model fluid")
    hosts = participants(routes, groups=groups, host_order=host_order, rail=rail)
    limits = {"host efficiency": host_efficiency, "link efficiency": link_efficiency, "lanes": divided}
    asked = {"traffic": traffic, "host order": host_order, "rail": rail, "groups": groups, **limits}
    asked |= {"seed": seed, "patterns": patterns} if name in RANDOM else {}
    if is_program or size is not None:
        assumed = Assumptions(
            multipath=multipath,
            striping=None if striping == "off" else striping,
            host_efficiency=host_efficiency,
            link_efficiency=link_efficiency,
            lanes=divided,
            ranks_per_host=ranks_per_host or 1,
            local_rate=local_rate or _LOCAL_RATE,
        )
        with progress(f"{traffic} through the model fluid"):
            timed = times(
                routes,
                traffic,
                size or _SIZE,
                hosts=hosts,
                patterns=patterns,
                seed=seed,
                hottest=hottest,
                **assumed._asdict(),
            )
        _warn_of_rates(timed)
        sized = Sized(traffic, size or _SIZE, seed, is_program, assumed)
        if as_json:
            from ._prediction import times_document

            senders = senders_of(hosts, groups, host_order, rail)
            drawn = seed if traffic in RANDOM else None
            print_json(times_document(routes, timed, sized, seed=drawn, senders=senders))
        else:
            _print_times(routes, sized, timed, hosts, host_order)
        if save_as is not None:
            from ..measured.of_models import of_times

            asked |= {"multipath": multipath, "striping": striping}
            if is_program:
                asked |= {"ranks per host": assumed.ranks_per_host, "local rate": assumed.local_rate}
            each = None if name == "trace" else size or _SIZE
            facts = kept.facts(routes, model, asked)
            kept.keep(of_times(timed, save_test or traffic, each, facts), save_as, where, fabric)
        return 1 if timed.counts["unrouted"] else 0
    if matrix is None and name in ("shift", "mpigraph", "leaf-offset") and len(hosts.leaves) <= _MOST_LEAVES:
        matrix = "leaf"
    with progress(f"{traffic} through the model {model}"):
        result = predict(
            routes,
            traffic,
            hosts=hosts,
            patterns=patterns,
            seed=seed,
            model=model,
            host_efficiency=host_efficiency,
            link_efficiency=link_efficiency,
            hottest=hottest,
            matrix=None if matrix == "none" else matrix,
            lanes=divided,
            keep_flows=save_as is not None,
        )
    _warn_of_rates(result)
    # Rates of links, too, bound what flows have in the fluid model.
    shifts = _core.shift_bound(hosts) if traffic in _ALL_SHIFTS and model == "load" else None
    if as_json:
        from ._prediction import prediction_document

        document = prediction_document(
            routes,
            result,
            traffic=traffic,
            seed=seed if name in RANDOM else None,
            senders=senders_of(hosts, groups, host_order, rail),
            host_efficiency=host_efficiency,
            link_efficiency=link_efficiency,
            lanes=divided,
            shifts=shifts,
        )
        print_json(document)
    else:
        notes = efficiencies(host_efficiency, link_efficiency) + lanes_words(divided)
        print_prediction(console(), routes, hosts, result, name, traffic, seed, host_order, notes, shifts)
    if save_as is not None:
        from ..measured.of_models import of_prediction

        facts = kept.facts(routes, model, asked)
        kept.keep(of_prediction(result, hosts, save_test or name, facts, fabric), save_as, where, fabric)
    return 1 if result.unrouted else 0


def _check_sizes(
    is_program: bool,
    model: str,
    size: int | None,
    matrix: str | None,
    ranks_per_host: int | None,
    local_rate: float | None,
    host_efficiency: float,
    link_efficiency: float,
) -> None:
    """Refuse options that would have no effect."""
    of_rates = {
        "--bytes": size is not None,
        "--host-efficiency": host_efficiency < 1,
        "--link-efficiency": link_efficiency < 1,
    }
    if model != "fluid" and any(of_rates.values()):
        option = next(option for option, is_given in of_rates.items() if is_given)
        raise click.UsageError(f"{option} needs --model fluid; the model load knows no rates")
    if not is_program and (ranks_per_host is not None or local_rate is not None):
        option = "--ranks-per-host" if ranks_per_host is not None else "--local-rate"
        raise click.UsageError(
            f"{option} is for message programs, such as allreduce:ring; patterns are of hosts"
        )
    if matrix not in (None, "none") and (is_program or size is not None):
        raise click.UsageError("--matrix has relative bandwidths; it has no meaning with sizes")


def _warn_of_rates(result: Prediction | Times) -> None:
    if result.assumed_rates:
        links, rate = result.assumed_rates
        warn(f"{links} link directions report no rate; {rate} is assumed")


def _print_times(routes: Routes, sized: Sized, result: Times, hosts: Participants, host_order: str) -> None:
    from ..ranks.participants import in_words
    from ._times import print_times

    out = console()
    traffic, size, seed, is_program, assumed = sized
    ranks = f"{count(result.ranks or 0, 'rank')} on " if is_program else ""
    phases = phases_in_words(result, seed, is_random=traffic in RANDOM)
    of = "" if traffic.startswith("trace:") else f" of {size_shown(size)}"
    line = f"{traffic}{of}: {phases}; {ranks}{in_words(hosts)} in {host_order} order"
    print_line(out, f"{line}; tables of {tables_file() or routes.engine_used}")
    notes = assumed.words(has_inside=bool(result.counts["inside_hosts"]))
    print_times(out, result, independent=not is_program, assumed=notes)
