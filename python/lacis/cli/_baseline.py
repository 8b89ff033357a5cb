"""`--lfts` and `--opensm-conf`: what runs now, for commands that say what to run instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ._doubts import warn_of_doubts
from ._fabric import need_cables, warn
from ._opensm_conf import SAID
from ._routing import read_choice
from ._routing_options import ENGINE_OPTIONS, RoutingArguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from ..advice.baseline import Baseline
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
    from .. import opensm, routing
    from ..advice.baseline import Baseline
    from ..facts.advice import ConfigurationModelled, TablesRead

    need_cables(fabric)
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
            routes = routing.route(fabric, wanted.engines, **wanted.options)
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
    for note in notes:
        warn(f"{lfts}: {note}")
    return replace(
        found,
        label="as it runs",
        running=TablesRead(lfts),
        routes=routes,
        engine=routes.engine_requested,
        typed=("--lfts", lfts, *typed),
    )
