"""Making the tables of a fabric: by an engine of its manager, or by a function of the caller's."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from .. import _core
from ..errors import FallbackWarning, LacisError
from ..facts.wording import text
from ..facts.words import excerpt
from ..io.memory import need_memory
from ..requests.arguments import whole
from ..sm.engines import usual
from .doubts import refusals

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric, Routes
    from ..requests.routing import RouteOptions
    from . import own


def route(fabric: Fabric, engines: str | own.Engine | None = None, **options: Unpack[RouteOptions]) -> Routes:
    """Tables as a fresh OpenSM 3.3.23 would make them, or, with its engines, Omni-Path's opa-fm 10.10.3.

    Where all engines refuse, OpenSM falls back to minhop and says so in its log alone; so does this function, with a
    `FallbackWarning` that has the reasons.

    Args:
        fabric: what to route.
        engines: an engine, or a list `a,b` of which the first that accepts the fabric is used; `minhop` unless
            given, `shortestpath` on Omni-Path. Or a function of your own, from `FabricArrays` to an array of ports: see
            there. The result says `file` where it names its engine, as of tables that no engine made.
        options: see `RouteOptions`. For a function those about LIDs alone: `sm`, `fresh_lids`, `lmc`, `lmc_esp0` and
            `guid2lid`.

    Raises:
        RefusedError: when all engines refuse and `fallback` is off.
        LacisError: when there is no such engine or node, or what a function returns is no table of this fabric.
    """
    if callable(engines):
        # Arrays take as long to load as many an engine takes to run.
        from . import own

        return own.route(fabric, engines, **options)
    if engines is not None and not isinstance(engines, str):
        raise LacisError(
            f"`engines` is a name, names with commas between, or a function, not {type(engines).__name__}"
        )
    routes = made(fabric, engines or usual(fabric.technology), **options)
    warn_of_fallback(routes, stacklevel=3)
    return routes


def made(fabric: Fabric, engines: str, **options: Unpack[RouteOptions]) -> Routes:
    """Tables as `route` makes them, for callers that say themselves which engine ran.

    Raises:
        RefusedError: when all engines refuse and `fallback` is off.
        LacisError: when there is no such engine or node, or this machine has too little memory for the tables: a byte
            for each switch and LID, and one for each two switches, which are the hops between them.
    """
    if "lmc" in options:
        options["lmc"] = whole("lmc", options["lmc"], 0, 7)
    switches = fabric.num_switches
    lids = switches + (fabric.num_end_nodes << (options.get("lmc") or 0))
    need_memory("a set of forwarding tables", switches * lids + switches**2)
    try:
        return _core.route(fabric, engines, **options)
    except (TypeError, OverflowError) as error:
        raise _of_option(options) or error from None


def _of_option(options: RouteOptions) -> LacisError | None:
    """The error that names the option with a value of another kind; none where all options are of theirs."""
    from ..fabric.reading import read

    smallest = read("chain:1:h=2")
    for name, value in options.items():
        try:
            _core.route(smallest, "minhop", **{name: value})  # type: ignore[arg-type]
        except (TypeError, OverflowError) as error:
            return LacisError(f"`{name}`: {error}", text=excerpt(repr(value), 40))
        except LacisError:  # what makes no sense on this fabric may on another one
            continue
    return None


def warn_of_fallback(routes: Routes, *, stacklevel: int) -> None:
    """Warns where an engine made tables, of all or of an island, that was not asked for.

    Args:
        routes: the tables.
        stacklevel: whose line the warning names, counted from here: 2 is the caller of this function.
    """
    if set(routes.engine_used.split(",")) <= set(routes.engine_requested.split(",")):
        return
    warning = FallbackWarning("; ".join(text(one) for one in refusals(routes)))
    warning.refusals = tuple(routes.refusals)
    warnings.warn(warning, stacklevel=stacklevel)
