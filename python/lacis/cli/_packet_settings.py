"""Settings of the packet model, from the options of `lacis simulate`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ._fabric import warn

if TYPE_CHECKING:
    from ..model.simulation import Adaptive, Congestion, Device
    from ..omnipath.opafm import Settings
    from ..qos.lanes import Lanes


def library_of(striping: str) -> str | None:
    """The library whose way to spread messages over rails is modelled; none where messages are not spread."""
    return None if striping == "off" else striping


def device_of(options: dict[str, Any]) -> Device:
    """Switches and adapters, with what was given in place of the device's own constants."""
    from ..model.simulation import Device

    names = ("mtu", "buffer", "queues", "switch_latency", "cable_length", "host_efficiency")
    return Device(name=options["device"], **{name: options[name] for name in names})


def lanes_of(options: dict[str, Any]) -> Lanes:
    """Lanes of every link."""
    from ..qos.lanes import Lanes

    names = ("lanes", "sl2vl", "vlarb_high", "vlarb_low", "high_limit")
    return Lanes(**{name: options[name] for name in names})


def congestion_of(given: dict[str, Any] | None) -> Congestion | None:
    """Congestion control with the parameters that were given; none where it is off.

    Raises:
        LacisError: when there is no such parameter.
    """
    from ..model.simulation import Congestion, congestion_defaults

    if given is None:
        return None
    known = congestion_defaults()
    if unknown := sorted(set(given) - set(known)):
        raise LacisError(f'no parameter "{unknown[0]}" of congestion control (there are {", ".join(known)})')
    return Congestion(**given)


def adaptive_of(options: dict[str, Any]) -> Adaptive:
    """Adaptive routing, as typed or as an opafm.xml has it.

    The options are changed to what holds, as they are printed later.
    """
    from ..model.simulation import Adaptive

    typed = Adaptive(
        how=options["adaptive"],
        algorithm=options["ar_algorithm"],
        threshold=options["ar_threshold"],
        frequency=options["ar_frequency"],
        period=options["ar_period"],
        lost_route_only=options["lost_route_only"],
    )
    if options["opafm"] is None:
        return typed
    adaptive = _from_opafm(options["opafm"], typed, options["device"])
    options.update(adaptive=adaptive.how, lost_route_only=adaptive.lost_route_only)
    options.update(ar_algorithm=adaptive.algorithm, ar_threshold=adaptive.threshold)
    options.update(ar_frequency=adaptive.frequency, ar_period=adaptive.period)
    return adaptive


def spreads(path: str, device: str) -> bool:
    """Whether switches spread what is sent over shortest paths by an opafm.xml; for lost links alone they do not."""
    from ..omnipath import opafm

    settings = opafm.settings(opafm.read(path))
    return settings.enable and (not settings.lost_route_only or _by_packet(settings, device))


def _by_packet(settings: Settings, device: str) -> bool:
    """Whether switches choose a port for each packet: newer ones than OPA100's."""
    from ..omnipath import opafm

    return settings.fine_grained and device != opafm.OPA100


def _from_opafm(path: str, typed: Adaptive, device: str) -> Adaptive:
    """Adaptive routing as an opafm.xml has it; of what was typed, only the period may be given."""
    from ..model.simulation import Adaptive
    from ..omnipath import opafm

    if dataclasses.replace(typed, period=None) != Adaptive():
        raise click.UsageError("--opafm has what --adaptive, --ar-… and --lost-route-only would say")
    file = opafm.read(path)
    for found in opafm.findings(file):
        if found.severity != "notice":
            warn(f"{path}:{found.line or found.path}: {found.text}")
    settings = opafm.settings(file)
    warn(f"{path}: {' '.join(settings.words())}")
    if not settings.enable:
        if typed.period is not None:
            raise click.UsageError("--ar-period: the opafm.xml has adaptive routing off")
        return typed
    if _by_packet(settings, device):
        return Adaptive(how="least")
    return dataclasses.replace(
        typed,
        how="omni-path",
        lost_route_only=settings.lost_route_only,
        algorithm=settings.algorithm,
        threshold=settings.threshold,
        frequency=settings.frequency if typed.period is None else None,
        period=None if typed.period is None else typed.period * 2**settings.frequency,
    )
