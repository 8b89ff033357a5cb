"""Options about the hosts that take part, for commands that look at shifts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import click

from ..errors import LacisError
from ..facts.words import noun
from ._numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Participants, Routes

RANDOM = ("pairs", "permutation", "bisection")
"""Patterns that are drawn."""

rail_option = click.option(
    "--rail",
    metavar="RAIL",
    default="all",
    show_default=True,
    help="all (rail to rail), each (every port a host), a number from 1, or a label such as HCA-1.",
)

striping_option = click.option(
    "--striping",
    type=click.Choice(["off", "psm2", "ucx"]),
    default="off",
    show_default=True,
    help="Spread each host's messages over its rails as this library does; off: each rail sends its own messages.",
)

_groups_option = click.option(
    "--hosts",
    "groups",
    metavar="HOSTS",
    default="all",
    show_default=True,
    help="These hosts alone: groups (compute, management, storage, gateway, as names and --roles say), or a set such as node[001-018], node0*, @rack1 or file:PATH.",
)


def _skip_absent(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Leaves out hosts that the fabric lacks, until the command ends, and names them once."""
    if not value:
        return
    from ..facts.words import count
    from ..ranks import nodesets
    from ._fabric import warn

    named_before: set[str] = set()

    def report(absent: Sequence[str], named: int) -> None:
        if set(absent) <= named_before:
            return
        named_before.update(absent)
        warn(
            f"{len(absent):,} of {count(named, 'host')} {noun(len(absent), 'is', 'are')} not in the fabric, left out: {nodesets.fold(absent)}"
        )

    context.with_resource(nodesets.skipping_absent(report))


skip_absent_option = click.option(
    "--skip-absent",
    is_flag=True,
    expose_value=False,
    callback=_skip_absent,
    help="Leave out hosts that the fabric lacks, such as those that were down when it was dumped, and name them.",
)


def groups_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--hosts` and `--skip-absent`; the command receives `groups`."""
    return _groups_option(skip_absent_option(function))


def host_order_option(
    verb: str, default: str = "topology"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option in which order hosts are counted, shifted and so on."""
    return click.option(
        "--host-order",
        metavar="ORDER",
        default=default,
        show_default=True,
        help=f"{verb} hosts by name, lid, topology, eventree or eventree-exchanges, or as file:PATH lists them: names, sets, or GUIDs of ports.",
    )


_OPTIONS = (
    click.option(
        "--pairs",
        type=click.Choice(["hosts", "all"]),
        default="all",
        help="Pairs of host adapters only, or of all end nodes (the default).",
    ),
    groups_option,
    host_order_option("Shift"),
    rail_option,
    click.option(
        "--shifts",
        metavar="N",
        default="all",
        show_default=True,
        help="Look at all shifts, or at about N of them, evenly spread.",
    ),
)


def hosts_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command receives `pairs`, `groups`, `host_order`, `rail` and `shifts`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def hosts_of(routes: Routes, groups: str, rail: str, order: str) -> Participants | None:
    """The hosts in their order; none where no host has a cable."""
    from ..ranks.participants import participants

    hosts = participants(routes, groups=groups, host_order=order, rail=rail)
    return hosts if hosts.hosts else None


class Senders(TypedDict):
    """Which hosts were asked to send, and how many there are: keys of several documents."""

    groups: str
    host_order: str
    rail: str
    hosts: int
    hosts_by_group: dict[str, int]
    unknown: int
    ports: int


def senders_of(hosts: Participants, groups: str, host_order: str, rail: str) -> Senders:
    """The hosts of a traffic, and what was asked for."""
    return {
        "groups": groups,
        "host_order": host_order,
        "rail": rail,
        "hosts": hosts.num_hosts,
        "hosts_by_group": dict(hosts.groups),
        "unknown": hosts.num_unknown,
        "ports": hosts.num_ports,
    }


def step_of(shifts: str, hosts: int) -> int:
    """The distance between two shifts that are looked at."""
    if shifts == "all":
        return 1
    number = number_of(shifts, 1, 10**9)
    if number is None:
        raise LacisError(f"--shifts {shifts}: expected all or a number from 1 to 1,000,000,000")
    return max(1, -(-(hosts - 1) // number))
