"""The options that make or read forwarding tables, shared by every command that needs some."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ..files import reading
from ._fabric import warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes

# By the name under which a command receives the value; the letters are those of `opensm`.
_ENGINE_OPTIONS = {
    "engine": click.option(
        "-R",
        "--engine",
        metavar="NAME[,NAME]",
        help="Routing engines, tried in order: minhop (the default), updn, ftree.",
    ),
    "order": click.option(
        "-X", "--order", metavar="FILE", help="Port GUIDs to route first (guid_routing_order_file)."
    ),
    "roots": click.option(
        "-a", "--roots", metavar="FILE", help="Node GUIDs of the root switches (root_guid_file)."
    ),
    "cn": click.option(
        "-u", "--cn", metavar="FILE", help="ftree: port GUIDs of the compute nodes (cn_guid_file)."
    ),
    "io": click.option(
        "-G", "--io", metavar="FILE", help="ftree: port GUIDs of the I/O nodes (io_guid_file)."
    ),
    "reverse_hops": click.option(
        "-H",
        "--reverse-hops",
        type=click.IntRange(0, 255),
        default=0,
        help="ftree: up-turns towards I/O nodes.",
    ),
    "connect_roots": click.option(
        "-z", "--connect-roots", is_flag=True, help="Route between root switches too."
    ),
    "fallback": click.option(
        "--fallback/--no-fallback",
        default=True,
        help="Where all engines refuse, use minhop as OpenSM does (the default), or fail.",
    ),
    "sm": click.option(
        "--sm", metavar="NODE", help="The node that runs the subnet manager: it gets the first LID."
    ),
    "fresh_lids": click.option("--fresh-lids", is_flag=True, help="Assign all LIDs anew."),
}
_LFTS = {
    "lfts": click.option(
        "--lfts",
        metavar="FILE",
        help="Read the tables instead: opensm-lfts.dump, dump_lfts or ibroute output.",
    )
}


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the engines and their options; beneath `fabric_argument`. The command receives `routes` too."""
    return _with_options(function, _ENGINE_OPTIONS)


def routing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `engine_options`, with `--lfts` to read tables instead of making them."""
    return _with_options(function, _LFTS | _ENGINE_OPTIONS)


def _with_options(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_routes(*args: Any, fabric: Fabric, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in options}
        return function(*args, fabric=fabric, routes=make_routes(fabric, **chosen), **kwargs)

    wrapped: Callable[..., Any] = with_routes
    for option in reversed(options.values()):
        wrapped = option(wrapped)
    return wrapped


def make_routes(
    fabric: Fabric,
    *,
    engine: str | None = None,
    lfts: str | None = None,
    order: str | None = None,
    roots: str | None = None,
    cn: str | None = None,
    io: str | None = None,
    sm: str | None = None,
    **rest: Any,
) -> Routes:
    """Makes tables with the engines asked for, or reads them; refusals and remarks go to standard error."""
    from .. import _core

    if lfts is not None:
        if engine is not None:
            raise LacisError("give either --engine or --lfts")
        with reading(lfts) as data:
            routes, notes = _core.read_lfts(fabric, data)
        for note in notes:
            warn(f"{lfts}: {note}")
        return routes
    routes = _core.route(
        fabric,
        engine or "minhop",
        sm=None if sm is None else _core.find_node(fabric, sm),
        order=_guids(order) or [],
        roots=_guids(roots),
        cn=_guids(cn),
        io=_guids(io),
        **rest,
    )
    for name, reason in routes.refusals:
        warn(f"{name} refuses this fabric: {reason}")
    if routes.refusals:
        warn(f"routed by {routes.engine_used} instead, as OpenSM would")
    return routes


def _guids(path: str | None) -> list[int] | None:
    from .. import _core

    if path is None:
        return None
    with reading(path) as data:
        return _core.read_guid_list(data)
