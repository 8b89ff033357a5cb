"""`lacis predict`: who contends with whom under given tables, and what bandwidth is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import _keep as kept
from ._fabric import fabric_argument, warn
from ._lanes import lane_options, lanes_json, lanes_said
from ._output import console, finite, json_option, print_json
from ._progress import progress
from ._routing import routing_options, tables_file
from ._traffic import groups_option, host_order_option, rail_option, striping_option
from ._units import Rate, Size, size_shown

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric, Prediction, Routes, Times, Traffic

_RANDOM = ("pairs", "permutation", "bisection")
_SHOWN = {
    "load": "modelled: flows counted per link, no rates",
    "fluid": "modelled: max-min fair shares, no queues",
}
_MULTIPATH = {
    "by-message": "senders take the receiver's LIDs in turn, message by message",
    "by-peer": "every two ports have one of the receiver's LIDs, by the sum of their numbers",
    "by-hash": "every two ports have one of the receiver's LIDs, by a hash",
    "ideal": "every message is split over all minimal paths as is best for the slowest, then the next",
    "spray": "switches spread packets evenly over all minimal ports, whatever the tables say",
}
_STRIPING = {
    "psm2": "PSM2 spreads messages over the rails that two hosts have in common: up to 64,000 B whole, by turns; larger ones in "
    "windows on all; a part counts as a message",
    "ucx": "UCX spreads messages over the rails that two hosts have in common: from 16 KiB (assumed) on over two; a part counts as "
    "a message",
}
_SIZE = 10**6
_LOCAL_RATE = 1e10
_MOST_LEAVES = 128  # a matrix of more is printed only when asked for
_MOST_PHASES = 4096  # phases listed in JSON


@click.command("predict")
@fabric_argument
@routing_options
@click.option(
    "--traffic",
    metavar="PATTERN",
    default="bisection",
    show_default=True,
    help="pairs, permutation, bisection, shift, mpigraph, leaf-offset, alltoall, file:PATH, or a job such as "
    "allreduce:ring; --help-all lists them.",
)
@click.option(
    "--patterns", type=click.IntRange(1), default=1000, show_default=True, help="How many random patterns."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Of random patterns."
)
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
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    help="fluid: assume that hosts use only this part of their links' rate.",
)
@click.option(
    "--link-efficiency",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    help="fluid: assume that only this part of any link's rate carries payload.",
)
@click.option(
    "--bytes",
    "size",
    type=Size(),
    metavar="SIZE",
    help="fluid: send messages of this size (64KiB, 1MB) and tell how long they take. 1MB for jobs.",
)
@click.option(
    "--ranks-per-host",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Jobs: ranks on each host. [default: 1]",
)
@click.option(
    "--local-rate",
    type=Rate(),
    metavar="RATE",
    help="Jobs: assumed rate of all messages inside a host together. [default: 10GB/s]",
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
    help="fluid: divide links among lanes first; meant by the options below, too.",
)
@lane_options
@click.option(
    "--hottest", type=click.IntRange(0), default=10, show_default=True, help="Hottest links to list."
)
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
    """Who contends with whom under given tables, and what bandwidth is left.

    Relative bandwidth is a flow's share of what its host links carry: in the load model 1 / the most flows
    on any link of its path, host links included; in the fluid model its max-min fair rate.

    Exit status 1: some flow has no route.
    \f

    \b
    Patterns:
      pairs           random pairs of hosts, both ways
      permutation     every host to one other, each receives once
      bisection       each host of a random half to one of the other half
      shift[:1,2,8-9] host i to host i + d, one phase for each distance d
      mpigraph        all shifts
      leaf-offset[:offset=8,nodes=8,leaves=0-7]
                      the N-th node of a leaf and the N-th of leaf XOR offset
      alltoall        every host to every other, all at once
      file:PATH       the pairs of a file, one `A B` on a line

    \b
    Jobs, phase after phase, with --model fluid and --bytes:
      alltoall:linear, :pairwise, :bruck
      allreduce:ring, :recursive-doubling, :rabenseifner, :tree
      allgather:ring, :recursive-doubling, :bruck
      broadcast:binomial, :scatter-allgather        barrier
      nccl-ring, nccl-tree                          allreduce over all rails
      stencil:8x8x4[,periodic]                      halo exchange, 1 to 4 dimensions
      incast:8                                      ranks 1 to 8 send to rank 0
      trace:PATH                                    messages, one JSON object on a line
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from .. import _core
    from ..lanes import Lanes
    from ..prediction import participants, predict

    kept.check(save_as, save_test)
    if save_as is not None and model != "fluid":
        raise click.UsageError("--save needs --model fluid; the model load knows no rates")
    name = traffic.partition(":")[0]
    is_job = _core.traffic_kind(traffic)[0] == "job"
    if is_job and model != "fluid":
        raise click.UsageError(
            f"--traffic {traffic} is a job, whose messages have sizes; it needs --model fluid"
        )
    _check_sizes(is_job, model, size, matrix, ranks_per_host, local_rate, link_efficiency)
    if not is_job and size is None:
        for option, is_given in (("--multipath", multipath != "none"), ("--striping", striping != "off")):
            if is_given:
                raise click.UsageError(f"{option} is for messages with sizes: give --bytes")
    rules = Lanes(lanes=lanes, sl2vl=sl2vl, vlarb_high=vlarb_high, vlarb_low=vlarb_low, high_limit=high_limit)
    divided = rules if by_lane or rules != Lanes() else None
    if divided is not None and model != "fluid":
        raise click.UsageError("lanes share the rates of links: --model fluid")
    hosts = participants(routes, groups=groups, host_order=host_order, rail=rail)
    parts = {"host efficiency": host_efficiency, "link efficiency": link_efficiency, "lanes": divided}
    asked = {"traffic": traffic, "host order": host_order, "rail": rail, "groups": groups, **parts}
    asked |= {"seed": seed, "patterns": patterns} if name in _RANDOM else {}
    if is_job or size is not None:
        told = {
            "patterns": patterns,
            "seed": seed,
            "ranks_per_host": ranks_per_host or 1,
            "host_efficiency": host_efficiency,
            "link_efficiency": link_efficiency,
            "local_rate": local_rate or _LOCAL_RATE,
            "hottest": hottest,
            "multipath": multipath,
            "lanes": divided,
            "striping": None if striping == "off" else striping,
        }
        named = _counted(hosts, groups, host_order, rail)
        timed = _times(routes, traffic, hosts, size or _SIZE, told, named, is_job=is_job, as_json=as_json)
        if save_as is not None:
            from ..measured.of_models import of_times

            asked |= {"multipath": multipath, "striping": striping}
            asked |= (
                {"ranks per host": ranks_per_host or 1, "local rate": local_rate or _LOCAL_RATE}
                if is_job
                else {}
            )
            each = None if name == "trace" else size or _SIZE
            told_by = kept.facts(routes, model, asked)
            kept.keep(of_times(timed, save_test or traffic, each, told_by), save_as, where, fabric)
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
    if result.assumed_rates:
        links, rate = result.assumed_rates
        warn(f"{links} link directions report no rate; {rate} is assumed")
    if as_json:
        pattern = {
            "traffic": traffic,
            "patterns": result.num_phases,
            "seed": seed if name in _RANDOM else None,
        }
        engines = {"engine_requested": routes.engine_requested, "engine_used": routes.engine_used}
        counted = _counted(hosts, groups, host_order, rail)
        parts = {"host_efficiency": host_efficiency, "link_efficiency": link_efficiency}
        assumed = {**parts, "lanes": lanes_json(divided)} if model == "fluid" else {}
        print_json(
            "lacis.predict/1", model=model, **pattern, **engines, **counted, **assumed, **to_json(result)
        )
    else:
        notes = _efficiencies(host_efficiency, link_efficiency) + lanes_said(divided)
        _print(console(), routes, hosts, result, name, traffic, seed, host_order, notes)
    if save_as is not None:
        from ..measured.of_models import of_prediction

        facts = kept.facts(routes, model, asked)
        kept.keep(of_prediction(result, hosts, save_test or name, facts, fabric), save_as, where, fabric)
    return 1 if result.unrouted else 0


def _counted(hosts: Traffic, groups: str, host_order: str, rail: str) -> dict[str, Any]:
    counted = {"hosts": len(hosts.hosts), "hosts_by_group": dict(hosts.groups), "ports": hosts.num_ports}
    return {"groups": groups, "host_order": host_order, "rail": rail, **counted}


def _check_sizes(
    is_job: bool,
    model: str,
    size: int | None,
    matrix: str | None,
    ranks_per_host: int | None,
    local_rate: float | None,
    link_efficiency: float,
) -> None:
    """Refuse options that would count for nothing."""
    if model != "fluid" and (size is not None or link_efficiency < 1):
        option = "--bytes" if size is not None else "--link-efficiency"
        raise click.UsageError(f"{option} needs --model fluid; the model load knows no rates")
    if not is_job and (ranks_per_host is not None or local_rate is not None):
        option = "--ranks-per-host" if ranks_per_host is not None else "--local-rate"
        raise click.UsageError(f"{option} is for jobs, such as allreduce:ring; patterns are of hosts")
    if matrix not in (None, "none") and (is_job or size is not None):
        raise click.UsageError("--matrix tells relative bandwidths; it has no meaning with sizes")


def _efficiencies(host: float, link: float) -> list[str]:
    """What is assumed of links, in words."""
    hosts = [f"hosts use {host:.2%} of their links"] if host < 1 else []
    return hosts + ([f"{link:.2%} of a link's rate carries payload"] if link < 1 else [])


def _times(
    routes: Routes,
    traffic: str,
    hosts: Traffic,
    size: int,
    told: dict[str, Any],
    where: dict[str, str],
    *,
    is_job: bool,
    as_json: bool,
) -> Times:
    """Sizes and times."""
    from ..prediction import in_words, times
    from ._times import print_times
    from ._times import to_json as times_to_json

    with progress(f"{traffic} through the model fluid"):
        result = times(routes, traffic, size, hosts=hosts, **told)
    if result.assumed_rates:
        links, rate = result.assumed_rates
        warn(f"{links} link directions report no rate; {rate} is assumed")
    random = traffic in _RANDOM
    if as_json:
        asked: dict[str, Any] = {
            "traffic": traffic,
            "bytes_each": None if traffic.startswith("trace:") else size,
        }
        asked["seed"] = told["seed"] if random else None
        engines = {"engine_requested": routes.engine_requested, "engine_used": routes.engine_used}
        hosts_json: dict[str, Any] = dict(where)
        assumed = {key: told[key] for key in ("multipath", "striping", "host_efficiency", "link_efficiency")}
        assumed["lanes"] = lanes_json(told["lanes"])
        if is_job:
            hosts_json |= {"ranks": result.ranks, "ranks_per_host": told["ranks_per_host"]}
            assumed["local_rate"] = told["local_rate"]
        content = times_to_json(result)
        print_json(
            "lacis.times/1",
            model="fluid",
            provenance="modelled",
            **asked,
            **engines,
            **hosts_json,
            **assumed,
            **content,
        )
    else:
        out = console()
        ranks = f"{result.ranks:,} ranks on " if is_job else ""
        count = result.num_phases
        phases = f"{count:,} phase{'s' * (count != 1)}"
        phases = f"{count:,} random patterns, seed {told['seed']}" if random else phases
        of = "" if traffic.startswith("trace:") else f" of {size_shown(size)}"
        line = f"{traffic}{of}: {phases}; {ranks}{in_words(hosts)} in {where['host_order']} order"
        out.print(f"{line}; tables of {tables_file() or routes.engine_used}", markup=False, soft_wrap=True)
        notes = [] if told["multipath"] == "none" else [_MULTIPATH[told["multipath"]]]
        notes += [] if told["striping"] is None else [_STRIPING[told["striping"]]]
        notes += _efficiencies(told["host_efficiency"], told["link_efficiency"])
        notes += lanes_said(told["lanes"])
        if result.counts["inside_hosts"]:
            notes.append(f"messages inside a host share {told['local_rate'] / 1e9:.4g} GB/s")
        print_times(out, result, independent=not is_job, assumed=notes)
    return result


def to_json(result: Prediction) -> dict[str, Any]:
    """Return the keys of `lacis.predict/1` that describe a result."""
    content: dict[str, Any] = {
        "flows": result.flows,
        "unrouted": result.unrouted,
        "skipped": result.skipped,
        "relative_bandwidth": {key: finite(value) for key, value in result.relative_bandwidth.items()},
        "max_contention": result.max_contention,
        "mean_max_contention": result.mean_max_contention,
    }
    if result.bandwidth is not None:
        content["bandwidth"] = dict(zip(("mean", "min", "max", "total"), result.bandwidth, strict=True))
        content["bandwidth"]["unit"] = "bytes/s"
    values, flows = result.distribution()
    content["distribution"] = {"relative_bandwidth": values.tolist(), "flows": flows.tolist()}
    content["hottest"] = [
        {
            "link": f"{hot.egress} → {hot.ingress}",
            "contention": hot.contention,
            "phase": hot.phase,
            "total": hot.total,
            "utilisation": hot.utilisation,
            "flows": [{"from": a, "to": b} for a, b in hot.flows],
        }
        for hot in result.hottest
    ]
    if result.num_phases <= _MOST_PHASES:
        phases = result.phases()
        content["phases"] = {key: [finite(x) for x in values.tolist()] for key, values in phases.items()}
    if result.matrix_labels is not None:
        of, labels = result.matrix_labels
        content["matrix"] = {"of": of, "labels": labels}
        for kind in ("mean", "min", "max"):
            rows = result.matrix(kind)
            if rows is not None:
                content["matrix"][kind] = [[finite(x) for x in row] for row in rows.tolist()]
    return content


def _print(
    out: Console,
    routes: Routes,
    hosts: Traffic,
    result: Prediction,
    name: str,
    traffic: str,
    seed: int,
    host_order: str,
    notes: list[str],
) -> None:
    from ..prediction import in_words

    def say(line: str = "") -> None:
        out.print(line, markup=False, soft_wrap=True)

    count = result.num_phases
    what = (
        f"{count:,} random patterns, seed {seed}"
        if name in _RANDOM
        else f"{count:,} phase{'s' * (count != 1)}"
    )
    rails = f" on {hosts.rails} rails" if hosts.rails > 1 else ""
    sending = f"{in_words(hosts)}{rails} in {host_order} order"
    say(f"{traffic}: {what}; {sending}; tables of {tables_file() or routes.engine_used}")
    say(f"{_SHOWN[result.model]}; {result.flows:,} flows")
    for line in notes if result.model == "fluid" else []:
        say(f"assumed: {line}")
    if result.unrouted:
        say(f"NO ROUTE for {result.unrouted:,} flows: they get nothing, and count so below")
    if result.skipped:
        say(f"left out: {result.skipped:,} pairs on a rail that one of the two lacks")
    say()
    shares = result.relative_bandwidth
    if result.flows:
        label = "effective bisection bandwidth" if name == "bisection" else "mean relative bandwidth"
        say(f"{label:<30} {shares['mean']:.4f}")
        spread = ", ".join(f"{key} {shares[key]:.3f}" for key in ("min", "p01", "p50", "p99", "max"))
        say(f"{'over flows':<30} {spread}")
    mean_max = f"mean over phases {result.mean_max_contention:.2f}"
    say(f"{'greatest contention':<30} {result.max_contention:,} ({mean_max})")
    if result.bandwidth is not None:
        mean, least, most, total = (value / 1e9 for value in result.bandwidth)
        say(f"{'bandwidth of a flow [GB/s]':<30} mean {mean:.3f}, min {least:.3f}, max {most:.3f}")
        say(f"{'all flows together [GB/s]':<30} {total:,.3f}")
    _print_matrix(out, result)
    if result.hottest:
        say()
        say("hottest links (the most flows at once; all flows over all phases)")
    for hot in result.hottest:
        used = "" if hot.utilisation is None else f", {hot.utilisation:.0%} used"
        say(f"  {hot.contention:,} ({hot.total:,}{used})  {hot.egress} → {hot.ingress}")
        if hot.contention > 1:
            shown = [f"{a} → {b}" for a, b in hot.flows[:4]]
            more = f" and {hot.contention - len(shown):,} more" if hot.contention > len(shown) else ""
            say(f"      {', '.join(shown)}{more}")


def _print_matrix(out: Console, result: Prediction) -> None:
    mean, least = result.matrix("mean"), result.matrix("min")
    if result.matrix_labels is None or mean is None or least is None:
        return
    import numpy as np

    of, labels = result.matrix_labels
    known = ~np.isnan(mean)
    if not known.any():
        return
    row, column = np.unravel_index(np.argmin(np.where(known, mean, np.inf)), mean.shape)
    spread = f"mean {np.nanmin(mean):.3f} … {np.nanmax(mean):.3f}, least {np.nanmin(least):.3f}"
    worst = f"worst {labels[row]} → {labels[column]} of {known.sum():,} pairs; the matrix is in --json"
    out.print(f"{f'{of} to {of}':<30} {spread}; {worst}", markup=False, soft_wrap=True)
