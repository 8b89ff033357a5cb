"""`lacis predict`: who contends with whom under given tables, and what bandwidth is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from ._fabric import fabric_argument, warn
from ._help import GroupedCommand
from ._output import console, json_option, print_json
from ._routing import routing_options

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Fabric, Prediction, Routes, Traffic

_RANDOM = ("pairs", "permutation", "bisection")
_SHOWN = {
    "load": "modelled: flows counted per link, no rates",
    "fluid": "modelled: max-min fair shares, no queues",
}
_MOST_LEAVES = 128  # a matrix of more is printed only when asked for
_MOST_PHASES = 4096  # phases listed in JSON


@click.command("predict", cls=GroupedCommand)
@fabric_argument
@routing_options
@click.option("--traffic", metavar="PATTERN", default="bisection", show_default=True, help="See above.")
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
@click.option(
    "--host-order",
    metavar="ORDER",
    default="name",
    show_default=True,
    help="Count hosts by name, lid or topology, or as file:PATH lists them.",
)
@click.option(
    "--rail",
    metavar="RAIL",
    default="all",
    show_default=True,
    help="all (rail to rail), each (every port a host), a number from 0, or a label such as HCA-1.",
)
@click.option(
    "--host-efficiency",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    help="fluid: assume that hosts use only this part of their links' rate.",
)
@click.option(
    "--hottest", type=click.IntRange(0), default=10, show_default=True, help="Hottest links to list."
)
@click.option(
    "--matrix", type=click.Choice(["leaf", "host", "none"]), help="Relative bandwidth from each to each."
)
@json_option
def command(
    fabric: Fabric,  # noqa: ARG001
    routes: Routes,
    traffic: str,
    patterns: int,
    seed: int,
    model: str,
    host_order: str,
    rail: str,
    host_efficiency: float,
    hottest: int,
    matrix: str | None,
    as_json: bool,
) -> int:
    """Who contends with whom under given tables, and what bandwidth is left.

    \b
    Patterns:
      pairs           random pairs of hosts, both ways
      permutation     every host to one, nobody twice, nobody to itself
      bisection       each host of a random half to one of the other half
      shift[:1,2,8-9] host i to host i + d, one phase for each distance d
      mpigraph        all shifts
      leaf-offset[:offset=8,nodes=8,leaves=0-7]
                      the N-th node of a leaf and the N-th of leaf XOR offset
      alltoall        every host to every other, all at once
      file:PATH       the pairs of a file, one `A B` on a line

    Relative bandwidth is a flow's share of what its host links carry: in the load model 1 / the most flows
    on any link of its path, host links included; in the fluid model its max-min fair rate.

    Exit status 1: some flow has no route.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from ..prediction import participants, predict

    hosts = participants(routes, host_order=host_order, rail=rail)
    name = traffic.partition(":")[0]
    if matrix is None and name in ("shift", "mpigraph", "leaf-offset") and len(hosts.leaves) <= _MOST_LEAVES:
        matrix = "leaf"
    result = predict(
        routes,
        traffic,
        hosts=hosts,
        patterns=patterns,
        seed=seed,
        model=model,
        host_efficiency=host_efficiency,
        hottest=hottest,
        matrix=None if matrix == "none" else matrix,
    )
    if result.assumed_rates:
        links, rate = result.assumed_rates
        warn(f"{links} link directions report no rate; {rate} is assumed")
    if as_json:
        asked = {"traffic": traffic, "patterns": result.num_phases, "seed": seed if name in _RANDOM else None}
        engines = {"engine_requested": routes.engine_requested, "engine_used": routes.engine_used}
        where = {"host_order": host_order, "rail": rail, "hosts": len(hosts.hosts), "ports": hosts.num_ports}
        assumed = {"host_efficiency": host_efficiency} if model == "fluid" else {}
        print_json("lacis.predict/1", model=model, **asked, **engines, **where, **assumed, **to_json(result))
    else:
        _print(console(), routes, hosts, result, name, traffic, seed, host_order, host_efficiency)
    return 1 if result.unrouted else 0


def to_json(result: Prediction) -> dict[str, Any]:
    """Return the keys of `lacis.predict/1` that describe a result."""
    content: dict[str, Any] = {
        "flows": result.flows,
        "unrouted": result.unrouted,
        "skipped": result.skipped,
        "relative_bandwidth": {key: _number(value) for key, value in result.relative_bandwidth.items()},
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
            "link": f"{hot['egress']} → {hot['ingress']}",
            "contention": hot["contention"],
            "phase": hot["phase"],
            "total": hot["total"],
            "utilisation": hot["utilisation"],
            "flows": [{"from": a, "to": b} for a, b in hot["flows"]],
        }
        for hot in result.hottest
    ]
    if result.num_phases <= _MOST_PHASES:
        phases = result.phases()
        content["phases"] = {key: [_number(x) for x in values.tolist()] for key, values in phases.items()}
    if result.matrix_labels is not None:
        of, labels = result.matrix_labels
        content["matrix"] = {"of": of, "labels": labels}
        for kind in ("mean", "min", "max"):
            rows = result.matrix(kind)
            if rows is not None:
                content["matrix"][kind] = [[_number(x) for x in row] for row in rows.tolist()]
    return content


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _print(
    out: Console,
    routes: Routes,
    hosts: Traffic,
    result: Prediction,
    name: str,
    traffic: str,
    seed: int,
    host_order: str,
    host_efficiency: float,
) -> None:
    def say(line: str = "") -> None:
        out.print(line, markup=False, soft_wrap=True)

    count = result.num_phases
    what = (
        f"{count:,} random patterns, seed {seed}"
        if name in _RANDOM
        else f"{count:,} phase{'s' * (count != 1)}"
    )
    rails = f" on {hosts.rails} rails" if hosts.rails > 1 else ""
    who = f"{len(hosts.hosts):,} hosts{rails} in {host_order} order"
    say(f"{traffic}: {what}; {who}; tables of {routes.engine_used}")
    say(f"{_SHOWN[result.model]}; {result.flows:,} flows")
    if result.model == "fluid" and host_efficiency < 1:
        say(f"assumed: hosts use {host_efficiency:.2%} of their links")
    if result.unrouted:
        say(f"NO ROUTE for {result.unrouted:,} flows: they are left out below")
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
        used = "" if hot["utilisation"] is None else f", {hot['utilisation']:.0%} used"
        say(f"  {hot['contention']:,} ({hot['total']:,}{used})  {hot['egress']} → {hot['ingress']}")
        if hot["contention"] > 1:
            shown = [f"{a} → {b}" for a, b in hot["flows"][:4]]
            more = f" and {hot['contention'] - len(shown):,} more" if hot["contention"] > len(shown) else ""
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
