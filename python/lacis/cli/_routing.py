"""The options that make or read forwarding tables, shared by every command that needs some."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from ._fabric import warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes

# By the name under which `make_routes` takes the value; names and letters are those of `opensm`.
_ENGINE_OPTIONS = {
    "engine": click.option(
        "-R",
        "--engine",
        metavar="ENGINE[,…]",
        help="Engine as OpenSM names it: minhop (default), updn, ftree; of a list, the first that accepts.",
    ),
    "roots": click.option(
        "-a",
        "--root-guid-file",
        "roots",
        metavar="FILE",
        help="Node GUIDs of the root switches (updn, ftree); found automatically unless given.",
    ),
    "cn": click.option(
        "-u", "--cn-guid-file", "cn", metavar="FILE", help="Port GUIDs of the compute nodes (ftree)."
    ),
    "io": click.option(
        "-G", "--io-guid-file", "io", metavar="FILE", help="Port GUIDs of the I/O nodes (ftree)."
    ),
    "reverse_hops": click.option(
        "-H",
        "--max-reverse-hops",
        "reverse_hops",
        type=click.IntRange(0, 255),
        default=0,
        metavar="N",
        help="How often a path to an I/O node may turn up again (ftree).",
    ),
    "order": click.option(
        "-X",
        "--guid-routing-order-file",
        "order",
        metavar="FILE",
        help="Port GUIDs that are routed first (minhop, updn).",
    ),
    "connect_roots": click.option(
        "-z", "--connect-roots", is_flag=True, help="Route between root switches too (updn, ftree)."
    ),
    "fallback": click.option(
        "--fallback/--no-fallback",
        default=True,
        help="Where all engines refuse, use minhop as OpenSM does (the default), or exit with 1.",
    ),
    "fresh_lids": click.option("--fresh-lids", is_flag=True, help="Assign all LIDs anew, as OpenSM -r does."),
    "sm": click.option(
        "--sm",
        metavar="NODE",
        help="Node that OpenSM runs on: identifier, GUID or description; else the first end node.",
    ),
}
_LFTS = {
    "lfts": click.option(
        "--lfts",
        metavar="FILE",
        help="Read the tables instead: opensm-lfts.dump, or the output of dump_lfts or ibroute.",
    )
}
_LETTERS = {"engine": "-R", "roots": "-a", "cn": "-u", "io": "-G", "order": "-X", "sm": "--sm"}


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the engines and their options; beneath `fabric_argument`. The command receives `routes` too."""
    return _with_options(_with_routes(function, _ENGINE_OPTIONS), _ENGINE_OPTIONS)


def routing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `engine_options`, with `--lfts` to read tables instead of making them."""
    return _with_options(_with_routes(function, _LFTS | _ENGINE_OPTIONS), _LFTS | _ENGINE_OPTIONS)


def routing_choice(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same options for commands that route more than once.

    They receive `routing`, the keyword arguments of `make_routes`:
    `make_routes(fabric, **routing | {"engine": "updn"})`.
    """

    @functools.wraps(function)
    def with_choice(*args: Any, **kwargs: Any) -> Any:
        routing = {name: kwargs.pop(name) for name in _LFTS | _ENGINE_OPTIONS}
        return function(*args, routing=routing, **kwargs)

    return _with_options(with_choice, _LFTS | _ENGINE_OPTIONS)


def _with_routes(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_routes(*args: Any, fabric: Fabric, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in options}
        return function(*args, fabric=fabric, routes=make_routes(fabric, **chosen), **kwargs)

    return with_routes


def _with_options(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    for option in reversed(options.values()):
        function = option(function)
    return function


def make_routes(
    fabric: Fabric,
    *,
    engine: str | None = None,
    lfts: str | None = None,
    roots: str | None = None,
    cn: str | None = None,
    io: str | None = None,
    order: str | None = None,
    sm: str | None = None,
    **rest: Any,
) -> Routes:
    """Makes tables with the engines asked for, or reads them; refusals and doubts go to standard error."""
    from .. import routing

    if engine == "":
        raise click.UsageError("-R names no engine")
    files = {"roots": roots, "cn": cn, "io": io, "order": order}
    if lfts is not None:
        clash = [name for name, value in {"engine": engine, **files, "sm": sm}.items() if value is not None]
        if clash:
            raise click.UsageError(
                f"--lfts reads tables that exist; {_LETTERS[clash[0]]} has no meaning with it"
            )
        routes, notes = routing.read_tables(fabric, lfts)
        for note in notes:
            warn(f"{lfts}: {note}")
        return routes
    lists = {name: None if path is None else routing.read_guids(path) for name, path in files.items()}
    routes = routing.route(
        fabric,
        engine or "minhop",
        sm=sm,
        roots=lists["roots"],
        cn=lists["cn"],
        io=lists["io"],
        order=lists["order"] or (),
        **rest,
    )
    switches = set(fabric.guids()[: fabric.num_switches].tolist())
    ports = set(routes.lids()[1].tolist())
    for name, path in files.items():
        _warn_of_strangers(path, lists[name], switches if name == "roots" else ports)
    for line in refusals(routes):
        warn(line)
    for lid, port in routes.doubled[:1]:
        more = f" (and {len(routes.doubled) - 1} more)" if len(routes.doubled) > 1 else ""
        warn(
            f"LID {lid}{more} of {port} goes to another port too, as OpenSM would have it: the fabric's LIDs "
            "and the LID cache disagree"
        )
    if routes.undefined:
        warn(
            "ftree: a leaf with hosts has a cable to another leaf; there OpenSM's own tables vary from run to run"
        )
    return routes


def refusals(routes: Routes) -> list[str]:
    """What each engine that refused had to say, and what OpenSM would do about it."""
    tried = [engine for engine, _ in routes.refusals] + [routes.engine_used]
    asked = routes.engine_requested.split(",")
    lines = []
    for (engine, reason), successor in zip(routes.refusals, tried[1:], strict=True):
        step = f"go on to {successor}" if successor in asked else f"fall back to {successor}"
        lines.append(f"{engine} refused: {reason}; OpenSM would {step} and say so only in its log")
    return lines


def _warn_of_strangers(path: str | None, guids: list[int] | None, known: set[int]) -> None:
    """OpenSM passes over GUIDs that it does not know; a typing mistake stays unseen."""
    strange = [f"0x{g:016x}" for g in guids or () if g not in known]
    if strange:
        of, such = f"{len(strange)} of {len(guids or ())} GUIDs", f"such as {strange[0]}"
        if len(guids or ()) == 1:
            of, such = "its only GUID", strange[0]
        verb = "are" if len(strange) > 1 else "is"
        warn(
            f"{path}: {of} {verb} not in the fabric, {such}; OpenSM ignores {'them' if len(strange) > 1 else 'it'}"
        )
    elif guids is not None and not guids:
        warn(f"{path}: no GUID in the file")
