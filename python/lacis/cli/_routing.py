"""The options that make or read forwarding tables, shared by every command that needs some."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ..facts.words import refusal
from ..routing.doubts import port_twins, twins
from ..sm.engines import OMNI_PATH, OPTIONS, OURS, usual
from ._doubts import doubt, warn_of_doubts
from ._fabric import changed, folder, need_cables, warn, warn_of_notes
from ._progress import progress
from ._routing_options import (
    ENGINE_OPTIONS,
    GUID_LISTS,
    LFTS,
    OWN,
    PORT_LISTS,
    Choice,
    RoutingArguments,
    typed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes, TableFile
    from ..requests.routing import RouteOptions

    _Options = dict[str, Callable[[Any], Any]]


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the engines and their options; beneath `fabric_argument`. The command receives `routes` too."""
    return _with_options(_with_routes(function, ENGINE_OPTIONS), ENGINE_OPTIONS)


def routing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `engine_options`, with `--lfts` to read tables instead of making them."""
    return _with_options(_with_routes(function, LFTS | ENGINE_OPTIONS), LFTS | ENGINE_OPTIONS)


def routing_choice(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same options, for commands that route more than once: these receive `routing`, the arguments."""
    return _with_arguments(function, LFTS | ENGINE_OPTIONS)


def engine_choice(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `routing_choice`, without `--lfts`."""
    return _with_arguments(function, ENGINE_OPTIONS)


def _with_arguments(function: Callable[..., Any], options: _Options) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_arguments(*args: Any, **kwargs: Any) -> Any:
        return function(*args, routing=_taken(kwargs, options), **kwargs)

    return _with_options(with_arguments, options)


def _with_routes(function: Callable[..., Any], options: _Options) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_routes(*args: Any, fabric: Fabric, **kwargs: Any) -> Any:
        routes = make_routes(fabric, _taken(kwargs, options))
        return function(*args, fabric=fabric, routes=routes, **kwargs)

    return with_routes


def _taken(kwargs: dict[str, Any], options: _Options) -> RoutingArguments:
    """The arguments of routing, out of all that a command was called with."""
    given = {name: kwargs.pop(name) for name in options}
    own = {name: given.pop(name) for name in OWN if name in given}
    return RoutingArguments(**own, options={name: v for name, v in given.items() if v is not None})


def _with_options(function: Callable[..., Any], options: _Options) -> Callable[..., Any]:
    for option in reversed(options.values()):
        function = option(function)
    return function


def make_routes(fabric: Fabric, arguments: RoutingArguments) -> Routes:
    """Makes tables with the engines asked for, or reads them; refusals and doubts go to standard error."""
    from .. import routing
    from ..routing.making import made

    need_cables(fabric)
    taken = folder()
    if taken and taken.tables and arguments.first is None and not changed():
        arguments = replace(arguments, lfts=taken.tables)
    if arguments.lfts is None:
        wanted = read_choice(fabric, arguments)
        with progress(f"routing by {wanted.engines}"):
            routes = made(fabric, wanted.engines, **wanted.options)
        click.get_current_context().meta[_TABLES] = wanted.tables_file(routes)
        warn_of_doubts(fabric, routes, wanted)
        return routes
    if arguments.engine == "":
        raise click.UsageError("-R names no engine")
    if clash := replace(arguments, lfts=None).first:
        raise click.UsageError(f"--lfts reads tables that exist; {clash} has no meaning with it")
    with progress("reading the tables"):
        routes, notes = routing.read_tables(fabric, arguments.lfts)
    click.get_current_context().meta[_TABLES] = arguments.lfts
    warn_of_notes(arguments.lfts, notes)
    return routes


def own_tables(fabric: Fabric, path: str) -> Routes | None:
    """The tables of a snapshot that was taken with them; why there are none goes to standard error."""
    from .. import _core, routing
    from ..errors import LacisError
    from ..io.files import reading

    if path == "-" or not Path(path).is_file():
        return None
    with reading(path) as data:
        kind = _core.file_kind(data)
    if kind is None or kind[0] != "snapshot":
        return None
    try:
        routes, notes = routing.read_tables(fabric, path)
    except LacisError as error:
        warn(f"{error}: tables are made")
        return None
    click.get_current_context().meta[_TABLES] = path
    warn_of_notes(path, notes)
    return routes


_TABLES = "lacis.tables"


def tables_file() -> str | None:
    """The file that the running command read its tables from; none where an engine made them."""
    path: str | None = click.get_current_context().meta.get(_TABLES)
    return path


def walked(routes: Routes) -> str:
    """Whose tables these are, in a line: the engine, assumed unless the user named one, or the file they were read from."""
    path = tables_file()
    if path is not None:
        return f"tables: read from {path}"
    given = click.get_current_context().params
    asked = RoutingArguments(given.get("engine"), given.get("opensm_conf"), given.get("lfts"))
    why = "" if asked.names_tables else " (assumed: neither -R nor --lfts is given)"
    refused = "".join(f"; {refusal(one.engine, one.reason)}" for one in routes.refusals)
    return f"tables: {routes.engine_used}'s{why}{refused}"


def read_choice(fabric: Fabric, arguments: RoutingArguments) -> Choice:
    """The engines asked for, and the options that `routing.route` takes, with their files read.

    The fabric is the whole one: a configuration of a torus is compared with it.
    """
    from .. import routing
    from ..opensm.plugin import plain

    if arguments.engine == "":
        raise click.UsageError("-R names no engine")
    engine, given = arguments.engine, dict(arguments.options)
    if (taken := folder()) and taken.opensm_conf and arguments.first is None:
        arguments = replace(arguments, opensm_conf=taken.opensm_conf)
    if arguments.opensm_conf is not None:
        from ._opensm_conf import merged

        engine, given = merged(arguments.opensm_conf, engine, given, verbose=bool(arguments.verbose))
    elif arguments.verbose:
        raise click.UsageError("--verbose names keys of --opensm-conf, which is not given")
    engines, lenient = plain(engine or usual(fabric.technology)), bool(arguments.lenient)
    if given.get("fresh_lids") and "guid2lid_cache" in given:
        raise click.UsageError("--fresh-lids forgets the LID cache that --guid2lid-cache names")
    paths = {name: str(given[name]) for name in (*GUID_LISTS, *PORT_LISTS) if name in given}
    options: dict[str, object] = {
        name: value for name, value in given.items() if name not in (*paths, "guid2lid_cache")
    }
    lists: dict[str, list[int]] = {}
    for name, path in paths.items():
        if name in GUID_LISTS:
            options[name] = lists[name] = routing.read_guids(path)
            doubt(twins(path, lists[name]), lenient=lenient)
        else:
            entries = routing.read_port_list(path, OPTIONS[name].key or "")
            lists[name] = [guid for guid, _ in entries]
            doubt(port_twins(path, entries), lenient=lenient)
            options[name] = _numbered(name, entries)
    if "guid2lid_cache" in given:
        options["guid2lid"] = routing.read_lid_cache(str(given["guid2lid_cache"]))
    if "torus_config" in given:
        options["torus_config"] = routing.read_torus_config(fabric, str(given["torus_config"]))
    files: dict[str, str] = {
        name: str(given[name]) for name in ("lfts_file", "lid_matrix_file") if name in given
    }
    tables = _load(engines, files, options)
    return Choice(engines, cast("RouteOptions", options), paths, lists, files, tables, engine, given, lenient)


def _load(engines: str, files: dict[str, str], options: dict[str, object]) -> tuple[str, TableFile] | None:
    """Reads the files that the engine `file` loads into the options; returns the tables with their name."""
    from .. import routing

    if files and "file" not in engines.lower().split(","):
        raise click.UsageError(f"{typed(next(iter(files)))} is for -R file")
    if path := files.get("lid_matrix_file"):
        hops = options["lid_matrix_file"] = routing.read_hop_file(path)
        warn_of_notes(path, hops.notes)
    if (path := files.get("lfts_file")) is None:
        return None
    tables = options["lfts_file"] = routing.read_table_file(path)
    warn_of_notes(path, tables.notes)
    return path, tables


def _numbered(name: str, entries: list[tuple[int, list[int]]]) -> list[Any]:
    """Entries as `RouteOptions` takes them."""
    if name == "search_order":
        return entries
    return [(guid, *numbers) for guid, numbers in entries]


def rules_of(engines: str, made: str) -> str:
    """Whose rules tables follow, in words.

    Args:
        engines: the list that was asked for.
        made: the engine that made them, or the file that they were read from.
    """
    names = [name.strip() for name in engines.split(",")]
    if made in OURS:
        return f"{made} of Lacis makes tables, as inside OpenSM; sweeps by OpenSM's rules"
    if made in OMNI_PATH:
        return "the rules of Omni-Path's manager (opa-fm 10.10.3), every sweep from scratch"
    if names == ["file"]:
        return "tables from a file, which OpenSM loads and does not mend"
    return "OpenSM 3.3.23's rules"
