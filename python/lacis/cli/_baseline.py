"""`--lfts` and `--opensm-conf`: what runs now, for commands that say what to run instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ._doubts import warn_of_doubts
from ._fabric import changed, folder, need_cables, warn_of, warn_of_notes
from ._opensm_conf import SAID
from ._routing import read_choice
from ._routing_options import ENGINE_OPTIONS, RoutingArguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from ..advice.baseline import Baseline
    from ..fabric.folder import FolderFabric
    from ..requests.routing import RouteOptions

_OPTIONS = (
    click.option(
        "--lfts",
        metavar="FILE",
        help="What runs now: opensm-lfts.dump, or the output of dump_lfts or ibroute.",
    ),
    click.option(
        "--opensm-conf",
        metavar="FILE",
        help="What runs now: the tables that this opensm.conf makes; with --lfts the configuration to restore.",
    ),
    ENGINE_OPTIONS["sm"],
)


def baseline_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command receives `lfts`, `opensm_conf` and `sm`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def read_baseline(
    fabric: Fabric, lfts: str | None, opensm_conf: str | None, sm: str | None, groups: str = "all"
) -> Baseline:
    """What runs now: the tables in a file, else what a configuration makes, else minhop, which is assumed.

    Raises:
        LacisError: when a file cannot be read, contradicts itself, or is of another fabric.
    """
    need_cables(fabric)
    taken = folder()
    if taken and lfts is None and opensm_conf is None and sm is None and not changed():
        return _of_folder(fabric, taken, groups)
    return _baseline(fabric, lfts, opensm_conf, sm, groups)


def _baseline(
    fabric: Fabric, lfts: str | None, opensm_conf: str | None, sm: str | None, groups: str
) -> Baseline:
    from .. import opensm, routing
    from ..advice.baseline import Baseline
    from ..facts.advice import ConfigurationModelled, TablesRead
    from ..routing.making import made

    typed = ["--hosts", groups] if groups != "all" else []
    typed += ["--sm", sm] if sm is not None else []
    if opensm_conf is None:
        options: RouteOptions = {} if sm is None else {"sm": sm}
        found = replace(Baseline.assumed(fabric), options=options, typed=tuple(typed))
    else:
        given = {} if sm is None else {"sm": sm}
        wanted = read_choice(fabric, RoutingArguments(opensm_conf=opensm_conf, options=given))
        typed += ["--opensm-conf", opensm_conf]
        found = Baseline(
            adaptive=opensm.adaptive(wanted.asked or "minhop"),
            options=wanted.options,
            now=click.get_current_context().meta.get(SAID),
            typed=tuple(typed),
        )
        if lfts is None:
            routes = made(fabric, wanted.engines, **wanted.options)
            warn_of_doubts(fabric, routes, wanted)
            return replace(
                found,
                label="as configured",
                running=ConfigurationModelled(routes.engine_used, opensm_conf, found.adaptive or None),
                routes=routes,
                engine=routes.engine_requested,
            )
    if lfts is None:
        return found
    routes, notes = routing.read_tables(fabric, lfts)
    warn_of_notes(lfts, notes)
    return replace(
        found,
        label="as it runs",
        running=TablesRead(lfts),
        routes=routes,
        engine=routes.engine_requested,
        typed=("--lfts", lfts, *typed),
    )


def _of_folder(fabric: Fabric, taken: FolderFabric, groups: str) -> Baseline:
    """What runs now by the files of a folder; those that do not fit are left out, with a remark."""
    from ..facts.sources import FileLeftOut

    lfts, conf = taken.tables, taken.opensm_conf
    while True:
        try:
            return _baseline(fabric, lfts, conf, None, groups)
        except LacisError as error:
            if lfts is not None and error.source == lfts:
                left, lfts = lfts, None
            elif conf is not None:
                left, conf = conf, None
            else:
                raise
            warn_of(FileLeftOut(left, str(error)))
