"""`--simulate` of `lacis top` and `lacis serve`: what `lacis simulate` runs, in one argument."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import LacisError
from ._also import ALSO, Also, workload_of
from ._numbers import SEED, SHARE_ABOVE_0
from ._packet_settings import adaptive_of, device_of, library_of
from ._progress import progress
from ._units import Time

if TYPE_CHECKING:
    from .._core import Routes, Simulation
    from ..model.simulation import Adaptive, Device
    from ..requests.workload import Workload

_SLOTS = 60
"""Instants that a simulation is divided into, about."""
_BESIDE: dict[str, tuple[str, click.ParamType[Any]]] = {
    "device": ("device", click.STRING),
    "host-efficiency": ("host_efficiency", SHARE_ABOVE_0),
    "ar-period": ("ar_period", Time()),
    "seed": ("seed", SEED),
}
"""Keys that are not of the traffic, but of the network: key as typed → name in the library, and the type of its value."""
KEYS = {**ALSO, **_BESIDE}
"""What may follow the traffic, each as the option of `lacis simulate` of that name."""


class ToSimulate(NamedTuple):
    """What is to be simulated."""

    work: Workload
    """Its hosts and striping are not set."""
    host_order: str | None
    rail: str | None
    striping: str | None
    options: dict[str, Any]
    """Of the network, by name."""

    @property
    def device(self) -> str:
        """What its switches and adapters are."""
        return str(self.options.get("device", "ideal"))


class SimulatedTraffic(click.ParamType[ToSimulate]):
    """`TRAFFIC KEY=VALUE …`: a workload and what it runs on; shell quotes keep blanks together."""

    name = "TRAFFIC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ToSimulate:
        """The workload, its messages of 1 MB where nothing else is said."""
        if isinstance(value, ToSimulate):
            return value
        traffic, given, typed = Also().split(value, KEYS, param, ctx)
        options = {name: given.pop(name) for name, _ in _BESIDE.values() if name in given}
        work, order, rail, striping, _ = workload_of(traffic, given, typed)
        return ToSimulate(work, order, rail, striping, options)


def simulated(
    routes: Routes, asked: ToSimulate, opafm: str | None, *, adaptive: bool
) -> tuple[Simulation, str]:
    """The simulation in some tens of intervals, and in a few words what it is.

    Args:
        routes: the tables.
        asked: what is sent, over what.
        opafm: a file with adaptive routing.
        adaptive: whether each packet takes the port of a shortest path with least waiting.

    Raises:
        LacisError: when it cannot be simulated, or nothing is sent.
    """
    from ..model.simulation import simulate
    from ..ranks.participants import participants

    device, choice = _network(asked, opafm, adaptive=adaptive)
    hosts = participants(routes, host_order=asked.host_order or "name", rail=asked.rail or "all")
    work = dataclasses.replace(
        asked.work, hosts=hosts, striping=library_of(asked.striping) if asked.striping else None
    )
    settings: dict[str, Any] = {"device": device, "adaptive": choice, "seed": asked.options.get("seed", 1)}
    with progress("simulating"):
        whole = simulate(routes, work, **settings)
        if not whole.simulated > 0:
            raise LacisError("the simulation sent nothing", text=asked.work.spec)
        found = simulate(routes, work, interval=whole.simulated / _SLOTS, **settings)
    said = {"off": "", "least": ", adaptive", "omni-path": ", adaptive (Omni-Path)"}[choice.how]
    return found, f"simulation of {asked.work.spec}, {routes.engine_used}{said}"


def _network(asked: ToSimulate, opafm: str | None, *, adaptive: bool) -> tuple[Device, Adaptive]:
    """Switches and adapters, and how they choose among paths."""
    of_device = ("mtu", "buffer", "queues", "switch_latency", "cable_length", "host_efficiency")
    options: dict[str, Any] = {name: asked.options.get(name) for name in of_device}
    options["device"] = asked.device
    options.update(adaptive="least" if adaptive else "off", opafm=opafm, lost_route_only=False)
    options.update(ar_algorithm=None, ar_threshold=None, ar_frequency=None)
    options["ar_period"] = asked.options.get("ar_period")
    return device_of(options), adaptive_of(options)
