"""Whose rails an environment is about: the hosts of fabrics, or hosts that are assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...errors import LacisError
from ...facts.words import count
from ._fabrics import prefix_option, read_prefixes, several_fabrics, without_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...rails.environment import Environment
    from ...rails.hosts import Kind

_MOST_UNITS = 64


def host_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what the hosts are like: fabrics, or how many adapters on how many planes."""
    for option in (
        click.option(
            "--units",
            type=click.IntRange(1, _MOST_UNITS),
            metavar="N",
            help="Without a FABRIC: adapters that every host is assumed to have.  [default: as many as are named, 2 at least]",
        ),
        click.option(
            "--planes",
            "plane_count",
            type=click.IntRange(1, _MOST_UNITS),
            metavar="N",
            help="Without a FABRIC: planes that these are assumed to be on, in turn.  [default: as many as units]",
        ),
        click.option(
            "--technology",
            type=click.Choice(["infiniband", "omni-path"]),
            help="Without a FABRIC: what the adapters are, where the library does not show it.",
        ),
        prefix_option,
        without_option,
    ):
        function = option(function)
    return function


def hosts_of(
    fabrics: tuple[str, ...],
    units: int | None,
    plane_count: int | None,
    prefixes: tuple[str, ...],
    without: tuple[str, ...],
    technology: Callable[[], str],
    named: int = 0,
    devices: Sequence[str] = (),
) -> tuple[list[Kind], str, int | None]:
    """The hosts, grouped by kind; a description of them; and how many these are, where they are not assumed.

    Assumed hosts have two adapters, or as many as are `named` by number, and `devices`.
    """
    from ...rails import hosts, planes

    given = read_prefixes(prefixes)
    if fabrics:
        if units is not None or plane_count is not None:
            raise click.UsageError("--units and --planes are assumptions in place of a FABRIC")
        found = planes.rail_map(several_fabrics(fabrics, without), given)
        kinds = hosts.kinds(found, planes.prefixes_of(found))
        if not kinds:
            raise LacisError("no host is known: --node-name-map or `lacis fabric --write-name-map` give some")
        number = sum(len(kind.names) for kind in kinds)
        left = count(len(found.unknown), "adapter")
        beside = f", without {left} of unknown hosts" if found.unknown else ""
        return kinds, f"{count(number, 'host')} of {', '.join(fabrics)}{beside}", number
    if without:
        raise click.UsageError("--without is for a FABRIC")
    adapters_are = technology()
    devices = () if adapters_are == "omni-path" else devices
    units = max(2, min(named + len(devices), _MOST_UNITS)) if units is None else units
    spread = units if plane_count is None else plane_count
    if spread > units:
        raise click.UsageError(f"--planes {spread}: {units} adapters cannot be on more than {units} planes")
    kinds = hosts.assumed(units, spread, adapters_are, given, devices)
    adapters = "1 adapter" if units == 1 else f"{units} adapters"
    on = "1 plane" if spread == 1 else f"{spread} planes"
    return kinds, f"assumed: hosts with {adapters} on {on}", None


def technology_of(named: str | None, stack: str | None, env: Environment | None) -> str:
    """What the adapters are where there is no fabric."""
    from ...rails import check

    if named is not None:
        return named
    if stack in ("psm2", "opx"):
        return "omni-path"
    if stack in ("ucx", "nccl", "mvapich2"):
        return "infiniband"
    return check.technology_of([], env)
